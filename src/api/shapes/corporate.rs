//! Corporations, the answers of their search, and the watch list.

use super::members::{
    ADDRESS, BLOCK_LOT_NUM, BUILDING, CORPORATE_NUMBER, DATA_VERSION, DATE_OR_NULL, FACETS,
    FLOOR_ROOM, ID, INVOICE_NUMBER, JISX0402, KYOTO_STREET, LIMIT, OFFSET, PAGE, POSTAL_CODE,
    QUERIES_MAX, QUERY, TEXT_OR_NULL, TOTAL, TOWN, batch_params, batch_results, data,
    requested_facets,
};
use crate::api::shape::Shape::{
    self, Changed, Date, List, OneNumber, OneOf, OrNull, Pattern, Text,
};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::dataset::corporate::history::ChangeKind;
use crate::json::{CLOSE_CAUSE_NUMBER_SINCE, OBJECT_SINCE};

const SEQUENCE: Shape = Changed {
    before: &Pattern("^[0-9]+$"),
    since: OBJECT_SINCE,
    then: &Shape::Whole { min: 1, max: u32::MAX as u64 },
};
const PROCESS: Shape = Changed {
    before: &OneOf(&["1", "11", "12", "13", "21", "22", "71", "72", "81", "99"]),
    since: OBJECT_SINCE,
    then: &OneNumber(&[1, 11, 12, 13, 21, 22, 71, 72, 81, 99]),
};
const CORRECT: Shape =
    Changed { before: &OneOf(&["0", "1"]), since: OBJECT_SINCE, then: &OneNumber(&[0, 1]) };
const KIND: Shape = Changed {
    before: &OneOf(&["101", "201", "301", "302", "303", "304", "305", "399", "401", "499"]),
    since: OBJECT_SINCE,
    then: &OneNumber(&[101, 201, 301, 302, 303, 304, 305, 399, 401, 499]),
};
const CLOSE_CAUSE: Shape = Changed {
    before: &OrNull(&OneOf(&["1", "11", "21", "31"])),
    since: CLOSE_CAUSE_NUMBER_SINCE,
    then: &OrNull(&OneNumber(&[1, 11, 21, 31])),
};
const IMAGE: Shape = OrNull(&Pattern("^[0-9]{8}$"));

/// Text in the flat record, text or null in the one with an address object.
const ENGLISH: Shape = Changed { before: &Text, since: OBJECT_SINCE, then: &TEXT_OR_NULL };

#[rustfmt::skip] // One member a line.
const RECORD: Shape = Shape::Object(&Object::new("Corporation", &[
    member("published_date", Date, words("Date of the file that the newest entry came from", "最新の履歴が載ったファイルの日付")),
    member("sequence_number", SEQUENCE, words("Sequence number of the entry", "一連番号")),
    member("corporate_number", CORPORATE_NUMBER, words("Corporate number", "法人番号")),
    member("process", PROCESS, words("Process (処理区分) of the newest entry", "処理区分")),
    member("correct", CORRECT, words("1 if the entry is a correction", "訂正区分。訂正なら1")),
    member("update_date", Date, words("Date of the update", "更新年月日")),
    member("change_date", Date, words("Date of the change", "変更年月日")),
    member("name", Text, words("Name", "商号又は名称")),
    member("name_image_id", IMAGE, words("ID of the image of a name with rare characters", "商号又は名称のイメージID")),
    member("kind", KIND, words("Kind of corporation", "法人種別")),
    member("prefecture_name", TEXT_OR_NULL, words("Prefecture", "都道府県")).until(OBJECT_SINCE),
    member("city_name", TEXT_OR_NULL, words("County, city and ward in one", "市区町村（郡・区を含む）")).until(OBJECT_SINCE),
    member("street_number", Text, words("The address below the municipality", "丁目番地等")).until(OBJECT_SINCE),
    TOWN.until(OBJECT_SINCE),
    KYOTO_STREET.until(OBJECT_SINCE),
    BLOCK_LOT_NUM.until(OBJECT_SINCE),
    BUILDING.until(OBJECT_SINCE),
    FLOOR_ROOM.until(OBJECT_SINCE),
    member("address", ADDRESS, words("Address of the head office in Japan", "国内所在地")).since(OBJECT_SINCE),
    member("address_image_id", IMAGE, words("ID of the image of an address with rare characters", "国内所在地のイメージID")),
    member("jisx0402", OrNull(&JISX0402), words("Code of the municipality", "市区町村コード（JIS X 0402）")).until(OBJECT_SINCE),
    member("post_code", OrNull(&POSTAL_CODE), words("Postal code", "郵便番号")).until(OBJECT_SINCE),
    member("address_outside", Text, words("Address abroad", "国外所在地")),
    member("address_outside_image_id", IMAGE, words("Its image", "国外所在地のイメージID")),
    member("close_date", DATE_OR_NULL, words("Date of closing", "登記記録の閉鎖等年月日")),
    member("close_cause", CLOSE_CAUSE, words("Cause of closing", "登記記録の閉鎖等の事由")),
    member("successor_corporate_number", OrNull(&CORPORATE_NUMBER), words("Number of the successor", "承継先法人番号")),
    member("change_cause", Text, words("Details of the change", "変更事由の詳細")),
    member("assignment_date", Date, words("Date on which the number was assigned", "法人番号指定年月日")),
    member("en_name", Text, words("English name", "商号又は名称（英語表記）")),
    member("en_prefecture_name", Text, words("Prefecture in English", "国内所在地（都道府県）（英語表記）")).until(OBJECT_SINCE),
    member("en_address_line", ENGLISH, words("Address in English", "国内所在地（市区町村丁目番地等）（英語表記）")),
    member("en_address_outside", ENGLISH, words("Address abroad in English", "国外所在地（英語表記）")),
    member("furigana", Text, words("Reading of the name", "フリガナ")),
    member("hihyoji", CORRECT, words("1 if excluded from searches", "検索対象除外なら1")),
    member("qualified_invoice_issuer_number", OrNull(&INVOICE_NUMBER), words("Registration number of invoice issuers", "適格請求書発行事業者の登録番号")).since(OBJECT_SINCE),
]));

const FOUND: Member = data(RECORD, words("The corporation", "法人"));
pub static LOOKUP: Object = Object::new("CorporationAnswer", &[DATA_VERSION, FOUND]);

#[rustfmt::skip] // One member a line.
const FACET_SET: Shape = Shape::Object(&Object::new("CorporateFacets", &[
    member("area", FACETS, words("By area", "地域別")).optional(),
    member("kind", FACETS, words("By kind", "法人種別")).optional(),
    member("process", FACETS, words("By process", "処理区分別")).optional(),
    member("close_cause", FACETS, words("By cause of closing", "閉鎖事由別")).optional(),
]));

pub const REQUESTED_FACETS: Member = requested_facets(OrNull(&FACET_SET));

const DATA: Member = data(List(&RECORD), words("The corporations", "法人"));
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
const CHANGE: Shape = Shape::Object(&Object::new("CorporateChange", &[
    member("date", DATE_OR_NULL, words("The day of the change, or null if the register does not give it", "変更の日。公表データから分からなければnull")),
    member("version", Date, words("The oldest loaded version with the change", "変更が最初に現れた、読み込まれているバージョン")),
    member("kind", OneOf(ChangeKind::WORDS), words("Kind of change", "変更の種類")),
    member("before", TEXT_OR_NULL, words("The name, reading or address before, or null", "変更前の名称、フリガナまたは所在地。なければnull")),
    member("after", TEXT_OR_NULL, words("The same after the change, or null", "変更後の値。なければnull")),
    member("change_cause", TEXT_OR_NULL, words("Details of the cause from the register, such as a merger", "変更事由の詳細（合併など）。なければnull")),
    member("close_cause", OrNull(&OneNumber(&[1, 11, 21, 31])), words("Cause of closing; null for other changes", "登記記録の閉鎖等の事由。閉鎖でなければnull")),
    member("successor_corporate_number", OrNull(&CORPORATE_NUMBER), words("Successor after a merger, or null", "承継先法人番号。なければnull")),
]));

#[rustfmt::skip] // One member a line.
pub static HISTORY: Object = Object::new("CorporateHistory", &[
    DATA_VERSION,
    member("corporate_number", CORPORATE_NUMBER, words("Corporate number", "法人番号")),
    data(List(&CHANGE), words("The changes, oldest first", "変更。古い順")),
]);
