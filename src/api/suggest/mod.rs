//! `/v1/suggest/…`: what a beginning that somebody types may mean.

pub mod address;
pub mod bank;
pub mod corporation;
pub mod params;
