//! The bounds of batches and of the radar. What the server bounds for every request stands in
//! `server/limits`.

use crate::server::limits::TARGET_BYTES_MAX;

/// Most queries in a batch; above it 400. A program with more to ask sends several batches, which
/// costs it one request in a thousand.
pub const BATCH_QUERIES_MAX: usize = 1000;

/// Longest body of a batch, in bytes; above it 413. A thousand queries of a kilobyte: an address of
/// 80 characters, each escaped as six bytes, is half of that.
pub const BATCH_BODY_BYTES_MAX: usize = 1024 * 1024;

/// Longest text in a batch, in bytes; above it 400. No shorter than what fits a request target, so
/// that a batch takes whatever the search takes.
pub const BATCH_TEXT_BYTES_MAX: usize = TARGET_BYTES_MAX;

/// Most batches at once, from their bodies to their last byte; above it 503. Each holds its body
/// and the numbers of the records that it found: 2 MB or so.
pub const BATCHES_MAX: usize = 128;

/// Longest body of a request that changes a watch list, in bytes; above it 413. A whole watch list
/// of 100,000 numbers can be removed at once.
pub const RADAR_BODY_BYTES_MAX: usize = 2 * 1024 * 1024;
