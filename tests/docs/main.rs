//! The documentation that the server gives, against what the server does: examples are asked, answers compared with
//! their shapes, and the description for programs is read by the programs that it is for.

#[allow(dead_code, reason = "the tests of the dashboard use the rest of it")]
#[path = "../dashboard/browser.rs"]
mod browser;
#[allow(dead_code, reason = "the tests of client libraries use the rest of it")]
#[path = "../clients/install.rs"]
mod install;
#[path = "../support/shared_data.rs"]
mod shared_data;
#[allow(dead_code, unused_imports, reason = "the tests of the API use the rest of it")]
#[path = "../api/support/mod.rs"]
mod support;

mod examples;
mod looks;
mod official;
mod openapi;
mod pages;
mod shapes;
mod site;
mod snippets;
