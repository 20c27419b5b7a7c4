//! The result of normalising: an [`Address`], with the details needed to find its records. It outlives the text.

use std::ops::Range;

use super::tail::LotNumbers;
use crate::text::codes::PostalCode;
use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    /// A part of an address, in the order of the API's `query` object.
    pub enum Component {
        Prefecture = "prefecture",
        County = "county",
        /// 市町村 or special ward; for a ward of a designated city, the city.
        City = "city",
        CityWard = "city_ward",
        /// Town without chome.
        Town = "town",
        KyotoStreet = "kyoto_street",
        /// Lot numbers, half-width digits joined by hyphens.
        BlockLotNum = "block_lot_num",
        Building = "building",
        /// Floor or room, as the text gives it.
        FloorRoom = "floor_room",
    }
}

/// What a span of the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpanKind {
    Part(Component),
    PostalCode,
    /// 〒, spaces, line breaks, and punctuation between parts.
    Separator,
    /// Text before or after an address; all of a text without an address.
    Unplaced,
}

/// A range of the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub kind: SpanKind,
    pub start: u32,
    pub end: u32,
}

/// How precisely an address was resolved, with indexes of the gazetteer that it was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MatchLevel {
    #[default]
    None,
    /// JIS X 0401.
    Prefecture(u32),
    /// A municipality; each ward is one.
    City(u32),
    /// Several municipalities fit equally: the wards of a city, or municipalities with the same name.
    Cities,
    Town(u32),
}

named_enum! {
    fn name;
    /// Why a value differs from the text.
    pub enum CorrectionKind {
        /// A former name: 篠山市 for 丹波篠山市.
        OldName = "old_name",
        /// A name in another register: 三里塚御料牧場, 南長野南県町.
        OtherRegister = "other_register",
        /// Different letters: 鍛治町 for 鍛冶町.
        Letters = "letters",
        /// A part that is missing in the text.
        Completed = "completed",
        /// A part that occurs twice, or in the wrong place.
        Repeated = "repeated",
        /// A name in kana or Roman letters.
        Reading = "reading",
        /// A part that the rest contradicts: 千葉県 for 茨城県 in front of 笠間市.
        Contradicted = "contradicted",
    }
}

/// A value that differs from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Correction<Text> {
    pub kind: CorrectionKind,
    pub component: Component,
    /// The year since which the name is old, if known.
    pub since: Option<u16>,
    /// The range of bytes in the text; empty if the text has nothing.
    pub start: u32,
    pub end: u32,
    pub became: Text,
}

named_enum! {
    fn name;
    /// How far a text was resolved, from the best to the worst; the value shown to users.
    pub enum ResolvedLevel {
        /// A town, and a lot number in it.
        Full = "full",
        Town = "town",
        City = "city",
        Prefecture = "prefecture",
        None = "none",
    }
}

/// A place that the text may mean: a municipality, and a town in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suspect {
    pub city: usize,
    pub town: Option<usize>,
}

/// The details of an address that distinguish its record from others of its town.
#[derive(Debug, Clone, Default)]
pub(super) struct TownDetails {
    /// The koaza after the town, as an index of the gazetteer's details.
    pub(super) koaza: Option<usize>,
    /// Whether the text has a 字 but no town.
    pub(super) is_koaza_without_town: bool,
    /// Details of a koaza after the chome: 本通12丁目北.
    pub(super) side: Range<usize>,
    /// The Kyoto street as a key; empty if none.
    pub(super) street: Vec<u16>,
    /// The number of a 地割 after the town.
    pub(super) jiwari: Option<u32>,
    /// Whether the text marks the first number of the lot as a chome.
    pub(super) has_chome: bool,
    pub(super) lot: LotNumbers,
}

/// An address in its components. Its buffers are reused for the next text.
#[derive(Debug, Clone, Default)]
pub struct Address {
    text: String,
    values: [Option<(u32, u32)>; Component::ALL.len()],
    /// For each component to which text was joined, the value before that.
    values_before_join: [Option<(u32, u32)>; Component::ALL.len()],
    pub(super) spans: Vec<Span>,
    pub(super) level: MatchLevel,
    /// Places that the text may mean as well, the likeliest first.
    pub(super) suspects: Vec<Suspect>,
    /// The municipalities of [`MatchLevel::Cities`].
    pub(super) cities: Vec<u32>,
    /// The town in each of them that the text may mean; empty if the text names none that they have.
    pub(super) towns: Vec<u32>,
    /// Whether the records of the town have several codes, of which the text decides for none.
    pub(super) has_open_code: bool,
    /// Whether the towns in which the address may be have one code in common.
    pub(super) has_shared_code: bool,
    /// Whether the place was read from the postal code, because the text names none.
    pub(super) is_from_code: bool,
    /// Whether a name that the data lack stands between town and lot.
    pub(super) has_unknown_name: bool,
    /// Whether a date stands where the lot should, which a spreadsheet made of it.
    pub(super) has_date: bool,
    pub(super) details: TownDetails,
    pub(super) postal_code: Option<PostalCode>,
    /// Range in `text` of the lot without its letters.
    lot_numbers: Option<(u32, u32)>,
    /// Range in `text` of the unplaced text after the parts.
    trailing_text: Option<(u32, u32)>,
    /// Range in `text` of the name between town and lot that the data lack.
    unknown_name: Option<(u32, u32)>,
    /// Each with the range of its new value in `text`.
    corrections: Vec<Correction<(u32, u32)>>,
}

impl TownDetails {
    fn clear(&mut self) {
        self.street.clear();
        let street = std::mem::take(&mut self.street);
        *self = TownDetails { street, ..TownDetails::default() };
    }
}

impl Address {
    /// The normalised value of a component; `None` if the text has none.
    pub fn get(&self, component: Component) -> Option<&str> {
        self.values[component as usize].map(|value| self.slice(value))
    }

    fn slice(&self, (start, end): (u32, u32)) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The spans of the input in order, without gap or overlap, from its first byte to its last.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    pub fn level(&self) -> MatchLevel {
        self.level
    }

    pub fn resolved(&self) -> ResolvedLevel {
        match self.level {
            MatchLevel::None => ResolvedLevel::None,
            MatchLevel::Prefecture(_) => ResolvedLevel::Prefecture,
            MatchLevel::City(_) | MatchLevel::Cities => ResolvedLevel::City,
            MatchLevel::Town(_)
                if self.get(Component::BlockLotNum).is_some() && !self.is_in_doubt() =>
            {
                ResolvedLevel::Full
            }
            MatchLevel::Town(_) => ResolvedLevel::Town,
        }
    }

    /// Whether the lot is not certainly in the town: its code is one of several, the text has a name between town and
    /// lot that the data lack, or a date in place of the lot.
    fn is_in_doubt(&self) -> bool {
        self.has_open_code || self.has_unknown_name || self.has_date
    }

    /// Whether the records of the town have several codes, of which neither the text nor a code beside it decides for
    /// one.
    pub fn has_open_code(&self) -> bool {
        self.has_open_code
    }

    /// Whether the text decides for one postal code although it may mean several places, or names none by itself.
    pub fn has_certain_code(&self) -> bool {
        self.has_shared_code || self.is_from_code
    }

    /// Whether the place was read from the postal code, because the text names none.
    pub fn is_from_code(&self) -> bool {
        self.is_from_code
    }

    /// Whether the text has something below the municipality: a town, a street or a lot.
    pub(super) fn has_text_below_city(&self) -> bool {
        let below = [Component::Town, Component::KyotoStreet, Component::BlockLotNum];
        below.iter().any(|part| self.get(*part).is_some())
    }

    /// The municipalities of [`MatchLevel::Cities`], as indexes of the tables; empty at other levels.
    pub fn cities(&self) -> &[u32] {
        &self.cities
    }

    /// The corrections in the order in which they were found; empty if every name is literal.
    pub fn corrections(&self) -> impl ExactSizeIterator<Item = Correction<&str>> {
        self.corrections.iter().map(|stored| {
            let Correction { kind, component, since, start, end, became } = *stored;
            Correction { kind, component, since, start, end, became: self.slice(became) }
        })
    }

    /// Records that these bytes of the text were read as the name `became`.
    pub(super) fn add_correction(
        &mut self,
        (kind, since): (CorrectionKind, Option<u16>),
        component: Component,
        (start, end): (u32, u32),
        became: &str,
    ) {
        let became = self.write(|out| out.push_str(became));
        self.corrections.push(Correction { kind, component, since, start, end, became });
    }

    /// Resets everything; all of `text` is unplaced.
    pub(super) fn clear(&mut self, text: &str) {
        self.text.clear();
        self.values = Default::default();
        self.values_before_join = Default::default();
        self.spans.clear();
        self.level = MatchLevel::None;
        self.suspects.clear();
        self.cities.clear();
        self.towns.clear();
        (self.has_open_code, self.has_shared_code) = (false, false);
        (self.is_from_code, self.has_unknown_name, self.has_date) = (false, false, false);
        self.details.clear();
        self.postal_code = None;
        self.trailing_text = None;
        self.unknown_name = None;
        self.lot_numbers = None;
        self.corrections.clear();
        if let Ok(end @ 1..) = u32::try_from(text.len()) {
            self.spans.push(Span { kind: SpanKind::Unplaced, start: 0, end });
        }
    }

    /// Whether the text is a postal code and nothing else.
    pub(super) fn is_only_postal_code(&self) -> bool {
        self.postal_code.is_some() && self.spans.iter().all(|span| span.kind != SpanKind::Unplaced)
    }

    /// The value of a component without the text that [`join`](Self::join) added.
    pub(super) fn value_before_join(&self, component: Component) -> Option<&str> {
        let value = self.values_before_join[component as usize];
        value.or(self.values[component as usize]).map(|value| self.slice(value))
    }

    /// The text that [`join`](Self::join) added to a component.
    pub(super) fn joined(&self, component: Component) -> Option<&str> {
        let before = self.values_before_join[component as usize]?;
        self.get(component)?.strip_prefix(self.slice(before))
    }

    /// The text after the parts: a tenant, a remark.
    pub(super) fn trailing_text(&self) -> Option<&str> {
        self.trailing_text.map(|range| self.slice(range))
    }

    pub(super) fn set_trailing_text(&mut self, text: &str) {
        let range = self.write(|out| out.push_str(text));
        self.trailing_text = Some(range);
    }

    /// A name between the town and its lot that the data lack, as the text gives it.
    pub fn unknown_name(&self) -> Option<&str> {
        self.unknown_name.map(|range| self.slice(range))
    }

    pub(super) fn set_unknown_name(&mut self, text: &str) {
        let range = self.write(|out| out.push_str(text));
        self.unknown_name = Some(range);
    }

    /// The numbers of the lot, without letters.
    pub(super) fn lot_numbers(&self) -> Option<&str> {
        self.lot_numbers.map(|range| self.slice(range))
    }

    /// Sets the lot, and remembers its numbers without letters.
    pub(super) fn set_lot(&mut self, numbers: &str, with_letters: &str) {
        self.set(Component::BlockLotNum, numbers);
        self.lot_numbers = self.values[Component::BlockLotNum as usize];
        if numbers != with_letters {
            self.set(Component::BlockLotNum, with_letters);
        }
    }

    /// Adds a text to a component, after a space.
    pub(super) fn join(&mut self, component: Component, value: &str) {
        let before = self.values[component as usize];
        self.values_before_join[component as usize] = before;
        self.extend(component, |out| {
            if before.is_some() {
                out.push(' ');
            }
            out.push_str(value);
        });
    }

    /// Appends a value to `text` and returns its range.
    fn write(&mut self, write: impl FnOnce(&mut String)) -> (u32, u32) {
        let offset = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = self.text.len();
        write(&mut self.text);
        (offset(start), offset(self.text.len()))
    }

    pub(super) fn set(&mut self, component: Component, value: &str) {
        self.set_with(component, |out| out.push_str(value));
    }

    /// Sets a component to the value that `write` appends.
    pub(super) fn set_with(&mut self, component: Component, write: impl FnOnce(&mut String)) {
        let (start, end) = self.write(write);
        self.values[component as usize] = (start < end).then_some((start, end));
    }

    /// Appends to the value of a component.
    pub(super) fn extend(&mut self, component: Component, write: impl FnOnce(&mut String)) {
        let before = self.values[component as usize];
        self.set_with(component, |out| {
            if let Some((start, end)) = before {
                out.extend_from_within(start as usize..end as usize);
            }
            write(out);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_are_kept_in_order_until_cleared() {
        let mut address = Address::default();
        address.clear("篠山市鍛治町");
        address.set(Component::City, "丹波篠山市");
        let old = (CorrectionKind::OldName, Some(2019));
        address.add_correction(old, Component::City, (0, 9), "丹波篠山市");
        address.add_correction((CorrectionKind::Letters, None), Component::Town, (9, 18), "鍛冶町");
        let found: Vec<_> = address
            .corrections()
            .map(|it| (it.kind.name(), it.component, it.start..it.end, it.became))
            .collect();
        let expected = [
            ("old_name", Component::City, 0..9, "丹波篠山市"),
            ("letters", Component::Town, 9..18, "鍛冶町"),
        ];
        assert_eq!(found, expected);
        assert_eq!(address.get(Component::City), Some("丹波篠山市"));
        address.clear("");
        assert_eq!(address.corrections().len(), 0);
    }
}
