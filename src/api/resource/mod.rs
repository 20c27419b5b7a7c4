//! The handlers, a file or folder for each resource: each takes a checked [`ApiRequest`](super::pipeline::request) and
//! returns a reply or an error. [`version`] finds the data version that a request names.

pub mod bank;
pub mod batch;
pub mod calendar;
pub mod city;
pub mod corporate;
pub mod invoice;
pub mod postal;
pub mod radar;
pub mod school;
pub mod server;
pub mod suggest;
pub mod version;
