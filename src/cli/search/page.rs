//! The output of searches: the number of records and the total.

use std::io::Write;

use serde_json::Value;

use crate::api::pipeline::params;
use crate::api::target::RequestTarget;
use crate::cli::error::CommandError;
use crate::cli::get::short_form::{ShortForm, elements};
use crate::cli::print::counted;

/// Default number of records as text.
const LIMIT_TEXT: u8 = 10;

/// The largest limit, as in the API; also the default number of records as JSON.
pub const LIMIT_MAX: u8 = params::LIMIT_MAX as u8;

pub fn limit_or_default(given: Option<u8>, json: bool) -> u8 {
    given.unwrap_or(if json { LIMIT_MAX } else { LIMIT_TEXT })
}

/// Prints the answer of a search, as it is or as text; an empty result is an error.
pub fn print_found(
    stdout: &mut dyn Write,
    form: &ShortForm,
    target: RequestTarget,
    as_text: fn(&Value) -> String,
) -> Result<(), CommandError> {
    let missing = |_| "nothing found".to_owned();
    let answer = form.print(target, stdout, missing, as_text)?;
    match answer["count"].as_u64() {
        Some(0) => Err(CommandError::Failed(format!("nothing found in version {}", form.version))),
        _ => Ok(()),
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// `None` if the command has no `--offset`.
    pub offset: Option<u64>,
    pub limit: u64,
    pub shown: u64,
    /// All results.
    pub count: u64,
}

impl Page {
    /// The page of an answer of the API.
    pub fn of(answer: &Value, has_offset: bool) -> Page {
        let number = |name: &str| answer[name].as_u64().unwrap_or_default();
        Page {
            offset: has_offset.then(|| number("offset")),
            limit: number("limit"),
            shown: elements(&answer["data"]).len() as u64,
            count: number("count"),
        }
    }

    /// How many results are shown, and which option shows those that follow.
    fn remark(self) -> String {
        let Page { offset, limit, shown, count } = self;
        if shown == count {
            return String::new();
        }
        let has_more = offset.unwrap_or(0).saturating_add(shown) < count;
        let remedy = match offset {
            _ if !has_more => "",
            _ if limit < u64::from(LIMIT_MAX) => ", --limit shows more",
            Some(_) => ", --offset shows the others",
            None => "",
        };
        format!("; {shown} shown{remedy}")
    }
}

/// Appends the number of records found, and how to see more of them.
pub fn push_total(out: &mut String, page: Page, noun: &str, version: &str) {
    if page.count > 0 {
        let (count, remark) = (counted(page.count, noun), page.remark());
        out.push_str(&format!("{count} in data version {version}{remark}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remark_names_an_option_that_shows_more() {
        #[track_caller]
        fn check(offset: Option<u64>, limit: u64, shown: u64, count: u64, expected: &str) {
            let page = Page { offset, limit, shown, count };
            assert_eq!(page.remark(), expected, "{page:?}");
        }
        check(None, 10, 7, 7, "");
        check(None, 10, 10, 11, "; 10 shown, --limit shows more");
        check(None, 100, 100, 101, "; 100 shown");
        check(Some(0), 10, 10, 11, "; 10 shown, --limit shows more");
        check(Some(0), 100, 100, 101, "; 100 shown, --offset shows the others");
        check(Some(100), 100, 1, 101, "; 1 shown");
        check(Some(10), 10, 1, 11, "; 1 shown");
        check(Some(u64::MAX), 10, 0, 11, "; 0 shown");
    }
}
