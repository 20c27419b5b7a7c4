//! The scratch space of normalising.

use super::{normalize, rows};

/// Scratch buffers, reused between calls: with buffers that have grown an address allocates nothing.
/// They hold nothing that a later call relies on.
#[derive(Debug, Clone, Default)]
pub struct AddressScratch {
    pub(crate) normalize: normalize::Scratch,
    pub(crate) rows: rows::Scratch,
}
