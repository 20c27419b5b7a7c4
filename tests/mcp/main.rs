//! The tools of the Model Context Protocol: the answer of each tool over the sample data, wrong calls, and both
//! transports, standard input and output and HTTP.
//!
//! `answers` and `lines` exchange lines with `daicho mcp`; `http` sends messages to a server. `sdk` uses the protocol's
//! Python SDK, which checks schemas and versions.

mod agent;
mod answers;
mod found;
mod http;
mod lines;
mod sdk;
