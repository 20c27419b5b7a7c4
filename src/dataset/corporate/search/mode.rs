//! How a search compares names.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMode {
    /// The name contains the keyword.
    #[default]
    Partial,
    /// The name without its kind word equals the keyword.
    Exact,
    /// The name with its kind word equals the keyword.
    ExactWithKind,
    /// The name, its reading or its English name is the keyword as people type it ([`loose`](super::loose)).
    Loose,
}
