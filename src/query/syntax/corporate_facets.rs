//! The facets of corporations that are codes: their words, and paths of them.
//!
//! Such a hierarchy has one level: `/` is every corporation, `/株式会社` those of one code.

use std::fmt;

use crate::index::attributes::Attribute;

#[rustfmt::skip] // Several codes a line.
const KINDS: &[(u16, &str)] = &[
    (101, "行政機関など"), (201, "地方公共団体"), (301, "株式会社"), (302, "有限会社"),
    (303, "合名会社"), (304, "合資会社"), (305, "合同会社"), (399, "その他の設立登記法人"),
    (401, "外国会社等"), (499, "その他"),
];

#[rustfmt::skip] // Several codes a line.
const PROCESSES: &[(u16, &str)] = &[
    (1, "新規"), (11, "商号又は名称の変更"), (12, "国内所在地の変更"), (13, "国外所在地の変更"),
    (21, "登記記録の閉鎖等"), (22, "登記記録の復活等"), (71, "吸収合併"), (72, "吸収合併無効"),
    (81, "商号の登記抹消"), (99, "削除"),
];

#[rustfmt::skip] // Several codes a line.
const CLOSE_CAUSES: &[(u16, &str)] = &[
    (1, "清算の結了等"), (11, "合併による解散等"), (21, "登記官による閉鎖"),
    (31, "その他の清算の結了等"), (0, "その他"),
];

/// A facet of codes is an attribute of the index.
impl Attribute {
    pub fn words(self) -> &'static [(u16, &'static str)] {
        match self {
            Attribute::Kind => KINDS,
            Attribute::Process => PROCESSES,
            Attribute::CloseCause => CLOSE_CAUSES,
        }
    }

    pub fn word(self, code: u16) -> Option<&'static str> {
        self.words().iter().find(|(known, _)| *known == code).map(|(_, word)| *word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodePath {
    pub facet: Attribute,
    /// The code; `None` for `/`.
    pub code: Option<u16>,
}

impl CodePath {
    /// Reads a path; a slash at the end is no level. The error says what was expected.
    pub fn parse(facet: Attribute, text: &str) -> Result<CodePath, String> {
        if text == "/" {
            return Ok(CodePath { facet, code: None });
        }
        let word = text.strip_prefix('/').map(|word| word.strip_suffix('/').unwrap_or(word));
        let known = word.and_then(|word| facet.words().iter().find(|(_, known)| *known == word));
        match known {
            Some((code, _)) => Ok(CodePath { facet, code: Some(*code) }),
            None => {
                let words = facet.words().iter().map(|(_, word)| ["/", word].concat());
                Err(format!("one of /, {}", words.collect::<Vec<_>>().join(", ")))
            }
        }
    }
}

impl fmt::Display for CodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.code.and_then(|code| self.facet.word(code));
        write!(f, "/{}", word.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_level_of_known_words() {
        #[track_caller]
        fn check(facet: Attribute, text: &str, expected: Result<Option<u16>, &str>) {
            match (CodePath::parse(facet, text), expected) {
                (Ok(found), Ok(code)) => assert_eq!(found, CodePath { facet, code }, "{text}"),
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
                (found, expected) => panic!("{text:?}: {found:?}, expected {expected:?}"),
            }
        }
        check(Attribute::Kind, "/", Ok(None));
        check(Attribute::Kind, "/その他", Ok(Some(499)));
        check(Attribute::Kind, "/株式会社/", Ok(Some(301)));
        check(Attribute::Process, "/削除", Ok(Some(99)));
        check(Attribute::CloseCause, "/その他", Ok(Some(0)));
        for wrong in ["", "//", "株式会社", "/株式", "/株式会社/x", "/新規", "/301", "／株式会社"]
        {
            check(Attribute::Kind, wrong, Err("one of /, /行政機関など, "));
        }
        check(Attribute::Process, "/株式会社", Err("/新規"));
    }

    #[test]
    fn a_path_is_written_as_it_is_read() {
        for facet in Attribute::ALL {
            for (code, word) in facet.words() {
                let path = CodePath { facet, code: Some(*code) };
                assert_eq!(path.to_string(), format!("/{word}"));
                assert_eq!(CodePath::parse(facet, &path.to_string()), Ok(path));
            }
            assert_eq!(CodePath { facet, code: None }.to_string(), "/");
        }
    }
}
