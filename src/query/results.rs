//! The result of a search for corporations or schools.

/// A facet's name and the children of its path with their counts, the largest first, then by path.
pub type FacetCounts = (&'static str, Vec<(String, u64)>);

/// One page of results, with the count of all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResults {
    /// The requested rows, best first.
    pub rows: Vec<u32>,
    /// How many rows the search found in all.
    pub count: u64,
    /// The requested facets, in the order of the API.
    pub facets: Vec<FacetCounts>,
}
