//! Snapshot files: one immutable, memory-mapped file per dataset and data version. Beside them lie the downloads
//! ([`companion`]) and the change lists ([`changes`]).
//!
//! Knows bytes, sections and checksums. Does not know what a town is (see [`crate::record`]), nor HTTP.

pub mod blocks;
pub mod changes;
pub mod companion;
pub mod durable;
mod fault;
pub mod files;
mod header;
pub mod layout;
pub mod live_value;
pub mod lock;
pub mod map;
pub mod open;
pub mod prune;
pub mod sha256;
pub mod spool;
pub mod unfinished;
pub mod versions;
pub mod warmup;
pub mod write;

pub use blocks::Blocks;
pub use fault::{Fault, OpenError};
pub use layout::{DatasetKind, SectionTag};
pub use live_value::LiveValue;
pub use map::{Section, prefetch_to_cache};
pub use open::{LazyValue, ReadMode, SnapshotFile};
pub use spool::{Spool, SpooledSection};
pub use unfinished::UnfinishedFile;
pub use versions::{Dataset, Listed, Versions};
pub use write::{SnapshotFileWriter, SnapshotWriter, StagedSnapshot, WriteError};
