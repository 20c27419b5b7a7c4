//! What differs by operating system, with the same functions on each: the rest of the program does not ask which one it
//! runs on. Signals are in `src/signals.rs`, Unix sockets in `src/server/unix_socket`, because the core has no sockets.
//!
//! What Windows lacks is said at each function: the owner, group and mode of a file; syncing a folder; replacing a link
//! at once; a limit of open files; replacing a process.

pub mod disk;
#[cfg(any(test, feature = "test-support"))]
pub mod disk_steps;
pub mod identity;
pub mod memory;
pub mod permissions;
pub mod process;
pub mod reading;
