//! The endpoints of qualified invoice issuers.

use super::parameters::{CORPORATE_SEARCH, VERSION};
use crate::account::Service;
use crate::api::endpoint::Handler::{Batch, Immediate, Search};
use crate::api::endpoint::Kind::{Date, Pattern};
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::limits::BATCH_BODY_BYTES_MAX;
use crate::api::resource::batch::run::handle;
use crate::api::resource::invoice;
use crate::api::resource::version::list_versions;
use crate::api::shapes::invoice as invoice_shapes;
use crate::api::shapes::members;
use crate::api::words::words;
use crate::dataset::Catalog;

const GET: Endpoint =
    Endpoint { needs: Some(Service::Corporate), since: invoice::SINCE, ..Endpoint::GET };

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/invoice/{number}",
        handler: Immediate(invoice::lookup),
        summary: words("A qualified invoice issuer", "適格請求書発行事業者"),
        parameters: &[
            parameter(
                "number",
                Pattern("^[TＴ][0-9０-９]{13}$"),
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
        content: Content::Json(&invoice_shapes::LOOKUP),
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
        content: Content::Json(&invoice_shapes::SEARCH),
        errors: &[Code::MissingQuery, Code::InvalidQuery, Code::InvalidFacet],
        example: "/v1/invoice?q=%E5%8F%B0%E5%B8%B3&limit=1",
        example_body: r#"{"q":"台帳","limit":1}"#,
        ..GET
    },
    Endpoint {
        path: "/v1/batch/invoice/search",
        needs: Some(Service::CorporateBatch),
        since: invoice::SINCE,
        body_bytes_max: BATCH_BODY_BYTES_MAX,
        handler: Batch(handle::<invoice::batch::Query>),
        summary: words(
            "Up to 1,000 registration numbers in one request",
            "1回のリクエストで最大1,000件の登録番号の照会",
        ),
        parameters: &[VERSION],
        answer: words(
            "The issuer of each number, if there is one, in the order of the numbers",
            "登録番号の順に、該当する事業者（あれば）",
        ),
        content: Content::Json(&invoice_shapes::BATCH),
        body: Some(&invoice_shapes::BATCH_BODY),
        errors: &[Code::InvalidInvoiceNumber, Code::InvalidDate],
        example: "/v1/batch/invoice/search",
        example_body: r#"{"default_date":"2026-04-01","queries":[{"number":"T6010001999901","id":"row 1"}]}"#,
        ..Endpoint::POST
    },
    Endpoint {
        path: "/v1/invoice/versions",
        handler: Immediate(|request| list_versions(request, Catalog::invoice)),
        summary: words(
            "The loaded versions of the invoice data",
            "読み込まれている適格請求書発行事業者データのバージョン",
        ),
        answer: words("The dates of the versions, oldest first", "バージョンの日付。古い順"),
        content: Content::Json(&members::VERSIONS),
        example: "/v1/invoice/versions",
        ..GET
    },
];
