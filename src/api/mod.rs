//! The API: endpoints, handlers by resource, parameters, errors.
//!
//! [`table`] has an entry for each endpoint ([`endpoint`] defines its form), from which routing, rights, the handler and
//! the documentation come. A request goes through [`pipeline`], which finds and checks its entry and calls the handler,
//! a function of [`resource`], with the [`data`] of that moment. Expensive searches and batches run on [`executor`]s.
//! Knows neither sockets nor the dashboard.

pub mod age;
pub mod counters;
pub mod data;
pub mod endpoint;
pub mod error;
pub mod executor;
pub mod holidays;
pub mod limits;
pub mod pipeline;
pub mod resource;
pub mod service;
pub mod shapes;
pub mod table;
pub mod target;

pub use crate::dataset::member::{shape, words};
