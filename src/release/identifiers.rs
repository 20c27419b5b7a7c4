//! What names things of releases: the number of a release, from 1, never reused, with six digits in object names, so
//! that they sort; the label of a group of servers with their own active release; the version of the program, compared
//! by its three numbers; and the SHA-256 that names a file.

use serde_json::Value;

pub use crate::snapshot::files::{Hasher, Sha256};
use crate::text::numerals::whole_number;

const MAX: u32 = 999_999;

/// The largest gap between two release numbers of which both count.
pub const GAP_MAX: u32 = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
pub struct Number(u32);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a release number such as 12, found {found:?}; 'daicho release list' shows the numbers"
)]
pub struct InvalidNumber {
    pub found: String,
}

impl Number {
    pub const FIRST: Number = Number(1);

    pub fn parse(text: &str) -> Result<Number, InvalidNumber> {
        let number = whole_number(text).and_then(Number::from_value);
        number.ok_or_else(|| InvalidNumber { found: text.to_owned() })
    }

    pub fn from_value(value: u64) -> Option<Number> {
        u32::try_from(value).ok().filter(|value| (1..=MAX).contains(value)).map(Number)
    }

    pub fn from_json(value: &Value) -> Option<Number> {
        Number::from_value(value.as_u64()?)
    }

    pub fn value(self) -> u32 {
        self.0
    }

    /// The next number; `None` after 999999.
    pub fn next(self) -> Option<Number> {
        Number::from_value(u64::from(self.0) + 1)
    }

    pub fn object_name(self) -> String {
        format!("releases/{:06}.json", self.0)
    }

    /// The number in an object name; `None` for other objects.
    pub fn from_object_name(name: &str) -> Option<Number> {
        let digits = name.strip_prefix("releases/")?.strip_suffix(".json")?;
        Number::parse(digits).ok().filter(|number| number.object_name() == name)
    }
}

const LENGTH_MAX: usize = 40;

/// The label of a group of servers, such as `canary`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
pub struct Label(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a label of 1 to {LENGTH_MAX} lower-case letters, digits and hyphens, such as canary; found {found:?}"
)]
pub struct InvalidLabel {
    found: String,
}

impl Label {
    pub fn parse(text: &str) -> Result<Label, InvalidLabel> {
        let is_valid =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_label = (1..=LENGTH_MAX).contains(&text.len()) && text.bytes().all(is_valid);
        is_label
            .then(|| Label(text.to_owned()))
            .ok_or_else(|| InvalidLabel { found: text.to_owned() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
#[display("{}.{}.{}", _0[0], _0[1], _0[2])]
pub struct ProgramVersion([u32; 3]);

impl ProgramVersion {
    /// The oldest program version that can read what this one writes. Change it with the release or snapshot
    /// format.
    pub const FIRST_READER: ProgramVersion = ProgramVersion([0, 3, 0]);

    pub fn own() -> ProgramVersion {
        ProgramVersion::parse(env!("CARGO_PKG_VERSION")).expect("cargo takes no other versions")
    }

    /// Parses `1.2.3`; ignores a suffix after a hyphen or plus sign.
    pub fn parse(text: &str) -> Option<ProgramVersion> {
        let numbers = text.split(['-', '+']).next()?;
        let mut parts = numbers.split('.').map(whole_number);
        let version = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(ProgramVersion(version))
    }
}

/// The folder of the files in the object store.
pub const FOLDER: &str = "files/sha256";

/// The name of the object that holds the file with this checksum.
pub fn object_name(sha256: Sha256) -> String {
    format!("{FOLDER}/{sha256}")
}

/// The checksum in an object name; `None` for other objects.
pub fn from_object_name(name: &str) -> Option<Sha256> {
    Sha256::parse(name.strip_prefix(FOLDER)?.strip_prefix('/')?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_its_object() {
        for (text, value) in [("1", Some(1)), ("000012", Some(12)), ("999999", Some(999_999))] {
            assert_eq!(Number::parse(text).ok().map(Number::value), value, "{text}");
        }
        for text in ["", "0", "-1", "+1", "1000000", "99999999999999999999", "x", "１", " 1"] {
            assert!(Number::parse(text).is_err(), "{text:?}");
        }
        let number = Number::parse("12").expect("a number");
        assert_eq!(number.object_name(), "releases/000012.json");
        assert_eq!(Number::from_object_name("releases/000012.json"), Some(number));
        for other in ["releases/12.json", "releases/000012.txt", "000012.json", "releases/.json"] {
            assert_eq!(Number::from_object_name(other), None, "{other}");
        }
        assert_eq!(Number::parse("999999").expect("a number").next(), None);
    }
}

#[cfg(test)]
mod label_tests {
    use super::*;

    #[test]
    fn a_label_is_a_short_lowercase_word() {
        for text in ["canary", "a", "tokyo-2", &"a".repeat(40)] {
            assert_eq!(Label::parse(text).map(|label| label.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["", "Canary", "a b", "é", &"a".repeat(41)] {
            assert!(Label::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}

#[cfg(test)]
mod program_tests {
    use super::*;
    use crate::snapshot::layout::FORMAT;

    #[test]
    fn versions_compare_by_their_numbers() {
        let parse = |text| ProgramVersion::parse(text).expect("a version");
        assert!(parse("0.10.0") > parse("0.9.9") && parse("1.0.0") > parse("0.99.0"));
        assert_eq!(parse("1.2.3-rc.1").to_string(), "1.2.3");
        for text in ["", "1", "1.2", "1.2.3.4", "1..3", "a.b.c", "+1.2.3", "1.2.4294967296"] {
            assert_eq!(ProgramVersion::parse(text), None, "{text}");
        }
        assert!(ProgramVersion::FIRST_READER <= ProgramVersion::own());
        // A snapshot format that rises without its program would leave older servers without data.
        let first_readers = [(11, "0.2.0"), (16, "0.3.0")];
        let first = first_readers.iter().find(|(format, _)| *format == FORMAT);
        let first = first.map(|(_, program)| parse(program));
        assert_eq!(
            first,
            Some(ProgramVersion::FIRST_READER),
            "add the program that first reads format {FORMAT}"
        );
    }
}

#[cfg(test)]
mod sha256_tests {
    use super::*;

    #[test]
    fn a_checksum_reads_back_from_an_object_name() {
        let sum = Sha256::of(b"abc");
        let name = object_name(sum);
        assert_eq!(from_object_name(&name), Some(sum));
        for other in [format!("{name}0"), name.replace("files/", "file/"), format!("{FOLDER}{sum}")]
        {
            assert_eq!(from_object_name(&other), None, "{other}");
        }
    }
}
