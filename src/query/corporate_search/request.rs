//! The parameters of a corporate search.

use crate::query::syntax::{self, Attribute, CorporateExpression};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Partial,
    Exact,
    ExactWithKind,
}

pub type FacetPaths = syntax::FacetPaths<Attribute>;

#[derive(Debug, Clone, Copy)]
pub struct CorporateSearch<'a> {
    pub q: &'a CorporateExpression,
    pub mode: Mode,
    pub facets: Option<&'a FacetPaths>,
    pub offset: u64,
    pub limit: usize,
}

impl<'a> CorporateSearch<'a> {
    /// A search for parts of names, without facets.
    pub fn of(q: &'a CorporateExpression, offset: u64, limit: usize) -> CorporateSearch<'a> {
        CorporateSearch { q, mode: Mode::Partial, facets: None, offset, limit }
    }
}
