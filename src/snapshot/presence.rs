//! Files and folders that need not be there.

use std::io;

/// What was read of a file or folder; `None` where it does not exist.
pub fn if_there<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}
