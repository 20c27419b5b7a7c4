//! How a searched text is compared: folded, and without its spaces.
//!
//! The builder of the index and the query fold here, each field alike on both sides.

use crate::text::fold::{Folded, Level, fold};

/// The characters of `text` that a search compares, at a level of folding.
pub fn characters(text: &str, level: Level, out: &mut Vec<char>) {
    let mut folded: Vec<Folded> = Vec::with_capacity(text.len() / 3);
    fold(text, level, &mut folded);
    out.clear();
    out.extend(folded.iter().map(|folded| folded.character).filter(|c| !c.is_whitespace()));
}
