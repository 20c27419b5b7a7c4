//! The endpoints of postal codes and municipalities.

use super::parameters::{AREA, LIMIT, OFFSET, VERSION};
use crate::account::Service;
use crate::api::endpoint::Handler::{Batch, Immediate, Search};
use crate::api::endpoint::Kind::{Flag, Pattern, Text};
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::limits::BATCH_BODY_BYTES_MAX;
use crate::api::resource::batch::run::handle;
use crate::api::resource::version::list_versions;
use crate::api::resource::{city, postal};
use crate::api::shapes::members;
use crate::api::shapes::postal as postal_shapes;
use crate::api::words::words;
use crate::dataset::Catalog;

const GET: Endpoint = Endpoint { needs: Some(Service::Postal), is_postal: true, ..Endpoint::GET };

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/postalcode/{code}",
        handler: Immediate(postal::lookup),
        summary: words("The records of a postal code", "郵便番号のレコード"),
        parameters: &[
            parameter(
                "code",
                Pattern("^〒?[0-9０-９]{3}[-‐‑‒–—―−ー－ｰ]?[0-9０-９]{4}$"),
                words(
                    "Seven digits; a hyphen after the third digit is allowed",
                    "7桁の数字。3桁目の後にハイフンを入れてもよい",
                ),
                "1000001",
            ),
            parameter("point", Flag, words("1 adds coordinates", "1を指定すると座標も返す"), "1"),
            VERSION,
        ],
        answer: words(
            "All records with the code, town areas before large businesses",
            "その番号のすべてのレコード。町域が先、大口事業所が後",
        ),
        content: Content::Json(&postal_shapes::LOOKUP),
        errors: &[Code::InvalidPostalCode, Code::NoSuchPostalCode],
        example: "/v1/postalcode/1000001",
        ..GET
    },
    Endpoint {
        path: "/v1/postalcode/versions",
        handler: Immediate(|request| list_versions(request, Catalog::postal)),
        summary: words(
            "The loaded versions of the postal data",
            "読み込まれている郵便番号データのバージョン",
        ),
        answer: words("The dates of the versions, oldest first", "バージョンの日付。古い順"),
        content: Content::Json(&members::VERSIONS),
        example: "/v1/postalcode/versions",
        ..GET
    },
    Endpoint {
        path: "/v1/postalcode/updates",
        handler: Immediate(postal::updates),
        summary: words("The changes of a data version", "データバージョンによる変更"),
        parameters: &[VERSION],
        answer: words("The added, changed and abolished records", "追加、変更、廃止されたレコード"),
        content: Content::Json(&postal_shapes::LOOKUP),
        example: "/v1/postalcode/updates?version=2026-06-30",
        ..GET
    },
    Endpoint {
        path: "/v1/postalcode",
        needs: Some(Service::AddressSearch),
        handler: Search(postal::search),
        summary: words(
            "Search for postal records by address, by query, or both",
            "住所または検索式による郵便番号レコードの検索",
        ),
        parameters: &[
            parameter(
                "t",
                Text,
                words(
                    "An address in any spelling; t or q is required",
                    "住所。表記は問わない。tとqの少なくとも一方が必要",
                ),
                "東京都千代田区千代田1-1",
            ),
            parameter(
                "q",
                Text,
                words("A query; with t, both must match", "検索式。tと併用すると両方に合うもの"),
                "town:千代田",
            ),
            parameter(
                "facet",
                AREA,
                words("The area whose subareas are counted", "件数を数える地域の親パス"),
                "/東京都",
            ),
            OFFSET,
            LIMIT,
            parameter(
                "explain",
                Flag,
                words(
                    "1 adds an explanation of how the address was parsed",
                    "1を指定すると住所の読み取り方も返す",
                ),
                "1",
            ),
            VERSION,
        ],
        answer: words(
            "The records, the parts of the address, the count and the facets",
            "レコード、住所の構成要素、件数、ファセット",
        ),
        content: Content::Json(&postal_shapes::SEARCH),
        errors: &[Code::MissingQuery, Code::InvalidQuery, Code::InvalidFacet],
        example: "/v1/postalcode?t=%E6%9D%B1%E4%BA%AC%E9%83%BD%E5%8D%83%E4%BB%A3%E7%94%B0%E5%8C%BA%E5%8D%83%E4%BB%A3%E7%94%B01-1&limit=10",
        example_body: r#"{"t":"東京都千代田区千代田1-1","limit":10}"#,
        ..GET
    },
    Endpoint {
        path: "/v1/batch/postalcode/search",
        needs: Some(Service::PostalBatch),
        is_postal: true,
        body_bytes_max: BATCH_BODY_BYTES_MAX,
        handler: Batch(handle::<postal::batch::Query>),
        summary: words(
            "Up to 1,000 address searches in one request",
            "1回のリクエストで最大1,000件の住所検索",
        ),
        parameters: &[VERSION],
        answer: words(
            "The result of each search, in the order of the queries",
            "問い合わせの順に、それぞれの検索結果",
        ),
        content: Content::Json(&postal_shapes::BATCH),
        body: Some(&postal_shapes::BATCH_BODY),
        errors: &[Code::InvalidQuery, Code::InvalidLimit, Code::InvalidParameter],
        example: "/v1/batch/postalcode/search",
        example_body: r#"{"default_limit":1,"queries":[{"t":"東京都千代田区千代田1-1"}]}"#,
        ..Endpoint::POST
    },
    Endpoint {
        path: "/v1/cities/{prefecture}",
        is_postal: true,
        handler: Immediate(city::list),
        summary: words("The municipalities of a prefecture", "都道府県の市区町村"),
        parameters: &[
            parameter(
                "prefecture",
                Pattern("^[0-9０-９]{2}$"),
                words("Two digits, 01 to 47", "都道府県コード（2桁、01から47）"),
                "13",
            ),
            VERSION,
        ],
        answer: words("The municipalities, ordered by code", "市区町村。コード順"),
        content: Content::Json(&postal_shapes::CITIES),
        errors: &[Code::InvalidPrefectureCode, Code::NoSuchPrefecture],
        example: "/v1/cities/47",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/download/postalcode/latest/kenall.json.xz",
        label: Some("/v1/download/postalcode"),
        needs: Some(Service::Download),
        handler: Immediate(postal::download::latest),
        summary: words(
            "All postal records of the newest data version, in one file",
            "最新のバージョンの全郵便番号レコードを1つのファイルで",
        ),
        answer: words(
            "The file, or the part that the Range header requests",
            "ファイル。Rangeを指定するとその部分",
        ),
        content: Content::Other("application/x-xz"),
        errors: &[Code::RangeNotSatisfiable, Code::NoSuchDownload, Code::NoData, Code::DamagedData],
        example: "/v1/download/postalcode/latest/kenall.json.xz",
        ..GET
    },
];
