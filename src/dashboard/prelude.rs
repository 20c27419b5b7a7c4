//! Imports of nearly every page.

pub use maud::{Markup, html};

pub use super::elements::{
    NO_VALUE, abbreviate, format_hour, format_megabytes, format_minute, format_unix_minute,
    grouped, secret_shown_once, status_class, table, tiles, yes_no,
};
pub use super::error::{PageError, PageResult};
pub(super) use super::layout;
pub use super::layout::{Notice, Page, plain_page};
pub use super::reply::Reply;
pub use super::request::{Request, SignedIn};
pub use super::state::random;
pub use super::words::{Words, count, fill};
