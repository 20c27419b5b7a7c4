//! Files and folders as they are on the disk: whether they exist, their order, the dates in their names, whether a
//! file is still the one that was read, and the SHA-256 of a file.
//!
//! A lock on a folder has one holder at a time, a command or a server. The lock file contains the holder's
//! description. The file itself remains; only the lock on it counts, and the system releases that when the process
//! ends.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs, io, thread};

use data_encoding::HEXLOWER;
use sha2::Digest;

use crate::system::disk;
use crate::system::identity::{self, FileIdentity};
use crate::text::codes::DataVersion;

/// The result of reading a file or folder; `None` if it does not exist.
pub fn if_exists<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// The paths in a folder, sorted; empty if there is no folder.
pub fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let listing = if_exists(fs::read_dir(folder))?;
    let paths = listing.into_iter().flatten().map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// The date in a file name of the form `YYYY-MM-DD.EXTENSION`; an empty extension stands for a name that is only a date.
pub fn date_of_name(path: &Path, extension: &str) -> Option<DataVersion> {
    let name = path.file_name()?.to_str()?;
    let date = match extension {
        "" => name,
        extension => name.strip_suffix(extension)?.strip_suffix('.')?,
    };
    DataVersion::parse(date).ok()
}

/// The paths in a folder whose names are dates with this extension, oldest first; empty if there is no folder. Other
/// names are skipped.
pub fn dated_entries(folder: &Path, extension: &str) -> io::Result<Vec<(DataVersion, PathBuf)>> {
    let dated = |path: PathBuf| Some((date_of_name(&path, extension)?, path));
    Ok(entries(folder)?.into_iter().filter_map(dated).collect())
}

/// Distinguishes a file from one that replaced it under the same name, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    origin: (u64, u64),
    length: u64,
    modified: (i64, i64),
}

impl FileStamp {
    pub fn from_metadata(metadata: &fs::Metadata) -> FileStamp {
        FileStamp {
            origin: identity::origin(metadata),
            length: metadata.len(),
            modified: identity::modified(metadata),
        }
    }
}

/// Longer than any holder's description.
const HOLDER_BYTES_MAX: u64 = 1_024;

/// Number of attempts of [`Lock::wait_for`], and the pause between them.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub struct Lock {
    /// The lock is released when the file is closed.
    file: File,
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
        disk::create_folders(folder).map_err(failed)?;
        let options =
            File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = options.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(path, &mut file)),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        Lock::held_by(file, holder).map_err(failed)
    }

    /// Takes over the lock from the process that holds it and has passed this handle of the file on. Both hold it until that
    /// process closes its own.
    pub fn take_over(
        folder: &Path,
        name: &str,
        holder: &str,
        file: File,
    ) -> Result<Lock, LockError> {
        let path = folder.join(name);
        let identities = (FileIdentity::of_file(&file), FileIdentity::at(&path));
        if !matches!(identities, (Ok(handed), Ok(named)) if handed == named) {
            // The settings name another folder now.
            return Lock::wait_for(folder, name, holder);
        }
        Lock::held_by(file, holder).map_err(|cause| LockError::Io { path, cause })
    }

    /// The lock of this locked file.
    fn held_by(mut file: File, holder: &str) -> io::Result<Lock> {
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(format!("{holder}\n").as_bytes())?;
        Ok(Lock { file })
    }

    /// Another handle of the locked file, for a process that takes the lock over.
    pub fn second_handle(&self) -> io::Result<File> {
        self.file.try_clone()
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

const BUFFER_BYTES: usize = 1 << 18;

#[derive(derive_more::Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[debug("{self}")]
pub struct Sha256([u8; 32]);

impl Sha256 {
    pub fn of(bytes: &[u8]) -> Sha256 {
        Sha256(sha2::Sha256::digest(bytes).into())
    }

    /// The checksum and the length of everything up to the end; `advance` gets the number of bytes of each read.
    pub fn of_reader(
        reader: &mut dyn Read,
        advance: &mut dyn FnMut(u64),
    ) -> io::Result<(Sha256, u64)> {
        let (hasher, length) = Hasher::of_reader(reader, advance)?;
        Ok((hasher.finish(), length))
    }

    pub fn parse(text: &str) -> Option<Sha256> {
        HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok().map(Sha256)
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&HEXLOWER.encode(&self.0))
    }
}

/// Computes the checksum of bytes that arrive one after the other.
#[derive(Debug, Default, Clone)]
pub struct Hasher(sha2::Sha256);

impl Hasher {
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Reads to the end. Returns the state, to which more bytes can be added, and the length.
    pub fn of_reader(
        reader: &mut dyn Read,
        advance: &mut dyn FnMut(u64),
    ) -> io::Result<(Hasher, u64)> {
        let (mut hasher, mut length) = (Hasher::default(), 0);
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok((hasher, length)),
                Ok(count) => {
                    hasher.update(&buffer[..count]);
                    length += count as u64;
                    advance(count as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_date_with_exactly_the_extension_is_dated() {
        let date = Some(20_260_529);
        for (name, extension, expected) in [
            ("2026-05-29.txt", "txt", date),
            ("2026-05-29", "", date),
            ("2026-05-29.txt", "", None),
            ("2026-05-29", "txt", None),
            ("2026-05-29txt", "txt", None),
            ("2026-05-29.old.txt", "txt", None),
            ("2026-05-29.txt.part", "txt", None),
            ("2026-05-32.txt", "txt", None),
            (".txt", "txt", None),
        ] {
            let found = date_of_name(Path::new(name), extension).map(DataVersion::number);
            assert_eq!(found, expected, "{name} {extension}");
        }
    }
}

#[cfg(test)]
mod lock_tests {
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

#[cfg(test)]
mod sha256_tests {
    use super::*;

    /// A text whose first read is interrupted by a signal.
    struct Interrupted {
        once: bool,
        text: &'static [u8],
    }

    impl Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match std::mem::take(&mut self.once) {
                true => Err(io::ErrorKind::Interrupted.into()),
                false => self.text.read(buffer),
            }
        }
    }

    #[test]
    fn a_checksum_reads_back_from_hexadecimal() {
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let sum = Sha256::of(b"abc");
        assert_eq!(sum.to_string(), text);
        assert_eq!(Sha256::parse(text), Some(sum));
        let mut counted = 0;
        let read = Sha256::of_reader(&mut &b"abc"[..], &mut |count| counted += count);
        assert_eq!((read.expect("readable"), counted), ((sum, 3), 3));
        let mut interrupted = Interrupted { once: true, text: b"abc" };
        let read = Sha256::of_reader(&mut interrupted, &mut |_| {});
        assert_eq!(read.expect("an interrupted read is repeated"), (sum, 3));
        for wrong in ["", "ab", &text.to_uppercase(), &text[..63], &format!("{text}00"), "../x"] {
            assert_eq!(Sha256::parse(wrong), None, "{wrong}");
        }
    }
}
