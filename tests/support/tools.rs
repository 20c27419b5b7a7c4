//! The client libraries and tools that `make clients` installs; tests that use one are marked with its name in `needs`.

use std::path::PathBuf;

/// The folder of a tool, or of all versions of a client library.
pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/target/tools")).join(name)
}
