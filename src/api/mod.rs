//! The API: endpoints, handlers by resource, parameters, errors.
//!
//! [`table`] has an entry for each endpoint ([`endpoint`] defines its form). A request goes through [`pipeline`]:
//! [`exchange`] finds its entry by [`router`] and checks [`rights`], [`quota`] and [`params`]. Then the handler of the
//! entry takes an [`ApiRequest`](request::ApiRequest) and returns a [`Reply`](reply::Reply) or an
//! [`ApiError`](error::ApiError). Expensive searches and batches run in [`lanes`], within the limits of [`slots`].
//!
//! The resources are [`postal`], [`bank`], [`corporate`], [`invoice`], [`school`], [`city`], [`suggest`],
//! [`calendar`], [`radar`] and [`server`]. Knows neither sockets nor the dashboard.

pub mod account_semaphore;
pub mod age;
pub mod bank;
pub mod batch;
pub mod calendar;
pub mod city;
pub mod corporate;
pub mod cors;
pub mod cost_budget;
pub mod counters;
pub mod data;
pub mod endpoint;
pub mod error;
pub mod exchange;
pub mod fair_queue;
pub mod file;
pub mod headers;
pub mod holidays;
pub mod input;
pub mod invoice;
pub mod lanes;
pub mod limits;
pub mod metrics_access;
pub mod notice;
pub mod params;
pub mod pipeline;
pub mod postal;
mod posted;
pub mod quota;
pub mod radar;
pub mod refusal;
pub mod reply;
pub mod request;
pub mod request_body;
pub mod rights;
pub mod router;
pub mod running_slice;
pub mod school;
pub mod server;
pub mod service;
pub mod shape;
pub mod shapes;
pub mod slots;
pub mod store;
pub mod suggest;
pub mod table;
pub mod tag;
pub mod thread_cache;
pub mod version;
pub mod words;
