//! The search for corporations (`docs/rules.md`, 'Corporate search'): finds the rows of `q`, orders and counts
//! them, and counts their facets by area and code. All counts, including facets, are exact.
//!
//! `evaluate` and `keyword` find the rows, `name_ranking` orders them, `facets` counts them, `results` joins all
//! of that. `cost` estimates the whole without reading rows.

mod cost;
mod digit_automaton;
mod evaluate;
mod facets;
mod keyword;
mod name_ranking;
mod partial_numbers;
mod results;
pub(super) mod search_index;

use super::syntax::{self, Attribute, CorporateQuery};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMode {
    /// The name contains the keyword.
    #[default]
    Partial,
    /// The name without its kind word equals the keyword.
    Exact,
    /// The name with its kind word equals the keyword.
    ExactWithKind,
}

pub type FacetPaths = syntax::FacetPaths<Attribute>;

#[derive(Debug, Clone, Copy)]
pub struct CorporateSearch<'a> {
    pub q: &'a CorporateQuery,
    pub mode: SearchMode,
    pub facets: Option<&'a FacetPaths>,
    pub offset: u64,
    pub limit: usize,
}

impl<'a> CorporateSearch<'a> {
    /// A search for parts of names, without facets.
    pub fn new(q: &'a CorporateQuery, offset: u64, limit: usize) -> CorporateSearch<'a> {
        CorporateSearch { q, mode: SearchMode::Partial, facets: None, offset, limit }
    }
}
