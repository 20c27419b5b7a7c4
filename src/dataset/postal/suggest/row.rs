//! A suggested place with everything that a form shows and fills in.

use crate::address::reference::ReferenceData;
use crate::address::suggest::{
    ArchivedArea, ArchivedAreaKind, ArchivedSuggestions, MarkedNames, Marks, SuggestedPlace,
    highlight,
};
use crate::dataset::member::shape::Shape::{OneOf, OrNull, Text, Whole};
use crate::dataset::member::shape::{JISX0402, POSTAL_CODE, Shape, TEXT_OR_NULL};
use crate::dataset::member::{Digits, members};
use crate::dataset::suggestion::{Match, SuggestedText};
use crate::record::postal::{CityView, NameView, PostalView};
use crate::text::named_enum::named_enum;
use crate::text::typed_keys::{MatchInfo, MatchKind};

named_enum! {
    fn name;
    pub enum PlaceLevel {
        Prefecture = "prefecture",
        City = "city",
        Town = "town",
        /// A record of a town with several codes.
        Part = "part",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion<'s> {
    pub text: String,
    /// Set if the place has exactly one.
    pub postal_code: Option<u32>,
    /// `None` for a prefecture.
    pub jisx0402: Option<u32>,
    /// Names, each with its reading.
    pub prefecture: [&'s str; 2],
    pub city: [&'s str; 2],
    pub town: [&'s str; 2],
    pub level: PlaceLevel,
    pub match_info: MatchInfo,
    /// The number of postal codes of the place.
    pub codes: u32,
    /// Set if the place has parts.
    pub parent: Option<String>,
}

#[derive(Clone, Copy)]
pub struct SuggestionBuilder<'s> {
    pub reference: ReferenceData<'s>,
    pub suggestions: &'s ArchivedSuggestions,
}

impl<'s> SuggestionBuilder<'s> {
    /// The suggestion of a place; `None` if the snapshot has no such place.
    pub fn suggestion(
        &self,
        place: SuggestedPlace,
        match_kind: MatchKind,
        marks: Option<&Marks>,
    ) -> Option<Suggestion<'s>> {
        let (mut suggestion, names) = match place {
            SuggestedPlace::Area(area) => self.area(self.suggestions.area(area)?, match_kind)?,
            SuggestedPlace::Town(town) => self.town(town, match_kind)?,
        };
        if let Some(marks) = marks {
            suggestion.match_info.highlight = highlight(marks, &names);
        }
        Some(suggestion)
    }

    fn area(
        &self,
        area: &ArchivedArea,
        match_kind: MatchKind,
    ) -> Option<(Suggestion<'s>, MarkedNames<'s>)> {
        let ReferenceData { tables, strings, .. } = self.reference;
        let city = CityView::read(tables, strings, usize::from(area.city.to_native()))?;
        let name = |name: NameView<'s>| [name.name.text, name.kana.text];
        let mut names = marked_names(city);
        let own_name = match area.kind {
            ArchivedAreaKind::Prefecture => {
                names = MarkedNames { prefecture: names.prefecture, ..MarkedNames::default() };
                ["", ""]
            }
            ArchivedAreaKind::DesignatedCity => {
                names.ward = "";
                name(city.city_without_county_and_ward())
            }
            ArchivedAreaKind::Municipality => name(city.city()),
        };
        let prefecture = name(city.prefecture());
        let is_prefecture = area.kind == ArchivedAreaKind::Prefecture;
        let codes = area.codes.to_native();
        let suggestion = Suggestion {
            text: [prefecture[0], own_name[0]].concat(),
            postal_code: (codes == 1).then(|| area.postal_code.to_native()),
            jisx0402: (!is_prefecture).then(|| area.jisx0402.to_native()),
            prefecture,
            city: own_name,
            town: ["", ""],
            level: if is_prefecture { PlaceLevel::Prefecture } else { PlaceLevel::City },
            match_info: MatchInfo { kind: match_kind, highlight: Vec::new() },
            codes,
            parent: None,
        };
        Some((suggestion, names))
    }

    fn town(&self, town: u32, match_kind: MatchKind) -> Option<(Suggestion<'s>, MarkedNames<'s>)> {
        let record = self.records(town).next()?;
        let mut codes: Vec<u32> = self.records(town).map(PostalView::postal_code).collect();
        codes.sort_unstable();
        codes.dedup();
        let city = record.city();
        let name = |name: NameView<'s>| [name.name.text, name.kana.text];
        let [prefecture, city_name, town_name] =
            [city.prefecture(), city.city(), record.town()].map(name);
        let has_several_codes = codes.len() > 1;
        let suggestion = Suggestion {
            text: [prefecture[0], city_name[0], town_name[0]].concat(),
            postal_code: codes.first().copied().filter(|_| !has_several_codes),
            jisx0402: Some(city.jisx0402()),
            prefecture,
            city: city_name,
            town: town_name,
            level: PlaceLevel::Town,
            match_info: MatchInfo { kind: match_kind, highlight: Vec::new() },
            codes: codes.len() as u32,
            parent: has_several_codes.then(|| format!("{:05}{}", city.jisx0402(), town_name[0])),
        };
        Some((suggestion, MarkedNames { town: town_name[0], ..marked_names(city) }))
    }

    /// The records of a town, without large businesses.
    pub fn records(&self, town: u32) -> impl Iterator<Item = PostalView<'s>> + use<'s> {
        let ReferenceData { gazetteer, tables, strings, .. } = self.reference;
        let rows = gazetteer.rows_of(town as usize).iter();
        let records =
            rows.filter_map(move |row| PostalView::read(tables, strings, row.to_native() as usize));
        records.filter(|record| record.corporation().is_none())
    }
}

/// The names of a municipality, divided into the parts that a typed text may match. A name that is not made of
/// these parts stays whole.
fn marked_names(city: CityView<'_>) -> MarkedNames<'_> {
    let names = MarkedNames {
        prefecture: city.prefecture().name.text,
        county: city.county().name.text,
        city: city.city_without_county_and_ward().name.text,
        ward: city.city_ward().name.text,
        town: "",
    };
    let whole = city.city().name.text;
    match [names.county, names.city, names.ward].concat() == whole {
        true => names,
        false => MarkedNames { county: "", city: whole, ward: "", ..names },
    }
}

const COUNT_OF_CODES: Shape = Whole { min: 1, max: u64::MAX };

members! {
    pub const SUGGESTED_PLACE: "SuggestedAddress" of it: &Suggestion<'_>;
    ..SuggestedText { SuggestedText(it.text.as_str().into()) };
    "postal_code": OrNull(&POSTAL_CODE) => it.postal_code.map(Digits::<7>), "Postal code, or null if the place has none or several", "郵便番号。一つに決まらないときはnull";
    "jisx0402": OrNull(&JISX0402) => it.jisx0402.map(Digits::<5>), "Code of the municipality; null of a prefecture", "市区町村コード（JIS X 0402）。都道府県ならnull";
    "prefecture": Text => it.prefecture[0], "Prefecture", "都道府県";
    "prefecture_kana": Text => it.prefecture[1], "Its reading", "都道府県の読み";
    "city": Text => it.city[0], "County, city and ward in one; empty of a prefecture", "市区町村（郡・区を含む）。都道府県なら空";
    "city_kana": Text => it.city[1], "Its reading", "市区町村の読み";
    "town": Text => it.town[0], "Town area; empty of larger places", "町域。市区町村以上なら空";
    "town_kana": Text => it.town[1], "Its reading", "町域の読み";
    "level": OneOf(&["prefecture", "city", "town", "part"]) => it.level.name(), "Kind of place; a part is one record of a town with several postal codes", "種類。partは番号が複数ある町域の一つのレコード";
    "codes": COUNT_OF_CODES => it.codes, "Number of postal codes of the place", "郵便番号の数";
    "parent": TEXT_OR_NULL => it.parent.as_deref(), "For a town with several postal codes, pass this as parent to list its parts; otherwise null", "番号が複数ある町域のとき、parentに指定すると各レコードを返す値。ほかはnull";
    ..Match { Match(&it.match_info) };
}
