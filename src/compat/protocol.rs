//! What every protocol declares.

use crate::api::endpoint::Endpoint;

/// The protocol of another service.
#[derive(Debug)]
pub struct Protocol {
    /// Its name in `--compat`.
    pub name: &'static str,
    pub endpoints: &'static [Endpoint],
}

/// Defaults of the entries.
pub const FOREIGN: Endpoint = Endpoint { is_foreign: true, ..Endpoint::GET };
