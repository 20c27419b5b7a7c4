//! Tools for agents over the Model Context Protocol: `daicho mcp` on standard input and output, `POST /mcp` over HTTP.
//!
//! A tool calls the API as a client would: `asker` sends a `GET` with the caller's key through the API's own
//! pipeline. So keys, plans, quotas, limits and rules are those of the API. `tools` has the tools, `agent` answers
//! the protocol's requests over any transport: [`stdio`] and [`http`]. The crate `rmcp` implements the protocol.
//! Opens neither sockets nor snapshots.

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
