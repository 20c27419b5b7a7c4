//! The answers with schools.

use super::members::{DATA_VERSION, FACETS, LIMIT, OFFSET, QUERY, TOTAL, data, requested_facets};
use crate::api::shape::Shape::{self, List, OrNull};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::dataset::school::members::SCHOOL;

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
