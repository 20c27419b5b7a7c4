//! Steps on the disk that a simulation (tests/simulation) hears of: it lets them fail, lets the machine crash before them,
//! and remembers what has reached the disk. Compiled only for tests.

use std::io;
use std::path::Path;
use std::sync::OnceLock;

#[derive(Debug, Clone, Copy)]
pub enum DiskStep<'p> {
    /// This path is about to be removed or renamed.
    Change(&'p Path),
    /// Something is about to be written at this path.
    Write(&'p Path),
    /// The content of this file has reached the disk.
    SyncedFile(&'p Path),
    /// The names in this folder have reached the disk.
    SyncedFolder(&'p Path),
}

/// Hears of the steps of this package; set by the simulation.
pub static SIMULATED: OnceLock<fn(DiskStep<'_>) -> io::Result<()>> = OnceLock::new();

pub(crate) fn step(step: DiskStep<'_>) -> io::Result<()> {
    SIMULATED.get().map_or(Ok(()), |simulated| simulated(step))
}
