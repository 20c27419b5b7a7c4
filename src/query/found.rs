//! The result of a search for corporations or schools.

/// A facet's name and the children of its path with their counts, the largest first, then by path.
pub type FacetCounts = (&'static str, Vec<(String, u64)>);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundRows {
    /// The requested rows, best first.
    pub rows: Vec<u32>,
    pub count: u64,
    /// The requested facets, in the order of the API.
    pub facets: Vec<FacetCounts>,
}
