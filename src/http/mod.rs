//! Requests to look-ups: the only part of the program that knows HTTP and JSON.

pub mod json;
