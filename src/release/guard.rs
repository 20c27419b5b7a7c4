//! One publisher at a time, where an object store takes every write and so cannot tell two publishers apart.
//!
//! What keeps the others away is somebody else's, such as a lock of a database; the caller brings it. It may be lost while
//! it is held, so it is asked before a write and again behind it.

use std::error::Error;
use std::fmt::Debug;

use crate::snapshot::lock::Lock;

/// Why others could not be kept away, with what to do.
pub type GuardFault = Box<dyn Error + Send + Sync>;

pub trait Guard: Debug + Send + Sync {
    /// Waits until nobody else writes below this place.
    fn lock(&self, place: &str) -> Result<Box<dyn Held>, GuardFault>;
}

/// Nobody else writes until it is dropped, or lost.
pub trait Held {
    /// An error where it was lost.
    fn check(&mut self) -> Result<(), GuardFault>;
}

/// The lock of a file is not lost while its process lives.
impl Held for Lock {
    fn check(&mut self) -> Result<(), GuardFault> {
        Ok(())
    }
}
