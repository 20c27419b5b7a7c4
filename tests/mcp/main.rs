//! Tools for agents: each tool's answer over the sample, wrong calls, and the two ways to them.
//!
//! `answers` and `lines` speak to the real program line by line; `sdk` is the protocol's own client in Python, which
//! checks schemas and versions. Where Python or its registry is missing, that is told and `sdk` tests nothing.

mod agent;
mod answers;
mod http;
#[allow(dead_code, reason = "the tests of client libraries use the rest of it")]
#[path = "../clients/install.rs"]
mod install;
mod lines;
mod sdk;
#[allow(dead_code, unused_imports, reason = "the tests of the API use the rest of it")]
#[path = "../api/support/mod.rs"]
mod support;
