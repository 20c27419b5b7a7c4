//! The tax agency's Web-API for qualified invoice issuers, version 1: `/1/num`, `/1/valid` and `/1/diff`.
//!
//! | code | what is wrong | known from |
//! |---|---|---|
//! | 400-0002 | more than ten numbers | clients |
//! | 400-9001 to 400-9006 | [`codes`] has them | our own choice |
//!
//! Known from clients are also the paths, the parameters and the JSON. Our own choice are the encoding of CSV (UTF-8, as
//! the register's files), the outer elements of XML, and the body of an error: the code, a comma, a message.
//!
//! The `id` may be a public key. Answers are from the newest data; with `history=1`, in `valid` and in `diff` also from
//! the older versions that the server has loaded ([`entries`]).

mod entries;
mod row;

use self::entries::{Division, changes, on_day};
use self::row::{IssuerRow, LAYOUT};
use super::agency::answer::{Form, Header};
use super::agency::fault::{self, Fault, FaultKind, Refusal};
use super::agency::page::Page;
use super::agency::parameters::{DIVIDE, NUMBERS_MAX, date, flag, form, numbers, page, word};
use super::agency::period::Period;
use super::agency::{AGENCY, ID, versions};
use super::protocol::{Protocol, budgeted};
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::error::ApiError;
use crate::api::executor::cost_budget::CostBudget;
use crate::api::pipeline::params::{ApiRequest, Params};
use crate::api::pipeline::reply::{ErrorText, Reply};
use crate::api::resource::latest_data;
use crate::api::shape::Shape::Text;
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::dataset::corporate::history;
use crate::dataset::invoice::InvoiceData;
use crate::snapshot::Dataset as _;
use crate::text::codes::InvoiceNumber;

pub const PROTOCOL: Protocol = Protocol {
    name: "invoice-nta",
    endpoints: &[
        budgeted(
            DEFAULTS,
            "/1/num",
            |request, budget| fault::reply(codes, num(request, budget)),
            words("Invoice issuers by number", "登録番号による事業者"),
            &[TYPE, NUMBER, HISTORY],
            "/1/num?number=T2010005999901&type=21",
        ),
        budgeted(
            DEFAULTS,
            "/1/valid",
            |request, budget| fault::reply(codes, valid(request, budget)),
            words("An invoice issuer on a day", "指定日の事業者"),
            &[TYPE, NUMBER, DAY],
            "/1/valid?number=T2010005999901&day=2026-08-04&type=21",
        ),
        budgeted(
            DEFAULTS,
            "/1/diff",
            |request, budget| fault::reply(codes, diff(request, budget)),
            words("Invoice issuers that changed in a period", "期間内に変更のあった事業者"),
            &[TYPE, FROM, TO, DIVISION, DIVIDE],
            "/1/diff?from=2026-08-04&to=2026-08-04&type=21",
        ),
    ],
};

const TYPE: Parameter =
    parameter("type", Text, words("01, 11 or 21", "01、11、21のいずれか"), "21");
const NUMBER: Parameter =
    parameter("number", Text, words("Up to ten numbers", "登録番号（10件まで）"), "T2010005999901");
const HISTORY: Parameter =
    parameter("history", Text, words("1: earlier entries too", "1なら履歴も"), "1");
const DAY: Parameter = parameter("day", Text, words("A day", "日付"), "2026-08-04");
const FROM: Parameter = parameter("from", Text, words("The first day", "開始日"), "2026-08-04");
const TO: Parameter = parameter("to", Text, words("The last day", "終了日"), "2026-08-04");
const DIVISION: Parameter =
    parameter("division", Text, words("1: individuals, 2: others", "1は個人、2は法人など"), "2");

const DEFAULTS: Endpoint = Endpoint {
    datasets: &[InvoiceData::KIND],
    content: Content::Other("application/json; charset=utf-8"),
    error_form: Some(error_text),
    ..AGENCY
};

const FORMS: [(Form, &str); 3] = [(Form::CsvUtf8, "01"), (Form::Xml, "11"), (Form::Json, "21")];

/// The codes of refusals. Those from 9001 on are our own.
fn codes(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::TooManyNumbers => "400-0002",
        FaultKind::Missing => "400-9001",
        FaultKind::Value | FaultKind::CityWithoutPrefecture => "400-9002",
        FaultKind::Number => "400-9003",
        FaultKind::Date | FaultKind::BeforeService | FaultKind::BeforeNumbers => "400-9004",
        FaultKind::UnknownDays => "400-9005",
        FaultKind::TooBroad => "400-9006",
    }
}

fn error_text(error: &ApiError) -> ErrorText {
    fault::error_text(codes, ID, error)
}

fn read_numbers(params: &Params<'_>, numbers_max: usize) -> Result<Vec<InvoiceNumber>, Refusal> {
    let is_number = |text: &str| text.is_ascii() && text.starts_with('T');
    let parse = |text: &str| InvoiceNumber::parse(text).ok().filter(|_| is_number(text));
    numbers(params, numbers_max, "Tと13桁の半角数字の登録番号", parse)
}

/// The present entries of up to ten numbers, or all that are known. An unknown number has none.
fn num(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, Refusal> {
    let form = form(&request.params, &FORMS)?;
    let numbers = read_numbers(&request.params, NUMBERS_MAX)?;
    let with_history = flag(&request.params, "history", false)?;
    let requested = latest_data(request, Catalog::invoice)?;
    let mut rows: Vec<IssuerRow<'_>> = Vec::new();
    if with_history {
        let versions = versions(request, Catalog::invoice);
        // The tables of older versions are verified at their first use.
        budget.require_ready(versions.len() == 1)?;
        budget.admit(&history::cost(versions.len() * numbers.len()), "history", "")?;
        for number in numbers {
            let entries = entries::entries(&versions, number, budget)
                .map_err(|error| requested.handler_error(budget, "number", error))?;
            rows.extend(entries.iter().map(entries::Entry::row));
        }
    } else {
        for number in numbers {
            let view = requested.sound(requested.data.lookup(number))?;
            rows.extend(view.map(|view| row::row(&view, view.registration.latest)));
        }
    }
    let header = Header { updated: requested.version(), count: rows.len(), page: Page::FIRST };
    Ok(LAYOUT.reply(request, form, &header, &rows))
}

/// The entry of a number that holds on a day.
fn valid(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, Refusal> {
    let form = form(&request.params, &FORMS)?;
    let numbers = read_numbers(&request.params, 1)?;
    let day = date(&request.params, "day")?.ok_or_else(|| Fault::missing("day"))?;
    let requested = latest_data(request, Catalog::invoice)?;
    let versions = versions(request, Catalog::invoice);
    budget.require_ready(versions.len() == 1)?;
    budget.admit(&history::cost(versions.len()), "day", "")?;
    let mut rows: Vec<IssuerRow<'_>> = Vec::new();
    for number in numbers {
        let entries = entries::entries(&versions, number, budget)
            .map_err(|error| requested.handler_error(budget, "number", error))?;
        rows.extend(on_day(&entries, day.number()).map(entries::Entry::row));
    }
    let header = Header { updated: requested.version(), count: rows.len(), page: Page::FIRST };
    Ok(LAYOUT.reply(request, form, &header, &rows))
}

/// The entries that were published in a period.
fn diff(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, Refusal> {
    let form = form(&request.params, &FORMS)?;
    let period = Period::read(&request.params)?;
    let divisions = [(Division::Individuals, "1"), (Division::Others, "2")];
    let division = word(&request.params, "division", &divisions)?;
    let page = page(&request.params)?;
    // Change lists are read from disk.
    budget.require_ready(false)?;
    let requested = latest_data(request, Catalog::invoice)?;
    let changes = changes(request, &requested, period, division, budget)?;
    let count = changes.rows.len();
    let header = Header { updated: requested.version(), count, page };
    let reply = LAYOUT.reply(request, form, &header, &changes.rows[page.rows(count)]);
    Ok(fault::with_lost(reply, changes.lost))
}
