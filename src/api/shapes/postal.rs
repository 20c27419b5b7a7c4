//! The answers with postal records and municipalities, and the bodies of the address search.

use super::members::{
    DATA_VERSION, FACETS_OR_NULL, LIMIT, OFFSET, PAGE, QUERIES_MAX, TEXT_OR_NULL, TOTAL,
    batch_params, batch_results, data,
};
use crate::api::shape::Shape::{self, List, OneNumber, OrNull, Text};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::dataset::postal::explain::EXPLANATION;
use crate::dataset::postal::members::{MUNICIPALITY, POSTAL_RECORD};
use crate::dataset::postal::search_answer::UNDERSTOOD;

const DATA: Member = data(List(&POSTAL_RECORD), words("The records", "レコード"));
pub static LOOKUP: Object = Object::new("PostalRecords", &[DATA_VERSION, DATA]);

const MUNICIPALITIES: Member = data(List(&MUNICIPALITY), words("The municipalities", "市区町村"));
pub static CITIES: Object = Object::new("Cities", &[DATA_VERSION, MUNICIPALITIES]);

const QUERY: Member = member(
    "query",
    UNDERSTOOD,
    words("The sent parameters and the parts of the address", "問い合わせと住所の構成要素"),
);

const AREAS: Member = member(
    "facets",
    FACETS_OR_NULL,
    words("Pairs of path and count, or null", "パスと件数の組。なければnull"),
);

const EXPLAIN: Member = member(
    "explain",
    OrNull(&EXPLANATION),
    words("How t was parsed; only with explain=1", "tの読み取り方。explain=1のときだけ"),
)
.optional();

pub static SEARCH: Object =
    Object::new("PostalSearch", &[DATA_VERSION, DATA, QUERY, TOTAL, OFFSET, LIMIT, AREAS, EXPLAIN]);

#[rustfmt::skip] // One member a line.
const BATCH_PARAMS: Shape = Shape::Object(&Object::new("PostalBatchParams", &[
    member("default_q", TEXT_OR_NULL, words("Default of q for queries without one", "qの既定値")),
    member("default_limit", PAGE, words("Default of limit for queries without one", "limitの既定値")),
]));
const BATCH_RECORD: Shape = Shape::Object(&Object::new(
    "PostalBatchRecord",
    &[DATA, QUERY, TOTAL, OFFSET, LIMIT, AREAS, EXPLAIN],
));
const RESULTS: Member = batch_results(List(&BATCH_RECORD));
pub static BATCH: Object =
    Object::new("PostalBatch", &[DATA_VERSION, batch_params(BATCH_PARAMS), RESULTS]);

#[rustfmt::skip] // One member a line.
const BATCH_QUERY: Shape = Shape::Object(&Object::new("PostalBatchQuery", &[
    member("t", Text, words("An address", "住所")),
    member("q", TEXT_OR_NULL, words("A query", "検索式")).optional(),
    member("limit", OrNull(&PAGE), words("Maximum number of records", "返す件数の上限")).optional(),
]).open());

#[rustfmt::skip] // One member a line.
pub static BATCH_BODY: Object = Object::new("PostalBatchRequest", &[
    member("default_q", TEXT_OR_NULL, words("Default of q for queries without one", "qの既定値")).optional(),
    member("default_limit", OrNull(&PAGE), words("Default of limit for queries without one; 1 if omitted", "limitの既定値。省略すると1")).optional(),
    member("explain", OrNull(&OneNumber(&[0, 1])), words("1 adds an explanation of how each address was parsed", "1を指定すると読み取り方も返す")).optional(),
    member("queries", Shape::UpTo(QUERIES_MAX, &BATCH_QUERY), words("The queries", "問い合わせ")),
]).open();
