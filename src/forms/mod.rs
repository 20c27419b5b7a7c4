//! `/js/daicho.js`, the script that fills address forms on other pages, and `/demo`, the page that shows it.
//!
//! The script's modules are in `assets/source`; `make js` bundles them into `assets/built`, which is part of the
//! binary. The script calls the API like any other client; this module answers no data requests.

mod demo;
mod example;
mod script;
mod service;

pub use script::SCRIPT;
pub use service::{LABEL, answer, is_form_file};
