//! The tax agency's Web-API for corporate numbers, version 4: `/4/num`, `/4/name` and `/4/diff`.
//!
//! | code | what is wrong | known from |
//! |---|---|---|
//! | 100 | a required parameter is missing | clients |
//! | 030 | a date, or a period | clients |
//! | 013 | `diff` from a day before 2015-12-01 | the agency's specification, as clients quote it |
//! | 051 | `address` is the code of a municipality without its prefecture | the same |
//! | 152 | `name` from a day before 2015-10-05 | the same |
//! | 901 to 905 | [`codes`] has them | our own choice |
//!
//! The whole list of the agency's codes was not at hand. Those of ours begin with 9, where it has none that we know.
//!
//! The `id` may be a public key. Answers are from the newest data; with `history=1`, `change=1` and in `diff` also from
//! the older versions that the server has loaded ([`entries`]).

mod entries;
mod name;
mod narrowing;
mod row;

use self::entries::changes;
use self::narrowing::Narrowing;
use self::row::{CorporateRow, FORMS, LAYOUT};
use super::agency::answer::Header;
use super::agency::fault::{self, Fault, FaultKind, Refusal};
use super::agency::page::Page;
use super::agency::parameters::{self, DIVIDE, NUMBERS_MAX, flag, form, page};
use super::agency::period::Period;
use super::agency::{AGENCY, ID, versions};
use super::protocol::{Protocol, budgeted};
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::error::ApiError;
use crate::api::executor::cost_budget::CostBudget;
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::{ErrorText, Reply};
use crate::api::resource::latest_data;
use crate::api::shape::Shape::Text;
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::dataset::corporate::{CorporateData, history};
use crate::snapshot::Dataset as _;
use crate::text::codes::CorporateNumber;

pub const PROTOCOL: Protocol = Protocol {
    name: "nta",
    endpoints: &[
        budgeted(
            DEFAULTS,
            "/4/num",
            |request, budget| fault::reply(codes, num(request, budget)),
            words("Corporations by number", "法人番号による法人"),
            &[
                TYPE,
                parameter(
                    "number",
                    Text,
                    words("Up to ten numbers", "法人番号（10件まで）"),
                    "7010001008844",
                ),
                HISTORY,
            ],
            "/4/num?number=6010001999901&type=12",
        ),
        budgeted(
            DEFAULTS,
            "/4/name",
            |request, budget| fault::reply(codes, name::name(request, budget)),
            words("Corporations by name", "名称による法人"),
            &[TYPE, NAME, MODE, TARGET, ADDRESS, KIND, CHANGE, CLOSE, FROM, TO, DIVIDE],
            "/4/name?name=%E5%8F%B0%E5%B8%B3&type=12",
        ),
        budgeted(
            DEFAULTS,
            "/4/diff",
            |request, budget| fault::reply(codes, diff(request, budget)),
            words("Corporations that changed in a period", "期間内に変更のあった法人"),
            &[TYPE, FROM, TO, ADDRESS, KIND, DIVIDE],
            "/4/diff?from=2026-08-03&to=2026-08-03&type=12",
        ),
    ],
};

const TYPE: Parameter =
    parameter("type", Text, words("01, 02 or 12", "01、02、12のいずれか"), "12");
const HISTORY: Parameter =
    parameter("history", Text, words("1: earlier entries too", "1なら変更履歴も"), "1");
const NAME: Parameter = parameter("name", Text, words("A name", "商号又は名称"), "台帳");
const MODE: Parameter =
    parameter("mode", Text, words("1: beginning, 2: part", "1は前方一致、2は部分一致"), "2");
const TARGET: Parameter = parameter(
    "target",
    Text,
    words("1: folded, 2: as written, 3: English", "1はあいまい、2は文字どおり、3は英語表記"),
    "1",
);
const ADDRESS: Parameter = parameter(
    "address",
    Text,
    words("Two or five digits", "都道府県コード、または市区町村コードと合わせた5桁"),
    "13",
);
const KIND: Parameter =
    parameter("kind", Text, words("01 to 04, between commas", "01から04（カンマ区切り）"), "03");
const CHANGE: Parameter =
    parameter("change", Text, words("1: former names too", "1なら旧名称も"), "1");
const CLOSE: Parameter =
    parameter("close", Text, words("0: without closed ones", "0なら閉鎖した法人を除く"), "0");
const FROM: Parameter = parameter("from", Text, words("The first day", "開始日"), "2026-08-03");
const TO: Parameter = parameter("to", Text, words("The last day", "終了日"), "2026-08-03");

const DEFAULTS: Endpoint = Endpoint {
    datasets: &[CorporateData::KIND],
    content: Content::Other("application/xml; charset=utf-8"),
    error_form: Some(error_text),
    ..AGENCY
};

/// The codes of refusals. Those from 901 on are our own.
fn codes(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Missing => "100",
        FaultKind::Date => "030",
        FaultKind::BeforeService => "013",
        FaultKind::CityWithoutPrefecture => "051",
        FaultKind::BeforeNumbers => "152",
        FaultKind::Number => "901",
        FaultKind::TooManyNumbers => "902",
        FaultKind::Value => "903",
        FaultKind::UnknownDays => "904",
        FaultKind::TooBroad => "905",
    }
}

fn error_text(error: &ApiError) -> ErrorText {
    fault::error_text(codes, ID, error)
}

/// The day on which the agency's service began.
const SERVICE_START: u32 = 20_151_201;

/// The present entries of up to ten numbers, or all that are known. An unknown number has none.
fn num(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, Refusal> {
    let form = form(&request.params, &FORMS)?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let parse = |text: &str| CorporateNumber::parse(text).ok().filter(|_| is_number(text));
    let numbers =
        parameters::numbers(&request.params, NUMBERS_MAX, "13桁の法人番号（半角数字）", parse)?;
    let with_history = flag(&request.params, "history", false)?;
    let requested = latest_data(request, Catalog::corporate)?;
    let versions = match with_history {
        true => versions(request, Catalog::corporate),
        false => vec![&**requested.data],
    };
    budget.require_ready(versions.iter().all(|data| data.is_lookup_checked()))?;
    if with_history {
        budget.admit(&history::cost(versions.len() * numbers.len()), "history", "")?;
    }
    let mut rows: Vec<CorporateRow<'_>> = Vec::new();
    for number in numbers {
        let entries = entries::entries(&versions, number, budget)
            .map_err(|error| requested.handler_error(budget, "number", error))?;
        rows.extend(entries.iter().map(entries::Entry::row));
    }
    let header = Header { updated: requested.version(), count: rows.len(), page: Page::FIRST };
    Ok(LAYOUT.reply(request, form, &header, &rows))
}

/// The entries that were published in a period.
fn diff(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, Refusal> {
    let form = form(&request.params, &FORMS)?;
    let period = Period::read(&request.params)?;
    if period.from.number() < SERVICE_START {
        let message = "パラメーターfromには2015-12-01以後の日付を指定してください。";
        return Err(Fault::new(FaultKind::BeforeService, message).into());
    }
    let narrowing = Narrowing::read(&request.params)?;
    let page = page(&request.params)?;
    // Change lists are read from disk.
    budget.require_ready(false)?;
    let requested = latest_data(request, Catalog::corporate)?;
    let changes = changes(request, &requested, period, &narrowing, budget)?;
    let count = changes.rows.len();
    let header = Header { updated: requested.version(), count, page };
    let reply = LAYOUT.reply(request, form, &header, &changes.rows[page.rows(count)]);
    Ok(fault::with_lost(reply, changes.lost))
}
