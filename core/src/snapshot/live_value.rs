//! A value that requests read while a reload replaces it as a whole. A request loads it once and sees one state
//! throughout.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

#[derive(Debug)]
pub struct LiveValue<T> {
    current: ArcSwap<T>,
}

impl<T> LiveValue<T> {
    pub fn new(value: T) -> LiveValue<T> {
        LiveValue { current: ArcSwap::from_pointee(value) }
    }

    pub fn load(&self) -> Guard<Arc<T>> {
        self.current.load()
    }

    /// Stores a value derived from `expected`, unless another one was stored meanwhile. Returns whether it was
    /// stored.
    pub fn store_if_unchanged(&self, expected: &Arc<T>, value: T) -> bool {
        let found = self.current.compare_and_swap(expected, Arc::new(value));
        Arc::ptr_eq(expected, &found)
    }

    pub fn store(&self, value: T) {
        self.current.store(Arc::new(value));
    }
}
