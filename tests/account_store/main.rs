//! The store and the live keys on real files and a real PostgreSQL, as a server and a command use
//! them at once.

mod both;
mod cluster;
mod dashboard;
mod deletion;
mod figures;
mod file;
mod named_lock;
mod radar;
mod server;
mod support;
mod usage;
