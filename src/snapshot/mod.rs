//! Snapshot files: one immutable, memory-mapped file per dataset and data version.
//!
//! In reading order: [`layout`] draws the bytes, [`mod@write`] makes a file, [`open`] refuses a bad one,
//! [`companion`] is the download beside a snapshot, [`changes`] what changed day by day, [`map`] holds every `unsafe` of the program,
//! [`blocks`] is a section that is checked as it is read, [`first_use`] a thing that is checked once,
//! [`versions`] is a folder of them, [`live`] the swap on reload.
//!
//! Knows bytes, sections and checksums. Does not know what a town is (see [`crate::record`]) nor
//! that HTTP exists.

pub mod blocks;
pub mod changes;
pub mod companion;
pub mod first_use;
pub mod layout;
pub mod live;
pub mod map;
pub mod open;
pub mod versions;
pub mod write;

pub use blocks::Blocks;
pub use first_use::FirstUse;
pub use layout::{DatasetKind, Tag};
pub use live::Live;
pub use map::Section;
pub use open::{Fault, OpenError, SnapshotFile};
pub use versions::{Dataset, Versions};
pub use write::{SnapshotWriter, WriteError};
