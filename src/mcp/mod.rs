//! Tools for agents over the Model Context Protocol: `daicho mcp` on standard input and output, `POST /mcp` over HTTP.
//!
//! A tool asks the API as a client would: `asker` sends a `GET` with the caller's key through the API's own pipeline.
//! So keys, plans, quotas, bounds and rules are those of the API by construction, and a tool is no second way to the
//! data. `tools` has the tools, `agent` answers the protocol's requests from them whatever carries these: [`stdio`]
//! and [`http`]. The protocol itself is the crate `rmcp`'s. Knows no socket and opens no snapshot.

mod agent;
mod asker;
mod error;
mod filled;
pub mod http;
mod limit;
pub mod stdio;
mod target;
mod tool;
mod tools;
