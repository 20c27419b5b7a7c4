//! The files that other services publish for the first digits of postal codes: which records they hold, and how they are
//! written and kept.
//!
//! A file is written in a lane when it is first asked for, and kept until the postal data change.

use std::sync::Arc;

use crate::api::endpoint::{BudgetedHandler, Content, Endpoint, Handler};
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::{Prepared, Reply};
use crate::api::resource::{RequestedData, latest_data};
use crate::api::words::words;
use crate::compat::protocol::POSTAL;
use crate::compat::rows::by_code;
use crate::dataset::Catalog;
use crate::dataset::postal::PostalData;
use crate::record::postal::PostalView;
use crate::snapshot::{Dataset, OpenError};
use crate::text::codes::PostalCode;
use crate::text::numerals;

/// The number of digits of a postal code.
const CODE_DIGITS: usize = 7;

/// The first digits of postal codes, which name a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    number: u32,
    length: usize,
}

impl Prefix {
    /// Exactly `length` ASCII digits.
    fn parse(text: &str, length: usize) -> Result<Prefix, ApiError> {
        let is_prefix = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_prefix);
        number.map(|number| Prefix { number, length }).ok_or_else(|| {
            let (digits, example) = (numerals::digits(length), &"100"[..length]);
            let detail = format!(
                "expected the name of a file with {digits}, such as {example}; found another"
            );
            ApiError::new(Code::NoSuchEndpoint, detail)
        })
    }

    pub fn digits(self) -> String {
        format!("{:0length$}", self.number, length = self.length)
    }

    /// The records of all codes that begin with these digits, code by code.
    fn records(self, data: &PostalData) -> Result<Vec<PostalView<'_>>, Arc<OpenError>> {
        let code = |fill: &str| {
            let rest = fill.repeat(CODE_DIGITS.saturating_sub(self.length));
            PostalCode::parse(&[self.digits(), rest].concat())
        };
        let (Ok(first), Ok(last)) = (code("0"), code("9")) else { return Ok(Vec::new()) };
        Ok(data.records_between(first, last)?.collect())
    }
}

/// The first record of each code, a town before an office, for clients that know one address for a code.
pub fn first_records<'s>(records: &[PostalView<'s>]) -> Vec<PostalView<'s>> {
    let first_of = |code: &[PostalView<'_>]| {
        code.iter().position(|record| record.corporation().is_none()).unwrap_or(0)
    };
    by_code(records).map(|code| code[first_of(code)]).collect()
}

/// The files of one kind, one for each prefix.
#[derive(Debug)]
pub struct PrefixFiles {
    /// The name under which they are kept; each kind has its own.
    pub kind: &'static str,
    /// The digits in the name of a file.
    pub digits: usize,
    pub media: &'static str,
    pub has_offices: bool,
    /// Whether there is a file for a prefix without codes.
    pub has_empty: bool,
    /// Appends the file with these records, code by code.
    pub write: fn(Prefix, &[PostalView<'_>], &mut Vec<u8>),
}

impl PrefixFiles {
    /// The endpoint of these files.
    pub const fn endpoint(
        &self,
        path: &'static str,
        handler: BudgetedHandler,
        example: &'static str,
    ) -> Endpoint {
        Endpoint {
            path,
            handler: Handler::Budgeted(handler),
            summary: words("The addresses of a prefix", "郵便番号の上の桁が同じ住所"),
            content: Content::Other(self.media),
            example,
            ..POSTAL
        }
    }

    /// The reply with the file of the prefix in the path.
    pub fn reply(
        &self,
        request: &ApiRequest<'_>,
        budget: &CostBudget<'_>,
    ) -> Result<Reply, HandlerError> {
        let prefix = Prefix::parse(request.path("prefix"), self.digits)?;
        let requested = latest_data(request, Catalog::postal)?;
        kept_reply(&requested, budget, self.media, (self.kind, prefix.number), |data| {
            let mut records = requested.sound(prefix.records(data))?;
            records.retain(|record| self.has_offices || record.corporation().is_none());
            if records.is_empty() && !self.has_empty {
                let detail =
                    format!("expected digits that a code begins with; found {}", prefix.digits());
                return Err(ApiError::new(Code::NoSuchPostalCode, detail));
            }
            let mut body = Vec::new();
            (self.write)(prefix, &records, &mut body);
            Ok(body)
        })
    }
}

/// The reply with a file of the newest postal data: the kept one, or what `write` makes in a lane, which is kept then.
pub fn kept_reply(
    requested: &RequestedData<'_, PostalData>,
    budget: &CostBudget<'_>,
    media: &'static str,
    name: (&'static str, u32),
    write: impl FnOnce(&PostalData) -> Result<Vec<u8>, ApiError>,
) -> Result<Reply, HandlerError> {
    let (request, version) = (requested.request, requested.version());
    let files = &request.data.files;
    let made_from = (version, requested.data.file().fingerprint());
    let file = match files.get(name, made_from) {
        Some(file) => file,
        None => {
            budget.require_ready(false)?;
            let file = Arc::new(Prepared::new(write(requested.data)?));
            files.keep(name, made_from, Arc::clone(&file));
            file
        }
    };
    let headers = &request.head.headers;
    Ok(Reply::foreign_prepared(headers, requested.tag(), Some(version), media, &file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_digits() {
        assert_eq!(Prefix::parse("060", 3).map(Prefix::digits).as_deref(), Ok("060"));
        assert_eq!(Prefix::parse("0", 1).map(Prefix::digits).as_deref(), Ok("0"));
        for (wrong, length) in
            [("", 3), ("1", 3), ("1000", 3), ("10a", 3), ("+10", 3), ("１００", 3)]
                .into_iter()
                .chain([("", 1), ("10", 1), ("a", 1), ("-", 1), ("１", 1)])
        {
            let error = Prefix::parse(wrong, length).expect_err("no prefix");
            assert_eq!(error.code.status().as_u16(), 404, "{wrong}");
            assert!(error.detail.contains(if length == 3 { "such as 100" } else { "such as 1;" }));
        }
    }
}
