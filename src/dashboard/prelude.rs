//! Imports of nearly every page.

pub use maud::{Markup, html};

pub use super::elements::{secret_shown_once, status_class, table, tiles, yes_no};
pub use super::error::{PageError, PageResult};
pub use super::format::{
    NO_VALUE, abbreviate, format_hour, format_megabytes, format_minute, format_unix_minute, grouped,
};
pub use super::layout::{Notice, Page, plain_page};
pub(super) use super::paths;
pub use super::reply::Reply;
pub use super::request::{Request, SignedIn};
pub use super::state::random;
pub use super::words::{Words, count, fill};
