//! The files of a three-digit prefix that yubinbango and jpostal publish: which records they hold, and how they are kept.
//!
//! A file is written in a lane when it is first asked for, and kept until the postal data change.

use std::sync::Arc;

use hyper::header::HeaderMap;

use crate::api::endpoint::{BudgetedHandler, Content, Endpoint, Handler};
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::{Prepared, Reply};
use crate::api::resource::latest_data;
use crate::api::words::words;
use crate::compat::protocol::POSTAL;
use crate::compat::script::JAVASCRIPT;
use crate::dataset::Catalog;
use crate::dataset::postal::PostalData;
use crate::record::postal::PostalView;
use crate::snapshot::{Dataset, OpenError};
use crate::text::codes::PostalCode;

/// The first digits of a postal code, which name a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix(u32);

impl Prefix {
    /// Exactly three ASCII digits.
    fn parse(text: &str) -> Result<Prefix, ApiError> {
        let is_prefix = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_prefix);
        number.map(Prefix).ok_or_else(|| {
            let detail =
                "expected the name of a file with three digits, such as 100; found another";
            ApiError::new(Code::NoSuchEndpoint, detail)
        })
    }

    pub fn digits(self) -> String {
        format!("{:03}", self.0)
    }

    /// The first record of each code, a town before an office. The clients know one address for a code.
    pub fn first_records(self, data: &PostalData) -> Result<Vec<PostalView<'_>>, Arc<OpenError>> {
        let code = |last: &str| PostalCode::parse(&[&self.digits(), last].concat());
        let (Ok(first), Ok(last)) = (code("0000"), code("9999")) else { return Ok(Vec::new()) };
        let records: Vec<PostalView<'_>> = data.records_between(first, last)?.collect();
        let codes = records.chunk_by(|left, right| left.postal_code() == right.postal_code());
        let first_of = |code: &[PostalView<'_>]| {
            code.iter().position(|record| record.corporation().is_none()).unwrap_or(0)
        };
        Ok(codes.map(|code| code[first_of(code)]).collect())
    }
}

/// The endpoint of the files of a protocol.
pub const fn endpoint(
    path: &'static str,
    handler: BudgetedHandler,
    example: &'static str,
) -> Endpoint {
    Endpoint {
        path,
        handler: Handler::Budgeted(handler),
        summary: words("The addresses of a prefix, as a script", "上3桁の住所（スクリプト）"),
        content: Content::Other(JAVASCRIPT),
        example,
        ..POSTAL
    }
}

/// Writes the file of a prefix.
pub type WriteFile = fn(Prefix, &[PostalView<'_>], &mut Vec<u8>);

/// The reply with the file of the prefix in the path. `kind` tells the files of protocols apart.
pub fn reply(
    request: &ApiRequest<'_>,
    budget: &CostBudget<'_>,
    kind: &'static str,
    write: WriteFile,
) -> Result<Reply, HandlerError> {
    let prefix = Prefix::parse(request.path("prefix"))?;
    let requested = latest_data(request, Catalog::postal)?;
    let (version, tag) = (requested.version(), requested.tag());
    let headers: &HeaderMap = &request.head.headers;
    let (name, made_from) = ((kind, prefix.0), (version, requested.data.file().fingerprint()));
    let file = match request.data.files.get(name, made_from) {
        Some(file) => file,
        None => {
            budget.require_ready(false)?;
            let records = requested.sound(prefix.first_records(requested.data))?;
            let mut body = Vec::new();
            write(prefix, &records, &mut body);
            let file = Arc::new(Prepared::new(body));
            request.data.files.keep(name, made_from, Arc::clone(&file));
            file
        }
    };
    Ok(Reply::foreign_prepared(headers, tag, Some(version), JAVASCRIPT, &file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_three_digits() {
        assert_eq!(Prefix::parse("060").map(Prefix::digits).as_deref(), Ok("060"));
        for wrong in ["", "1", "1000", "10a", "+10", "１００", "-10"] {
            let error = Prefix::parse(wrong).expect_err("no prefix");
            assert_eq!(error.code.status().as_u16(), 404, "{wrong}");
        }
    }
}
