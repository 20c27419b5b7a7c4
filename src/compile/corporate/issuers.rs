//! The corporations that are qualified invoice issuers, from the register and its differences.
//!
//! A number's newest published entry counts. It is registered from its registration date until it lapses
//! or is revoked. Events after the date of the data version do not count.

use build_tools::Kind;
use build_tools::invoice::{DELETED, Holder, InvoiceRow, read_invoice};
use build_tools::stream::Input;

use crate::compile::registration::registration;
use crate::compile::{error::CompileError, log::BuildLog, progress::Progress, target::Target};
use crate::text::codes::{CorporateNumber, DataVersion};

#[derive(Debug, Default)]
pub struct Issuers {
    /// Ascending.
    numbers: Vec<CorporateNumber>,
    date: u32,
}

impl Issuers {
    /// The registered corporations of the register of this date.
    pub fn of(mut numbers: Vec<CorporateNumber>, date: u32) -> Issuers {
        numbers.sort_unstable();
        Issuers { numbers, date }
    }

    pub fn contains(&self, number: CorporateNumber) -> bool {
        self.numbers.binary_search(&number).is_ok()
    }

    pub fn date(&self) -> u32 {
        self.date
    }
}

pub fn read(
    inputs: &[Input<'_>],
    target: &Target<'_>,
    log: &mut BuildLog,
    progress: &dyn Progress,
) -> Result<Issuers, CompileError> {
    let mut entries = Entries::default();
    let mut date = 0;
    for input in inputs {
        let mut sink = |row: InvoiceRow<'_>| entries.take(&row, target.version);
        let advance = &mut |done, total| progress.advance(done, total);
        let files = read_invoice(*input, Kind::InvoiceRegister, &mut sink, advance)?;
        for file in files {
            target.check_published(&file.name, file.date, log)?;
            date = date.max(file.date);
            log.add(file.rows, file.rejects);
        }
    }
    Ok(Issuers::of(entries.registered(), date))
}

#[derive(Default)]
struct Entries {
    /// Number, date of publication, index among all entries, whether the number is registered.
    list: Vec<(CorporateNumber, u32, u32, bool)>,
}

impl Entries {
    fn take(&mut self, row: &InvoiceRow<'_>, version: DataVersion) {
        let number = CorporateNumber::from_number(row.number).filter(|number| number.is_sound());
        let individual = row.holder == Some(Holder::Individual);
        let Some(number) = number.filter(|_| !individual) else { return };
        if row.latest || row.process == DELETED {
            let place = self.list.len() as u32;
            self.list.push((number, row.update_date, place, is_registered(row, version)));
        }
    }

    fn registered(mut self) -> Vec<CorporateNumber> {
        self.list.sort_unstable();
        let newest =
            |at: &usize| self.list.get(at + 1).is_none_or(|next| next.0 != self.list[*at].0);
        let newest = (0..self.list.len()).filter(newest).map(|at| self.list[at]);
        newest.filter(|(.., registered)| *registered).map(|(number, ..)| number).collect()
    }
}

/// Whether an entry registers its number on the date of a version.
fn is_registered(row: &InvoiceRow<'_>, version: DataVersion) -> bool {
    registration(row).covers(version.number())
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
            rows.iter().for_each(|row| entries.take(row, version("2026-07-31")));
            let issuers = Issuers::of(entries.registered(), 20_260_101);
            let found = [1, 2, 3].map(|body| {
                issuers.contains(CorporateNumber::from_body(body).expect("twelve digits"))
            });
            assert_eq!(found, [false, true, false]);
        }
    }
}
