//! Qualified invoice issuers.

use super::corporate::REQUESTED_FACETS;
use super::members::{
    ADDRESS, COUNT, DATA_VERSION, DATE_OR_NULL, ID, INVOICE_NUMBER, LIMIT, OFFSET, QUERIES_MAX,
    QUERY, TEXT_OR_NULL, TOTAL, batch_params, data,
};
use crate::api::shape::Shape::{self, Bool, Date, List, OneNumber, OrNull, Pattern, Text};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;

#[rustfmt::skip] // One member a line.
const ISSUER: Shape = Shape::Object(&Object::new("InvoiceIssuer", &[
    member("published_date", Date, words("Date of the file that the entry came from", "履歴が載ったファイルの日付")),
    member("sequence_number", COUNT, words("Sequence number of the row", "一連番号")),
    member("qualified_invoice_issuer_number", INVOICE_NUMBER, words("Registration number", "登録番号")),
    member("process", OneNumber(&[1, 2, 3, 4]), words("1 new, 2 changed, 3 lapsed, 4 revoked", "事業者処理区分。1は新規、2は変更、3は失効、4は取消")),
    member("correct", OneNumber(&[0, 1]), words("1 if the entry is a correction", "訂正区分。訂正なら1")),
    member("kind", OrNull(&OneNumber(&[1, 2])), words("1 individual, 2 corporation or association", "人格区分。1は個人、2は法人（人格のない社団等を含む）")),
    member("country", OrNull(&OneNumber(&[1, 2, 3])), words("1 in Japan, 2 and 3 foreign", "国内外区分。1は国内、2と3は国外")),
    member("latest", OneNumber(&[0, 1]), words("1 if this is the newest entry of the number", "最新履歴なら1")),
    member("registration_date", DATE_OR_NULL, words("Date of registration", "登録年月日")),
    member("update_date", DATE_OR_NULL, words("Date of the update", "更新年月日")),
    member("disposal_date", DATE_OR_NULL, words("Date of the revocation", "取消年月日")),
    member("expire_date", DATE_OR_NULL, words("Date of the lapse", "失効年月日")),
    member("address", ADDRESS, words("Registered office", "本店又は主たる事務所の所在地")),
    member("address_request", ADDRESS, words("Office that the issuer asked to publish", "公表申出による主たる事務所等の所在地")),
    member("address_inside", ADDRESS, words("Office in Japan of a foreign issuer", "国内において行う資産の譲渡等に係る事務所等の所在地")),
    member("kana", Text, words("Reading of the name", "名称の読み")),
    member("name", Text, words("Name", "氏名又は名称")),
    member("trade_name", Text, words("Trade name that the issuer asked to publish", "公表申出による屋号")),
    member("popular_name_previous_name", Text, words("Common or former name that the issuer asked to publish", "公表申出による通称・旧姓")),
]));

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
