//! `/dashboard`: web pages for the operator and for each account, part of the binary.
//!
//! `service` finds the page of a request in `routes`, checks the session and the form, and calls the page's handler in
//! `pages`. Pages work without script; `assets/script.js` adds parts that refresh, results while the user types, and
//! buttons that copy. Every text is in `words`, in English and Japanese. Pages wait for the store and hash passwords,
//! so they run on threads that drive no connections.

mod chart;
mod elements;
mod error;
mod form;
mod format;
mod headers;
mod history;
mod layout;
mod pages;
mod paths;
mod prelude;
mod reply;
mod request;
mod request_slots;
mod routes;
mod service;
mod state;
mod words;

pub use headers::ProxySettings;
pub use paths::is_below_root;
pub use service::{answer, sample_metrics};
pub use state::{Dashboard, DashboardParts, LABEL};
