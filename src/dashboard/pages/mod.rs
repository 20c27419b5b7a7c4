//! The pages, one file for each.

pub mod accounts;
pub mod data;
pub mod keys;
pub mod login;
pub mod metrics;
pub mod operations;
pub mod overview;
pub mod playground;
pub mod sessions;
pub mod settings;
pub mod usage;
pub mod watch;
pub mod webhook;

pub mod plans;
