//! The shapes of bodies, a file for each resource: what the endpoints answer and what they are sent.
//!
//! One member a line, so that a shape reads as the table that it is.

pub mod address;
pub mod bank;
pub mod calendar;
pub mod corporate;
pub mod invoice;
pub mod postal;
pub mod school;
pub mod search;
pub mod server;
pub mod suggest;
