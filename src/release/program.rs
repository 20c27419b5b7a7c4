//! Versions of the program, compared by their three numbers.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProgramVersion([u32; 3]);

impl ProgramVersion {
    /// The oldest program version that can read what this one writes. Change it with the release or snapshot
    /// format.
    pub const FIRST_READER: ProgramVersion = ProgramVersion([0, 2, 0]);

    pub fn own() -> ProgramVersion {
        ProgramVersion::parse(env!("CARGO_PKG_VERSION")).expect("cargo takes no other versions")
    }

    /// Parses `1.2.3`; ignores a suffix after a hyphen or plus sign.
    pub fn parse(text: &str) -> Option<ProgramVersion> {
        let numbers = text.split(['-', '+']).next()?;
        let mut parts = numbers.split('.').map(|part| {
            let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|_| is_number)
        });
        let version = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(ProgramVersion(version))
    }
}

impl fmt::Display for ProgramVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(out, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_their_numbers() {
        let parse = |text| ProgramVersion::parse(text).expect("a version");
        assert!(parse("0.10.0") > parse("0.9.9") && parse("1.0.0") > parse("0.99.0"));
        assert_eq!(parse("1.2.3-rc.1").to_string(), "1.2.3");
        for text in ["", "1", "1.2", "1.2.3.4", "1..3", "a.b.c", "+1.2.3", "1.2.4294967296"] {
            assert_eq!(ProgramVersion::parse(text), None, "{text}");
        }
        assert!(ProgramVersion::FIRST_READER <= ProgramVersion::own());
    }
}
