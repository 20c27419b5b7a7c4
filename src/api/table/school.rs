//! The endpoints of schools.

use super::parameters::{SCHOOL_SEARCH, VERSION};
use crate::api::endpoint::Handler::{Immediate, Search};
use crate::api::endpoint::Kind::Pattern;
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::resource::school;
use crate::api::resource::version::list_versions;
use crate::api::shapes::members;
use crate::api::shapes::school as school_shapes;
use crate::api::words::words;
use crate::dataset::Catalog;

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/school/{code}",
        handler: Immediate(school::lookup),
        summary: words("A school", "学校"),
        parameters: &[
            parameter(
                "code",
                Pattern("^[A-Za-zＡ-Ｚａ-ｚ][0-9０-９]{12}$"),
                words(
                    "A school code, a letter and twelve digits",
                    "学校コード（英字1字と12桁の数字）",
                ),
                "F108110009907",
            ),
            VERSION,
        ],
        answer: words("The school with its address in parts", "学校。住所は構成要素に分けて返す"),
        content: Content::Json(&school_shapes::LOOKUP),
        errors: &[Code::InvalidSchoolCode, Code::NoSuchSchool],
        example: "/v1/school/F108110009907",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/school",
        handler: Search(school::search),
        summary: words("Search for schools", "学校の検索"),
        parameters: SCHOOL_SEARCH,
        answer: words("The schools, the count and the facets", "学校、件数、ファセット"),
        content: Content::Json(&school_shapes::SEARCH),
        errors: &[Code::MissingQuery, Code::InvalidQuery, Code::InvalidFacet],
        example: "/v1/school?q=%E5%A4%A7%E5%AD%A6&limit=1",
        example_body: r#"{"q":"大学","limit":1}"#,
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/school/versions",
        handler: Immediate(|request| list_versions(request, Catalog::school)),
        summary: words(
            "The loaded versions of the school data",
            "読み込まれている学校データのバージョン",
        ),
        answer: words("The dates of the versions, oldest first", "バージョンの日付。古い順"),
        content: Content::Json(&members::VERSIONS),
        example: "/v1/school/versions",
        ..Endpoint::GET
    },
];
