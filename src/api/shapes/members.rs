//! Members that several answers share: the data version, the numbers of a search, facets, lists of versions.

use crate::api::limits::BATCH_QUERIES_MAX;
use crate::api::pipeline::params::LIMIT_MAX;
use crate::api::shape::Shape::{self, Date, OrNull, Text, Whole};
use crate::api::shape::{Member, Object, member};
use crate::api::words::{Words, words};
pub use crate::dataset::member::codes::{
    CORPORATE_NUMBER, COUNT, DATE_OR_NULL, INVOICE_NUMBER, TEXT_OR_NULL,
};

/// A number of records in one answer.
pub const PAGE: Shape = Whole { min: 1, max: LIMIT_MAX };

/// Most queries of a batch.
pub const QUERIES_MAX: u64 = BATCH_QUERIES_MAX as u64;

/// Pairs of path and count.
pub const FACETS: Shape = Shape::List(&Shape::Tuple(&[Text, COUNT]));

/// [`FACETS`]; null unless requested.
pub const FACETS_OR_NULL: Shape = OrNull(&FACETS);

pub const DATA_VERSION: Member =
    member("version", Date, words("The data version", "データバージョン"));

pub const QUERY: Member = member("query", Text, words("The q that was sent", "送られたqそのまま"));

/// The records of an answer.
pub const fn data(shape: Shape, meaning: Words) -> Member {
    member("data", shape, meaning)
}

pub const TOTAL: Member =
    member("count", COUNT, words("Total number of matches", "該当する全件数"));

pub const OFFSET: Member =
    member("offset", COUNT, words("Number of skipped records", "読み飛ばした件数"));

pub const LIMIT: Member =
    member("limit", PAGE, words("Maximum number of records returned", "返す件数の上限"));

/// The facets of a search: an object, or null unless some were requested.
pub const fn requested_facets(object_or_null: Shape) -> Member {
    let meaning = words("The requested facets, or null", "指定されたファセット。なければnull");
    member("facets", object_or_null, meaning)
}

/// The echo of a batch's defaults.
pub const fn batch_params(object: Shape) -> Member {
    member("params", object, words("The defaults", "既定値"))
}

pub const fn batch_results(list: Shape) -> Member {
    member("records", list, words("The result of each query", "問い合わせごとの結果"))
}

pub const ID: Member =
    member("id", TEXT_OR_NULL, words("The id of the query, as sent", "問い合わせに付けられたid"));

const DATES: Member =
    member("versions", Shape::List(&Date), words("Dates, oldest first", "日付。古い順"));
pub static VERSIONS: Object = Object::new("Versions", &[DATES]);
