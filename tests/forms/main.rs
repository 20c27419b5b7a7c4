//! The script for forms: its files over HTTP, its modules without DOM in node, and its behaviour in a real browser.
//!
//! If `DAICHO_SCREENSHOTS` names a folder, the browser tests write pictures to it.

#[path = "../dashboard/browser.rs"]
#[allow(dead_code, reason = "the tests of the dashboard use the rest of it")]
mod browser;
#[path = "../api/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "made for the tests of the API, which use all of it")]
mod support;
#[path = "../support/tools.rs"]
mod tools;

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
