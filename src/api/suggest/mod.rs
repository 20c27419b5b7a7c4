//! `/v1/suggest/…`: suggestions for partly typed text.

pub mod address;
pub mod bank;
pub mod corporation;
pub mod params;
