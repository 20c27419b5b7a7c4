//! The endpoints of schools.

use super::parameters::{
    DATA_VERSION, FACETS, SCHOOL_SEARCH, SENT_LIMIT, SENT_OFFSET, SENT_QUERY, TOTAL, VERSION,
    VERSIONS, data, requested_facets,
};
use super::suggest;
use crate::account::Rights;
use crate::api::endpoint::Handler::{Budgeted, Immediate, Search};
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::resource::{list_versions, school};
use crate::api::shape::Shape::{List, OrNull, Pattern, Text};
use crate::api::shape::{Member, Object, Shape, member};
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::dataset::school::SchoolData;
use crate::dataset::school::members::SCHOOL;
use crate::dataset::school::suggest::SUGGESTED_SCHOOL;
use crate::snapshot::Dataset as _;

const GET: Endpoint =
    Endpoint { needs: Some(Rights::PREMIUM), datasets: &[SchoolData::KIND], ..Endpoint::GET };

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/school/{code}",
        handler: Immediate(school::lookup),
        summary: words("A school", "学校"),
        parameters: &[
            parameter(
                "code",
                Pattern("^[A-Za-z][0-9]{12}$"),
                words(
                    "A school code, a letter and twelve digits",
                    "学校コード（英字1字と12桁の数字）",
                ),
                "F108110009907",
            ),
            VERSION,
        ],
        answer: words("The school with its address in parts", "学校。住所は構成要素に分けて返す"),
        content: Content::Json(&LOOKUP),
        errors: &[Code::InvalidSchoolCode, Code::NoSuchSchool],
        example: "/v1/school/F108110009907",
        ..GET
    },
    Endpoint {
        path: "/v1/school",
        handler: Search(school::search),
        summary: words("Search for schools", "学校の検索"),
        parameters: SCHOOL_SEARCH,
        answer: words("The schools, the count and the facets", "学校、件数、ファセット"),
        content: Content::Json(&SEARCH),
        errors: &[Code::MissingQuery, Code::InvalidQuery, Code::InvalidFacet],
        example: "/v1/school?q=%E5%A4%A7%E5%AD%A6&limit=1",
        example_body: r#"{"q":"大学","limit":1}"#,
        ..GET
    },
    Endpoint {
        path: "/v1/school/versions",
        handler: Immediate(|request| list_versions(request, Catalog::school)),
        summary: words(
            "The loaded versions of the school data",
            "読み込まれている学校データのバージョン",
        ),
        answer: words("The dates of the versions, oldest first", "バージョンの日付。古い順"),
        content: Content::Json(&VERSIONS),
        example: "/v1/school/versions",
        ..GET
    },
];

const FOUND: Member = data(SCHOOL, words("The school", "学校"));
pub static LOOKUP: Object = Object::new("SchoolAnswer", &[DATA_VERSION, FOUND]);

#[rustfmt::skip] // One member a line.
const FACET_SET: Shape = Shape::Object(&Object::new("SchoolFacets", &[
    member("area", FACETS, words("By area", "地域別")).optional(),
    member("prefecture", FACETS, words("By responsible prefecture", "所管都道府県別")).optional(),
    member("type", FACETS, words("By type", "学校種別")).optional(),
    member("establishment_type", FACETS, words("By founder", "設置区分別")).optional(),
    member("branch", FACETS, words("Main schools, branches, closed ones", "本分校別")).optional(),
]));

const DATA: Member = data(List(&SCHOOL), words("The schools", "学校"));
const REQUESTED_FACETS: Member = requested_facets(OrNull(&FACET_SET));
pub static SEARCH: Object = Object::new(
    "SchoolSearch",
    &[DATA_VERSION, DATA, SENT_QUERY, TOTAL, SENT_OFFSET, SENT_LIMIT, REQUESTED_FACETS],
);

pub const SUGGESTIONS: Endpoint = Endpoint {
    path: "/v1/suggest/school",
    handler: Budgeted(school::suggestions),
    summary: words("Suggestions of schools while typing a name", "学校名の入力補完"),
    parameters: &[
        parameter(
            "q",
            Text,
            words(
                "The typed text: a part of the name as it is written, with or without 市立 and the like",
                "入力された文字。学校名の一部（表記のとおり。市立などは省略可）",
            ),
            "台帳",
        )
        .required(),
        suggest::LIMIT,
        VERSION,
    ],
    answer: words(
        "The schools, most likely first, closed ones last",
        "学校。有力な候補から順、廃校は最後",
    ),
    content: Content::Json(&SUGGESTED_SCHOOLS),
    example: "/v1/suggest/school?q=%E5%8F%B0%E5%B8%B3&limit=3",
    errors: &[Code::MissingQuery],
    ..GET
};

const FOUND_SCHOOLS: Member = data(List(&SUGGESTED_SCHOOL), words("The schools", "学校"));
pub static SUGGESTED_SCHOOLS: Object =
    Object::new("SuggestedSchools", &[DATA_VERSION, FOUND_SCHOOLS]);
