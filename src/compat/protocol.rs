//! What every protocol declares.

use crate::account::Rights;
use crate::api::endpoint::{BudgetedHandler, Content, Endpoint, Handler, Parameter};
use crate::api::words::Words;
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
    Endpoint { needs: Some(Rights::STANDARD), datasets: &[PostalData::KIND], ..FOREIGN };

/// The same for answers in JSON.
pub const POSTAL_JSON: Endpoint = Endpoint { content: Content::Other(JSON), ..POSTAL };

/// An entry with a budgeted handler and these defaults.
pub const fn budgeted(
    defaults: Endpoint,
    path: &'static str,
    handler: BudgetedHandler,
    summary: Words,
    parameters: &'static [Parameter],
    example: &'static str,
) -> Endpoint {
    let handler = Handler::Budgeted(handler);
    Endpoint { path, handler, summary, parameters, example, ..defaults }
}

/// Defaults of the entries.
pub const FOREIGN: Endpoint = Endpoint { is_foreign: true, ..Endpoint::GET };
