//! What a corporate search asks for, and what it answers.

use crate::query::syntax::{CodePath, CorporateExpression, FacetPath};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Partial,
    Exact,
    ExactWithKind,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FacetPaths {
    pub area: Option<FacetPath>,
    pub codes: Vec<CodePath>,
}

#[derive(Debug, Clone, Copy)]
pub struct CorporateSearch<'a> {
    pub q: &'a CorporateExpression,
    pub mode: Mode,
    pub facets: Option<&'a FacetPaths>,
    pub offset: u64,
    pub limit: usize,
}

impl<'a> CorporateSearch<'a> {
    /// A search in names that contain the keywords, without facets.
    pub fn of(q: &'a CorporateExpression, offset: u64, limit: usize) -> CorporateSearch<'a> {
        CorporateSearch { q, mode: Mode::Partial, facets: None, offset, limit }
    }
}

/// A facet's name and the children of its path with their counts, most first, ties by path.
pub type FacetCounts = (&'static str, Vec<(String, u64)>);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CorporateFound {
    /// The wanted rows, best first.
    pub rows: Vec<u32>,
    pub count: u64,
    /// The facets that were asked for, in the order of the API.
    pub facets: Vec<FacetCounts>,
}
