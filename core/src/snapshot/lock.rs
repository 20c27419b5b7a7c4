//! A lock on a folder, for commands and servers alike: one holder at a time. The lock file contains the holder's
//! description. The file itself remains; only the lock on it counts, and the system releases that when the process
//! ends.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Longer than any holder's description.
const HOLDER_BYTES_MAX: u64 = 1_024;

/// Number of attempts of [`Lock::wait_for`], and the pause between them.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub struct Lock {
    /// The lock is released when the file is closed.
    _file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{path}: {cause}; check the folder, its permissions and the free space", path = .path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{path}: expected no other process at work in this folder, found {holder}; wait until it is done", path = .path.display())]
    Held { path: PathBuf, holder: String },
}

impl Lock {
    /// Acquires the lock of this name in a folder, which is created if needed. `holder` is shown to others that try to
    /// acquire it.
    pub fn acquire(folder: &Path, name: &str, holder: &str) -> Result<Lock, LockError> {
        let path = folder.join(name);
        let failed = |cause| LockError::Io { path: path.clone(), cause };
        fs::create_dir_all(folder).map_err(failed)?;
        let options =
            File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = options.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(path, &mut file)),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
        file.write_all(format!("{holder}\n").as_bytes()).map_err(failed)?;
        Ok(Lock { _file: file })
    }

    /// Like [`acquire`](Self::acquire), but waits up to 5 seconds for a holder that is about to finish.
    pub fn wait_for(folder: &Path, name: &str, holder: &str) -> Result<Lock, LockError> {
        for _ in 1..ATTEMPTS {
            match Lock::acquire(folder, name, holder) {
                Err(LockError::Held { .. }) => thread::sleep(PAUSE),
                result => return result,
            }
        }
        Lock::acquire(folder, name, holder)
    }
}

/// The error for a lock that another process holds; reads its description.
fn held(path: PathBuf, file: &mut File) -> LockError {
    let mut holder = String::new();
    let read = file.take(HOLDER_BYTES_MAX).read_to_string(&mut holder);
    let is_known = read.is_ok() && !holder.trim().is_empty();
    let holder = if is_known { holder.trim().to_owned() } else { "an unknown process".to_owned() };
    LockError::Held { path, holder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_reports_its_holder() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("snapshots");
        let acquire = |holder| Lock::acquire(&inside, ".lock", holder);
        let lock = acquire("process 1, daicho update postal").expect("not held");
        let _of_another_name = Lock::acquire(&inside, ".other", "another").expect("not held");
        let message = acquire("daicho serve").expect_err("held").to_string();
        assert!(message.contains("found process 1, daicho update postal;"), "{message}");
        drop(lock);
        let _lock = acquire("daicho serve").expect("free again");
        let message = acquire("other").expect_err("held").to_string();
        assert!(message.contains("daicho serve") && !message.contains("postal"), "{message}");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("written");
        assert!(matches!(Lock::acquire(&file, ".lock", "x"), Err(LockError::Io { .. })));
    }

    #[test]
    fn waiting_gets_a_lock_that_is_released_soon() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::acquire(folder.path(), ".lock", "first").expect("not held");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| Lock::wait_for(folder.path(), ".lock", "second"));
            thread::sleep(PAUSE);
            drop(lock);
            waiting.join().expect("ended").expect("free by now");
        });
    }
}
