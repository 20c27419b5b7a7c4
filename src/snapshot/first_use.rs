//! A value that is read from a snapshot and checked once, at its first use.
//!
//! A fault is kept too: later uses get the same error without reading again.

use std::sync::{Arc, OnceLock};

use super::OpenError;

#[derive(Debug)]
pub struct FirstUse<T> {
    found: OnceLock<Result<T, Arc<OpenError>>>,
}

impl<T> Default for FirstUse<T> {
    fn default() -> FirstUse<T> {
        FirstUse { found: OnceLock::new() }
    }
}

impl<T> FirstUse<T> {
    /// Whether it was read already, so that `get` does not wait for the disk.
    pub fn is_known(&self) -> bool {
        self.found.get().is_some()
    }

    pub fn get(
        &self,
        read: impl FnOnce() -> Result<T, Arc<OpenError>>,
    ) -> Result<&T, Arc<OpenError>> {
        self.found.get_or_init(read).as_ref().map_err(Arc::clone)
    }
}
