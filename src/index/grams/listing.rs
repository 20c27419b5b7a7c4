//! What the posting lists of an index contain.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// The rows whose text contains the gram. For a single letter: the rows whose whole text is that letter.
    Rows {
        /// A gram of three or more letters is listed if it occurs in more rows than this.
        threshold: u32,
    },
    /// The positions at which the gram begins. Texts are numbered consecutively with one unused position after
    /// each, so that no match spans two texts. For a single letter: the positions at this edge.
    Positions(Edge),
}

/// The edge of a text at which single letters are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    None,
    First,
    Last,
}
