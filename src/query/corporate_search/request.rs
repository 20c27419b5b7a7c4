//! The parameters of a corporate search.

use crate::query::syntax::{self, Attribute, CorporateQuery};

/// How a keyword matches a name.
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
