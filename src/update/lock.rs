//! One update at a time per snapshot folder, across commands and servers.

use std::path::Path;

use jiff::Timestamp;

use super::error::UpdateError;
use crate::snapshot::lock::{Lock, LockError};

const NAME: &str = ".update.lock";

/// Takes the lock of a folder and creates the folder if needed. `command` is shown to others while the lock is
/// held.
pub fn take(folder: &Path, command: &str) -> Result<Lock, UpdateError> {
    let (process, since) = (std::process::id(), Timestamp::now());
    let holder = format!("process {process}, since {since:.0}, {command}");
    Lock::acquire(folder, NAME, &holder).map_err(|error| match error {
        LockError::Io { path, cause } => UpdateError::Io { path, cause },
        LockError::Held { path, holder } => UpdateError::Locked { path, holder },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_names_the_running_command() {
        let folder = tempfile::tempdir().expect("a folder");
        let _lock = take(folder.path(), "daicho update postal").expect("not held");
        let message = take(folder.path(), "daicho serve").expect_err("held").to_string();
        assert!(message.contains("daicho update postal"), "{message}");
        assert!(message.contains(&format!("process {}, since ", std::process::id())), "{message}");
    }
}
