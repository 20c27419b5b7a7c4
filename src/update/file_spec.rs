//! The specification of a source file: how it is requested, and how it is verified.

use std::fmt;

use super::http::Request;

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
#[derive(Debug, Clone)]
pub enum ExpectedName {
    Exact(String),
    /// A part of the ZIP of this stem, with a number that the site chooses (`h_all_20260831_csv_003.zip`), or without
    /// one if there is only one part.
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

impl fmt::Display for ExpectedName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpectedName::Exact(name) => out.write_str(name),
            ExpectedName::Part(stem) => write!(out, "{stem}.zip or {stem}_NNN.zip"),
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
