//! What takes rows: a format that they are written in.

use std::io;

use super::row::Row;

/// Takes rows of the columns that it was begun with.
pub trait Sink {
    fn write(&mut self, row: &Row) -> io::Result<()>;

    /// Writes what is still held, and the end.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Bytes that a text format gathers before it writes them.
pub const PIECE_BYTES: usize = 1 << 16;

/// Rows between two reports of progress.
pub const REPORTED: u64 = 1 << 12;
