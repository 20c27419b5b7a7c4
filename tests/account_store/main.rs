//! The account store and the live keys, on real SQLite files and a real PostgreSQL, with a server's
//! view and a command's view of the same store open at once.
//!
//! Calls the library in process; no test here speaks HTTP.

mod backup;
mod both;
mod cluster;
mod dashboard;
mod deletion;
mod deliveries;
mod figures;
mod file;
mod named_lock;
mod radar;
mod server;
mod support;
mod usage;
