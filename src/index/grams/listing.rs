//! What an index lists.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// The rows whose text has the gram. Of a single letter: the rows whose text is that letter.
    Rows {
        /// A gram of three letters or more is listed where more rows than this have it.
        threshold: u32,
    },
    /// The positions where the gram begins. Texts are numbered one behind the other with one unused
    /// position behind each, so that no match goes from one text into the next. Of a single letter: the
    /// places at this edge.
    Positions(Edge),
}

/// The edge of a text at which single letters are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    None,
    First,
    Last,
}
