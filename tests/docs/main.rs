//! Compares the documentation that the server serves with the behaviour of the server: examples are sent and their code
//! is run, answers are compared with the documented shapes, and a validator and schemathesis read `/openapi.json`.

#[allow(dead_code, reason = "the tests of the dashboard use the rest of it")]
#[path = "../dashboard/browser.rs"]
mod browser;
#[path = "../support/shared_data.rs"]
mod shared_data;
#[allow(dead_code, unused_imports, reason = "the tests of the API use the rest of it")]
#[path = "../api/support/mod.rs"]
mod support;
#[path = "../support/tools.rs"]
mod tools;

mod examples;
mod looks;
mod official;
mod openapi;
mod pages;
mod shapes;
mod site;
mod snippets;
mod tables;
