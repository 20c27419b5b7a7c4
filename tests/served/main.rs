//! The tests of what the server shows, as one program: its pages, its forms, its documentation, its tools for agents, and
//! the client libraries that speak to it, also those of other services. Each test program links the whole server, and
//! none of these needs a process of its own.

#[path = "../clients/main.rs"]
mod clients;
#[path = "../compat/main.rs"]
mod compat;
#[path = "../dashboard/main.rs"]
mod dashboard;
#[path = "../docs/main.rs"]
mod docs;
#[path = "../forms/main.rs"]
mod forms;
#[cfg(feature = "mcp")]
#[path = "../mcp/main.rs"]
mod mcp;
#[path = "../newcomer/main.rs"]
mod newcomer;
#[path = "../support/shared_data.rs"]
mod shared_data;
#[allow(dead_code, unused_imports, reason = "made for the tests of the API, which use all of it")]
#[path = "../api/support/mod.rs"]
mod support;
#[path = "../support/tools.rs"]
mod tools;
