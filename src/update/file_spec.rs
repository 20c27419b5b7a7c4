//! The specification of a source file: how it is requested, and how it is verified; the official names of source
//! files, built from a kind and a date and parsed again; and source files in a local folder under these names, `--from
//! DIR`.
//!
//! The name is what distinguishes valid archives: a wrong file number returns a file of another day.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::{fmt, io::Read};

use super::error::{Result, UpdateError};
use super::http::Request;
use super::page::nta_invoice::IssuerKind;
use crate::text::codes::DataVersion;
pub use crate::text::numerals::whole_number as number;

/// A file that an edition needs.
#[derive(Debug, Clone)]
pub struct FileSpec {
    /// Its role, unique in an edition, such as `area`.
    pub role: String,
    pub request: Request,
    pub name: ExpectedName,
    pub format: FileFormat,
    /// Whether it is a full file; then its rows and size are compared with the previous edition.
    pub is_full: bool,
    /// Whether an edition may have the same file as the previous one; an unchanged file is not downloaded again.
    pub may_be_unchanged: bool,
    pub bytes_max: u64,
}

/// The official name that a file must have.
#[derive(Debug, Clone, derive_more::Display)]
pub enum ExpectedName {
    #[display("{_0}")]
    Exact(String),
    /// A part of the ZIP of this stem, with a number that the site chooses (`h_all_20260831_csv_003.zip`), or without
    /// one if there is only one part.
    #[display("{stem}.zip or {stem}_NNN.zip", stem = _0)]
    Part(String),
}

/// The expected format of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFormat {
    /// A ZIP with exactly one CSV of this name, ignoring case; an empty name matches any. A signature file may
    /// lie beside it.
    ZipOfCsv {
        member: String,
    },
    Csv,
    TarGz,
}

impl ExpectedName {
    pub fn fits(&self, name: &str) -> bool {
        match self {
            ExpectedName::Exact(exact) => exact.eq_ignore_ascii_case(name),
            ExpectedName::Part(stem) => {
                let number = name.strip_prefix(stem).and_then(|rest| rest.strip_suffix(".zip"));
                number.is_some_and(|number| number.is_empty() || is_part_number(number))
            }
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileFormat::ZipOfCsv { member } if member.is_empty() => write!(out, "a ZIP of a CSV"),
            FileFormat::ZipOfCsv { member } => write!(out, "a ZIP of {member}"),
            FileFormat::Csv => write!(out, "a CSV"),
            FileFormat::TarGz => write!(out, "a tar.gz"),
        }
    }
}

/// `_003`
fn is_part_number(text: &str) -> bool {
    let digits = text.strip_prefix('_').unwrap_or_default();
    digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[derive(Debug, Clone)]
pub struct LocalFolder {
    pub path: PathBuf,
    /// Sorted.
    pub names: Vec<String>,
}

impl LocalFolder {
    pub fn open(path: &Path) -> Result<LocalFolder> {
        let failed = |cause| UpdateError::io(path, cause);
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().into_string()
                && entry.path().is_file()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(LocalFolder { path: path.to_owned(), names })
    }

    pub fn newest_date(
        &self,
        date_of: impl Fn(&str) -> Option<DataVersion>,
        example: &str,
    ) -> Result<DataVersion> {
        let newest = self.names.iter().filter_map(|name| date_of(name)).max();
        newest.ok_or_else(|| self.missing(format!("a file such as {example}")))
    }

    pub fn missing(&self, expected: impl Into<String>) -> UpdateError {
        UpdateError::MissingFile {
            path: self.path.clone(),
            expected: expected.into(),
            found: format!("{} files with other names", self.names.len()),
            remedy: "download it from the official site and put it there under that name",
        }
    }

    /// The file with this name; of several parts the last in order.
    pub fn find(&self, name: &ExpectedName) -> Result<PathBuf> {
        let found = self.names.iter().rev().find(|found| name.fits(found));
        let found = found.map(|found| self.path.join(found));
        found.ok_or_else(|| self.missing(format!("a file {name}")))
    }

    /// The content of the file with exactly this name, which has at most so many bytes.
    pub fn read(&self, name: &str, bytes_max: u64) -> Result<Vec<u8>> {
        let path = self.find(&ExpectedName::Exact(name.to_owned()))?;
        let mut bytes = Vec::new();
        let read = File::open(&path).and_then(|it| it.take(bytes_max + 1).read_to_end(&mut bytes));
        let length = read.map_err(|cause| UpdateError::io(&path, cause))? as u64;
        if length > bytes_max {
            let (url, remedy) = (path.display().to_string(), "check the file");
            return Err(UpdateError::TooLarge { url, limit: bytes_max, remedy });
        }
        Ok(bytes)
    }
}

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
    fn parts_have_a_number_of_three_digits_or_none() {
        let part = ExpectedName::Part("h_all_20260831_csv".to_owned());
        for (name, fits) in [
            ("h_all_20260831_csv_003.zip", true),
            ("h_all_20260831_csv.zip", true),
            ("h_all_20260731_csv_003.zip", false),
            ("j_all_20260831_csv_003.zip", false),
            ("h_all_20260831_csv_3.zip", false),
            ("h_all_20260831_csv_0003.zip", false),
            ("h_all_20260831_csv003.zip", false),
            ("h_all_20260831_csv_00a.zip", false),
            ("h_all_20260831_csv_003.csv", false),
            ("", false),
        ] {
            assert_eq!(part.fits(name), fits, "{name}");
        }
        assert_eq!(part.to_string(), "h_all_20260831_csv.zip or h_all_20260831_csv_NNN.zip");
    }
}

#[cfg(test)]
mod local_folder_tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_official_names() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["UTF_KEN_ALL.ZIP", "h_all_20260731_csv_001.zip", "h_all_20260731_csv_002.zip"]
        {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let found = LocalFolder::open(folder.path()).expect("there");
        let area = found.find(&ExpectedName::Exact("utf_ken_all.zip".to_owned())).expect("there");
        assert_eq!(area, folder.path().join("UTF_KEN_ALL.ZIP"));
        let part = found.find(&ExpectedName::Part("h_all_20260731_csv".to_owned()));
        assert!(part.expect("there").ends_with("h_all_20260731_csv_002.zip"));
        let message =
            found.find(&ExpectedName::Exact("jigyosyo.zip".to_owned())).expect_err("none");
        assert!(message.to_string().contains("expected a file jigyosyo.zip"), "{message}");
        assert!(message.is_not_found());
        assert!(LocalFolder::open(&folder.path().join("none")).is_err());
        fs::write(folder.path().join("utf-zip.html"), "12345").expect("written");
        let found = LocalFolder::open(folder.path()).expect("there");
        assert_eq!(found.read("utf-zip.html", 5).expect("short enough"), b"12345");
        let message = found.read("utf-zip.html", 4).expect_err("too long").to_string();
        assert!(message.contains("utf-zip.html: expected at most 4 bytes"), "{message}");
    }
}

#[cfg(test)]
mod official_name_tests {
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
