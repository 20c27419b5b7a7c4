//! Postal records: towns and large businesses, their municipalities, and the changes of a version.
//!
//! Here are the rows from the builder: plain owned text, without ids. [`archive`] has their form in the file, [`view`]
//! their reader.

pub mod archive;
pub mod view;

use rkyv::{Archive, Deserialize, Serialize};

pub use archive::{PostalTables, tag};
pub use view::{CityView, CorporationView, NameView, PostalView};

/// A name in kanji, kana and Roman letters; each may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Name {
    pub name: String,
    /// Full-width katakana.
    pub kana: String,
    pub roman: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CityRow {
    /// JIS X 0401 and 0402, five digits.
    pub jisx0402: u32,
    /// Whether the version lists it. Abolished records and businesses may name municipalities that are not listed.
    pub listed: bool,
    pub prefecture: Name,
    /// County, city and ward concatenated.
    pub city: Name,
    pub county: Name,
    pub city_without_county_and_ward: Name,
    /// Ward of a designated city; empty if none.
    pub city_ward: Name,
}

#[cfg(any(test, feature = "test-support"))]
impl Name {
    /// For tests: a name without kana and Roman letters.
    pub fn sample(name: &str) -> Name {
        Name { name: name.to_owned(), ..Name::default() }
    }
}

#[cfg(any(test, feature = "test-support"))]
impl CityRow {
    /// For tests: a listed municipality of this county, city and ward.
    pub fn sample(jisx0402: u32, prefecture: &str, [county, alone, ward]: [&str; 3]) -> CityRow {
        CityRow {
            jisx0402,
            listed: true,
            prefecture: Name::sample(prefecture),
            city: Name::sample(&[county, alone, ward].concat()),
            county: Name::sample(county),
            city_without_county_and_ward: Name::sample(alone),
            city_ward: Name::sample(ward),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TownFlags {
    /// One town has several codes.
    pub partial: bool,
    /// Each koaza has its own house numbers.
    pub addressed_koaza: bool,
    pub chome: bool,
    /// The code stands for several towns.
    pub multi: bool,
    /// Residence indication is in force.
    pub jukyohyoji: bool,
}

impl TownFlags {
    /// One bit each, the first flag in the lowest.
    pub(super) fn to_bits(self) -> u8 {
        let TownFlags { partial, addressed_koaza, chome, multi, jukyohyoji } = self;
        let flags = [partial, addressed_koaza, chome, multi, jukyohyoji];
        flags.iter().rev().fold(0, |bits, is_set| bits << 1 | u8::from(*is_set))
    }

    pub(super) fn from_bits(bits: u8) -> TownFlags {
        let [partial, addressed_koaza, chome, multi, jukyohyoji] =
            std::array::from_fn(|bit| bits >> bit & 1 != 0);
        TownFlags { partial, addressed_koaza, chome, multi, jukyohyoji }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Archive, Serialize)]
#[repr(u8)]
pub enum UpdateStatus {
    #[default]
    Unchanged = 0,
    Changed = 1,
    Abolished = 2,
}

/// The reason for a change, with Japan Post's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Archive, Serialize)]
#[rkyv(derive(Clone, Copy))]
#[repr(u8)]
pub enum UpdateReason {
    #[default]
    None = 0,
    /// Status of a city, ward or town; division; designated-city enforcement.
    Municipal = 1,
    ResidenceIndication = 2,
    LandReadjustment = 3,
    /// Postal-district adjustment and the like.
    PostalDistrict = 4,
    Correction = 5,
    Abolition = 6,
}

impl UpdateReason {
    /// The reason with this number of Japan Post; `None` above 6.
    pub fn from_number(number: u8) -> Option<UpdateReason> {
        Some(match number {
            0 => UpdateReason::None,
            1 => UpdateReason::Municipal,
            2 => UpdateReason::ResidenceIndication,
            3 => UpdateReason::LandReadjustment,
            4 => UpdateReason::PostalDistrict,
            5 => UpdateReason::Correction,
            6 => UpdateReason::Abolition,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CorporationRow {
    pub name: String,
    pub name_kana: String,
    pub block_lot: String,
    /// Lot numbers, half-width digits joined by hyphens.
    pub block_lot_num: Option<String>,
    pub post_office: String,
    pub post_office_box: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PostalRow {
    /// Postal code, `0..=9_999_999`.
    pub postal_code: u32,
    /// Index of the municipality among the [`CityRow`]s.
    pub city: u16,
    /// Postal code before 1998.
    pub old_code: String,
    pub town: Name,
    pub town_raw: String,
    pub town_kana_raw: String,
    /// Koaza, chome or 地割.
    pub koaza: String,
    pub kyoto_street: String,
    pub building: String,
    pub floor: String,
    pub flags: TownFlags,
    pub update_status: UpdateStatus,
    pub update_reason: UpdateReason,
    /// Set for a large-business number. Boxed, because six rows in seven have none.
    pub corporation: Option<Box<CorporationRow>>,
}

impl PostalRow {
    /// The key of the area order of records: the code of the municipality, then area rows before businesses.
    pub fn area_order(&self, cities: &[CityRow]) -> (u32, bool) {
        (cities[usize::from(self.city)].jisx0402, self.corporation.is_some())
    }

    /// A business's lot without the town, if the town was read from the lot because the town column is empty.
    pub fn lot_below_town(&self) -> &str {
        let lot = self.corporation.as_ref().map_or("", |it| it.block_lot.as_str());
        match self.town.name == self.town_raw {
            true => lot,
            false => lot.strip_prefix(self.town.name.as_str()).unwrap_or(lot),
        }
    }
}

/// The sources of a snapshot, for `daicho snapshot inspect`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Archive, Deserialize, Serialize)]
pub struct PostalProvenance {
    pub sources: Vec<Source>,
    /// Whether roman fields are filled; data versions before 2022-11-01 have none.
    pub roman: bool,
    /// Whether a town master was given; without one `town_jukyohyoji` is false everywhere.
    pub addressing: bool,
    /// The version whose snapshot it was compared with for changes, `YYYY-MM-DD`; empty if none.
    pub compared_with: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Archive, Deserialize, Serialize)]
pub struct Source {
    /// The role of the file in the build: `area`, `business`, `update` and so on.
    pub role: String,
    pub rows: u32,
    pub rejects: u32,
}
