//! The limits of parameters, of batches, of queued searches and of the radar. Limits of every request that HTTP has are
//! in `server/limits`.

use std::time::Duration;

/// Most parameters of a request; above it 400. The searches have eleven.
pub const PARAMETERS_MAX: usize = 64;

/// Most letters of a text that is compared with each name, as in suggestions and in the searches of banks; above it 400.
/// The longest name of a corporation has 150.
pub const TYPED_LETTERS_MAX: usize = 256;

/// Longest target of a request, in bytes, that is answered on the thread of its connection; a longer one is answered in the
/// short lane. A hundred Japanese letters.
pub const CONNECTION_TARGET_BYTES_MAX: usize = 1024;

/// Longest body with parameters, in bytes, that is parsed on the thread of its connection.
pub const CONNECTION_BODY_BYTES_MAX: usize = 2 * 1024;

/// Most queries in a batch; above it 400.
pub const BATCH_QUERIES_MAX: usize = 1000;

/// Longest body of a batch, in bytes; above it 413. A thousand queries of a kilobyte.
pub const BATCH_BODY_BYTES_MAX: usize = 1024 * 1024;

/// Longest text in a batch, in bytes; above it 400. 2,700 Japanese letters.
pub const BATCH_TEXT_BYTES_MAX: usize = 8 * 1024;

/// Most batches at once, counted from the end of their bodies; above it 503. Each holds some 2 MB: its body and
/// the found rows.
pub const BATCHES_MAX: usize = 128;

/// Most batches of one account at once; above it 503. It takes four accounts to fill the server.
pub const BATCHES_OF_ACCOUNT_MAX: usize = 32;

/// Most bodies of batches that are being read at once; above it 503.
pub const BODIES_MAX: usize = 2_048;

/// Most of them of one account; above it 503. Twice its number of batches, so that slow bodies do not block
/// others.
pub const BODIES_OF_ACCOUNT_MAX: usize = 64;

/// Most bytes of bodies of batches that are held at once; above it 503.
pub const BODY_BYTES_HELD_MAX: usize = 256 * BATCH_BODY_BYTES_MAX;

/// Most of them of one account; above it 503.
pub const BODY_BYTES_OF_ACCOUNT_MAX: usize = BODIES_OF_ACCOUNT_MAX * BATCH_BODY_BYTES_MAX;

/// How long a slice of a batch takes before another account has its turn.
pub const BATCH_SLICE: Duration = Duration::from_millis(10);

/// Most searches that wait in a lane; above it 503.
pub const SEARCHES_WAITING_MAX: usize = 2_048;

/// Most of them of one account; above it 503.
pub const SEARCHES_OF_ACCOUNT_MAX: usize = 256;

/// From a search's head to its answer, if it runs in a lane; above it 503. Clients give up at about this time.
pub const SEARCH_TIME_MAX: Duration = Duration::from_secs(10);

/// Longest body that changes a watch list, in bytes; above it 413. 100,000 numbers fit.
pub const RADAR_BODY_BYTES_MAX: usize = 2 * 1024 * 1024;
