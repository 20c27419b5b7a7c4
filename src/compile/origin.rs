//! The origin of a row, which decides between two rows of one day.

/// Of two rows of one day, the one with the later origin wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    Base,
    Full,
    Difference,
}
