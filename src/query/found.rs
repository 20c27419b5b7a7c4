//! What a search of corporations or schools finds.

/// A facet's name and the children of its path with their counts, most first, ties by path.
pub type FacetCounts = (&'static str, Vec<(String, u64)>);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundRows {
    /// The wanted rows, best first.
    pub rows: Vec<u32>,
    pub count: u64,
    /// The facets that were asked for, in the order of the API.
    pub facets: Vec<FacetCounts>,
}
