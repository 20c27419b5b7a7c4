//! The last known keys of a server in a file, so that it can start while its store is unreachable.
//!
//! Contains the keyring: hashes of keys, accounts, origins and quotas, and the name of the store. The file has
//! mode 600, and a file that others may read or write is not used. It is replaced as a whole by a rename
//! whenever the keyring changes. Knows nothing of the store but its name.

mod fault;
mod text;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::keyring::Keyring;
use super::meter::Meters;
pub use fault::{KeyCacheError, KeyCacheFault};

/// Permissions of everybody but the owner.
const OTHERS: u32 = 0o077;

/// Maximum size of the file: enough for a million keys.
const BYTES_MAX: u64 = 1 << 30;

#[derive(Debug, Clone)]
pub struct KeyCache {
    path: PathBuf,
    /// The display name of the store of these keys.
    store: String,
}

/// Cached keys, and when they were written.
#[derive(Debug)]
pub struct CachedKeys {
    pub keyring: Keyring,
    pub written: Timestamp,
}

impl KeyCache {
    pub fn new(path: PathBuf, store: String) -> KeyCache {
        KeyCache { path, store }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all keys of the file, counted by these meters.
    pub fn read(&self, meters: &Meters) -> Result<CachedKeys, KeyCacheError> {
        self.read_file(meters).map_err(|fault| self.refused(fault))
    }

    fn read_file(&self, meters: &Meters) -> Result<CachedKeys, KeyCacheFault> {
        // Checked before opening: opening a pipe would block until something writes to it.
        let metadata = fs::metadata(&self.path).map_err(|error| self.fault_of(error))?;
        if !metadata.is_file() {
            return Err(KeyCacheFault::OtherFormat);
        }
        let file = File::open(&self.path).map_err(|error| self.fault_of(error))?;
        let mut bytes = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(KeyCacheFault::Io)?;
        let body = text::body(&bytes)?;
        // Checked after the format, so that the file of another program gets the right error.
        let mode = metadata.mode() & 0o777;
        if mode & OTHERS != 0 {
            return Err(KeyCacheFault::Exposed { mode });
        }
        let keyring = text::parse(body, &self.store, meters)?;
        let written = metadata.modified().map_err(KeyCacheFault::Io)?;
        let written = Timestamp::try_from(written).unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(CachedKeys { keyring, written })
    }

    /// Replaces the file; overwrites an unfinished temporary file.
    pub fn write(&self, keyring: &Keyring) -> Result<(), KeyCacheError> {
        self.write_file(keyring).map_err(|error| self.refused(self.fault_of(error)))
    }

    fn write_file(&self, keyring: &Keyring) -> io::Result<()> {
        let mut begun = self.path.clone().into_os_string();
        begun.push(".part");
        let begun = PathBuf::from(begun);
        match fs::remove_file(&begun) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Never an existing file, which would keep its mode.
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&begun)?;
        let written = file.write_all(&text::write(keyring, &self.store));
        let moved = written.and_then(|()| file.sync_all());
        let moved = moved.and_then(|()| fs::rename(&begun, &self.path));
        if moved.is_err() {
            // A remaining temporary file is overwritten next time.
            let _ = fs::remove_file(&begun);
        }
        moved
    }

    fn fault_of(&self, error: io::Error) -> KeyCacheFault {
        if error.kind() != io::ErrorKind::NotFound {
            return KeyCacheFault::Io(error);
        }
        match self.path.parent() {
            Some(folder) if folder != Path::new("") && !folder.is_dir() => KeyCacheFault::NoFolder,
            _ => KeyCacheFault::Missing,
        }
    }

    fn refused(&self, fault: KeyCacheFault) -> KeyCacheError {
        KeyCacheError { path: self.path.clone(), fault }
    }
}

#[cfg(test)]
mod tests;
