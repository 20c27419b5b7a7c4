//! The errors of the API: one table of codes, one shape of body.
//!
//! The body has the members of RFC 9457 plus `code`, `detail` and `parameter`. A code never changes its meaning; a
//! client may match on it. Internal error text is logged and never sent. A key in a repeated value is masked.

use std::borrow::Cow;

use hyper::StatusCode;

use crate::json::{push_string, put};
use crate::text::masked::mask_keys;

/// The codes: variant, text, status, title, and what the reader of `/docs/errors` should do.
macro_rules! codes {
    ($($variant:ident $code:literal $status:literal $title:literal $remedy:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $code,)* }
            }

            pub fn status(self) -> StatusCode {
                let status = match self { $(Code::$variant => const { $status as u16 },)* };
                StatusCode::from_u16(status).expect("the table holds statuses of 400 to 599")
            }

            pub const fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }

            pub const fn remedy(self) -> &'static str {
                match self { $(Code::$variant => $remedy,)* }
            }
        }
    };
}

codes! {
    MalformedRequest "malformed_request" 400 "Malformed request"
        "The request is not HTTP, or its target cannot be decoded. Look at what the client sends.";
    InvalidParameter "invalid_parameter" 400 "Invalid parameter"
        "The named parameter cannot be decoded, is given twice or has a value that the detail rules \
         out. Percent-encode UTF-8; give it once.";
    InvalidPostalCode "invalid_postal_code" 400 "Invalid postal code"
        "Send 7 digits; a hyphen may stand behind the third.";
    InvalidBankCode "invalid_bank_code" 400 "Invalid institution code"
        "Send exactly 4 digits.";
    InvalidBranchCode "invalid_branch_code" 400 "Invalid branch code"
        "Send exactly 3 digits.";
    InvalidCorporateNumber "invalid_corporate_number" 400 "Invalid corporate number"
        "Send exactly 13 digits.";
    InvalidInvoiceNumber "invalid_invoice_number" 400 "Invalid registration number"
        "Send T and exactly 13 digits.";
    InvalidSchoolCode "invalid_school_code" 400 "Invalid school code"
        "Send a letter and exactly 12 digits.";
    InvalidPrefectureCode "invalid_prefecture_code" 400 "Invalid prefecture code"
        "Send exactly 2 digits, 01 to 47.";
    InvalidVersion "invalid_version" 400 "Invalid data version"
        "Send the date of a data version, YYYY-MM-DD. /v1/postalcode/versions/, /v1/bank/versions, /v1/invoice/versions and /v1/school/versions list them.";
    MissingQuery "missing_query" 400 "Missing query"
        "Send q (a query); in the address search t (an address), q or both. An empty one counts as absent.";
    InvalidQuery "invalid_query" 400 "Invalid query"
        "The query breaks the rules of its syntax, or has a character that it may not have. The detail says where, and what was expected there.";
    InvalidLimit "invalid_limit" 400 "Invalid limit"
        "Send a whole number of 1 to 100, in ASCII digits, or no limit.";
    InvalidOffset "invalid_offset" 400 "Invalid offset"
        "Send a whole number of 0 or more, in ASCII digits, or no offset.";
    QueryTooExpensive "query_too_expensive" 400 "Query too expensive"
        "The search would read more rows than any may. The detail names the part that takes most: write that term longer \
         or whole, send fewer terms, or a smaller offset.";
    InvalidFacet "invalid_facet" 400 "Invalid facet path"
        "Send / or a path below it, such as /東京都 or /東京都/千代田区; of kinds, processes and causes of \
         closing one of the words that the detail lists.";
    InvalidBody "invalid_body" 400 "Invalid request body"
        "The body is not JSON, or a member is missing or of another type. The parameter or the detail has the place.";
    InvalidDate "invalid_date" 400 "Invalid date"
        "Send a day that exists, YYYY-MM-DD.";
    TooManyNumbers "too_many_numbers" 400 "Too many numbers"
        "Send at most 100 numbers in one request; send several requests.";
    WatchListFull "watch_list_full" 400 "Watch list full"
        "The account watches as many numbers as it may, or would. Remove some; the operator sets the limit (--watch-limit).";
    TooManyQueries "too_many_queries" 400 "Too many queries"
        "Split the batch into several requests.";
    UnknownApiVersion "unknown_api_version" 400 "Unknown API version"
        "Send one of the versions that the detail lists, or none.";
    MissingKey "missing_key" 401 "Missing API key"
        "Send the header Authorization: Token KEY, or from a web page a public key as the parameter key.";
    UnsupportedScheme "unsupported_scheme" 401 "Unsupported authorization scheme"
        "The scheme is Token, as in Authorization: Token KEY; Bearer and others are refused.";
    InvalidKey "invalid_key" 401 "Invalid API key"
        "The key is mistyped, revoked or of another server.";
    SecretKeyRequired "secret_key_required" 401 "Secret key required"
        "This endpoint takes a secret key only; it is not meant to be called from a browser.";
    SecretKeyInUrl "secret_key_in_url" 401 "Secret key in the URL"
        "A secret key in a URL is kept by proxies, logs and histories: it has leaked. Revoke it and make another. Send secret keys in the header Authorization: Token KEY, from a server; a web page may send a public key as key=.";
    InvalidToken "invalid_token" 401 "Invalid token"
        "The operator protects this path with a token. Send the header Authorization: Bearer TOKEN.";
    OriginNotAllowed "origin_not_allowed" 403 "Origin not allowed"
        "A public key works from the origins registered on it. Register the page's origin.";
    PlanTooLow "plan_too_low" 403 "Not in the plan"
        "The account's plan does not include this API.";
    BatchOptionMissing "batch_option_missing" 403 "Batch option missing"
        "The account has no batch option.";
    WebhookMissing "webhook_missing" 403 "Webhook missing"
        "The radar needs a webhook, which receives the changes. Register its URL in the dashboard, or ask the operator (daicho account set NAME --webhook URL).";
    NoSuchEndpoint "no_such_endpoint" 404 "No such endpoint"
        "No endpoint has this path. Look for a typing error.";
    NoSuchVersion "no_such_version" 404 "No such data version"
        "The server has no data of this date. /v1/postalcode/versions/, /v1/bank/versions, /v1/invoice/versions and /v1/school/versions list what it has.";
    NoSuchPostalCode "no_such_postal_code" 404 "No such postal code"
        "The data version has no record of this code.";
    NoSuchBank "no_such_bank" 404 "No such institution"
        "The data version has no institution of this code; abolished ones are left out.";
    NoSuchBranch "no_such_branch" 404 "No such branch"
        "The institution has no branch of this code in the data version.";
    NoSuchCorporation "no_such_corporation" 404 "No such corporation"
        "The data version has no corporation of this number, or its check digit is wrong.";
    NoSuchInvoiceIssuer "no_such_invoice_issuer" 404 "No such invoice issuer"
        "The data version has no qualified invoice issuer of this number, or its check digit is wrong. Individuals are there only where the operator built them (daicho build invoice --individuals).";
    NoSuchSchool "no_such_school" 404 "No such school"
        "The data version has no school of this code, or its check digit is wrong.";
    NoSuchPrefecture "no_such_prefecture" 404 "No such prefecture"
        "The data version has no municipality under this prefecture code.";
    NoSuchDate "no_such_date" 404 "No changes of this date"
        "The date is before the first or after the newest version of the corporate data that the server has. The detail names both.";
    NoSuchDownload "no_such_download" 404 "No such download"
        "The newest data version was built without its download (daicho build postal --no-download).";
    MethodNotAllowed "method_not_allowed" 405 "Method not allowed"
        "The Allow header lists the methods of this path.";
    BodyTooSlow "request_timeout" 408 "Request body too slow"
        "The body did not arrive in time. Send it at once.";
    BodyTooLarge "body_too_large" 413 "Request body too large"
        "Send a smaller body.";
    TargetTooLong "target_too_long" 414 "Request target too long"
        "Shorten the path and query.";
    RangeNotSatisfiable "range_not_satisfiable" 416 "Range not satisfiable"
        "The file has no byte of this range. Content-Range gives its length.";
    TooManyRequests "too_many_requests" 429 "Too many requests"
        "The account asks faster than its rate allows. Retry-After says when to ask again, RateLimit what is left.";
    QuotaExhausted "quota_exhausted" 429 "Quota exhausted"
        "The account has used up its requests of this calendar month (in Japan). Retry-After says when the next one begins.";
    HeadersTooLarge "headers_too_large" 431 "Request headers too large"
        "Send fewer or shorter headers.";
    Internal "internal_error" 500 "Internal error"
        "The fault is the server's. Its log has the request's id, which the X-Request-Id header gives.";
    DamagedData "damaged_data" 500 "Damaged data"
        "This data version is damaged on the server's disk; others may work. The operator must rebuild it.";
    NoData "no_data" 503 "No data loaded"
        "The server has no data yet. Try again when /readyz answers 200.";
    StateUnavailable "state_unavailable" 503 "State unavailable"
        "The store of accounts cannot be read or written now. Nothing was half done. Try again later.";
    BatchTimeout "batch_timeout" 503 "Batch cut off"
        "The batch took longer than a minute. Send fewer queries in one.";
    TooManyBatches "too_many_batches" 503 "Too many batches"
        "The server or the account has as many batches under way, or bodies on their way, as it may. Wait for an answer, or try again later.";
    TooManySearches "too_many_searches" 503 "Too many searches"
        "As many searches that take long are waiting as may. Wait for answers before you send more, or try again later.";
    SearchTimeout "search_timeout" 503 "Search cut off"
        "The search was not done in ten seconds, its time of waiting included. Send fewer terms or longer ones, or try again later.";
    TooManyConnections "too_many_connections" 503 "Too many connections"
        "The server has as many connections open as it can. Try again later.";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    pub code: Code,
    /// What was expected and what was found, without a full stop.
    pub detail: Cow<'static, str>,
    /// The parameter at fault, where there is one; of a body the path of the member.
    pub parameter: Option<Cow<'static, str>>,
    /// The methods of the path; goes into the `Allow` header of 405.
    pub allow: Option<&'static str>,
}

impl ApiError {
    pub fn plain(code: Code, detail: impl Into<Cow<'static, str>>) -> ApiError {
        ApiError { code, detail: detail.into(), parameter: None, allow: None }
    }

    pub fn of(
        parameter: impl Into<Cow<'static, str>>,
        code: Code,
        detail: impl Into<Cow<'static, str>>,
    ) -> ApiError {
        ApiError { parameter: Some(parameter.into()), ..ApiError::plain(code, detail) }
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        let code = self.code.as_str();
        put(out, &["{\"type\":\"/docs/errors#", code, "\",\"title\":"]);
        push_string(out, self.code.title());
        let status = self.code.status();
        put(out, &[",\"status\":", status.as_str(), ",\"code\":\"", code, "\",\"detail\":"]);
        push_string(out, &mask_keys(&self.detail));
        if let Some(parameter) = &self.parameter {
            put(out, &[",\"parameter\":"]);
            push_string(out, &mask_keys(parameter));
        }
        put(out, &["}"]);
    }
}

/// The page `/docs/errors`: the table of codes as HTML, an anchor each.
pub fn page() -> String {
    let mut page = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>daicho: error codes</title>\n\
         <style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}\
         td,th{text-align:left;vertical-align:top;padding:.3em 1em .3em 0}</style>\n\
         <p><a href=\"/docs/\">Documentation</a></p>\n<h1>Error codes</h1>\n\
         <p>An error's body is JSON: <code>type</code>, <code>title</code>, <code>status</code>, \
         <code>code</code>, <code>detail</code> and, where one is at fault, <code>parameter</code>. \
         A <code>code</code> never changes its meaning.</p>\n\
         <table>\n<tr><th>code</th><th>status</th><th>title</th><th>what to do</th></tr>\n",
    );
    for code in Code::ALL {
        let (name, status) = (code.as_str(), code.status().as_u16());
        let (title, remedy) = (code.title(), code.remedy());
        page.push_str(&format!(
            "<tr id=\"{name}\"><td><code>{name}</code></td><td>{status}</td>\
             <td>{title}</td><td>{remedy}</td></tr>\n"
        ));
    }
    page.push_str("</table>\n</html>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(error: &ApiError) -> String {
        let mut out = Vec::new();
        error.write(&mut out);
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn body_has_the_members_of_rfc_9457_in_order() {
        let detail = "a postal code has 7 digits; found 8";
        let error = ApiError::of("postal_code", Code::InvalidPostalCode, detail);
        assert_eq!(
            body(&error),
            "{\"type\":\"/docs/errors#invalid_postal_code\",\"title\":\"Invalid postal code\",\
             \"status\":400,\"code\":\"invalid_postal_code\",\
             \"detail\":\"a postal code has 7 digits; found 8\",\"parameter\":\"postal_code\"}"
        );
    }

    #[test]
    fn hostile_text_in_a_detail_stays_inside_its_string() {
        let error = ApiError::plain(Code::NoSuchEndpoint, "found \"\\\u{0}\n</script>");
        let value: serde_json::Value = serde_json::from_str(&body(&error)).expect("valid JSON");
        assert_eq!(value["detail"], "found \"\\\u{0}\n</script>");
        assert_eq!(value.get("parameter"), None);
    }

    #[test]
    fn every_code_is_once_in_the_table_and_on_the_page() {
        let page = page();
        for code in Code::ALL {
            let same = Code::ALL.iter().filter(|other| other.as_str() == code.as_str());
            assert_eq!(same.count(), 1, "{code:?}");
            assert!((400..600).contains(&code.status().as_u16()), "{code:?}");
            assert!(page.contains(&format!("<tr id=\"{}\">", code.as_str())), "{code:?}");
        }
    }
}
