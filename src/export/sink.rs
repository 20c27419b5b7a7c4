//! The interface of formats, which receive rows.

use std::io;

use super::row::Row;

/// Receives rows of the columns that it was created with.
pub trait Sink {
    fn write(&mut self, row: &Row) -> io::Result<()>;

    /// Writes buffered data and the end of the file.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Bytes that a text format buffers before it writes.
pub const PIECE_BYTES: usize = 1 << 16;

/// Rows between two reports of progress.
pub const REPORTED: u64 = 1 << 12;
