//! The script for forms: its files over a socket, its pure part in node, and filling in a real browser.
//!
//! The tests in a browser skip, and say so, where no Chromium is installed; those of the bundle where npm or node are
//! missing. With `DAICHO_SCREENSHOTS` they leave pictures in that folder.

#[path = "../dashboard/browser.rs"]
#[allow(dead_code, reason = "the tests of the dashboard use the rest of it")]
mod browser;
#[path = "../clients/install.rs"]
#[allow(dead_code, reason = "the tests of client libraries use the rest of it")]
mod install;
#[path = "../api/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "made for the tests of the API, which use all of it")]
mod support;

mod bundle;
mod choices;
mod company;
mod demo;
mod files;
mod filling;
mod h_adr;
mod interface;
mod shop;
mod suggest;
mod writing;
