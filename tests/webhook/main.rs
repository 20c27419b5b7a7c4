//! Webhook deliveries to receivers on loopback sockets: single attempts, the built server over the sample data, and
//! servers that die during a delivery.

mod attempt;
mod crash;
mod receiver;
#[cfg(feature = "object-store")]
mod releases;
#[path = "../support/sample.rs"]
mod sample;
mod secrets;
mod served;
mod server;
mod steps;
