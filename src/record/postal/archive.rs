//! Postal rows in their archived form.
//!
//! Records have a fixed size and hold ids of texts. They are in area order (municipality code, then area rows
//! before businesses, then the source's order), so that a municipality is a range. The abolished records of the
//! version follow the others and are in no index.

use rkyv::{Archive, Archived, Serialize};

use super::rows::{CityRow, CorporationRow, Name, PostalRow, UpdateReason, UpdateStatus};
use crate::record::strings::{ArchivedStrId, TextStarts};
use crate::record::{StrId, StringPool, TableFault};
use crate::snapshot::{Tag, prefetch_to_cache};

pub mod tag {
    use super::Tag;

    pub const PROVENANCE: Tag = Tag::new("origin");
    pub const STRINGS: Tag = Tag::new("strings");
    pub const TABLES: Tag = Tag::new("tables");
    /// Codes to rows, see [`crate::index::code_index`].
    pub const CODES: Tag = Tag::new("codes");
    pub const TOWNS: Tag = Tag::new("towns");
    pub const GRAMS: Tag = Tag::new("grams");
    /// Coordinates. Present only if the build had a file of them.
    pub const POINTS: Tag = Tag::new("points");
    /// Names and readings by their beginnings.
    pub const SUGGEST: Tag = Tag::new("suggest");
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

#[derive(Debug, Clone, Copy, Archive, Serialize)]
pub(super) struct NameIds {
    pub name: StrId,
    pub kana: StrId,
    pub roman: StrId,
}

#[derive(Debug, Clone, Archive, Serialize)]
pub(super) struct City {
    pub jisx0402: u32,
    pub prefecture: NameIds,
    pub city: NameIds,
    pub county: NameIds,
    pub city_without_county_and_ward: NameIds,
    pub city_ward: NameIds,
    pub listed: bool,
}

#[derive(Debug, Clone, Archive, Serialize)]
pub(super) struct Corporation {
    pub name: StrId,
    pub name_kana: StrId,
    pub block_lot: StrId,
    /// The empty text means `null`: a lot number is never empty.
    pub block_lot_num: StrId,
    pub post_office: StrId,
    pub post_office_box: bool,
}

#[derive(Debug, Clone, Archive, Serialize)]
pub(super) struct Record {
    pub postal_code: u32,
    pub town: NameIds,
    pub town_raw: StrId,
    pub town_kana_raw: StrId,
    pub old_code: StrId,
    pub koaza: StrId,
    pub kyoto_street: StrId,
    pub building: StrId,
    pub floor: StrId,
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

impl NameIds {
    fn build(name: &Name, pool: &mut StringPool) -> NameIds {
        NameIds {
            name: pool.intern(&name.name),
            kana: pool.intern(&name.kana),
            roman: pool.intern(&name.roman),
        }
    }
}

impl City {
    fn build(row: &CityRow, pool: &mut StringPool) -> City {
        City {
            jisx0402: row.jisx0402,
            prefecture: NameIds::build(&row.prefecture, pool),
            city: NameIds::build(&row.city, pool),
            county: NameIds::build(&row.county, pool),
            city_without_county_and_ward: NameIds::build(&row.city_without_county_and_ward, pool),
            city_ward: NameIds::build(&row.city_ward, pool),
            listed: row.listed,
        }
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
        Record {
            postal_code: row.postal_code,
            town: NameIds::build(&row.town, pool),
            town_raw: pool.intern(&row.town_raw),
            town_kana_raw: pool.intern(&row.town_kana_raw),
            old_code: pool.intern(&row.old_code),
            koaza: pool.intern(&row.koaza),
            kyoto_street: pool.intern(&row.kyoto_street),
            building: pool.intern(&row.building),
            floor: pool.intern(&row.floor),
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
        Corporation {
            name: pool.intern(&row.name),
            name_kana: pool.intern(&row.name_kana),
            block_lot: pool.intern(&row.block_lot),
            block_lot_num: pool.intern(row.block_lot_num.as_deref().unwrap_or_default()),
            post_office: pool.intern(&row.post_office),
            post_office_box: row.post_office_box,
        }
    }
}

impl ArchivedPostalTables {
    /// Checks every number that a view follows, so that no look-up can fail because of the file.
    pub fn check(&self, texts: &TextStarts) -> Result<(), TableFault> {
        let pool = "texts of the pool";
        for (row, city) in self.cities.iter().enumerate() {
            require(city.ids().all(|id| texts.contains(id)), "cities", row, pool)?;
        }
        for (row, corporation) in self.corporations.iter().enumerate() {
            require(
                corporation.ids().into_iter().all(|id| texts.contains(id)),
                "corporations",
                row,
                pool,
            )?;
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
        let are_texts = record.ids().into_iter().all(|id| texts.contains(id));
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

    /// Starts loading the record of a row.
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

impl ArchivedNameIds {
    fn ids(&self) -> [ArchivedStrId; 3] {
        [self.name, self.kana, self.roman]
    }
}

impl ArchivedCity {
    fn ids(&self) -> impl Iterator<Item = ArchivedStrId> {
        let parts = [
            &self.prefecture,
            &self.city,
            &self.county,
            &self.city_without_county_and_ward,
            &self.city_ward,
        ];
        parts.into_iter().flat_map(ArchivedNameIds::ids)
    }
}

impl ArchivedCorporation {
    fn ids(&self) -> [ArchivedStrId; 5] {
        [self.name, self.name_kana, self.block_lot, self.block_lot_num, self.post_office]
    }
}

impl ArchivedRecord {
    fn ids(&self) -> [ArchivedStrId; 10] {
        let [town, kana, roman] = self.town.ids();
        [
            town,
            kana,
            roman,
            self.town_raw,
            self.town_kana_raw,
            self.old_code,
            self.koaza,
            self.kyoto_street,
            self.building,
            self.floor,
        ]
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
