//! The search for corporations: what `q` finds, in which order, how many, and how they spread over
//! areas and codes.
//!
//! **What a keyword finds.** The corporations of which a field contains it, both folded
//! ([`crate::index::corporate_texts`]). Without an identifier the name, the English name and the
//! reading are searched. A keyword of one letter finds the fields that are nothing else, and the
//! names that are nothing else but for their kind word ([`crate::text::kind_words`]). In a keyword for
//! names an abbreviation at the beginning or the end is written out: `（株）見本` is 株式会社見本.
//! Digits of a postal code stand side by side in it, a hyphen does not matter; so do those of a
//! corporate number. Corporations that are left out of searches are never found.
//!
//! **The mode** concerns names. `exact`: the name without its kind word equals the keyword; a keyword
//! with a kind word finds nothing. `exact_with_kind`: the whole name equals it, but for the space
//! beside the kind word. Small and old kana and the case of letters matter in both, width and forms of
//! kanji do not. In both a keyword without an identifier searches the names alone.
//!
//! **The order.** Corporations whose name, whole or without its kind word, equals a keyword that is not
//! excluded and searches names; then those whose name begins with one; then the rest. Within each by
//! prefecture and city code, then by number. A query without such a keyword has the order of places.
//!
//! Every count is exact, and so are facets.

mod answer;
mod evaluate;
mod facets;
mod keyword;
mod order;
mod places;
mod request;
pub(super) mod searchable;

use std::sync::Arc;

use self::evaluate::Evaluation;
pub use self::request::{CorporateFound, CorporateSearch, FacetCounts, FacetPaths, Mode};
use super::corporate::CorporateData;
use crate::snapshot::OpenError;

impl CorporateData {
    /// Answers a question. Fails only where the snapshot is damaged.
    pub fn search(&self, search: &CorporateSearch<'_>) -> Result<CorporateFound, Arc<OpenError>> {
        let evaluation = Evaluation::begin(self, search.mode)?;
        let selected = evaluation.select(search.q)?;
        evaluation.answer(selected, search)
    }
}
