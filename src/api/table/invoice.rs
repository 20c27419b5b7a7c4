//! The endpoints of qualified invoice issuers and of their radar.

use super::corporate::REQUESTED_FACETS;
use super::parameters::{
    BATCH_POST, CORPORATE_SEARCH, DATA_VERSION, DATE_OR_NULL, ID, INVOICE_NUMBER, QUERIES_MAX,
    SENT_LIMIT, SENT_OFFSET, SENT_QUERY, TEXT_OR_NULL, TOTAL, VERSION, VERSIONS, batch_params,
    data,
};
use super::radar::{self, RadarTexts};
use crate::account::Rights;
use crate::api::endpoint::Handler::{Batch, Immediate, Search};
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::resource::batch::handle;
use crate::api::resource::radar::InvoiceIssuers;
use crate::api::resource::{invoice, list_versions};
use crate::api::shape::Shape::{Bool, Date, List, OrNull, Pattern};
use crate::api::shape::{Member, Object, Shape, member};
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::dataset::corporate::CorporateData;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::invoice::members::ISSUER;
use crate::snapshot::Dataset as _;

const GET: Endpoint = Endpoint {
    needs: Some(Rights::PREMIUM),
    datasets: &[InvoiceData::KIND],
    since: invoice::SINCE,
    ..Endpoint::GET
};

const RADAR: [Endpoint; 4] = radar::endpoints::<InvoiceIssuers>(&RadarTexts {
    list_path: "/v1/invoice/radar/invoice_numbers",
    list: [
        words("The account's watch list of invoice issuers", "適格請求書発行事業者の監視リスト"),
        words("The watched registration numbers, ascending", "監視している登録番号。昇順"),
    ],
    add_path: "/v1/invoice/radar/invoice_numbers/add",
    add: [
        words(
            "Add up to 100 registration numbers to the watch list",
            "監視リストへの登録番号の追加（最大100件）",
        ),
        words(
            "The numbers of the request without duplicates",
            "リクエストの登録番号。重複は1つにまとめる",
        ),
    ],
    add_errors: &[
        Code::InvalidInvoiceNumber,
        Code::TooManyNumbers,
        Code::WatchListFull,
        Code::WebhookMissing,
    ],
    remove_path: "/v1/invoice/radar/invoice_numbers/remove",
    remove: [
        words("Remove registration numbers from the watch list", "監視リストからの登録番号の削除"),
        words("An empty body", "空のボディ"),
    ],
    remove_errors: &[Code::InvalidInvoiceNumber, Code::WebhookMissing],
    changed_path: "/v1/invoice/radar/{date}",
    changed: [
        words(
            "Watched invoice issuers that changed on a day",
            "指定日に変更のあった、監視中の登録番号",
        ),
        words(
            "The numbers of the issuers with an entry of that day, ascending: registered, changed, lapsed or revoked",
            "その日に登録、変更、失効、取消などの記録があった登録番号。昇順",
        ),
    ],
    changed_example: "/v1/invoice/radar/2026-08-04",
    numbers: &NUMBERS,
    body: &NUMBERS_BODY,
    body_example: r#"{"data":["T5430001999901"]}"#,
});

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/invoice/{number}",
        handler: Immediate(invoice::lookup),
        summary: words("A qualified invoice issuer", "適格請求書発行事業者"),
        parameters: &[
            parameter(
                "number",
                Pattern("^T[0-9]{13}$"),
                words("A registration number, T and thirteen digits", "登録番号（Tと13桁の数字）"),
                "T7000012050002",
            ),
            parameter(
                "date",
                Date,
                words(
                    "A day; the response says whether the issuer was registered on it",
                    "日付。その日に登録されていたかどうかも返す",
                ),
                "2026-04-01",
            ),
            VERSION,
        ],
        answer: words(
            "The issuer, and whether it was registered on the day",
            "適格請求書発行事業者と、指定日に登録されていたかどうか",
        ),
        content: Content::Json(&LOOKUP),
        errors: &[Code::InvalidInvoiceNumber, Code::InvalidDate, Code::NoSuchInvoiceIssuer],
        example: "/v1/invoice/T6010001999901?date=2026-04-01",
        ..GET
    },
    Endpoint {
        path: "/v1/invoice",
        // Each query builds a set of rows, because it is combined with the register.
        handler: Search(invoice::search),
        summary: words(
            "Search for qualified invoice issuers by name and reading",
            "名称と読みによる適格請求書発行事業者の検索",
        ),
        parameters: CORPORATE_SEARCH,
        answer: words(
            "The registered issuers, the count and the facets",
            "登録されている事業者、件数、ファセット",
        ),
        content: Content::Json(&SEARCH),
        also_searches: &[CorporateData::KIND],
        errors: &[Code::MissingQuery, Code::InvalidQuery, Code::InvalidFacet],
        example: "/v1/invoice?q=%E5%8F%B0%E5%B8%B3&limit=1",
        example_body: r#"{"q":"台帳","limit":1}"#,
        ..GET
    },
    Endpoint {
        path: "/v1/batch/invoice/search",
        needs: Some(Rights::PREMIUM_BATCH),
        datasets: &[InvoiceData::KIND],
        since: invoice::SINCE,
        handler: Batch(handle::<invoice::BatchedNumber>),
        summary: words(
            "Up to 1,000 registration numbers in one request",
            "1回のリクエストで最大1,000件の登録番号の照会",
        ),
        answer: words(
            "The issuer of each number, if there is one, in the order of the numbers",
            "登録番号の順に、該当する事業者（あれば）",
        ),
        content: Content::Json(&BATCH),
        body: Some(&BATCH_BODY),
        errors: &[Code::InvalidInvoiceNumber, Code::InvalidDate],
        example: "/v1/batch/invoice/search",
        example_body: r#"{"default_date":"2026-04-01","queries":[{"number":"T6010001999901","id":"row 1"}]}"#,
        ..BATCH_POST
    },
    Endpoint {
        path: "/v1/invoice/versions",
        handler: Immediate(|request| list_versions(request, Catalog::invoice)),
        summary: words(
            "The loaded versions of the invoice data",
            "読み込まれている適格請求書発行事業者データのバージョン",
        ),
        answer: words("The dates of the versions, oldest first", "バージョンの日付。古い順"),
        content: Content::Json(&VERSIONS),
        example: "/v1/invoice/versions",
        ..GET
    },
    RADAR[0],
    RADAR[1],
    RADAR[2],
    RADAR[3],
];

#[rustfmt::skip] // One member a line.
pub static LOOKUP: Object = Object::new("InvoiceIssuerAnswer", &[
    DATA_VERSION,
    data(ISSUER, words("The issuer", "適格請求書発行事業者")),
    member("registered_on_date", OrNull(&Bool), words("Whether it was registered on the day; null if the day is after the data; only if date is given", "指定日に登録されていたか。データより後の日ではnull。dateを指定したときだけ")).optional(),
]);

const DATA: Member = data(List(&ISSUER), words("The issuers", "適格請求書発行事業者"));
pub static SEARCH: Object = Object::new(
    "InvoiceSearch",
    &[DATA_VERSION, DATA, SENT_QUERY, TOTAL, SENT_OFFSET, SENT_LIMIT, REQUESTED_FACETS],
);

#[rustfmt::skip] // One member a line.
const BATCH_PARAMS: Shape = Shape::Object(&Object::new("InvoiceBatchParams", &[
    member("default_date", DATE_OR_NULL, words("Default of date for numbers without one", "dateの既定値")),
]));

#[rustfmt::skip] // One member a line.
const BATCH_RECORD: Shape = Shape::Object(&Object::new("InvoiceBatchRecord", &[
    DATA,
    member("query", INVOICE_NUMBER, words("The number", "登録番号")),
    member("registered_on_date", OrNull(&Bool), words("Whether it was registered on the day; null without a day or an issuer, or if the day is after the data", "指定日に登録されていたか。日付や該当がないとき、データより後の日ではnull")),
    TOTAL,
    SENT_OFFSET,
    SENT_LIMIT,
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

const WATCHED: Member = data(List(&INVOICE_NUMBER), words("Registration numbers", "登録番号"));
pub static NUMBERS: Object = Object::new("InvoiceNumbers", &[WATCHED]);

const SENT_NUMBER: Shape = Pattern("^[TＴ][0-9０-９]{13}$");
const SENT: Member = data(List(&SENT_NUMBER), words("Registration numbers", "登録番号"));
pub static NUMBERS_BODY: Object = Object::new("InvoiceNumbersRequest", &[SENT]).open();
