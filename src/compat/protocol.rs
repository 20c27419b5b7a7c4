//! What every protocol declares.

use crate::account::Service;
use crate::api::endpoint::Endpoint;
use crate::dataset::postal::PostalData;
use crate::snapshot::Dataset as _;

/// The protocol of another service.
#[derive(Debug)]
pub struct Protocol {
    /// Its name in `--compat`.
    pub name: &'static str,
    pub endpoints: &'static [Endpoint],
}

/// The type of JSON that says its encoding, as servers of files do.
pub const JSON: &str = "application/json; charset=utf-8";

/// Defaults of the entries that answer from postal data.
pub const POSTAL: Endpoint =
    Endpoint { needs: Some(Service::Postal), datasets: &[PostalData::KIND], ..FOREIGN };

/// Defaults of the entries.
pub const FOREIGN: Endpoint = Endpoint { is_foreign: true, ..Endpoint::GET };
