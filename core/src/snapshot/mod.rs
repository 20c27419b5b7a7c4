//! Snapshot files: one immutable file per dataset and data version, copied into memory or mapped. Beside them lie the
//! downloads ([`companion`]) and the change lists ([`changes`]).
//!
//! Knows bytes, sections and checksums. Does not know what a town is (see [`crate::record`]), nor HTTP.

pub mod blocks;
pub mod changes;
pub mod companion;
mod disk_file;
pub mod files;
pub mod layout;
pub mod map;
pub mod open;
pub mod scratch;
pub mod unfinished;
pub mod versions;
mod warm_up;
pub mod write;

pub use blocks::Blocks;
pub use layout::{DatasetKind, Fault, OpenError, Result, SectionTag};
pub use map::{OwnMemory, RandomReads, Section, prefetch_to_cache};
pub use open::{LazyValue, ReadMode, SnapshotFile};
pub use scratch::{Scratch, ScratchWriter};
pub use unfinished::UnfinishedFile;
pub use versions::{Dataset, Edition, Listed, LiveValue, Versions};
pub use warm_up::Step;
pub use write::{SnapshotFileWriter, SnapshotWriter, StagedSnapshot, StreamedSection, WriteError};
