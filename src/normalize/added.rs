//! Which columns a row gains: the parts of its address, and what the user asks for beside them.

use super::placement;

/// The added columns, in their order.
#[derive(Debug, Clone, Default)]
pub struct Added {
    /// Whether a postal code of the file is checked.
    pub check: bool,
}

pub const CHECK: &str = "postal_code_check";

impl Added {
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        placement::names().chain(self.check.then_some(CHECK))
    }
}
