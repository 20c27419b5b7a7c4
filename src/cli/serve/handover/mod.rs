//! The handover: a running server starts the program that is installed now, with the same arguments, and gives it the
//! listening sockets. So no connection is refused while the program or its settings change.
//!
//! ```text
//! running server                                  the installed program
//!   starts it, its standard input is a channel
//!   sockets, the lock of the cache, datasets  ->    checks its settings, opens store and data, adopts the sockets
//!                                             <-  "ready"
//!   tells systemd the new main process
//!   "serve"                                   ->    accepts connections
//!   accepts no more, ends its own background work
//!   "released"                                ->    starts its own: updates, releases, webhooks
//!   lets its connections end, and ends
//! ```
//!
//! Until "serve", any fault leaves the running server as it was: `outgoing.rs` ends the other program and says why.
//! `incoming.rs` is the side of that program, `channel.rs` what differs by operating system.

mod channel;
mod incoming;
mod outgoing;

use std::time::Duration;

pub use incoming::Incoming;
pub use outgoing::{Attempt, HandoverFault, Outgoing, Successor};

/// Tells a program that its standard input is the channel of a handover. The value is the format of the messages.
pub const VARIABLE: &str = "DAICHO_HANDOVER";
const FORMAT: &str = "1";

const READY: &str = "ready";
const SERVE: &str = "serve";
const RELEASED: &str = "released";

/// How long one side waits for the next message of the other, where that has nothing to load.
const MESSAGE_TIME_MAX: Duration = Duration::from_secs(10);

/// How long the connections of the running server may go on after the handover: an idle one is closed after 75 s anyway,
/// and a request takes up to 60 s.
pub const LINGER_TIME_MAX: Duration = Duration::from_secs(90);

/// In the middle half of this time, each connection is told to close after its next answer.
pub const CLOSING_TIME: Duration = Duration::from_secs(4);
