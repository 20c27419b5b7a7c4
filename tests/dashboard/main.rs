//! The dashboard as people use it: in a real browser without a window, and over raw sockets for
//! what no browser would send.
//!
//! The tests in a browser skip, and say so, where no Chromium is installed. With
//! `DAICHO_SCREENSHOTS` they leave a picture of each page in that folder.

#[path = "../api/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "made for the tests of the API, which use all of it")]
mod support;

#[path = "../webhook/receiver.rs"]
#[allow(dead_code, reason = "made for the tests of the webhooks, which use all of it")]
mod receiver;

mod account;
mod browser;
mod environment;
mod forged;
mod looks;
mod operator;
mod playground;
mod radar;
mod sign_in;
mod site;
mod start;
mod usage;
