//! The script for forms: its files over HTTP, its modules without DOM in node, and its behaviour in a real browser.
//!
//! If `DAICHO_SCREENSHOTS` names a folder, the browser tests write pictures to it.

mod bundle;
mod choices;
mod company;
mod demo;
mod files;
mod filling;
mod h_adr;
mod interface;
mod kept;
mod shadow;
pub mod shop;
mod suggest;
mod trouble;
mod words;
mod writing;
