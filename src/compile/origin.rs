//! Where a row comes from, which decides between rows of one day.

/// Of two rows of one day the later origin counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    Base,
    Full,
    Difference,
}
