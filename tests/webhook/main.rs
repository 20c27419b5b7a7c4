//! Deliveries to real receivers on loopback sockets: single attempts, and the server that makes them.

mod attempt;
mod receiver;
