//! The answers with corporations, and the watch list.

use super::members::{
    CORPORATE_NUMBER, DATA_VERSION, FACETS, ID, LIMIT, OFFSET, PAGE, QUERIES_MAX, QUERY,
    TEXT_OR_NULL, TOTAL, batch_params, batch_results, data, requested_facets,
};
use crate::api::shape::Shape::{self, List, OrNull, Pattern};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::dataset::corporate::CHANGE;
use crate::dataset::corporate::members::CORPORATION;

const FOUND: Member = data(CORPORATION, words("The corporation", "法人"));
pub static LOOKUP: Object = Object::new("CorporationAnswer", &[DATA_VERSION, FOUND]);

#[rustfmt::skip] // One member a line.
const FACET_SET: Shape = Shape::Object(&Object::new("CorporateFacets", &[
    member("area", FACETS, words("By area", "地域別")).optional(),
    member("kind", FACETS, words("By kind", "法人種別")).optional(),
    member("process", FACETS, words("By process", "処理区分別")).optional(),
    member("close_cause", FACETS, words("By cause of closing", "閉鎖事由別")).optional(),
]));

pub const REQUESTED_FACETS: Member = requested_facets(OrNull(&FACET_SET));

const DATA: Member = data(List(&CORPORATION), words("The corporations", "法人"));
pub static SEARCH: Object = Object::new(
    "CorporateSearch",
    &[DATA_VERSION, DATA, QUERY, TOTAL, OFFSET, LIMIT, REQUESTED_FACETS],
);

#[rustfmt::skip] // One member a line.
const BATCH_PARAMS: Shape = Shape::Object(&Object::new("CorporateBatchParams", &[
    member("default_limit", PAGE, words("Default of limit for queries without one", "limitの既定値")),
]));
const BATCH_RECORD: Shape = Shape::Object(&Object::new(
    "CorporateBatchRecord",
    &[DATA, QUERY, TOTAL, OFFSET, LIMIT, REQUESTED_FACETS, ID],
));
const RESULTS: Member = batch_results(List(&BATCH_RECORD));
pub static BATCH: Object =
    Object::new("CorporateBatch", &[DATA_VERSION, batch_params(BATCH_PARAMS), RESULTS]);

#[rustfmt::skip] // One member a line.
const BATCH_QUERY: Shape = Shape::Object(&Object::new("CorporateBatchQuery", &[
    member("q", Pattern("."), words("A query", "検索式")),
    member("limit", OrNull(&PAGE), words("Maximum number of records", "返す件数の上限")).optional(),
    member("id", TEXT_OR_NULL, words("Returned unchanged in the result", "結果にそのまま返す")).optional(),
]).open());

#[rustfmt::skip] // One member a line.
pub static BATCH_BODY: Object = Object::new("CorporateBatchRequest", &[
    member("default_limit", OrNull(&PAGE), words("Default of limit for queries without one; 1 if omitted", "limitの既定値。省略すると1")).optional(),
    member("queries", Shape::UpTo(QUERIES_MAX, &BATCH_QUERY), words("The queries", "問い合わせ")),
]).open();

const WATCHED: Member = data(List(&CORPORATE_NUMBER), words("Corporate numbers", "法人番号"));
pub static NUMBERS: Object = Object::new("CorporateNumbers", &[WATCHED]);

const SENT_NUMBER: Shape = Pattern("^[0-9０-９]{13}$");
const SENT: Member = data(List(&SENT_NUMBER), words("Corporate numbers", "法人番号"));
pub static NUMBERS_BODY: Object = Object::new("CorporateNumbersRequest", &[SENT]).open();

#[rustfmt::skip] // One member a line.
pub static HISTORY: Object = Object::new("CorporateHistory", &[
    DATA_VERSION,
    member("corporate_number", CORPORATE_NUMBER, words("Corporate number", "法人番号")),
    data(List(&CHANGE), words("The changes, oldest first", "変更。古い順")),
]);
