//! Schools.

use super::members::{
    ADDRESS, DATA_VERSION, DATE_OR_NULL, FACETS, LIMIT, OFFSET, QUERY, SCHOOL_CODE, TEXT_OR_NULL,
    TOTAL, data, requested_facets,
};
use crate::api::shape::Shape::{self, List, OneNumber, OrNull, Pattern, Text};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;

#[rustfmt::skip] // One member a line.
const SCHOOL: Shape = Shape::Object(&Object::new("School", &[
    member("code", SCHOOL_CODE, words("School code", "学校コード")),
    member("type", Pattern("^[A-H][0-9]$"), words("Type of school", "学校種")),
    member("jurisdiction_prefecture_code", Pattern("^[0-9]{2}$"), words("The responsible prefecture", "所管都道府県のコード")),
    member("establishment_type", OneNumber(&[1, 2, 3]), words("1 national, 2 public, 3 private", "設置区分。1は国立、2は公立、3は私立")),
    member("branch", OneNumber(&[1, 2, 9]), words("1 main school, 2 branch, 9 closed", "本分校。1は本校、2は分校、9は廃校")),
    member("name", Text, words("Name", "学校名")),
    member("address_raw", Text, words("Address as published", "所在地（公表のまま）")),
    member("addresses", List(&ADDRESS), words("The address in parts, or empty", "構成要素に分けた所在地。なければ空")),
    member("established_date", DATE_OR_NULL, words("属性情報設定年月日", "属性情報設定年月日")),
    member("abolished_date", DATE_OR_NULL, words("属性情報廃止年月日", "属性情報廃止年月日")),
    member("school_survey_number", TEXT_OR_NULL, words("School number of the former survey", "旧学校調査番号")),
    member("new_code", List(&SCHOOL_CODE), words("Codes of the schools into which it was merged", "移行後の学校コード")),
]));

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
    &[DATA_VERSION, DATA, QUERY, TOTAL, OFFSET, LIMIT, REQUESTED_FACETS],
);
