//! A value that is read from a snapshot and checked once, at its first use.
//!
//! A fault is kept too: later uses get the same error without reading again.

use std::sync::{Arc, OnceLock};

use super::OpenError;

#[derive(Debug)]
pub struct LazyValue<T> {
    result: OnceLock<Result<T, Arc<OpenError>>>,
}

impl<T> Default for LazyValue<T> {
    fn default() -> LazyValue<T> {
        LazyValue { result: OnceLock::new() }
    }
}

impl<T> LazyValue<T> {
    /// Whether it was read already, so that `get` does not wait for the disk.
    pub fn is_loaded(&self) -> bool {
        self.result.get().is_some()
    }

    /// The value, if it was read already.
    pub fn loaded(&self) -> Option<&T> {
        self.result.get()?.as_ref().ok()
    }

    /// The value, which `read` makes at the first use.
    pub fn get(
        &self,
        read: impl FnOnce() -> Result<T, Arc<OpenError>>,
    ) -> Result<&T, Arc<OpenError>> {
        self.result.get_or_init(read).as_ref().map_err(Arc::clone)
    }
}
