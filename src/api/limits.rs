//! The bounds of batches and of the radar. What the server bounds for every request stands in
//! `server/limits`.

use crate::server::limits::TARGET_BYTES_MAX;

/// Most queries in a batch; above it 400.
pub const BATCH_QUERIES_MAX: usize = 1000;

/// Longest body of a batch, in bytes; above it 413. A thousand queries of a kilobyte.
pub const BATCH_BODY_BYTES_MAX: usize = 1024 * 1024;

/// Longest text in a batch, in bytes; above it 400. As long as a search by GET may be.
pub const BATCH_TEXT_BYTES_MAX: usize = TARGET_BYTES_MAX;

/// Most batches at once; above it 503. Each holds some 2 MB: its body and the rows found.
pub const BATCHES_MAX: usize = 128;

/// Longest body that changes a watch list, in bytes; above it 413. 100,000 numbers fit.
pub const RADAR_BODY_BYTES_MAX: usize = 2 * 1024 * 1024;
