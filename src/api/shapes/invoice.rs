//! The answers with qualified invoice issuers.

use super::corporate::REQUESTED_FACETS;
use super::members::{
    DATA_VERSION, DATE_OR_NULL, ID, INVOICE_NUMBER, LIMIT, OFFSET, QUERIES_MAX, QUERY,
    TEXT_OR_NULL, TOTAL, batch_params, data,
};
use crate::api::shape::Shape::{self, Bool, List, OrNull, Pattern};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::dataset::invoice::members::ISSUER;

#[rustfmt::skip] // One member a line.
pub static LOOKUP: Object = Object::new("InvoiceIssuerAnswer", &[
    DATA_VERSION,
    data(ISSUER, words("The issuer", "適格請求書発行事業者")),
    member("registered_on_date", Bool, words("Whether it was registered on the day; only if date is given", "指定日に登録されていたか。dateを指定したときだけ")).optional(),
]);

const DATA: Member = data(List(&ISSUER), words("The issuers", "適格請求書発行事業者"));
pub static SEARCH: Object = Object::new(
    "InvoiceSearch",
    &[DATA_VERSION, DATA, QUERY, TOTAL, OFFSET, LIMIT, REQUESTED_FACETS],
);

#[rustfmt::skip] // One member a line.
const BATCH_PARAMS: Shape = Shape::Object(&Object::new("InvoiceBatchParams", &[
    member("default_date", DATE_OR_NULL, words("Default of date for numbers without one", "dateの既定値")),
]));

#[rustfmt::skip] // One member a line.
const BATCH_RECORD: Shape = Shape::Object(&Object::new("InvoiceBatchRecord", &[
    DATA,
    member("query", INVOICE_NUMBER, words("The number", "登録番号")),
    member("registered_on_date", OrNull(&Bool), words("Whether it was registered on the day", "指定日に登録されていたか")),
    TOTAL,
    OFFSET,
    LIMIT,
    member("facets", TEXT_OR_NULL, words("Always null", "常にnull")),
    ID,
]));

#[rustfmt::skip] // One member a line.
pub static BATCH: Object = Object::new("InvoiceBatch", &[
    DATA_VERSION,
    batch_params(BATCH_PARAMS),
    member("records", List(&BATCH_RECORD), words("The result of each number", "登録番号ごとの結果")),
]);

#[rustfmt::skip] // One member a line.
const BATCH_QUERY: Shape = Shape::Object(&Object::new("InvoiceBatchQuery", &[
    member("number", Pattern("^[TＴ][0-9０-９]{13}$"), words("A registration number", "登録番号")),
    member("date", DATE_OR_NULL, words("A day", "日付")).optional(),
    member("id", TEXT_OR_NULL, words("Returned unchanged in the result", "結果にそのまま返す")).optional(),
]).open());

#[rustfmt::skip] // One member a line.
pub static BATCH_BODY: Object = Object::new("InvoiceBatchRequest", &[
    member("default_date", DATE_OR_NULL, words("Default of date for numbers without one", "dateの既定値")).optional(),
    member("queries", Shape::UpTo(QUERIES_MAX, &BATCH_QUERY), words("The numbers", "登録番号")),
]).open();
