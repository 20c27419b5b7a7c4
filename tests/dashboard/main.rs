//! The dashboard of a real server on the sample: in a headless Chromium, and over raw sockets for
//! requests that no browser sends.
//!
//! If `DAICHO_SCREENSHOTS` names a folder, the tests in a browser write a picture of each page to it.

#[path = "../webhook/receiver.rs"]
#[allow(dead_code, reason = "made for the tests of the webhooks, which use all of it")]
mod receiver;

mod account;
pub mod browser;
mod environment;
mod forged;
mod looks;
mod operator;
mod playground;
mod radar;
mod sign_in;
mod site;
mod start;
mod sub_path;
mod usage;
