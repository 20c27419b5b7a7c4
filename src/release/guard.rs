//! A lock that lets one publisher write at a time, for object stores without conditional writes.
//!
//! The lock is external, such as a database lock; the caller provides it. It may be lost while held, so it is
//! checked before and after each write.

use std::error::Error;
use std::fmt::Debug;

use crate::snapshot::files::Lock;

/// Why the lock could not be taken or was lost, with the remedy.
pub type GuardFault = Box<dyn Error + Send + Sync>;

pub trait Guard: Debug + Send + Sync {
    /// Waits for the lock of the object store with this URL.
    fn lock(&self, url: &str) -> Result<Box<dyn HeldGuard>, GuardFault>;
}

/// A held lock; released when dropped.
pub trait HeldGuard {
    /// Fails if the lock was lost.
    fn check(&mut self) -> Result<(), GuardFault>;
}

/// A file lock cannot be lost while its process lives.
impl HeldGuard for Lock {
    fn check(&mut self) -> Result<(), GuardFault> {
        Ok(())
    }
}
