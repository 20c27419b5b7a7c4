//! Members that several answers share: the data version, the numbers of a search, facets, lists of versions, addresses.

use crate::api::limits::BATCH_QUERIES_MAX;
use crate::api::pipeline::params::LIMIT_MAX;
use crate::api::shape::Shape::{self, Date, OrNull, Text, Whole};
use crate::api::shape::{Member, Object, member};
use crate::api::words::{Words, words};

/// A number of records.
pub const COUNT: Shape = Whole { min: 0, max: u64::MAX };

/// A number of records in one answer.
pub const PAGE: Shape = Whole { min: 1, max: LIMIT_MAX };

/// Most queries of a batch.
pub const QUERIES_MAX: u64 = BATCH_QUERIES_MAX as u64;

pub const POSTAL_CODE: Shape = Shape::Pattern("^[0-9]{7}$");
pub const JISX0402: Shape = Shape::Pattern("^[0-9]{5}$");
pub const CORPORATE_NUMBER: Shape = Shape::Pattern("^[0-9]{13}$");
pub const INVOICE_NUMBER: Shape = Shape::Pattern("^T[0-9]{13}$");
pub const SCHOOL_CODE: Shape = Shape::Pattern("^[A-Z][0-9]{12}$");
pub const TEXT_OR_NULL: Shape = OrNull(&Text);
pub const DATE_OR_NULL: Shape = OrNull(&Date);

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

// The parts of an address below the municipality.
pub const TOWN: Member = member("town", TEXT_OR_NULL, words("Town area", "町域"));
pub const KYOTO_STREET: Member =
    member("kyoto_street", TEXT_OR_NULL, words("Kyoto street name", "京都の通り名"));
pub const BLOCK_LOT_NUM: Member = member(
    "block_lot_num",
    TEXT_OR_NULL,
    words("Chome, block and lot, as 3-12-14", "丁目・番地・号（例: 3-12-14）"),
);
pub const BUILDING: Member = member("building", TEXT_OR_NULL, words("Building", "建物名"));
pub const FLOOR_ROOM: Member =
    member("floor_room", TEXT_OR_NULL, words("Floor and room", "階・部屋番号"));

/// The fourteen members of the address of a corporation, an invoice issuer or a school.
#[rustfmt::skip] // One member a line.
pub const ADDRESS: Shape = Shape::Object(&Object::new("Address", &[
    member("postal_code", OrNull(&POSTAL_CODE), words("Postal code", "郵便番号")),
    member("jisx0402", OrNull(&JISX0402), words("Code of the municipality", "市区町村コード")),
    member("prefecture", TEXT_OR_NULL, words("Prefecture", "都道府県")),
    member("prefecture_kana", TEXT_OR_NULL, words("Its reading; empty in corporations", "都道府県の読み。法人では空")),
    member("prefecture_roman", TEXT_OR_NULL, words("In Roman letters", "都道府県のローマ字")),
    member("city", TEXT_OR_NULL, words("County, city and ward in one", "市区町村（郡・区を含む）")),
    member("city_kana", Text, words("Its reading; empty in corporations", "市区町村の読み。法人では空")),
    member("city_roman", Text, words("In Roman letters; empty in corporations", "市区町村のローマ字。法人では空")),
    member("street_number", Text, words("The address below the municipality, as published; for schools with half-width letters and digits", "丁目番地等（公表のまま。学校では英数字は半角）")),
    TOWN,
    KYOTO_STREET,
    BLOCK_LOT_NUM,
    BUILDING,
    FLOOR_ROOM,
]));
