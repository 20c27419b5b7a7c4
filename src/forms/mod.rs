//! `/js/daicho.js`, the script that fills address forms on other pages, and `/demo`, the page that shows it.
//!
//! The script's modules are in `assets/source`; `make js` bundles them into `assets/built`, which is part of the binary.
//! It asks the API like any other client; nothing here answers a question about data.

mod demo;
mod example;
mod script;
mod service;

pub use script::SCRIPT;
pub use service::{LABEL, answer, is_form_file};
