//! Japan Post's files: postal codes by area, and individual codes of large businesses.
//!
//! A row is the content of a line, in one spelling whatever the file's encoding. A record is the result of a
//! look-up, made from the rows by the rules in docs/rules.md#postal-records.

mod business;
pub(crate) mod column;
mod ken_all;
mod municipality;
mod town;
mod towns;
mod update;

pub use business::read_business;
pub use ken_all::{read_area, read_roman};
pub use municipality::split_municipality;
pub use town::{expand_area, expand_area_among, expected_records};
pub use towns::{read_addressing, read_towns};
pub use update::{Update, edition_in_file_name, read_update};

/// One row of KEN_ALL, utf_ken_all, ADD, DEL, utf_add or utf_del, with split lines joined: kanji columns as CP932
/// decodes them (`～` U+FF5E, `－` U+FF0D), kana in full-width katakana.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AreaRow {
    /// First line of the row in its file, from 1.
    pub line: u64,
    /// Municipality code, JIS X 0401 and 0402, five digits: `1101` for 01101.
    pub jisx0402: u32,
    /// Postal code before 1998, 3 or 5 digits, without padding.
    pub old_code: String,
    /// Postal code, `0..=9_999_999`.
    pub postal_code: u32,
    pub prefecture_kana: String,
    pub city_kana: String,
    pub town_kana: String,
    pub prefecture: String,
    pub city: String,
    /// Town column with its parentheses, its marks as above.
    pub town: String,
    /// The columns of the town and its reading, with the characters that the source prints: 〜 U+301C and − U+2212.
    pub town_raw: String,
    pub town_kana_raw: String,
    /// One town has several codes.
    pub town_partial: bool,
    /// Each koaza has its own house numbers.
    pub town_addressed_koaza: bool,
    /// The town has chome.
    pub town_chome: bool,
    /// The code stands for several towns.
    pub town_multi: bool,
    /// 0 unchanged, 1 added or changed, 2 abolished.
    pub update_status: u8,
    /// 0 to 6, as the file's column 15.
    pub update_reason: u8,
}

/// One row of JIGYOSYO, JADD or JDEL: thirteen columns, kanji columns as CP932 decodes them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BusinessRow {
    pub line: u64,
    pub jisx0402: u32,
    /// Business name, full-width katakana (the file has large kana only; so has this).
    pub name_kana: String,
    pub name: String,
    pub prefecture: String,
    pub city: String,
    pub town: String,
    /// Koaza, chome, lot, building or post-office box, as printed; may be empty.
    pub block_lot: String,
    /// Individual code, `0..=9_999_999`.
    pub postal_code: u32,
    /// Postal code before 1998, without padding.
    pub old_code: String,
    pub post_office: String,
    pub post_office_box: bool,
    /// Column 12: 0 if the business has one code, else the n-th of its codes.
    pub multiple: u8,
    /// Column 13: 0 unchanged, 1 added, 5 abolished.
    pub amendment: u8,
}

/// One row of KEN_ALL_ROME: seven columns, cut at 17 kanji and 35 Roman letters by the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RomanRow {
    pub line: u64,
    pub postal_code: u32,
    pub prefecture: String,
    /// County or city, a full-width space, town or ward.
    pub city: String,
    pub town: String,
    pub prefecture_roman: String,
    /// Municipality in capitals: `SAPPORO SHI CHUO KU`.
    pub city_roman: String,
    pub town_roman: String,
}

/// One town of the town master: whether residence indication (住居表示) applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressingRow {
    pub jisx0402: u32,
    /// Town (大字・町) without chome and koaza.
    pub town: String,
    /// Whether residence indication is in force in it, or in one of its chome.
    pub residence_indication: bool,
}

/// Degrees of latitude or longitude, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degrees(pub i32);

/// A town, chome or koaza and its point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TownPointRow {
    pub jisx0402: u32,
    /// Municipality with county and ward, by its name when the file was made.
    pub city: String,
    /// Town with its chome in kanji numerals.
    pub town: String,
    /// Empty if the row is for the town.
    pub koaza: String,
    /// Latitude and longitude; `None` if the source does not know them.
    pub point: Option<[Degrees; 2]>,
}

/// One look-up record made from an [`AreaRow`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct AreaRecord {
    pub row: usize,
    /// Town; empty if the row names a whole municipality.
    pub town: String,
    pub town_kana: String,
    /// Koaza, chome or 地割 separated from the town; empty if none.
    pub koaza: String,
    /// Kyoto street name; empty if none.
    pub kyoto_street: String,
    pub building: String,
    /// Floor, full-width as printed (`１階`); empty if none.
    pub floor: String,
}

/// A municipality name, split; missing parts are empty. The three parts concatenate to the whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Municipality {
    /// County (郡), with its suffix.
    pub county: String,
    pub county_kana: String,
    pub city_without_county_and_ward: String,
    pub city_without_county_and_ward_kana: String,
    pub city_ward: String,
    pub city_ward_kana: String,
}
