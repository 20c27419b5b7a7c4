//! The pages, one file for each.

pub mod accounts;
pub mod data;
pub mod deletion;
pub mod keys;
pub mod login;
pub mod metrics;
pub mod plans;
pub mod playground;
pub mod settings;
pub mod usage;
pub mod watch;
pub mod webhook;

mod plan_fields;
