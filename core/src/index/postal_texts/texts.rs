//! The parts, which are fields that are searched together, and their texts: folded, field by field.

use crate::index::grams::Edge;
use crate::record::postal::{CityRow, PostalRow};
use crate::text::fold::{Level, search_letters};

/// Fields that are concatenated to one text and searched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// One unit per municipality's run of rows: the names of its areas, each separate from its kind (都).
    Place,
    /// One unit per row: the fields from town to floor.
    Line,
    /// One unit per business: the parts of its printed address below the town.
    Inside,
    /// One unit per business: its name as legal form, rest, legal form.
    Name,
    /// The reading of the name, split in the same way.
    Kana,
}

impl Part {
    pub const ALL: [Part; 5] = [Part::Place, Part::Line, Part::Inside, Part::Name, Part::Kana];

    /// The folding level of its texts and keywords. `ガ` folds to `ケ` in an address, not in a reading.
    pub fn level(self) -> Level {
        if self == Part::Kana { Level::Search } else { Level::Address }
    }

    /// Where single letters are listed. A single letter can remain on either side where a typed address is split into
    /// place and line.
    pub fn edge(self) -> Edge {
        match self {
            Part::Place => Edge::Last,
            Part::Line => Edge::First,
            Part::Inside | Part::Name | Part::Kana => Edge::None,
        }
    }

    pub fn fields(self) -> usize {
        match self {
            Part::Place => 8,
            Part::Line => 6,
            Part::Inside | Part::Name | Part::Kana => 3,
        }
    }
}

/// Field indexes within each part.
pub mod slot {
    /// In [`Part::Place`](super::Part::Place): the prefecture without 都, 府 or 県, which is the next slot. County,
    /// city and ward follow in the same way, two slots each.
    pub const PREFECTURE: usize = 0;
    /// The first slot after the prefecture's.
    pub const CITY: usize = 2;
    pub const TOWN: usize = 0;
    pub const KOAZA: usize = 1;
    pub const BLOCK_LOT: usize = 2;
    pub const STREET: usize = 3;
    pub const BUILDING: usize = 4;
    /// In [`Part::Inside`](super::Part::Inside): Kyoto street.
    pub const INSIDE_STREET: usize = 0;
    pub const INSIDE_BUILDING: usize = 1;
    /// In [`Part::Name`](super::Part::Name) and [`Part::Kana`](super::Part::Kana): the name without the legal forms
    /// before and after it.
    pub const PROPER_NAME: usize = 1;
}

/// The text of a unit.
#[derive(Debug, Default)]
pub struct UnitText {
    /// Its fields, folded and concatenated.
    pub characters: Vec<char>,
    /// The number of characters of each field.
    pub lengths: Vec<u16>,
}

/// Limit on the letters of a text: an offset has 16 bits. No field of the official files has 100.
const LENGTH_MAX: usize = 60_000;

impl UnitText {
    fn from_fields<const N: usize>(part: Part, fields: [&str; N]) -> UnitText {
        let mut unit = UnitText::default();
        let mut characters = Vec::new();
        for field in fields {
            search_letters(field, part.level(), &mut characters);
            characters.truncate(LENGTH_MAX - unit.characters.len());
            unit.lengths.push(characters.len() as u16);
            unit.characters.append(&mut characters);
        }
        unit
    }

    /// Legal form, rest and legal form of a name.
    fn from_name(part: Part, name: &str) -> UnitText {
        let mut unit = UnitText::from_fields(part, [name]);
        let length = unit.characters.len();
        let mut form = Vec::new();
        let (mut before, mut after) = (0, 0);
        for legal_form in LEGAL_FORMS {
            search_letters(legal_form, part.level(), &mut form);
            if length > form.len() && unit.characters.starts_with(&form) {
                before = before.max(form.len());
            }
            if length > form.len() && unit.characters.ends_with(&form) {
                after = after.max(form.len());
            }
        }
        if before + after >= length {
            after = 0;
        }
        unit.lengths = [before, length - before - after, after].map(|it| it as u16).to_vec();
        unit
    }
}

/// Legal forms before or after a name; people know a business by the rest. Readings are spelled as in the business
/// file, without small kana.
///
/// Not the kind words of [`text::kind_words`](crate::text::kind_words), of which other registers have more: a snapshot
/// stores the lengths of the forms, so another list is another format.
#[rustfmt::skip] // Several words a line.
const LEGAL_FORMS: [&str; 44] = [
    "（株）", "（有）", "（財）", "（社）", "株式会社", "有限会社", "合資会社", "合名会社",
    "合同会社", "相互会社", "医療法人", "医療法人財団", "医療法人社団", "社会医療法人",
    "社会福祉法人", "財団法人", "社団法人", "一般財団法人", "一般社団法人", "公益財団法人",
    "公益社団法人", "学校法人", "国立大学法人", "公立大学法人", "独立行政法人", "地方独立行政法人",
    "国立研究開発法人", "特殊法人", "認可法人", "宗教法人", "特定非営利活動法人", "弁護士法人",
    "税理士法人", "行政書士法人", "司法書士法人", "社会保険労務士法人", "農事組合法人",
    "更生保護法人", "カブシキガイシヤ", "カブシキカイシヤ", "ユウゲンガイシヤ", "ゴウドウガイシヤ",
    "シヤカイフクシホウジン", "ガツコウホウジン",
];

/// The text of every unit of a part, in the order of the records.
pub fn texts(part: Part, cities: &[CityRow], current: &[PostalRow]) -> Vec<UnitText> {
    let businesses = current.iter().filter_map(|row| row.corporation.as_ref().map(|it| (row, it)));
    match part {
        Part::Place => {
            let runs = current.chunk_by(|left, right| left.city == right.city);
            runs.map(|run| place(&cities[usize::from(run[0].city)])).collect()
        }
        Part::Line => current.iter().map(line).collect(),
        Part::Inside => businesses
            .map(|(row, _)| {
                UnitText::from_fields(part, [&row.kyoto_street, &row.building, &row.floor])
            })
            .collect(),
        Part::Name => businesses.map(|(_, it)| UnitText::from_name(part, &it.name)).collect(),
        Part::Kana => businesses.map(|(_, it)| UnitText::from_name(part, &it.name_kana)).collect(),
    }
}

fn place(city: &CityRow) -> UnitText {
    let whole = city.city.name.as_str();
    let mut parts = [
        city.county.name.as_str(),
        city.city_without_county_and_ward.name.as_str(),
        city.city_ward.name.as_str(),
    ];
    if parts.concat() != whole {
        parts = ["", whole, ""];
    }
    let [prefecture, prefecture_kind] = split_kind(&city.prefecture.name, "都府県");
    let [county, city, ward] = parts.map(|part| split_kind(part, "郡市区町村"));
    let parts =
        [prefecture, prefecture_kind, county[0], county[1], city[0], city[1], ward[0], ward[1]];
    UnitText::from_fields(Part::Place, parts)
}

/// Splits the name of an area from its kind: 東京 and 都. 北海道 stays whole, since nobody says 北海.
fn split_kind<'t>(name: &'t str, kinds: &str) -> [&'t str; 2] {
    let kind = name.char_indices().next_back();
    let kind = kind.filter(|(offset, kind)| *offset > 0 && kinds.contains(*kind));
    <[&str; 2]>::from(name.split_at(kind.map_or(name.len(), |(offset, _)| offset)))
}

fn line(row: &PostalRow) -> UnitText {
    let town = row.town.name.as_str();
    let fields = match &row.corporation {
        Some(_) => [town, &row.koaza, row.lot_below_town(), "", "", ""],
        None => [town, &row.koaza, "", &row.kyoto_street, &row.building, &row.floor],
    };
    UnitText::from_fields(Part::Line, fields)
}
