//! Files and folders that may be missing.

use std::io;

/// The result of reading a file or folder; `None` if it does not exist.
pub fn if_exists<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}
