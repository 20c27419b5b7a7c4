//! Requests to look-ups: the only part of the program that knows HTTP and JSON.
//!
//! A request: `server` and `connection` take it in within `limits`, `service` leads it through
//! `route`, `auth`, `params` and a handler (one file a resource), `json` writes the body and `reply`
//! the headers. `metrics` and `access_log` note it. Errors are the table in `error`.

pub mod access_log;
mod auth;
mod bank;
mod batch;
mod body;
mod chosen;
mod cities;
mod connection;
mod corporate;
mod corporate_search;
mod cors;
pub mod dashboard;
pub mod download;
pub mod error;
mod foresight;
mod health;
mod holidays;
mod input;
pub mod json;
pub mod limits;
pub mod metrics;
mod negotiate;
mod pace;
mod params;
mod postal;
mod quota;
pub mod radar;
mod recent;
mod reply;
mod route;
mod search;
pub mod served;
pub mod server;
pub mod service;
pub mod slots;
pub mod state;
mod whoami;
pub mod workers;
