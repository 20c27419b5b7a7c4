//! What every output format implements, and constants that the formats share.

use std::io;

use super::row::Row;

/// Receives rows of the columns that it was created with.
pub trait Sink {
    /// Writes one row, whose values are in the order of the columns.
    fn write(&mut self, row: &Row) -> io::Result<()>;

    /// Writes what is still buffered and the end of the file. Without this call the output is incomplete.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A text format collects this many bytes before it writes.
pub const BUFFER_BYTES: usize = 1 << 16;

/// Rows between two reports of progress.
pub const PROGRESS_INTERVAL_ROWS: u64 = 1 << 12;
