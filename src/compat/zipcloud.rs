//! zipcloud: `GET /api/search?zipcode=…`, as JSON or, with `callback`, as a call of that function.
//!
//! The status of HTTP is 200 also for a wrong code, which the body reports in zipcloud's words; only the name of a function
//! that could run something else is 400. Offices, which zipcloud does not have, come last.

use std::borrow::Cow;

use super::protocol::{POSTAL, Protocol};
use super::rows::source_rows;
use super::script::{JAVASCRIPT, callback_name, push_string, write_call};
use super::town::{half_width, listed_towns};
use crate::api::endpoint::{Content, Endpoint, Handler, Parameter, parameter};
use crate::api::error::ApiError;
use crate::api::pipeline::params::{ApiRequest, Params};
use crate::api::pipeline::reply::Reply;
use crate::api::resource::latest_data;
use crate::api::shape::Shape::Text;
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::json::{push_code, push_number, put};
use crate::record::postal::PostalView;
use crate::text::codes::PostalCode;
use crate::text::numerals::whole_number;

pub const PROTOCOL: Protocol = Protocol {
    name: "zipcloud",
    endpoints: &[Endpoint {
        path: "/api/search",
        handler: Handler::Immediate(search),
        summary: words("The addresses of a code", "郵便番号の住所"),
        parameters: PARAMETERS,
        content: Content::Other(PLAIN),
        example: "/api/search?zipcode=1000001",
        ..POSTAL
    }],
};

const PARAMETERS: &[Parameter] = &[
    parameter("zipcode", Text, words("Seven digits", "7桁の数字"), "1000001"),
    parameter("callback", Text, words("Name of a function", "関数名"), "f"),
    parameter("limit", Text, words("Most results; default: 20", "最大件数。省略すると20"), "20"),
];

/// The type that the service sends for JSON.
const PLAIN: &str = "text/plain;charset=utf-8";

const LIMIT_DEFAULT: usize = 20;

/// What the body of status 400 says.
const NO_CODE: &str = "必須パラメータが指定されていません。";
const WRONG_LENGTH: &str = "パラメータ「郵便番号」の桁数が不正です。";
const NO_DIGITS: &str = "パラメータ「郵便番号」に数字以外の文字が指定されています。";
const NO_NUMBER: &str = "パラメータ「最大件数」に数字以外の文字が指定されています。";

fn search(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let callback = callback_name("callback", request.params.get("callback")?)?;
    let requested = latest_data(request, Catalog::postal)?;
    let records = match read(&request.params) {
        Ok((code, limit)) => Ok((requested.sound(requested.data.lookup(code))?, limit)),
        Err(message) => Err(message),
    };
    let write = |out: &mut Vec<u8>| match records {
        Ok((records, limit)) => write_found(out, records, limit),
        Err(message) => {
            put(out, &["{\"message\":\"", message, "\",\"results\":null,\"status\":400}"]);
        }
    };
    let (headers, tag) = (&request.head.headers, requested.tag());
    let version = Some(requested.version());
    Ok(match callback {
        None => Reply::foreign(headers, tag, version, PLAIN, write),
        Some(function) => Reply::foreign(headers, tag, version, JAVASCRIPT, |out| {
            write_call(out, &function, write);
        }),
    })
}

/// The code and the most results, or the message of the body.
fn read(params: &Params<'_>) -> Result<(PostalCode, usize), &'static str> {
    let text = params.get("zipcode").map_err(|_undecodable| NO_DIGITS)?.unwrap_or_default();
    let digits = text.replace('-', "");
    if text.is_empty() {
        return Err(NO_CODE);
    }
    if digits.chars().count() != 7 {
        return Err(WRONG_LENGTH);
    }
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NO_DIGITS);
    }
    let code = PostalCode::parse(&digits).map_err(|_no_code| NO_DIGITS)?;
    let limit = params.get("limit").map_err(|_undecodable| NO_NUMBER)?;
    let limit = limit.filter(|text: &Cow<'_, str>| !text.is_empty());
    let limit = limit.map(|text| whole_number::<u64>(&text).ok_or(NO_NUMBER)).transpose()?;
    Ok((code, limit.map_or(LIMIT_DEFAULT, |limit| usize::try_from(limit).unwrap_or(usize::MAX))))
}

fn write_found<'s>(
    out: &mut Vec<u8>,
    records: impl Iterator<Item = PostalView<'s>> + Clone,
    limit: usize,
) {
    put(out, &["{\"message\":null,\"results\":"]);
    let start = out.len();
    let mut count = 0;
    for record in source_rows(records) {
        for [town, kana] in towns(&record) {
            if count == limit {
                break;
            }
            put(out, &[if count == 0 { "[" } else { "," }]);
            write_result(out, &record, &town, &kana);
            count += 1;
        }
    }
    put(out, &[if out.len() == start { "null" } else { "]" }, ",\"status\":200}"]);
}

/// The towns of a record's row with their readings; for an office its town and lot.
fn towns(record: &PostalView<'_>) -> Vec<[String; 2]> {
    let raw = record.town_raw().text;
    match record.corporation() {
        Some(office) => vec![[[raw, office.block_lot().text].concat(), String::new()]],
        None => {
            let towns = listed_towns(raw, record.town_kana_raw().text).into_iter();
            towns.map(|town| [town.name, town.kana]).collect()
        }
    }
}

fn write_result(out: &mut Vec<u8>, record: &PostalView<'_>, town: &str, kana: &str) {
    let (prefecture, city) = (record.city().prefecture(), record.city().city());
    let (prefecture_kana, city_kana) =
        (half_width(prefecture.kana.text), half_width(city.kana.text));
    let members = [
        ("{\"address1\":", prefecture.name.text),
        (",\"address2\":", city.name.text),
        (",\"address3\":", town),
        (",\"kana1\":", &prefecture_kana),
        (",\"kana2\":", &city_kana),
        (",\"kana3\":", kana),
    ];
    for (name, value) in members {
        put(out, &[name]);
        push_string(out, value);
    }
    put(out, &[",\"prefcode\":\""]);
    push_number(out, (record.city().jisx0402() / 1_000).into());
    put(out, &["\",\"zipcode\":\""]);
    push_code::<7>(out, record.postal_code());
    put(out, &["\"}"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_code_has_the_services_own_words() {
        #[track_caller]
        fn check(query: &str, expected: Result<(u32, usize), &str>) {
            let found = read(&Params::new(Some(query)));
            assert_eq!(found.map(|(code, limit)| (code.number(), limit)), expected, "{query}");
        }
        check("zipcode=1000001", Ok((1_000_001, 20)));
        check("zipcode=100-0001&limit=3", Ok((1_000_001, 3)));
        check("zipcode=0600000&limit=", Ok((600_000, 20)));
        check("", Err(NO_CODE));
        check("zipcode=", Err(NO_CODE));
        for wrong in ["100", "10000011", "-", "abc"] {
            check(&format!("zipcode={wrong}"), Err(WRONG_LENGTH));
        }
        for wrong in ["100000a", "%EF%BC%91000001", "%zz", "1000001&zipcode=1000001"] {
            check(&format!("zipcode={wrong}"), Err(NO_DIGITS));
        }
        for wrong in ["x", "-1", "%zz"] {
            check(&format!("zipcode=1000001&limit={wrong}"), Err(NO_NUMBER));
        }
    }
}
