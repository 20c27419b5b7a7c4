//! The endpoints of corporations and of their radar.

use super::parameters::{
    BATCH_POST, CORPORATE_NUMBER, CORPORATE_SEARCH, DATA_VERSION, FACETS, ID, PAGE, QUERIES_MAX,
    SEARCH_MODE, SENT_LIMIT, SENT_OFFSET, SENT_QUERY, TEXT_OR_NULL, TOTAL, VERSION, batch_params,
    batch_results, data, requested_facets,
};
use super::radar::{self, RadarTexts};
use super::suggest;
use crate::account::Rights;
use crate::api::endpoint::Handler::{Batch, Budgeted, Immediate, Search};
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::error::Code;
use crate::api::resource::batch::handle;
use crate::api::resource::corporate;
use crate::api::resource::radar::Corporations;
use crate::api::shape::Shape::{List, OrNull, Pattern};
use crate::api::shape::{Member, Object, Shape, member};
use crate::api::words::words;
use crate::dataset::corporate::CHANGE;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::members::CORPORATION;
use crate::dataset::corporate::suggest::SUGGESTED_CORPORATION;
use crate::dataset::invoice::InvoiceData;
use crate::snapshot::Dataset as _;

const GET: Endpoint =
    Endpoint { needs: Some(Rights::PREMIUM), datasets: &[CorporateData::KIND], ..Endpoint::GET };

const RADAR: [Endpoint; 4] = radar::endpoints::<Corporations>(&RadarTexts {
    list_path: "/v1/houjinbangou/radar/corporate_numbers",
    list: [
        words("The watch list of the account", "アカウントの監視リスト"),
        words("The watched corporate numbers, ascending", "監視している法人番号。昇順"),
    ],
    add_path: "/v1/houjinbangou/radar/corporate_numbers/add",
    add: [
        words("Add up to 100 numbers to the watch list", "監視リストへの追加（最大100件）"),
        words(
            "The numbers of the request without duplicates",
            "リクエストの法人番号。重複は1つにまとめる",
        ),
    ],
    add_errors: &[
        Code::InvalidCorporateNumber,
        Code::TooManyNumbers,
        Code::WatchListFull,
        Code::WebhookMissing,
    ],
    remove_path: "/v1/houjinbangou/radar/corporate_numbers/remove",
    remove: [
        words("Remove numbers from the watch list", "監視リストからの削除"),
        words("An empty body", "空のボディ"),
    ],
    remove_errors: &[Code::InvalidCorporateNumber, Code::WebhookMissing],
    changed_path: "/v1/houjinbangou/radar/{date}",
    changed: [
        words(
            "Watched corporations that changed on a day",
            "指定日に変更のあった、監視中の法人番号",
        ),
        words(
            "The numbers of the corporations that changed, ascending",
            "変更のあった法人番号。昇順",
        ),
    ],
    changed_example: "/v1/houjinbangou/radar/2026-08-03",
    numbers: &NUMBERS,
    body: &NUMBERS_BODY,
    body_example: r#"{"data":["6010001999901"]}"#,
});

const NUMBER: Parameter = parameter(
    "number",
    Pattern("^[0-9]{13}$"),
    words("A corporate number, thirteen digits", "法人番号（13桁）"),
    "7000012050002",
);

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/houjinbangou/{number}",
        datasets: &[CorporateData::KIND, InvoiceData::KIND],
        names_issuers: true,
        handler: Immediate(corporate::lookup),
        prefetch: Some(corporate::prefetch),
        summary: words("A corporation", "法人"),
        parameters: &[NUMBER, VERSION],
        answer: words("The corporation", "法人"),
        content: Content::Json(&LOOKUP),
        errors: &[Code::InvalidCorporateNumber, Code::NoSuchCorporation],
        example: "/v1/houjinbangou/6010001999901",
        ..GET
    },
    Endpoint {
        path: "/v1/houjinbangou/{number}/history",
        handler: Budgeted(corporate::history),
        summary: words("The history of a corporation", "法人の変更履歴"),
        parameters: &[NUMBER, VERSION],
        answer: words(
            "The changes between the loaded versions, oldest first, preceded by the changes recorded in the oldest record",
            "読み込まれている各バージョンの間の変更。古い順。最初に、最も古いレコードから分かること",
        ),
        content: Content::Json(&HISTORY),
        errors: &[Code::InvalidCorporateNumber, Code::NoSuchCorporation],
        example: "/v1/houjinbangou/5010001999902/history",
        ..GET
    },
    RADAR[0],
    RADAR[1],
    RADAR[2],
    RADAR[3],
    Endpoint {
        path: "/v1/houjinbangou",
        datasets: &[CorporateData::KIND, InvoiceData::KIND],
        names_issuers: true,
        handler: Search(corporate::search),
        summary: words("Search for corporations", "法人の検索"),
        parameters: CORPORATE_SEARCH,
        answer: words("The corporations, the count and the facets", "法人、件数、ファセット"),
        content: Content::Json(&SEARCH),
        errors: &[Code::MissingQuery, Code::InvalidQuery, Code::InvalidFacet],
        example: "/v1/houjinbangou?q=name:%E5%8F%B0%E5%B8%B3&limit=1",
        example_body: r#"{"q":"name:台帳","limit":1}"#,
        ..GET
    },
    Endpoint {
        path: "/v1/batch/houjinbangou/search",
        needs: Some(Rights::PREMIUM_BATCH),
        datasets: &[CorporateData::KIND, InvoiceData::KIND],
        names_issuers: true,
        handler: Batch(handle::<corporate::BatchedSearch>),
        summary: words(
            "Up to 1,000 searches for corporations in one request",
            "1回のリクエストで最大1,000件の法人検索",
        ),
        content: Content::Json(&BATCH),
        body: Some(&BATCH_BODY),
        errors: &[Code::InvalidQuery, Code::InvalidLimit],
        example: "/v1/batch/houjinbangou/search",
        example_body: r#"{"queries":[{"q":"name:台帳","id":"row 1"}]}"#,
        ..BATCH_POST
    },
];

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
    &[DATA_VERSION, DATA, SENT_QUERY, TOTAL, SENT_OFFSET, SENT_LIMIT, REQUESTED_FACETS],
);

#[rustfmt::skip] // One member a line.
const BATCH_PARAMS: Shape = Shape::Object(&Object::new("CorporateBatchParams", &[
    member("default_limit", PAGE, words("Default of limit for queries without one", "limitの既定値")),
    member("mode", SEARCH_MODE, words("How names are matched, if the request says it", "名称の照合方法。リクエストで指定した場合のみ")).optional(),
]));
const BATCH_RECORD: Shape = Shape::Object(&Object::new(
    "CorporateBatchRecord",
    &[DATA, SENT_QUERY, TOTAL, SENT_OFFSET, SENT_LIMIT, REQUESTED_FACETS, ID],
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
    member("mode", OrNull(&SEARCH_MODE), words("How names are matched in all queries; partial if omitted", "すべての検索での名称の照合方法。省略するとpartial")).optional(),
    member("queries", Shape::UpTo(QUERIES_MAX, &BATCH_QUERY), words("The queries", "問い合わせ")),
]).open();

const WATCHED_NUMBERS: Member =
    data(List(&CORPORATE_NUMBER), words("Corporate numbers", "法人番号"));
pub static NUMBERS: Object = Object::new("CorporateNumbers", &[WATCHED_NUMBERS]);

const SENT_NUMBER: Shape = Pattern("^[0-9０-９]{13}$");
const SENT: Member = data(List(&SENT_NUMBER), words("Corporate numbers", "法人番号"));
pub static NUMBERS_BODY: Object = Object::new("CorporateNumbersRequest", &[SENT]).open();

#[rustfmt::skip] // One member a line.
pub static HISTORY: Object = Object::new("CorporateHistory", &[
    DATA_VERSION,
    member("corporate_number", CORPORATE_NUMBER, words("Corporate number", "法人番号")),
    data(List(&CHANGE), words("The changes, oldest first", "変更。古い順")),
]);

pub const SUGGESTIONS: Endpoint = Endpoint {
    path: "/v1/suggest/corporation",
    handler: Budgeted(corporate::suggestions),
    summary: words("Suggestions of corporations while typing a name", "法人名の入力補完"),
    parameters: &[suggest::TYPED, suggest::LIMIT, VERSION],
    answer: words(
        "The corporations, most likely first, closed ones last",
        "法人。有力な候補から順、閉鎖された法人は最後",
    ),
    content: Content::Json(&SUGGESTED_CORPORATIONS),
    example: "/v1/suggest/corporation?q=%E5%8F%B0%E5%B8%B3&limit=3",
    errors: &[Code::MissingQuery],
    ..GET
};

const FOUND_CORPORATIONS: Member =
    data(List(&SUGGESTED_CORPORATION), words("The corporations", "法人"));
pub static SUGGESTED_CORPORATIONS: Object =
    Object::new("SuggestedCorporations", &[DATA_VERSION, FOUND_CORPORATIONS]);
