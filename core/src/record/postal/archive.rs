//! Postal rows in their archived form.
//!
//! Records have a fixed size and hold ids of texts. They are in area order (municipality code, then area rows
//! before businesses, then the source's order), so that a municipality is a range. The abolished records of the
//! version follow the others and are in no index.

use rkyv::{Archive, Archived, Serialize};

use super::{CityRow, CorporationRow, Name, PostalRow, UpdateReason, UpdateStatus};
use crate::record::strings::{ArchivedStrId, TextStarts};
use crate::record::{StrId, StringPool, TableFault};
use crate::snapshot::{SectionTag, prefetch_to_cache};

pub mod tag {
    use super::SectionTag;

    pub const PROVENANCE: SectionTag = SectionTag::new("origin");
    pub const STRINGS: SectionTag = SectionTag::new("strings");
    pub const TABLES: SectionTag = SectionTag::new("tables");
    /// Codes to rows, see [`crate::index::code_index`].
    pub const CODES: SectionTag = SectionTag::new("codes");
    pub const TOWNS: SectionTag = SectionTag::new("towns");
    pub const GRAMS: SectionTag = SectionTag::new("grams");
    /// Coordinates. Present only if the build had a file of them.
    pub const POINTS: SectionTag = SectionTag::new("points");
    /// The order of the points by their coordinates. Present with [`POINTS`], since that version of daicho that wrote it.
    pub const NEAREST: SectionTag = SectionTag::new("nearest");
    /// Names and readings by their beginnings.
    pub const SUGGEST: SectionTag = SectionTag::new("suggest");
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct PostalTables {
    pub(super) cities: Vec<City>,
    pub(super) corporations: Vec<Corporation>,
    pub(super) records: Vec<Record>,
    /// Rows of `records` that this version added or changed, ascending.
    pub(super) changed: Vec<u32>,
    /// How many of `records` are abolished; they are the last ones.
    pub(super) abolished: u32,
}

/// The texts of a name: kanji, kana, Roman letters.
type NameIds = [StrId; 3];

#[derive(Debug, Clone, Archive, Serialize)]
pub(super) struct City {
    pub jisx0402: u32,
    /// Prefecture, city, county, city without county and ward, ward.
    pub names: [NameIds; 5],
    pub listed: bool,
}

#[derive(Debug, Clone, Archive, Serialize)]
pub(super) struct Corporation {
    /// Name, its kana, lot, lot numbers, post office. Without lot numbers `null`: they are never empty.
    pub texts: [StrId; 5],
    pub post_office_box: bool,
}

#[derive(Debug, Clone, Archive, Serialize)]
pub(super) struct Record {
    pub postal_code: u32,
    pub town: NameIds,
    /// Town as printed, its kana, code before 1998, koaza, Kyoto street, building, floor.
    pub texts: [StrId; 7],
    /// [`NO_CORPORATION`] for an ordinary code.
    pub corporation: u32,
    pub city: u16,
    /// See [`TownFlags::to_bits`](super::TownFlags::to_bits).
    pub flags: u8,
    pub update_status: UpdateStatus,
    pub update_reason: UpdateReason,
}

pub(super) const NO_CORPORATION: u32 = u32::MAX;

const _: () = assert!(size_of::<Archived<Record>>() <= 56, "a month has 150,000 of these");

impl PostalTables {
    /// Stores these rows and their texts in `pool`. `current` is in area order; `abolished` follow in the given order.
    /// Each row is dropped once it is stored: the pool grows as the rows become fewer.
    pub fn build(
        cities: &[CityRow],
        current: Vec<PostalRow>,
        abolished: Vec<PostalRow>,
        pool: &mut StringPool,
    ) -> PostalTables {
        let is_sorted = current.is_sorted_by_key(|row| row.area_order(cities));
        assert!(is_sorted, "rows are numbered in area order");
        let mut tables = PostalTables {
            records: Vec::with_capacity(current.len() + abolished.len()),
            abolished: u32::try_from(abolished.len()).expect("a month has 150,000 records"),
            ..PostalTables::default()
        };
        for city in cities {
            tables.cities.push(City::build(city, pool));
        }
        for row in current.into_iter().chain(abolished) {
            let number = u32::try_from(tables.records.len()).expect("a month has 150,000 records");
            if row.update_status == UpdateStatus::Changed {
                tables.changed.push(number);
            }
            let record = Record::build(&row, &mut tables.corporations, pool);
            tables.records.push(record);
        }
        tables
    }
}

fn intern_name(name: &Name, pool: &mut StringPool) -> NameIds {
    [&name.name, &name.kana, &name.roman].map(|text| pool.intern(text))
}

impl City {
    fn build(row: &CityRow, pool: &mut StringPool) -> City {
        let CityRow { prefecture, city, county, city_without_county_and_ward, city_ward, .. } = row;
        let names = [prefecture, city, county, city_without_county_and_ward, city_ward];
        let names = names.map(|name| intern_name(name, pool));
        City { jisx0402: row.jisx0402, names, listed: row.listed }
    }
}

impl Record {
    fn build(
        row: &PostalRow,
        corporations: &mut Vec<Corporation>,
        pool: &mut StringPool,
    ) -> Record {
        let corporation = row.corporation.as_ref().map_or(NO_CORPORATION, |corporation| {
            corporations.push(Corporation::build(corporation, pool));
            u32::try_from(corporations.len() - 1).expect("fewer than all records")
        });
        let town = intern_name(&row.town, pool);
        let texts = [
            &row.town_raw,
            &row.town_kana_raw,
            &row.old_code,
            &row.koaza,
            &row.kyoto_street,
            &row.building,
            &row.floor,
        ];
        Record {
            postal_code: row.postal_code,
            town,
            texts: texts.map(|text| pool.intern(text)),
            corporation,
            city: row.city,
            flags: row.flags.to_bits(),
            update_status: row.update_status,
            update_reason: row.update_reason,
        }
    }
}

impl Corporation {
    fn build(row: &CorporationRow, pool: &mut StringPool) -> Corporation {
        let block_lot_num = row.block_lot_num.as_deref().unwrap_or_default();
        let texts = [&*row.name, &row.name_kana, &row.block_lot, block_lot_num, &row.post_office];
        let texts = texts.map(|text| pool.intern(text));
        Corporation { texts, post_office_box: row.post_office_box }
    }
}

impl ArchivedPostalTables {
    /// Checks every number that a view follows, so that no look-up can fail because of the file.
    pub fn check(&self, texts: &TextStarts) -> Result<(), TableFault> {
        let are_texts = |ids: &[ArchivedStrId]| ids.iter().all(|id| texts.contains(*id));
        let pool = "texts of the pool";
        for (row, city) in self.cities.iter().enumerate() {
            require(are_texts(city.names.as_flattened()), "cities", row, pool)?;
        }
        for (row, corporation) in self.corporations.iter().enumerate() {
            require(are_texts(&corporation.texts), "corporations", row, pool)?;
        }
        for (row, record) in self.records.iter().enumerate() {
            self.check_record(row, record, texts)?;
        }
        let current = self.current();
        for (row, changed) in self.changed.iter().enumerate() {
            require((changed.to_native() as usize) < current, "changed", row, "a current record")?;
        }
        Ok(())
    }

    fn check_record(
        &self,
        row: usize,
        record: &ArchivedRecord,
        texts: &TextStarts,
    ) -> Result<(), TableFault> {
        let mut ids = record.town.iter().chain(&record.texts);
        let are_texts = ids.all(|id| texts.contains(*id));
        require(are_texts, "records", row, "texts of the pool")?;
        let is_city = usize::from(record.city.to_native()) < self.cities.len();
        require(is_city, "records", row, "a municipality of the table")?;
        let corporation = record.corporation.to_native();
        let is_corporation =
            corporation == NO_CORPORATION || (corporation as usize) < self.corporations.len();
        require(is_corporation, "records", row, "a corporation of the table")?;
        require(record.postal_code.to_native() <= 9_999_999, "records", row, "a 7-digit code")
    }

    /// Number of current records; the abolished ones follow them.
    pub fn current(&self) -> usize {
        self.records.len().saturating_sub(self.abolished.to_native() as usize)
    }

    pub fn prefetch(&self, row: usize) {
        if let Some(record) = self.records.get(row) {
            prefetch_to_cache(std::slice::from_ref(record));
        }
    }

    /// Rows that this version added or changed, ascending.
    pub fn changed(&self) -> &[rkyv::rend::u32_le] {
        &self.changed
    }

    pub fn abolished(&self) -> usize {
        self.records.len() - self.current()
    }

    pub fn cities(&self) -> usize {
        self.cities.len()
    }
}

fn require(
    is_sound: bool,
    table: &'static str,
    row: usize,
    expected: &'static str,
) -> Result<(), TableFault> {
    if is_sound { Ok(()) } else { Err(TableFault { table, row, expected }) }
}
