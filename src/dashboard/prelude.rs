//! Imports of nearly every page.

pub use maud::{Markup, html};

pub use super::elements::{shown_once, status_class, table, tiles, yes_no};
pub use super::error::{PageError, PageResult};
pub use super::format::{NOTHING, grouped, hour, megabytes, minute, minute_of, short};
pub use super::layout::{Notice, Page, plain_page};
pub(super) use super::paths;
pub use super::reply::Reply;
pub use super::request::{Request, SignedIn};
pub use super::state::random;
pub use super::words::{Words, count, fill};
