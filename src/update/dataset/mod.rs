//! Updates that belong to no dataset, and what several of them share.

pub(crate) mod daily;
pub(crate) mod holidays;
