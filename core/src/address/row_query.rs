//! An address in the form that the rows of its town are compared with, and the rank of such a row.

use rkyv::rend::u16_le;

use super::building::{floor_number, write_building_key};
use super::gazetteer::{ArchivedGazetteer, DetailKind, NO_NUMBER, lots};
use super::result::{Address, Component, TownDetails};
use super::units::{KeyBuffers, is_digit, unit};
use super::{kyoto, name_match::is_name, reference::ReferenceData, tail::LotNumbers};
use crate::record::postal::{CorporationView, PostalView};
use crate::text::{fold::Level, kind_words};

/// How precisely an address names a row; smaller ranks come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Floor,
    Building,
    /// A business that the text names.
    Business,
    /// A business that the text names with another legal form or without one, or as a building before other text.
    BusinessLoosely,
    /// The row of the koaza, chome, 地割 or street that the address names.
    Part,
    /// The row's lots, in a town that is divided by lots, contain the address.
    Lots,
    Town,
    /// The row is for a part of the town that may contain the address.
    PartOfTown,
    /// The row is for other lots, but there is nothing better.
    OtherLots,
    BusinessAtLot,
    Other,
}

/// Makes one key at a time, in reused buffers.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyWriter {
    pub(super) buffers: KeyBuffers,
    pub(super) key: Vec<u16>,
    business: BusinessKey,
}

/// The name of a business as keys.
#[derive(Debug, Clone, Default)]
struct BusinessKey {
    /// With the legal form in words: 株式会社 for （株）.
    whole: Vec<u16>,
    /// Without the legal form.
    body: Vec<u16>,
}

impl BusinessKey {
    fn set(&mut self, name: &str, buffers: &mut KeyBuffers) {
        let name = name.trim();
        buffers.write_form(name, |name| kind_words::expand(name, Level::Address), &mut self.whole);
        buffers.write_form(
            name,
            |name| kind_words::body(name, Level::Address).into(),
            &mut self.body,
        );
        for key in [&mut self.whole, &mut self.body] {
            key.retain(|code| is_name(*code) || is_digit(*code));
        }
    }
}

/// The address in the form that the rows of a town are compared with: keys and numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct RowQuery {
    /// The town in the text, for an address whose town is unknown.
    pub(super) town: Vec<u16>,
    /// Empty if the address has no lot.
    lot_text: String,
    lot: LotNumbers,
    has_chome: bool,
    building: Vec<u16>,
    floor: Option<i16>,
    /// Whether several businesses are in the building, so that its name does not name a business.
    is_shared: bool,
    /// Texts that may be the name of a business: the building, and the unplaced text after it.
    names: [BusinessKey; 2],
    floor_row: Option<u32>,
    building_row: Option<u32>,
    /// The rows of its koaza, chome, 地割 or street.
    pub(super) parts: Vec<u32>,
    /// Whether the address names none of these parts, and no koaza at all.
    has_no_part: bool,
}

impl RowQuery {
    /// Sets everything but the tenant from an address.
    pub(super) fn set(
        &mut self,
        gazetteer: &ArchivedGazetteer,
        address: &Address,
        town: usize,
        keys: &mut KeyWriter,
    ) {
        self.lot_text.clear();
        self.lot_text.push_str(address.lot_numbers().unwrap_or_default());
        self.lot = address.details.lot;
        self.has_chome = address.details.has_chome;
        (self.is_shared, self.floor_row, self.building_row) = (false, None, None);
        let building = address.value_before_join(Component::Building).unwrap_or_default();
        write_building_key(building, &mut keys.buffers, &mut self.building);
        let floor = address.value_before_join(Component::FloorRoom).unwrap_or_default();
        let second_room = address.joined(Component::FloorRoom).unwrap_or_default();
        self.floor =
            floor_number(keys.key_of(floor)).or_else(|| floor_number(keys.key_of(second_room)));
        for (name, text) in
            self.names.iter_mut().zip([building, address.trailing_text().unwrap_or("")])
        {
            name.set(text, &mut keys.buffers);
        }
        set_part_rows(gazetteer, &address.details, town, &mut self.parts);
        self.has_no_part = self.parts.is_empty() && address.details.koaza.is_none();
        self.find_building(gazetteer, town);
    }

    /// Finds the rows of the building that the address names, and of its floor.
    fn find_building(&mut self, gazetteer: &ArchivedGazetteer, town: usize) {
        let buildings = gazetteer.details_of(town, DetailKind::Building);
        if buildings.is_empty() || self.building.is_empty() {
            return;
        }
        let name = |detail: usize| gazetteer.detail_names.units(detail);
        // The longest name that occurs in the text, or else the one that ends with the text's building.
        let mut found: Option<usize> = None;
        let mut before = None;
        for detail in buildings.clone() {
            // A building has a row for each of its floors; one of them is enough.
            let again = before.replace(detail).is_some_and(|before| name(before) == name(detail));
            let longer = found.is_none_or(|found| name(found).len() <= name(detail).len());
            if !again && longer && occurs_in(name(detail), &self.building) {
                found = Some(detail);
            }
        }
        let ends = |detail: &usize| {
            let front_length = name(*detail).len().checked_sub(self.building.len());
            front_length.is_some_and(|length| {
                let (front, end) = name(*detail).split_at(length);
                is_same(end, &self.building) && !only_distinguishes(front)
            })
        };
        if found.is_none() && self.building.len() >= 4 {
            let mut ending = buildings.clone().filter(ends);
            let first = ending.next();
            found = first.filter(|first| ending.all(|other| name(other) == name(*first)));
        }
        let Some(found) = found else { return };
        for detail in buildings.filter(|detail| name(*detail) == name(found)) {
            let detail = &gazetteer.details[detail];
            let (row, number) = (detail.row.to_native(), detail.number.to_native());
            if number == NO_NUMBER {
                self.building_row = Some(row);
            } else if Some(number) == self.floor {
                self.floor_row = Some(row);
            }
        }
    }

    /// Sets whether several businesses at the lot are in this building, or one and the text has a floor: then its name
    /// does not mean the business after which it is named.
    pub(super) fn find_neighbours(
        &mut self,
        reference: ReferenceData<'_>,
        rows: impl Iterator<Item = u32>,
        keys: &mut KeyWriter,
    ) {
        if self.building.is_empty() {
            return;
        }
        let records = rows.filter_map(|row| reference.record(row));
        let inside = records.filter(|record| {
            self.is_at_lot(*record) && {
                write_building_key(record.building().text, &mut keys.buffers, &mut keys.key);
                keys.key == self.building
            }
        });
        self.is_shared = inside.count() > usize::from(self.floor.is_none());
    }

    /// Whether a record is of a business at the lot of the address.
    fn is_at_lot(&self, record: PostalView<'_>) -> bool {
        !self.lot_text.is_empty() && lot_of(record) == Some(&self.lot_text)
    }

    /// Chome and block of a lot of three numbers, with the final hyphen: 3-18- for 3-18-33.
    pub(super) fn block(&self) -> Option<&str> {
        let second = self.lot_text.match_indices('-').nth(1);
        second.map(|(end, dash)| &self.lot_text[..end + dash.len()])
    }

    /// The rank of a business at the lot: whether the text ends with its name. A building named after a business on
    /// another floor does not count.
    fn rank_of_business(
        &self,
        record: PostalView<'_>,
        business: CorporationView<'_>,
        keys: &mut KeyWriter,
    ) -> Rank {
        let own_floor = floor_number(keys.key_of(record.floor().text));
        let is_elsewhere = self.floor.is_some() && own_floor.is_some() && own_floor != self.floor;
        keys.business.set(business.name().text, &mut keys.buffers);
        let [building, trailing] = &self.names;
        let may_be_building = !self.is_shared && !is_elsewhere;
        let BusinessKey { whole, body } = &keys.business;
        let ends = |text: &[u16], name: &[u16]| name.len() >= 2 && text.ends_with(name);
        let is_building = may_be_building && ends(&building.whole, whole);
        if ends(&trailing.whole, whole) || is_building && trailing.whole.is_empty() {
            Rank::Business
        } else if is_building
            || ends(&trailing.body, body)
            || may_be_building && ends(&building.body, body)
        {
            Rank::BusinessLoosely
        } else {
            Rank::BusinessAtLot
        }
    }

    /// Whether the lots of a row exclude the lot of the address.
    pub(super) fn excludes(&self, gazetteer: &ArchivedGazetteer, row: u32) -> bool {
        let lots = gazetteer.lots_of(row);
        lots::contains(lots, self.lot.as_slice(), self.has_chome) == Some(false)
    }

    /// The rank of a row of the town.
    pub(super) fn rank(
        &self,
        gazetteer: &ArchivedGazetteer,
        row: u32,
        record: PostalView<'_>,
        keys: &mut KeyWriter,
    ) -> Rank {
        if self.floor_row == Some(row) {
            return Rank::Floor;
        }
        if self.building_row == Some(row) {
            return Rank::Building;
        }
        if let Some(business) = record.corporation() {
            return match self.is_at_lot(record) {
                true => self.rank_of_business(record, business, keys),
                false => Rank::Other,
            };
        }
        if !record.building().text.is_empty() {
            return Rank::Other;
        }
        let contains_lot =
            lots::contains(gazetteer.lots_of(row), self.lot.as_slice(), self.has_chome);
        if self.parts.contains(&row) {
            return if contains_lot == Some(false) { Rank::Other } else { Rank::Part };
        }
        if !record.koaza().text.is_empty() || !record.kyoto_street().text.is_empty() {
            // 南山（４３０番地以上、大谷地…）: a row for lots in addition to its koaza.
            let for_lots = self.has_no_part && contains_lot == Some(true);
            return if for_lots { Rank::Lots } else { Rank::Other };
        }
        match contains_lot {
            Some(true) => Rank::Lots,
            Some(false) => Rank::OtherLots,
            None if is_whole_or_rest_of_town(record.town_raw().text) => Rank::Town,
            None => Rank::PartOfTown,
        }
    }
}

/// The lot of a business; `None` for an area row.
pub(super) fn lot_of(record: PostalView<'_>) -> Option<&str> {
    record.corporation()?.block_lot_num().map(|number| number.text)
}

impl KeyWriter {
    /// The key of a text, until the next call.
    pub(super) fn key_of(&mut self, text: &str) -> &[u16] {
        self.buffers.write(text, &mut self.key);
        &self.key
    }
}

/// Whether a name occurs in a text. 東京ビル does not occur in 新東京ビル.
fn occurs_in(name: &[u16_le], key: &[u16]) -> bool {
    let is_other = |start: usize| start > 0 && distinguishes(key[start - 1]);
    !name.is_empty()
        && (key.windows(name.len()).enumerate())
            .any(|(start, window)| is_same(name, window) && !is_other(start))
}

/// Whether a letter before a building's name makes it the name of another one: 大名古屋ビル, 新東京ビル.
fn distinguishes(letter: u16) -> bool {
    "大新旧東西南北".encode_utf16().any(|other| other == letter)
}

/// Whether the missing beginning of a building's name only distinguishes it from another: 大, 第一.
fn only_distinguishes(front: &[u16_le]) -> bool {
    let is_number = |letter: u16| letter == unit('第') || is_digit(letter);
    let mut letters = front.iter().map(|letter| letter.to_native());
    front.len() == 1 || letters.all(|letter| distinguishes(letter) || is_number(letter))
}

fn is_same(name: &[u16_le], key: &[u16]) -> bool {
    name.iter().map(|unit| unit.to_native()).eq(key.iter().copied())
}

/// Whether a row is for the town as such: its raw name has no brackets, or they mean the rest of the town.
fn is_whole_or_rest_of_town(raw: &str) -> bool {
    let Some((_, inside)) = raw.split_once('（') else { return true };
    ["その他", "番地のみ", "全域", "次のビルを除く"].iter().any(|rest| inside.contains(rest))
}

/// Sets `rows` to the rows of the koaza, chome, 地割 or street that the address names.
fn set_part_rows(
    gazetteer: &ArchivedGazetteer,
    named: &TownDetails,
    town: usize,
    rows: &mut Vec<u32>,
) {
    let row = |detail: usize| gazetteer.details[detail].row.to_native();
    rows.clear();
    if let Some(koaza) = named.koaza {
        let name = gazetteer.detail_names.units(koaza);
        let koaza = gazetteer.details_of(town, DetailKind::Koaza);
        rows.extend(koaza.filter(|other| gazetteer.detail_names.units(*other) == name).map(row));
    }
    if !named.street.is_empty() {
        rows.extend(kyoto::row_of_street(gazetteer, town, &named.street));
    }
    let numbered = |kind, number: u32| {
        let number = i16::try_from(number).unwrap_or(NO_NUMBER);
        let details = gazetteer.details_of(town, kind);
        details.filter(move |detail| gazetteer.details[*detail].number.to_native() == number)
    };
    let first = named.lot.as_slice().first().copied();
    if let Some(first) = first {
        rows.extend(numbered(DetailKind::Chome, first).map(row));
    }
    rows.extend(named.side.clone().map(row));
    if let Some(first) = named.jiwari.or(first) {
        rows.extend(numbered(DetailKind::Jiwari, first).map(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_business_has_a_key_with_its_legal_form_and_one_without() {
        #[track_caller]
        fn check(name: &str, whole: &str, body: &str) {
            let mut key = BusinessKey::default();
            key.set(name, &mut KeyBuffers::default());
            let found = [&key.whole, &key.body].map(|key| String::from_utf16_lossy(key));
            assert_eq!(found, [whole, body], "{name:?}");
        }
        check("ノース・ドリーム", "ノース・ドリーム", "ノース・ドリーム");
        for name in ["（有）　ノース・ドリーム", "㈲ノース･ドリーム", "有限会社 ノース・ドリーム"]
        {
            check(name, "有限会社ノース・ドリーム", "ノース・ドリーム");
        }
        check("台帳（株）", "台帳株式会社", "台帳");
        check("医療法人社団　道都病院", "医療法人社団道都病院", "道都病院");
        check("台帳大学　生活協同組合", "台帳大学生活協同組合", "台帳大学");
        check("", "", "");
    }
}
