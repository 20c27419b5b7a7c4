//! The forms in which keywords are compared with names and codes, and the work that reading a text costs.

use super::mode::SearchMode;
use crate::dataset::corporate::syntax::{TextField, fold_keyword};
use crate::text::fold::{Level, folded};
use crate::text::kind_words::expand;
use crate::text::loose_name::TypedName;

/// Units of work to read the text of a row: its record is at a random place in half a gigabyte.
pub const UNITS_PER_TEXT: u64 = 250;

/// Bytes of folded former names that are scanned in one unit of work.
pub const FORMER_NAME_BYTES_PER_UNIT: u64 = 4;

/// The digits of a postal code, or of a part of one.
pub(super) fn post_code_digits(text: &str) -> Vec<char> {
    let mut digits = fold_keyword(text, TextField::StreetNumber);
    digits.retain(|digit| !matches!(digit, '-' | '〒'));
    digits
}

/// A keyword in the form compared with former names.
pub(super) fn former_name_keyword(text: &str, mode: SearchMode) -> String {
    match mode {
        SearchMode::Partial => name_keyword(text),
        SearchMode::Exact | SearchMode::ExactWithKind => folded(text.trim(), Level::Kanji),
        SearchMode::Loose => TypedName::parse(text).map(|name| name.key).unwrap_or_default(),
    }
}

/// A keyword in the form compared with names: folded, its abbreviation expanded.
pub(super) fn name_keyword(text: &str) -> String {
    expand(&folded(text.trim(), Level::Search), Level::Search).into_owned()
}
