//! Paths of facets: in the hierarchy of areas (`/`, `/東京都`, `/東京都/港区`), and of facets of one level whose children
//! are codes (`/` is every row, `/株式会社` the rows with one code).
//!
//! A [`CodeFacet`] defines the facets and the names of their codes.

use std::fmt;

use crate::index::attributes::Attribute;
use crate::text::codes::corporate_number::{CLOSE_CAUSE_WORDS, KIND_WORDS, PROCESS_WORDS};

const LEVELS_MAX: usize = 2;

/// A facet path. Names are compared exactly with those in the answers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct FacetPath {
    names: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FacetPathError {
    #[error("a facet path begins with '/', such as /東京都/港区; found {found:?}")]
    NoSlash { found: String },
    #[error("a facet path has a name after each slash; found none at level {level}")]
    NoName { level: usize },
    #[error("a facet path has at most {expected} levels, /prefecture/city; found {found}")]
    TooDeep { expected: usize, found: usize },
}

impl FacetPath {
    /// Parses a path. A final slash is ignored.
    pub fn parse(text: &str) -> Result<FacetPath, FacetPathError> {
        let Some(inside) = text.strip_prefix('/') else {
            return Err(FacetPathError::NoSlash { found: text.chars().take(20).collect() });
        };
        let inside = inside.strip_suffix('/').unwrap_or(inside);
        if inside.is_empty() && text.len() <= 1 {
            return Ok(FacetPath::default());
        }
        let levels = inside.split('/').count();
        if levels > LEVELS_MAX {
            return Err(FacetPathError::TooDeep { expected: LEVELS_MAX, found: levels });
        }
        if let Some(empty) = inside.split('/').position(str::is_empty) {
            return Err(FacetPathError::NoName { level: empty + 1 });
        }
        Ok(FacetPath { names: inside.split('/').map(str::to_owned).collect() })
    }

    /// The names from the top; empty for `/`.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl fmt::Display for FacetPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.names.is_empty() {
            return f.write_str("/");
        }
        self.names.iter().try_for_each(|name| write!(f, "/{name}"))
    }
}

/// A facet whose children are codes; the implementing type has one value for each such facet of a dataset.
pub trait CodeFacet: Copy + Eq + fmt::Debug + 'static {
    const FACETS: &'static [Self];

    /// Such as `kind`; its filter is `_facet_kind`.
    fn name(self) -> &'static str;

    /// Each code with the word that stands for it in a path, such as 301 and 株式会社.
    fn words(self) -> &'static [(u16, &'static str)];

    fn word(self, code: u16) -> Option<&'static str> {
        self.words().iter().find(|(known, _)| *known == code).map(|(_, word)| *word)
    }
}

/// A path of a code facet, such as `/株式会社` of `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodePath<F> {
    pub facet: F,
    /// The code; `None` for `/`.
    pub code: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetPaths<F> {
    pub area: Option<FacetPath>,
    pub codes: Vec<CodePath<F>>,
}

/// `_facet_area:`, or `_facet_` and the name of a code facet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FacetFilter<F> {
    Area(FacetPath),
    Code(CodePath<F>),
}

impl<F: CodeFacet> CodePath<F> {
    /// Parses a path; a final slash is ignored. The error says what was expected.
    pub fn parse(facet: F, text: &str) -> Result<CodePath<F>, String> {
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

impl<F: CodeFacet> FacetFilter<F> {
    /// Parses the value of a filter; the error says what was expected.
    pub fn parse(identifier: &str, value: &str) -> Result<FacetFilter<F>, String> {
        let is_named = |facet: &&F| identifier.strip_prefix("_facet_") == Some(facet.name());
        match F::FACETS.iter().find(is_named) {
            Some(facet) => Ok(FacetFilter::Code(CodePath::parse(*facet, value)?)),
            None => {
                let path = FacetPath::parse(value).map_err(|error| error.to_string())?;
                Ok(FacetFilter::Area(path))
            }
        }
    }
}

impl<F> Default for FacetPaths<F> {
    fn default() -> FacetPaths<F> {
        FacetPaths { area: None, codes: Vec::new() }
    }
}

impl<F: CodeFacet> fmt::Display for CodePath<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.code.and_then(|code| self.facet.word(code));
        write!(f, "/{}", word.unwrap_or_default())
    }
}

impl CodeFacet for Attribute {
    const FACETS: &'static [Attribute] = &Attribute::ALL;

    fn name(self) -> &'static str {
        Attribute::name(self)
    }

    fn words(self) -> &'static [(u16, &'static str)] {
        match self {
            Attribute::Kind => KIND_WORDS,
            Attribute::Process => PROCESS_WORDS,
            Attribute::CloseCause => CLOSE_CAUSE_WORDS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_level_of_known_words() {
        #[track_caller]
        fn check<F: CodeFacet>(facet: F, text: &str, expected: Result<Option<u16>, &str>) {
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
    fn paths_print_as_they_were_parsed() {
        for facet in Attribute::FACETS {
            for (code, word) in facet.words() {
                let path = CodePath { facet: *facet, code: Some(*code) };
                assert_eq!(path.to_string(), format!("/{word}"));
                assert_eq!(CodePath::parse(*facet, &path.to_string()), Ok(path));
            }
            assert_eq!(CodePath { facet: *facet, code: None }.to_string(), "/");
        }
    }
}
