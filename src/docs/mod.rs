//! The documentation that the server serves: the API for programs and, from the same table, for people.
//!
//! Knows the table of endpoints and the texts in `docs/`; answers no question about data.

mod errors;
pub mod layout;
mod llms;
mod markdown;
pub mod openapi;
pub mod pages;
mod reference;
mod service;
mod snippets;

pub use service::{LABEL, answer, is_documentation};
