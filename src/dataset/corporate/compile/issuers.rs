//! The corporations that are qualified invoice issuers, from the register and its differences.
//!
//! A number's newest published entry counts. It is registered from its registration date until it lapses
//! or is revoked. Events after the date of the data version do not count.

use build_tools::Kind;
use build_tools::invoice::{DELETED, Holder, InvoiceRow, read_invoice};
use build_tools::stream::Input;

use crate::compile::{error::Result, target::Build};
use crate::dataset::invoice::compile::registration;
use crate::text::codes::{CorporateNumber, DataVersion};

#[derive(Debug, Default)]
pub struct Issuers {
    /// Ascending.
    numbers: Vec<CorporateNumber>,
    pub date: u32,
}

impl Issuers {
    /// The issuers by the register of this date. `numbers` are the registered corporations in any order.
    pub fn new(mut numbers: Vec<CorporateNumber>, date: u32) -> Issuers {
        numbers.sort_unstable();
        Issuers { numbers, date }
    }

    pub fn contains(&self, number: CorporateNumber) -> bool {
        self.numbers.binary_search(&number).is_ok()
    }
}

pub fn read(inputs: &[Input<'_>], build: &mut Build<'_>) -> Result<Issuers> {
    let (version, progress) = (build.target.version, build.progress);
    let mut entries = Entries::default();
    let mut date = 0;
    for input in inputs {
        let mut add_row = |row: InvoiceRow<'_>| entries.add(&row, version);
        let advance = &mut |done, total| progress.advance(done, total);
        let files = read_invoice(*input, Kind::InvoiceRegister, &mut add_row, advance)?;
        for file in files {
            build.check_published(&file.name, file.date)?;
            date = date.max(file.date);
            build.log.add(file.rows, file.rejects);
        }
    }
    Ok(Issuers::new(entries.registered(), date))
}

/// The entries of the register that can be the newest of their numbers.
#[derive(Default)]
struct Entries {
    entries: Vec<Entry>,
}

/// Ordered by number, then by age.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    number: CorporateNumber,
    update_date: u32,
    /// Its position among all entries: of the entries of one day, the last counts.
    position: u32,
    is_registered: bool,
}

impl Entries {
    fn add(&mut self, row: &InvoiceRow<'_>, version: DataVersion) {
        let number = CorporateNumber::from_number(row.number).filter(|number| number.is_sound());
        let is_individual = row.holder == Some(Holder::Individual);
        let Some(number) = number.filter(|_| !is_individual) else { return };
        if row.latest || row.process == DELETED {
            self.entries.push(Entry {
                number,
                update_date: row.update_date,
                position: self.entries.len() as u32,
                is_registered: registration(row).is_in_force_on(version.number()),
            });
        }
    }

    /// The numbers whose newest entry registers them.
    fn registered(mut self) -> Vec<CorporateNumber> {
        self.entries.sort_unstable();
        let groups = self.entries.chunk_by(|left, right| left.number == right.number);
        let newest = groups.filter_map(|entries| entries.last());
        newest.filter(|entry| entry.is_registered).map(|entry| entry.number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(body: u64, update_date: u32) -> InvoiceRow<'static> {
        InvoiceRow {
            number: CorporateNumber::from_body(body).expect("twelve digits").number(),
            process: 1,
            latest: true,
            registration_date: 20_231_001,
            update_date,
            ..InvoiceRow::default()
        }
    }

    fn version(text: &str) -> DataVersion {
        DataVersion::parse(text).expect("a date")
    }

    #[test]
    fn the_newest_entry_counts_in_any_order() {
        let revoked = InvoiceRow { process: 4, disposal_date: 20_250_101, ..row(1, 20_250_102) };
        let superseded = InvoiceRow { latest: false, ..row(1, 20_260_101) };
        let deleted = InvoiceRow { process: DELETED, latest: false, ..row(3, 20_250_102) };
        let mut rows = vec![row(1, 20_230_101), revoked, superseded, row(2, 20_230_101)];
        rows.extend([row(3, 20_230_101), deleted]);
        for _ in 0..rows.len() {
            rows.rotate_left(1);
            let mut entries = Entries::default();
            rows.iter().for_each(|row| entries.add(row, version("2026-07-31")));
            let issuers = Issuers::new(entries.registered(), 20_260_101);
            let found = [1, 2, 3].map(|body| {
                issuers.contains(CorporateNumber::from_body(body).expect("twelve digits"))
            });
            assert_eq!(found, [false, true, false]);
        }
    }
}
