//! The endpoints of postal codes and municipalities.

use super::parameters::{
    AREA, BATCH_POST, DATA_VERSION, FACETS_OR_NULL, FLAG, LIMIT, OFFSET, PAGE, QUERIES_MAX,
    SENT_LIMIT, SENT_OFFSET, TEXT_OR_NULL, TOTAL, VERSION, VERSIONS, batch_params, batch_results,
    data,
};
use crate::account::Rights;
use crate::api::endpoint::Handler::{Batch, Immediate, Search};
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::resource::batch::handle;
use crate::api::resource::{list_versions, postal};
use crate::api::shape::Shape::{List, OneNumber, OrNull, Pattern, Text};
use crate::api::shape::{Member, Object, Shape, member};
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::UNDERSTOOD;
use crate::dataset::postal::explain::EXPLANATION;
use crate::dataset::postal::members::{MUNICIPALITY, POSTAL_RECORD};
use crate::snapshot::Dataset as _;

const GET: Endpoint =
    Endpoint { needs: Some(Rights::STANDARD), datasets: &[PostalData::KIND], ..Endpoint::GET };

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/postalcode/{code}",
        handler: Immediate(postal::lookup),
        summary: words("The records of a postal code", "郵便番号のレコード"),
        parameters: &[
            parameter(
                "code",
                Pattern("^[0-9]{7}$"),
                words(
                    "Seven digits, half-width and without a hyphen",
                    "7桁の半角数字。ハイフンなし",
                ),
                "1000001",
            ),
            parameter("point", FLAG, words("1 adds coordinates", "1を指定すると座標も返す"), "1"),
            VERSION,
        ],
        answer: words(
            "All records with the code, town areas before large businesses",
            "その番号のすべてのレコード。町域が先、大口事業所が後",
        ),
        content: Content::Json(&LOOKUP),
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
        content: Content::Json(&VERSIONS),
        example: "/v1/postalcode/versions",
        ..GET
    },
    Endpoint {
        path: "/v1/postalcode/updates",
        handler: Immediate(postal::updates),
        summary: words("The changes of a data version", "データバージョンによる変更"),
        parameters: &[VERSION],
        answer: words("The added, changed and abolished records", "追加、変更、廃止されたレコード"),
        content: Content::Json(&LOOKUP),
        example: "/v1/postalcode/updates?version=2026-06-30",
        ..GET
    },
    Endpoint {
        path: "/v1/postalcode",
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
                FLAG,
                words(
                    "1 adds an explanation of how the address was parsed",
                    "1を指定すると住所の読み取り方も返す",
                ),
                "1",
            ),
            parameter(
                "near",
                Pattern("^[-+]?[0-9.]+, *[-+]?[0-9.]+$"),
                words(
                    "Latitude, comma, longitude: what t may mean equally is listed by its distance from there; needs data \
                     with coordinates",
                    "緯度,経度。tがいくつかの場所に当てはまるとき、この座標に近い順に並べる。座標のあるデータが必要",
                ),
                "35.681236,139.767125",
            ),
            VERSION,
        ],
        answer: words(
            "The records, the parts of the address, the count and the facets",
            "レコード、住所の構成要素、件数、ファセット",
        ),
        content: Content::Json(&SEARCH),
        errors: &[
            Code::MissingQuery,
            Code::InvalidQuery,
            Code::InvalidFacet,
            Code::InvalidCoordinates,
            Code::NoCoordinates,
        ],
        example: "/v1/postalcode?t=%E6%9D%B1%E4%BA%AC%E9%83%BD%E5%8D%83%E4%BB%A3%E7%94%B0%E5%8C%BA%E5%8D%83%E4%BB%A3%E7%94%B01-1&limit=10",
        example_body: r#"{"t":"東京都千代田区千代田1-1","limit":10}"#,
        ..GET
    },
    Endpoint {
        path: "/v1/batch/postalcode/search",
        needs: Some(Rights::STANDARD_BATCH),
        datasets: &[PostalData::KIND],
        handler: Batch(handle::<postal::BatchedAddress>),
        summary: words(
            "Up to 1,000 address searches in one request",
            "1回のリクエストで最大1,000件の住所検索",
        ),
        content: Content::Json(&BATCH),
        body: Some(&BATCH_BODY),
        errors: &[Code::InvalidQuery, Code::InvalidLimit, Code::InvalidParameter],
        example: "/v1/batch/postalcode/search",
        example_body: r#"{"default_limit":1,"queries":[{"t":"東京都千代田区千代田1-1"}]}"#,
        ..BATCH_POST
    },
    Endpoint {
        path: "/v1/cities/{prefecture}",
        datasets: &[PostalData::KIND],
        handler: Immediate(postal::cities),
        summary: words("The municipalities of a prefecture", "都道府県の市区町村"),
        parameters: &[
            parameter(
                "prefecture",
                Pattern("^[0-9]{2}$"),
                words("Two digits, 01 to 47", "都道府県コード（2桁、01から47）"),
                "13",
            ),
            VERSION,
        ],
        answer: words("The municipalities, ordered by code", "市区町村。コード順"),
        content: Content::Json(&CITIES),
        errors: &[Code::InvalidPrefectureCode, Code::NoSuchPrefecture],
        example: "/v1/cities/47",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/download/postalcode/latest/kenall.json.xz",
        label: Some("/v1/download/postalcode"),
        needs: Some(Rights::DOWNLOAD),
        handler: Immediate(postal::download),
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

pub static SEARCH: Object = Object::new(
    "PostalSearch",
    &[DATA_VERSION, DATA, QUERY, TOTAL, SENT_OFFSET, SENT_LIMIT, AREAS, EXPLAIN],
);

#[rustfmt::skip] // One member a line.
const BATCH_PARAMS: Shape = Shape::Object(&Object::new("PostalBatchParams", &[
    member("default_q", TEXT_OR_NULL, words("Default of q for queries without one", "qの既定値")),
    member("default_limit", PAGE, words("Default of limit for queries without one", "limitの既定値")),
]));
const BATCH_RECORD: Shape = Shape::Object(&Object::new(
    "PostalBatchRecord",
    &[DATA, QUERY, TOTAL, SENT_OFFSET, SENT_LIMIT, AREAS, EXPLAIN],
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
