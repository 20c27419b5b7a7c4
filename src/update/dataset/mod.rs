//! One file for each dataset: what its source offers, and how that becomes a version.

pub mod bank;
pub mod corporate;
mod daily;
pub mod holidays;
pub mod invoice;
pub mod postal;
pub mod school;
