//! A writer that fails once. The writer of zips completes its file also when it is dropped after an error, and prints to
//! standard error if that fails too.

use std::io::{self, Seek, SeekFrom, Write};

/// Passes everything on until a write fails. Drops whatever is written afterwards: the caller has its error.
pub struct FirstFailure<W> {
    inner: W,
    has_failed: bool,
}

impl<W> FirstFailure<W> {
    pub fn new(inner: W) -> FirstFailure<W> {
        FirstFailure { inner, has_failed: false }
    }

    pub fn into_inner(self) -> W {
        self.inner
    }

    fn noting<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.has_failed |= done.is_err();
        done
    }
}

impl<W: Write> Write for FirstFailure<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.has_failed {
            return Ok(bytes.len());
        }
        match self.inner.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            written => self.noting(written),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.has_failed {
            return Ok(());
        }
        let flushed = self.inner.flush();
        self.noting(flushed)
    }
}

impl<W: Seek> Seek for FirstFailure<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for so many bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let length = bytes.len().min(self.0);
            self.0 -= length;
            if length == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(length) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn only_the_first_failure_is_reported() {
        let mut out = FirstFailure::new(Disk(3));
        let error = out.write_all(b"abcd").expect_err("no room");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        out.write_all(b"abcd").expect("dropped");
        out.flush().expect("dropped");
        assert_eq!(out.into_inner().0, 0);
    }
}
