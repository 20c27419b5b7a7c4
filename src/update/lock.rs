//! One update at a time in a snapshot folder, by commands and servers alike. The file of the lock says who is at
//! work. It stays behind: only the lock on it counts, which ends with the process.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::error::UpdateError;

const NAME: &str = ".update.lock";

/// Longer than what a holder writes.
const HOLDER_BYTES_MAX: u64 = 1_024;

#[derive(Debug)]
pub struct Lock {
    /// The lock ends when it is closed.
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder, which is made. `command` tells others who has it.
    pub fn take(folder: &Path, command: &str) -> Result<Lock, UpdateError> {
        fs::create_dir_all(folder).map_err(|cause| UpdateError::io(folder, cause))?;
        let path = folder.join(NAME);
        let failed = |cause| UpdateError::io(&path, cause);
        let options =
            File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = options.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(path, &mut file)),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        let (process, since) = (std::process::id(), Timestamp::now());
        let holder = format!("process {process}, since {since:.0}, {command}\n");
        file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
        file.write_all(holder.as_bytes()).map_err(failed)?;
        Ok(Lock { _file: file })
    }
}

fn held(path: PathBuf, file: &mut File) -> UpdateError {
    let mut holder = String::new();
    let read = file.take(HOLDER_BYTES_MAX).read_to_string(&mut holder);
    let known = read.is_ok() && !holder.trim().is_empty();
    let holder = if known { holder.trim().to_owned() } else { "an unknown process".to_owned() };
    UpdateError::Locked { path, holder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_is_at_work() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("snapshots");
        let lock = Lock::take(&inside, "daicho update postal").expect("nobody else");
        let message = Lock::take(&inside, "daicho serve").expect_err("held").to_string();
        assert!(message.contains("daicho update postal"), "{message}");
        assert!(message.contains(&format!("process {}, since ", std::process::id())), "{message}");
        drop(lock);
        let _lock = Lock::take(&inside, "daicho serve").expect("free again");
        let message = Lock::take(&inside, "other").expect_err("held").to_string();
        assert!(message.contains("daicho serve") && !message.contains("postal"), "{message}");
    }
}
