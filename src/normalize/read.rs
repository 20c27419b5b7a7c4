//! One read of a source into a growing buffer.

use std::io::{self, Read};

/// Appends the bytes of one read, at most `limit`; returns how many, 0 at the end. After an error the buffer is as
/// before.
pub fn append(source: &mut impl Read, limit: usize, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let before = buffer.len();
    buffer.resize(before + limit, 0);
    let read = loop {
        match source.read(&mut buffer[before..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    buffer.truncate(before + *read.as_ref().unwrap_or(&0));
    read
}

/// A source that returns at most this many bytes per read.
#[cfg(test)]
pub struct Slow<R>(pub R, pub usize);

#[cfg(test)]
impl<R: Read> Read for Slow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(self.1);
        self.0.read(&mut buffer[..length])
    }
}
