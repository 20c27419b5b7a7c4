//! The tools of the Model Context Protocol: the answer of each tool over the sample data, wrong calls, and both
//! transports, standard input and output and HTTP.
//!
//! `answers` and `lines` exchange lines with `daicho mcp`; `http` sends messages to a server. `sdk` uses the protocol's
//! Python SDK, which checks schemas and versions.

mod agent;
mod answers;
mod http;
mod lines;
mod sdk;
#[allow(dead_code, unused_imports, reason = "the tests of the API use the rest of it")]
#[path = "../api/support/mod.rs"]
mod support;
#[path = "../support/tools.rs"]
mod tools;
