//! ttskch and madefor: `/api/v1/1000014.json` and `/api/v1/100/0014.json`, the addresses of a code in Japanese and in Roman
//! letters; ttskch has the readings, too.
//!
//! An address has the members `prefecture` and `address1` to `address4`: municipality, town, lot and name of an office.
//! Each row of the source is an address; the town is what stands before its brackets, and empty if the row names several.
//! As in the originals an office has no reading but that of its name, and nothing in Roman letters. An unknown code is 404.

use super::protocol::{JSON, POSTAL_JSON, Protocol, budgeted};
use super::roman::{self, RomanName};
use super::rows::source_rows;
use super::town::{Printed, printed};
use crate::api::endpoint::{BudgetedHandler, Endpoint, Parameter, parameter};
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::Reply;
use crate::api::resource::latest_data;
use crate::api::shape::Shape::Text;
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::json::{push_code, push_string, put, write_list};
use crate::record::postal::PostalView;
use crate::text::codes::PostalCode;

pub const PROTOCOL: Protocol = Protocol {
    name: "ttskch",
    endpoints: &[
        file("/api/v1/{code}.json", ttskch, CODE, "/api/v1/1000001.json"),
        file("/api/v1/{first}/{last}.json", madefor, PARTS, "/api/v1/100/0001.json"),
    ],
};

const CODE: &[Parameter] =
    &[parameter("code", Text, words("Seven digits", "7桁の数字"), "1000001")];

const PARTS: &[Parameter] = &[
    parameter("first", Text, words("The first three digits", "上3桁"), "100"),
    parameter("last", Text, words("The last four digits", "下4桁"), "0001"),
];

const fn file(
    path: &'static str,
    handler: BudgetedHandler,
    parameters: &'static [Parameter],
    example: &'static str,
) -> Endpoint {
    let summary = words("The addresses of a code", "郵便番号の住所");
    budgeted(POSTAL_JSON, path, handler, summary, parameters, example)
}

/// The most rows of a code for which an answer is written on the thread of the connection: making Roman names costs
/// microseconds a row.
const ROWS_MAX: usize = 8;

fn ttskch(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let code = code(&[(request.path("code"), "1000001")])?;
    reply(request, budget, code, |out, code, rows| {
        put(out, &["{\"postalCode\":\""]);
        push_code::<7>(out, code.number());
        put(out, &["\",\"addresses\":"]);
        write_list(out, rows.iter().map(Address::of), |out, address| {
            put(out, &["{\"prefectureCode\":\"", &address.prefecture_code, "\""]);
            for (member, lines) in
                [("ja", &address.japanese), ("kana", &address.kana), ("en", &address.roman)]
            {
                write_lines(out, member, lines);
            }
            put(out, &["}"]);
        });
        put(out, &["}"]);
    })
}

fn madefor(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let code = code(&[(request.path("first"), "100"), (request.path("last"), "0001")])?;
    reply(request, budget, code, |out, code, rows| {
        put(out, &["{\"code\":\""]);
        push_code::<7>(out, code.number());
        put(out, &["\",\"data\":"]);
        write_list(out, rows.iter().map(Address::of), |out, address| {
            put(out, &["{\"prefcode\":\"", &address.prefecture_code, "\""]);
            for (member, lines) in [("ja", &address.japanese), ("en", &address.roman)] {
                write_lines(out, member, lines);
            }
            put(out, &["}"]);
        });
        put(out, &["}"]);
    })
}

/// The code that these parts make, each of as many ASCII digits as the example beside it.
fn code(parts: &[(&str, &str)]) -> Result<PostalCode, ApiError> {
    let is_part = |&(text, example): &(&str, &str)| {
        text.len() == example.len() && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let text: String = parts.iter().map(|(text, _)| *text).collect();
    let code = PostalCode::parse(&text).ok().filter(|_| parts.iter().all(is_part));
    code.ok_or_else(|| {
        let example = parts.iter().map(|(_, example)| *example).collect::<Vec<_>>().join("/");
        let detail = format!(
            "expected the digits of a postal code in the path, such as {example}.json; found others"
        );
        ApiError::new(Code::NoSuchEndpoint, detail)
    })
}

fn reply(
    request: &ApiRequest<'_>,
    budget: &CostBudget<'_>,
    code: PostalCode,
    write: impl FnOnce(&mut Vec<u8>, PostalCode, &[PostalView<'_>]),
) -> Result<Reply, HandlerError> {
    let requested = latest_data(request, Catalog::postal)?;
    let records = requested.sound(requested.data.lookup(code))?;
    let rows: Vec<PostalView<'_>> = source_rows(records).collect();
    if rows.is_empty() {
        let version = requested.version();
        let detail = format!("expected a postal code that version {version} has; found {code}");
        return Err(ApiError::new(Code::NoSuchPostalCode, detail).into());
    }
    budget.require_ready(rows.len() <= ROWS_MAX)?;
    let (headers, version) = (&request.head.headers, Some(requested.version()));
    Ok(Reply::foreign(headers, requested.tag(), version, JSON, |out| write(out, code, &rows)))
}

/// Prefecture, municipality, town, lot and name.
type Lines = [String; 5];

const MEMBERS: [&str; 5] = ["prefecture", "address1", "address2", "address3", "address4"];

struct Address {
    /// Two digits.
    prefecture_code: String,
    japanese: Lines,
    kana: Lines,
    roman: Lines,
}

impl Address {
    fn of(row: &PostalView<'_>) -> Address {
        let (city, raw) = (row.city(), row.town_raw().text);
        let (prefecture, names) = (city.prefecture(), city.city());
        let prefecture_code = format!("{:02}", city.jisx0402() / 1_000);
        let place = [prefecture.name.text, names.name.text];
        let Some(office) = row.corporation() else {
            let town = match printed(raw, row.town_kana_raw().text) {
                // The row is for several towns, none of which is the town of the code.
                several if several.name.contains('、') => {
                    Printed { name: "", kana: "", ..several }
                }
                town => town,
            };
            let units = roman::municipality(&city);
            let roman = [
                roman::prefecture(prefecture.kana.text).name,
                smaller_first(&units),
                roman::town(row, town).into_owned(),
            ];
            let [japanese, kana] = [
                [place[0], place[1], town.name],
                [prefecture.kana.text, names.kana.text, town.kana],
            ]
            .map(|lines| with_empty(lines.map(str::to_owned)));
            return Address { prefecture_code, japanese, kana, roman: with_empty(roman) };
        };
        let name = office.name().text.replace('\u{3000}', " ");
        let japanese = [place[0], place[1], raw, office.block_lot().text, &name].map(str::to_owned);
        let mut kana = Lines::default();
        office.name_kana().text.clone_into(&mut kana[4]);
        Address { prefecture_code, japanese, kana, roman: Lines::default() }
    }
}

fn with_empty([prefecture, city, town]: [String; 3]) -> Lines {
    [prefecture, city, town, String::new(), String::new()]
}

/// The municipality as in an English address: Naka-ku, Yokohama-shi.
fn smaller_first(names: &[RomanName]) -> String {
    names.iter().rev().map(RomanName::hyphenated).collect::<Vec<_>>().join(", ")
}

fn write_lines(out: &mut Vec<u8>, name: &str, lines: &Lines) {
    put(out, &[",\"", name, "\":{"]);
    for (index, (member, line)) in MEMBERS.into_iter().zip(lines).enumerate() {
        put(out, &[if index == 0 { "\"" } else { ",\"" }, member, "\":"]);
        push_string(out, line);
    }
    put(out, &["}"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_digits_of_a_code() {
        const WHOLE: &str = "1000001";
        const FIRST: &str = "100";
        const LAST: &str = "0001";
        let number = |parts: &[(&str, &str)]| code(parts).map(PostalCode::number);
        assert_eq!(number(&[("0600000", WHOLE)]), Ok(600_000));
        assert_eq!(number(&[("060", FIRST), ("0000", LAST)]), Ok(600_000));
        for text in ["", "100", "10000011", "100-0001", "100000a", "１００"] {
            let error = code(&[(text, WHOLE)]).expect_err("no code");
            assert_eq!(error.code.status().as_u16(), 404, "{text}");
            assert!(error.detail.contains("such as 1000001.json"), "{}", error.detail);
        }
        for (first, last) in [("1000", "001"), ("100", "001"), ("2026", "date"), ("10a", "0001")] {
            let error = code(&[(first, FIRST), (last, LAST)]).expect_err("no code");
            assert_eq!(error.code.status().as_u16(), 404, "{first}");
            assert!(error.detail.contains("such as 100/0001.json"), "{}", error.detail);
        }
    }

    #[test]
    fn the_smaller_place_comes_first_in_roman_letters() {
        let name = |name: &str, kind| RomanName { name: name.to_owned(), kind };
        for (names, expected) in [
            (&[name("Chiyoda", "Ku")][..], "Chiyoda-ku"),
            (&[name("Sapporo", "Shi"), name("Chuo", "Ku")], "Chuo-ku, Sapporo-shi"),
            (&[name("Otokuni", "Gun"), name("Oyamazaki", "Cho")], "Oyamazaki-cho, Otokuni-gun"),
            (&[name("Miyakejima", ""), name("Miyake", "Mura")], "Miyake-mura, Miyakejima"),
            (&[], ""),
        ] {
            assert_eq!(smaller_first(names), expected);
        }
    }
}
