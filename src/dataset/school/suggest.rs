//! Suggestions of schools by name: whole names first, then names that begin with the typed text, then those that contain
//! it; closed schools last. The lists have no readings, so a name is typed as it is written.

use memchr::memmem::Finder;

use super::SchoolData;
use super::members::type_code;
use super::names::NameClass;
use super::record::SchoolView;
use super::search::{SchoolOrder, SchoolSearch};
use super::syntax::{SchoolFacet, SchoolField, SchoolQuery, SchoolText};
use crate::dataset::member::shape::SCHOOL_CODE;
use crate::dataset::member::shape::Shape::{OneNumber, Pattern, Text};
use crate::dataset::member::{Ascii, members};
use crate::dataset::suggestion::{Match, SuggestedText};
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::syntax::FacetPaths;
use crate::text::fold;
use crate::text::typed_keys::{MatchInfo, MatchKind, TypedKeys};

/// A typed text, as a search of names.
#[derive(Debug)]
pub struct TypedSchool {
    keys: TypedKeys,
    /// The text in the form that searches compare.
    keyword: String,
    q: SchoolQuery,
    facets: FacetPaths<SchoolFacet>,
}

impl TypedSchool {
    /// `None` if the text has nothing to compare.
    pub fn parse(text: &str) -> Option<TypedSchool> {
        let keys = TypedKeys::parse(text)?;
        let keyword = fold::search_key(text, SchoolText::LEVEL);
        let q = SchoolQuery::of_keyword(Some(SchoolField::Name), text.to_owned());
        let facets = FacetPaths { area: None, codes: Vec::new() };
        (!keyword.is_empty()).then_some(TypedSchool { keys, keyword, q, facets })
    }

    pub fn search(&self, limit: usize) -> SchoolSearch<'_> {
        let order = SchoolOrder::OpenFirst;
        SchoolSearch { q: &self.q, facets: &self.facets, offset: 0, limit, order }
    }
}

/// A suggested school.
pub struct SuggestedSchool<'s> {
    view: SchoolView<'s>,
    match_info: MatchInfo,
}

/// The schools that match the typed text, at most `limit`.
pub fn suggest_schools<'s>(
    data: &'s SchoolData,
    typed: &TypedSchool,
    limit: usize,
    budget: &WorkBudget<'_>,
) -> Result<Vec<SuggestedSchool<'s>>, QueryError> {
    let found = data.search_within_budget(&typed.search(limit), budget)?;
    let finder = Finder::new(&typed.keyword);
    let suggested = |row: &u32| {
        let view = data.tables().ok().and_then(|tables| SchoolView::read(tables, *row))?;
        let kind = match NameClass::of(view.name_key(), &finder) {
            NameClass::Whole | NameClass::Beginning => MatchKind::Prefix,
            NameClass::Inside | NameClass::Elsewhere => MatchKind::Inside,
        };
        let highlight = typed.keys.find_in(view.name()).into_iter().collect();
        Some(SuggestedSchool { view, match_info: MatchInfo { kind, highlight } })
    };
    Ok(found.rows.iter().filter_map(suggested).collect())
}

members! {
    pub const SUGGESTED_SCHOOL: "SuggestedSchool" of it: &SuggestedSchool<'_>;
    ..SuggestedText { SuggestedText(it.view.name()) };
    "code": SCHOOL_CODE => it.view.code(), "School code", "学校コード";
    "type": Pattern("^[A-H][0-9]$") => Ascii(type_code(it.view)), "Type of school (学校種), as in a school's record", "学校種（学校のレコードと同じ）";
    "branch": OneNumber(&[1, 2, 9]) => it.view.branch(), "1 main school, 2 branch, 9 closed", "本分校。1は本校、2は分校、9は廃校";
    "name": Text => it.view.name(), "Name", "学校名";
    "address_raw": Text => it.view.address_raw(), "Address as published", "所在地（公表のまま）";
    ..Match { Match(&it.match_info) };
}
