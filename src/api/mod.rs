//! Requests to look-ups: the only part of the program that knows HTTP and JSON.
//!
//! A request: `server` and `connection` take it in within `limits`, `service` leads it through
//! `route`, `auth`, `params` and a handler (one file a resource), `json` writes the body and `reply`
//! the headers. `metrics` and `access_log` note it. Errors are the table in `error`.

pub mod auth;
pub mod bank;
pub mod batch;
pub mod chosen;
pub mod cities;
pub mod corporate;
pub mod corporate_search;
pub mod cors;
pub mod download;
pub mod error;
pub mod health;
pub mod holidays;
pub mod input;
pub mod negotiate;
pub mod params;
pub mod postal;
pub mod quota;
pub mod radar;
pub mod recent;
pub mod reply;
pub mod route;
pub mod search;
pub mod served;
pub mod service;
pub mod slots;
pub mod state;
pub mod whoami;
