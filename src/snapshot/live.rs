//! What is being served right now, swapped whole on reload.
//!
//! A request loads once and keeps what it loaded: it never sees two states. The old state lives
//! until the last request that holds it ends.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

/// A value that is replaced as a whole while others read it, without a lock.
#[derive(Debug)]
pub struct Live<T> {
    current: ArcSwap<T>,
}

impl<T> Live<T> {
    /// Begins with this value.
    pub fn of(value: T) -> Live<T> {
        Live { current: ArcSwap::from_pointee(value) }
    }

    /// The value of this moment.
    pub fn load(&self) -> Guard<Arc<T>> {
        self.current.load()
    }

    /// Puts another value in its place; loads from now on give that one.
    pub fn store(&self, value: T) {
        self.current.store(Arc::new(value));
    }
}
