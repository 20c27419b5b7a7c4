//! Tools for agents over the Model Context Protocol: `daicho mcp` on standard input and output, `POST /mcp` over HTTP.
//!
//! A tool calls the API as a client would: `api_client` sends a `GET` with the caller's key through the API's own
//! pipeline. So keys, plans, quotas, limits and rules are the API's. `tools` has the tools, and `handler`
//! answers the requests of the protocol over any transport: [`stdio`] and [`http`]. The crate `rmcp` implements the
//! protocol. Opens neither sockets nor snapshots.

mod api_client;
mod arguments;
mod error;
mod handler;
pub mod http;
pub mod stdio;
mod tool;
mod tools;
