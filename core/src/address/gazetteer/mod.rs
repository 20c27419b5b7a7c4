//! The gazetteer: the names of a snapshot, in the folded form that is compared with addresses.
//!
//! Built from the records ([`build`]), read in place from the section `towns`. A town is the index of its key; its
//! texts are in its first record, so that no name is stored twice. All references are checked once
//! (`check`), at the first use of the section.

pub mod build;
pub(super) mod check;
mod former;
pub mod keys;
pub mod lots;

use std::ops::Range;

use rkyv::{Archive, Serialize};

use super::units::key;
use keys::Keys;

#[derive(Debug, Default, Archive, Serialize)]
pub struct Gazetteer {
    /// Names of prefectures, with and without 都, 府, 県.
    pub(super) prefectures: Keys,
    pub(super) prefecture_of: Vec<PrefectureName>,
    /// Every way to write a municipality without its prefecture.
    pub(super) areas: Keys,
    pub(super) area_of: Vec<AreaName>,
    /// Names of former municipalities; equal names sorted by present municipality.
    pub(super) former: Keys,
    pub(super) former_of: Vec<FormerArea>,
    /// By the municipality's index in the tables, plus one entry for the end.
    pub(super) cities: Vec<CityTowns>,
    /// Towns by municipality. The empty name has the records of a whole municipality.
    pub(super) towns: Keys,
    /// By town: whether it is counted in 丁目.
    pub(super) with_chome: Vec<bool>,
    /// Former names of towns, and names in other registers, by municipality, with the towns.
    pub(super) aliases: Keys,
    pub(super) alias_of: Vec<u32>,
    /// The year since which each of those names is old; 0 for a name in another register.
    pub(super) alias_since: Vec<u16>,
    /// Start of each town's rows in `rows`, and the end of the last.
    pub(super) town_rows: Vec<u32>,
    /// Rows of the tables by town: area rows, then businesses.
    pub(super) rows: Vec<u32>,
    /// Parts that distinguish the rows of a town, by town and kind; within a kind sorted by name.
    pub(super) details: Vec<Detail>,
    pub(super) detail_names: Keys,
    /// The lots of rows in divided towns, by row.
    pub(super) lots: Vec<LotRange>,
}

#[derive(Debug, Clone, Copy, Archive, Serialize)]
pub struct PrefectureName {
    pub prefecture: u8,
    /// Whether 都, 府 or 県 is missing.
    pub is_short: bool,
    /// One of its municipalities, which has its name.
    pub city: u16,
}

#[derive(Debug, Clone, Copy, Archive, Serialize)]
pub struct AreaName {
    /// A municipality; for a county its first.
    pub city: u16,
    pub form: AreaForm,
}

/// Which parts of a municipality's name are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Archive, Serialize)]
#[rkyv(derive(Debug, Clone, Copy, PartialEq, Eq))]
#[repr(u8)]
pub enum AreaForm {
    /// County, city and ward.
    Full = 0,
    WithoutCounty = 1,
    /// Only the ward.
    Ward = 2,
    WithoutWard = 3,
    /// Only the county.
    County = 4,
    /// A former name of the municipality, or of a part of it.
    Former = 5,
}

#[derive(Debug, Clone, Copy, Archive, Serialize)]
pub struct FormerArea {
    /// The municipality that has the place today.
    pub city: u16,
    /// How many units at the beginning of the name are the county's.
    pub county_length: u8,
    /// The year since which the name is old.
    pub year: u16,
}

/// Where the towns, aliases and rows of a municipality begin. Its towns and aliases end where those of the next
/// municipality begin.
#[derive(Debug, Clone, Copy, Default, Archive, Serialize)]
pub struct CityTowns {
    pub prefecture: u8,
    /// Whether streets distinguish the towns of its city, as in Kyoto.
    pub has_streets: bool,
    /// Whether names of its towns end with a number and 丁目: 本町四丁目.
    pub has_chome_towns: bool,
    pub first_town: u32,
    pub first_alias: u32,
    pub first_row: u32,
    pub end_row: u32,
}

/// A part of a town with its row.
#[derive(Debug, Clone, Copy, Archive, Serialize)]
pub struct Detail {
    pub town: u32,
    pub row: u32,
    /// Number of the chome, 地割 or floor (basements negative); [`NO_NUMBER`] for none.
    pub number: i16,
    pub kind: DetailKind,
}

pub const NO_NUMBER: i16 = i16::MIN;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Archive, Serialize)]
#[rkyv(derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord))]
#[repr(u8)]
pub enum DetailKind {
    Koaza = 0,
    /// 丁目 or 丁.
    Chome = 1,
    Jiwari = 2,
    Street = 3,
    /// A building, with or without a floor.
    Building = 4,
}

/// Lots of a row. Lots are compared as main number, then branch (`lots::packed`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Archive, Serialize)]
pub struct LotRange {
    pub row: u32,
    /// The chome; 0 if lots are numbered throughout the town.
    pub chome: u16,
    /// Whether these lots are exceptions instead of belonging to the row.
    pub is_exception: bool,
    pub first: u32,
    pub last: u32,
}

impl ArchivedGazetteer {
    pub fn city_count(&self) -> usize {
        self.cities.len() - 1
    }

    /// The municipalities of a prefecture, by its JIS X 0401 code.
    pub fn cities_in(&self, prefecture: u32) -> impl Iterator<Item = usize> {
        let is_in = move |city: &usize| u32::from(self.cities[*city].prefecture) == prefecture;
        (0..self.city_count()).filter(is_in)
    }

    /// The towns of a municipality, by name.
    pub fn towns_of(&self, city: usize) -> Range<usize> {
        self.cities[city].first_town.to_native() as usize
            ..self.cities[city + 1].first_town.to_native() as usize
    }

    /// The former and other names of a municipality's towns, by name.
    pub fn aliases_of(&self, city: usize) -> Range<usize> {
        self.cities[city].first_alias.to_native() as usize
            ..self.cities[city + 1].first_alias.to_native() as usize
    }

    pub fn rows_of_city(&self, city: usize) -> Range<u32> {
        self.cities[city].first_row.to_native()..self.cities[city].end_row.to_native()
    }

    /// The rows of a town: area rows, then businesses.
    pub fn rows_of(&self, town: usize) -> &[rkyv::rend::u32_le] {
        let (start, end) = (self.town_rows[town].to_native(), self.town_rows[town + 1].to_native());
        &self.rows[start as usize..end as usize]
    }

    /// The town with the empty name. Its rows have no town: rows of the whole municipality, and businesses whose
    /// town the municipality lacks. `None` if the area file has no such row.
    pub fn unnamed_town(&self, city: usize) -> Option<usize> {
        self.towns_of(city).next().filter(|town| self.towns.length(*town) == 0)
    }

    /// The first area row of a town, which has its name; `None` if it has only businesses.
    pub fn first_row(&self, town: usize) -> Option<u32> {
        self.rows_of(town).first().map(|row| row.to_native())
    }

    /// The town with this key in a municipality.
    pub fn town_with_key(&self, city: usize, key: &[u16]) -> Option<usize> {
        self.towns.with_rest(self.towns_of(city), 0, key.iter().copied()).next()
    }

    /// The town with this name in a municipality.
    pub fn town_named(&self, city: usize, name: &str) -> Option<u32> {
        self.town_with_key(city, &key(name)).map(|town| town as u32)
    }

    /// The details of one kind of a town, by name.
    pub fn details_of(&self, town: usize, kind: DetailKind) -> Range<usize> {
        let order = |detail: &ArchivedDetail| (detail.town.to_native() as usize, detail.kind as u8);
        let start = self.details.partition_point(|detail| order(detail) < (town, kind as u8));
        let end = self.details.partition_point(|detail| order(detail) <= (town, kind as u8));
        start..end
    }

    /// The rows of the details of one kind of a town, by name, each with its number; [`NO_NUMBER`] for none.
    pub fn rows_of_details(
        &self,
        town: usize,
        kind: DetailKind,
    ) -> impl Iterator<Item = (u32, i16)> + '_ {
        let details = &self.details[self.details_of(town, kind)];
        details.iter().map(|detail| (detail.row.to_native(), detail.number.to_native()))
    }

    /// The streets of all towns of a municipality, as details, in the order of its towns.
    pub fn streets_of(&self, city: usize) -> impl Iterator<Item = usize> + '_ {
        let towns = self.towns_of(city);
        let before =
            |end: usize| move |detail: &ArchivedDetail| (detail.town.to_native() as usize) < end;
        let start = self.details.partition_point(before(towns.start));
        let end = self.details.partition_point(before(towns.end));
        (start..end).filter(|detail| self.details[*detail].kind == ArchivedDetailKind::Street)
    }

    /// The lots of a row; empty if it is not divided by lots.
    pub fn lots_of(&self, row: u32) -> &[ArchivedLotRange] {
        let start = self.lots.partition_point(|lot| lot.row.to_native() < row);
        let end = self.lots.partition_point(|lot| lot.row.to_native() <= row);
        &self.lots[start..end]
    }
}
