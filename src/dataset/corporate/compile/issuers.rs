//! Which corporations are qualified invoice issuers, for a build of corporations.
//!
//! That comes from the register and its differences: a number's newest published entry counts. It is registered from its
//! registration date until it lapses or is revoked. Events after the date of the data version do not count.

use std::collections::HashMap;

use build_tools::Kind;
use build_tools::invoice::{DELETED, Holder, InvoiceRow, read_invoice};
use build_tools::stream::Input;

use crate::compile::Result;
use crate::compile::target::Build;
use crate::dataset::invoice::compile::registration;
use crate::text::codes::{CorporateNumber, DataVersion};

/// The corporations that are qualified invoice issuers by the register of a day.
#[derive(Debug, Default)]
pub struct Issuers {
    /// The newest entry of each number: its date, and whether it registers the number.
    entries: HashMap<CorporateNumber, (u32, bool)>,
    pub date: u32,
}

impl Issuers {
    pub fn read(inputs: &[Input<'_>], build: &mut Build<'_>) -> Result<Issuers> {
        let (version, progress) = (build.target.version, build.progress);
        let mut issuers = Issuers::default();
        for input in inputs {
            let mut add_row = |row: InvoiceRow<'_>| issuers.add(&row, version);
            let advance = &mut |done, total| progress.advance(done, total);
            let files = read_invoice(*input, Kind::InvoiceRegister, &mut add_row, advance)?;
            for file in files {
                build.check_published(&file.name, file.date)?;
                issuers.date = issuers.date.max(file.date);
                build.log.add(file.rows, file.rejects);
            }
        }
        Ok(issuers)
    }

    fn add(&mut self, row: &InvoiceRow<'_>, version: DataVersion) {
        let number = CorporateNumber::from_number(row.number).filter(|number| number.is_sound());
        let is_individual = row.holder == Some(Holder::Individual);
        let Some(number) = number.filter(|_| !is_individual) else { return };
        if row.latest || row.process == DELETED {
            let is_registered = registration(row).is_in_force_on(version.number());
            let entry = (row.update_date, is_registered);
            let newest = self.entries.entry(number).or_insert(entry);
            // Of the entries of one day, the last counts.
            if newest.0 <= entry.0 {
                *newest = entry;
            }
        }
    }

    pub fn contains(&self, number: CorporateNumber) -> bool {
        self.entries.get(&number).is_some_and(|(_, is_registered)| *is_registered)
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
            let mut issuers = Issuers::default();
            rows.iter().for_each(|row| issuers.add(row, version("2026-07-31")));
            let found = [1, 2, 3].map(|body| {
                issuers.contains(CorporateNumber::from_body(body).expect("twelve digits"))
            });
            assert_eq!(found, [false, true, false]);
        }
    }
}
