//! The endpoints of matching.

use super::parameters::{
    BATCH_POST, DATA_VERSION, ID, QUERIES_MAX, TEXT_OR_NULL, VERSION, batch_params, batch_results,
    data,
};
use crate::account::Rights;
use crate::api::endpoint::Handler::{Batch, Search};
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::resource::batch::handle;
use crate::api::resource::matching;
use crate::api::shape::Shape::{List, Pattern, Text};
use crate::api::shape::{Object, Shape, member};
use crate::api::words::words;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::matching::MATCH;
use crate::dataset::corporate::members::CORPORATION;
use crate::snapshot::Dataset as _;

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/match/corporation",
        needs: Some(Rights::PREMIUM),
        datasets: &[CorporateData::KIND],
        handler: Search(matching::corporation),
        summary: words("The corporation of a name and an address", "名称と住所による法人の照合"),
        parameters: &[
            parameter(
                "name",
                Text,
                words("The name as it was written", "表記されたままの名称"),
                "（株）台帳",
            )
            .required(),
            parameter(
                "address",
                Text,
                words("The address as it was written", "表記されたままの住所"),
                "東京都千代田区大手町1-1",
            ),
            parameter(
                "postal_code",
                Pattern("^[0-9]{3}-?[0-9]{4}$"),
                words("The postal code", "郵便番号"),
                "100-0004",
            ),
            parameter(
                "tel",
                Text,
                words(
                    "A telephone number; checked, not compared: the register has none",
                    "電話番号。形式だけを確認し、照合には使わない（公表データに電話番号がないため）",
                ),
                "03-1234-5678",
            ),
            VERSION,
        ],
        answer: words(
            "The match with its candidates and reasons",
            "照合結果と、候補およびその理由",
        ),
        content: Content::Json(&ANSWER),
        errors: &[Code::MissingQuery, Code::InvalidPostalCode, Code::InvalidParameter],
        example: "/v1/match/corporation?name=%E5%8F%B0%E5%B8%B3&address=%E5%8D%83%E4%BB%A3%E7%94%B0%E5%8C%BA%E5%A4%A7%E6%89%8B%E7%94%BA",
        example_body: r#"{"name":"台帳","address":"千代田区大手町"}"#,
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/batch/match/corporation",
        needs: Some(Rights::PREMIUM_BATCH),
        datasets: &[CorporateData::KIND],
        handler: Batch(handle::<matching::BatchedMatch>),
        summary: words(
            "Up to 1,000 names matched in one request",
            "1回のリクエストで最大1,000件の法人の照合",
        ),
        answer: words(
            "The match of each name, in the order of the queries",
            "問い合わせの順に、それぞれの照合結果",
        ),
        content: Content::Json(&BATCH),
        body: Some(&BATCH_BODY),
        errors: &[Code::InvalidPostalCode, Code::InvalidParameter],
        example: "/v1/batch/match/corporation",
        example_body: r#"{"queries":[{"name":"（株）台帳","address":"東京都千代田区大手町","id":"row 1"}]}"#,
        ..BATCH_POST
    },
];

pub static ANSWER: Object = Object::new(
    "CorporateMatchAnswer",
    &[DATA_VERSION, data(MATCH, words("The match", "照合結果"))],
);

const NO_PARAMS: Shape = Shape::Object(&Object::new("CorporateMatchBatchParams", &[]));

#[rustfmt::skip] // One member a line.
const BATCH_RECORD: Shape = Shape::Object(&Object::new("CorporateMatchBatchRecord", &[
    data(List(&CORPORATION), words("The corporation of an exact or probable match; else empty", "exactまたはprobableの場合の法人。それ以外は空")),
    member("match", MATCH, words("The match", "照合結果")),
    ID,
]));

pub static BATCH: Object = Object::new(
    "CorporateMatchBatch",
    &[DATA_VERSION, batch_params(NO_PARAMS), batch_results(List(&BATCH_RECORD))],
);

#[rustfmt::skip] // One member a line.
const BATCH_QUERY: Shape = Shape::Object(&Object::new("CorporateMatchBatchQuery", &[
    member("name", Pattern("."), words("The name as it was written", "表記されたままの名称")),
    member("address", TEXT_OR_NULL, words("The address as it was written", "表記されたままの住所")).optional(),
    member("postal_code", TEXT_OR_NULL, words("The postal code", "郵便番号")).optional(),
    member("tel", TEXT_OR_NULL, words("A telephone number; checked, not compared", "電話番号。形式だけを確認し、照合には使わない")).optional(),
    member("id", TEXT_OR_NULL, words("Returned unchanged in the result", "結果にそのまま返す")).optional(),
]).open());

#[rustfmt::skip] // One member a line.
pub static BATCH_BODY: Object = Object::new("CorporateMatchBatchRequest", &[
    member("queries", Shape::UpTo(QUERIES_MAX, &BATCH_QUERY), words("The names", "照合する名称")),
]).open();
