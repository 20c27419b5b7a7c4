//! What a publisher releases and the program reads: its name, its terms, and the credit line that the terms ask of whoever
//! shows the data.
//!
//! The terms are those that the publishers state, as far as known; DATA-LICENCES.md says more of each.

use crate::json::{put, strings};
use crate::text::codes::DataVersion;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Publication {
    pub name: &'static str,
    pub publisher: &'static str,
    pub url: &'static str,
    pub licence: &'static str,
    /// The line to show with the data.
    pub credit: &'static str,
    /// Set if the publisher has fallen silent.
    pub silence: Option<Silence>,
}

/// The last edition of a publisher that has released none for longer than usual, and the day on which that was looked up;
/// both as `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    pub last_edition: &'static str,
    pub checked: &'static str,
}

impl Publication {
    /// Appends it as a JSON object, as of data of this version.
    pub fn write(&self, out: &mut Vec<u8>, version: Option<DataVersion>) {
        let members = [
            ("{\"name\":", self.name),
            (",\"publisher\":", self.publisher),
            (",\"url\":", self.url),
            (",\"licence\":", self.licence),
            (",\"credit\":", self.credit),
        ];
        strings(out, members);
        match version.and_then(|version| self.silence_at(version)) {
            Some(Silence { last_edition, checked }) => {
                put(out, &[",\"silent\":{\"last_edition\":\"", last_edition]);
                put(out, &["\",\"checked\":\"", checked, "\"}}"]);
            }
            None => put(out, &[",\"silent\":null}"]),
        }
    }

    /// The silence, unless these data are of a later edition.
    fn silence_at(&self, version: DataVersion) -> Option<Silence> {
        self.silence.filter(|silence| version.to_string().as_str() <= silence.last_edition)
    }
}

pub const PUBLIC_DATA_LICENCE: &str =
    "公共データ利用規約 第1.0版 (PDL 1.0, compatible with CC BY 4.0)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_a_later_edition_end_the_silence() {
        let silence = Silence { last_edition: "2026-08-24", checked: "2026-11-27" };
        let silent = Publication {
            name: "",
            publisher: "",
            url: "",
            licence: "",
            credit: "",
            silence: Some(silence),
        };
        let at = |day: &str| silent.silence_at(DataVersion::parse(day).expect("a day"));
        assert_eq!(at("2026-05-25"), Some(silence));
        assert_eq!(at("2026-08-24"), Some(silence));
        assert_eq!(at("2026-08-25"), None);
    }
}
