//! The shapes of request and response bodies, a file for each resource.
//!
//! One member a line, so that a shape reads as the table that it is.

pub mod bank;
pub mod calendar;
pub mod corporate;
pub mod invoice;
pub mod members;
pub mod postal;
pub mod school;
pub mod server;
pub mod suggest;
