//! The official names of source files: built from a kind and a date, and parsed again.
//!
//! The name is what distinguishes valid archives: a wrong file number returns a file of another day.

use super::page::nta_invoice::IssuerKind;
pub use crate::text::amounts::whole_number as number;
use crate::text::codes::DataVersion;

/// The official names of a kind of file, which differ in their date.
pub struct DatedName {
    before: &'static str,
    after: &'static str,
}

/// The corporate full file of the whole country.
pub const CORPORATE_FULL: DatedName = DatedName { before: "00_zenkoku_all_", after: ".zip" };
pub const CORPORATE_DIFFERENCE: DatedName = DatedName { before: "diff_", after: ".zip" };
pub const INVOICE_DIFFERENCE: DatedName = DatedName { before: "diff_", after: "_csv.zip" };

impl DatedName {
    pub fn of(&self, date: DataVersion) -> String {
        format!("{}{}{}", self.before, date.number(), self.after)
    }

    pub fn date(&self, name: &str) -> Option<DataVersion> {
        date_of(name.strip_prefix(self.before)?.strip_suffix(self.after)?)
    }
}

/// A part of the invoice register, such as `h_all_20260831_csv_001.zip`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct InvoicePart {
    pub issuers: IssuerKind,
    pub date: DataVersion,
    /// From 1; 0 for a file without parts.
    pub part: u32,
}

impl InvoicePart {
    /// The name without part and ending, such as `h_all_20260831_csv`.
    pub fn stem(issuers: IssuerKind, date: DataVersion) -> String {
        format!("{}_all_{}_csv", issuers.letter(), date.number())
    }

    pub fn parse(name: &str) -> Option<InvoicePart> {
        let name = name.strip_suffix(".zip")?;
        let issuers =
            IssuerKind::ALL.into_iter().find(|issuers| name.starts_with(issuers.letter()))?;
        let (date, part) = name.get(1..)?.strip_prefix("_all_")?.split_once("_csv")?;
        let part = match part.strip_prefix('_') {
            None if part.is_empty() => 0,
            part => number(part?).filter(|part| (1..=999).contains(part))?,
        };
        Some(InvoicePart { issuers, date: date_of(date)?, part })
    }
}

/// Parses a date of eight digits.
pub fn date_of(text: &str) -> Option<DataVersion> {
    DataVersion::from_number(Some(text).filter(|text| text.len() == 8).and_then(number)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_date_read_back() {
        let date = DataVersion::from_number(20_260_821).expect("a date");
        assert_eq!(CORPORATE_FULL.of(date), "00_zenkoku_all_20260821.zip");
        assert_eq!(CORPORATE_FULL.date(&CORPORATE_FULL.of(date)), Some(date));
        assert_eq!(CORPORATE_DIFFERENCE.of(date), "diff_20260821.zip");
        assert_eq!(CORPORATE_DIFFERENCE.date(&CORPORATE_DIFFERENCE.of(date)), Some(date));
        assert_eq!(INVOICE_DIFFERENCE.of(date), "diff_20260821_csv.zip");
        assert_eq!(INVOICE_DIFFERENCE.date(&INVOICE_DIFFERENCE.of(date)), Some(date));
        assert_eq!(CORPORATE_DIFFERENCE.date(&INVOICE_DIFFERENCE.of(date)), None);
        assert_eq!(INVOICE_DIFFERENCE.date(&CORPORATE_DIFFERENCE.of(date)), None);
        for name in [
            "",
            "diff_.zip",
            "diff_20260231.zip",
            "diff_2026082.zip",
            "diff_+2026082.zip",
            "diff_２０２６０８２１.zip",
            "diff_20260821.csv",
            "31_tottori_all_20260731.zip",
            "00_zenkoku_all_20260731_01.zip",
        ] {
            assert_eq!(CORPORATE_FULL.date(name), None, "{name}");
            assert_eq!(CORPORATE_DIFFERENCE.date(name), None, "{name}");
        }
    }

    #[test]
    fn parts_of_the_register_are_recognised_by_name() {
        #[track_caller]
        fn check(name: &str, expected: Option<(char, u32, u32)>) {
            let found = InvoicePart::parse(name);
            let found = found.map(|it| (it.issuers.letter(), it.date.number(), it.part));
            assert_eq!(found, expected, "{name:?}");
        }
        check("h_all_20260831_csv_001.zip", Some(('h', 20_260_831, 1)));
        check("k_all_20260831_csv_012.zip", Some(('k', 20_260_831, 12)));
        check("j_all_20260831_csv.zip", Some(('j', 20_260_831, 0)));
        check("j_all_20260831.zip", None);
        check("h_all_20260831_csv_.zip", None);
        check("h_all_20260831_csv_000.zip", None);
        check("h_all_20260831_csv_1000.zip", None);
        check("h_all_20260831_csv001.zip", None);
        check("h_all_20260231_csv_001.zip", None);
        check("h_all_20260831_xml_001.zip", None);
        check("x_all_20260831_csv_001.zip", None);
        check("h_all_20260831_csv_001", None);
        check("", None);
        check("法", None);
    }
}
