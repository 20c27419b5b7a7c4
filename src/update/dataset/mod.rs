//! One file for each dataset: what its source offers, and how a version is built from it.

pub mod bank;
pub mod corporate;
mod daily;
pub mod holidays;
pub mod invoice;
pub mod postal;
pub mod school;
