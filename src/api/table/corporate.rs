//! The endpoints of corporations and of the radar.

use super::parameters::{CORPORATE_SEARCH, VERSION};
use crate::account::Service;
use crate::api::endpoint::Handler::{Batch, Budgeted, Immediate, Search, Store};
use crate::api::endpoint::Kind::{Date, Pattern};
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::error::Code;
use crate::api::limits::{BATCH_BODY_BYTES_MAX, RADAR_BODY_BYTES_MAX};
use crate::api::resource::batch::run::handle;
use crate::api::resource::{corporate, radar};
use crate::api::shapes::corporate as corporate_shapes;
use crate::api::words::words;

const GET: Endpoint = Endpoint { needs: Some(Service::Corporate), ..Endpoint::GET };

const WATCHED: Endpoint = Endpoint {
    needs: Some(Service::Radar),
    body_bytes_max: RADAR_BODY_BYTES_MAX,
    errors: &[
        Code::InvalidCorporateNumber,
        Code::TooManyNumbers,
        Code::WatchListFull,
        Code::WebhookMissing,
    ],
    body: Some(&corporate_shapes::NUMBERS_BODY),
    example_body: r#"{"data":["6010001999901"]}"#,
    ..Endpoint::POST
};

const NUMBER: Parameter = parameter(
    "number",
    Pattern("^[0-9０-９]{13}$"),
    words("A corporate number, thirteen digits", "法人番号（13桁）"),
    "7000012050002",
);

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/houjinbangou/{number}",
        handler: Immediate(corporate::lookup),
        prefetch: Some(corporate::prefetch),
        summary: words("A corporation", "法人"),
        parameters: &[NUMBER, VERSION],
        answer: words("The corporation", "法人"),
        content: Content::Json(&corporate_shapes::LOOKUP),
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
        content: Content::Json(&corporate_shapes::HISTORY),
        errors: &[Code::InvalidCorporateNumber, Code::NoSuchCorporation],
        example: "/v1/houjinbangou/5010001999902/history",
        ..GET
    },
    Endpoint {
        path: "/v1/houjinbangou/radar/corporate_numbers",
        needs: Some(Service::Radar),
        handler: Store(radar::list),
        summary: words("The watch list of the account", "アカウントの監視リスト"),
        answer: words("The watched corporate numbers, ascending", "監視している法人番号。昇順"),
        content: Content::Json(&corporate_shapes::NUMBERS),
        errors: &[Code::WebhookMissing],
        example: "/v1/houjinbangou/radar/corporate_numbers",
        ..GET
    },
    Endpoint {
        path: "/v1/houjinbangou/radar/corporate_numbers/add",
        handler: Store(radar::add),
        summary: words(
            "Add up to 100 numbers to the watch list",
            "監視リストへの追加（最大100件）",
        ),
        answer: words(
            "The numbers of the request without duplicates",
            "リクエストの法人番号。重複は1つにまとめる",
        ),
        content: Content::Json(&corporate_shapes::NUMBERS),
        example: "/v1/houjinbangou/radar/corporate_numbers/add",
        ..WATCHED
    },
    Endpoint {
        path: "/v1/houjinbangou/radar/corporate_numbers/remove",
        handler: Store(radar::remove),
        summary: words("Remove numbers from the watch list", "監視リストからの削除"),
        answer: words("An empty body", "空のボディ"),
        errors: &[Code::InvalidCorporateNumber, Code::WebhookMissing],
        example: "/v1/houjinbangou/radar/corporate_numbers/remove",
        ..WATCHED
    },
    Endpoint {
        path: "/v1/houjinbangou/radar/{date}",
        needs: Some(Service::Radar),
        handler: Store(radar::changed),
        summary: words(
            "Watched corporations that changed on a day",
            "指定日に変更のあった、監視中の法人番号",
        ),
        parameters: &[parameter("date", Date, words("The day", "日付"), "2026-08-04")],
        answer: words(
            "The numbers of the corporations that changed, ascending",
            "変更のあった法人番号。昇順",
        ),
        content: Content::Json(&corporate_shapes::NUMBERS),
        errors: &[Code::InvalidDate, Code::NoSuchDate, Code::WebhookMissing, Code::DamagedData],
        example: "/v1/houjinbangou/radar/2026-08-03",
        ..GET
    },
    Endpoint {
        path: "/v1/houjinbangou",
        handler: Search(corporate::search),
        summary: words("Search for corporations", "法人の検索"),
        parameters: CORPORATE_SEARCH,
        answer: words("The corporations, the count and the facets", "法人、件数、ファセット"),
        content: Content::Json(&corporate_shapes::SEARCH),
        errors: &[Code::MissingQuery, Code::InvalidQuery, Code::InvalidFacet],
        example: "/v1/houjinbangou?q=name:%E5%8F%B0%E5%B8%B3&limit=1",
        example_body: r#"{"q":"name:台帳","limit":1}"#,
        ..GET
    },
    Endpoint {
        path: "/v1/batch/houjinbangou/search",
        needs: Some(Service::CorporateBatch),
        body_bytes_max: BATCH_BODY_BYTES_MAX,
        handler: Batch(handle::<corporate::batch::Query>),
        summary: words(
            "Up to 1,000 searches for corporations in one request",
            "1回のリクエストで最大1,000件の法人検索",
        ),
        parameters: &[VERSION],
        answer: words(
            "The result of each search, in the order of the queries",
            "問い合わせの順に、それぞれの検索結果",
        ),
        content: Content::Json(&corporate_shapes::BATCH),
        body: Some(&corporate_shapes::BATCH_BODY),
        errors: &[Code::InvalidQuery, Code::InvalidLimit],
        example: "/v1/batch/houjinbangou/search",
        example_body: r#"{"queries":[{"q":"name:台帳","id":"row 1"}]}"#,
        ..Endpoint::POST
    },
];
