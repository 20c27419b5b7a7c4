//! Suggestions of schools by name: whole names first, then names that begin with the typed text, then those that contain
//! it; closed schools last. Before these come the open schools that followed a closed one whose name matches. The lists have
//! no readings, so a name is typed as it is written.

use memchr::memmem::Finder;

use super::SchoolData;
use super::members::type_code;
use super::names::NameClass;
use super::record::SchoolView;
use super::search::{SchoolOrder, SchoolSearch, UNITS_PER_CLOSED_SCHOOL};
use super::syntax::{SchoolFacet, SchoolField, SchoolQuery, SchoolText};
use crate::dataset::former_name::FormerName;
use crate::dataset::member::shape::SCHOOL_CODE;
use crate::dataset::member::shape::Shape::{OneNumber, Pattern, Text};
use crate::dataset::member::{Ascii, members};
use crate::dataset::suggestion::{Match, SuggestedText};
use crate::query::budget::QueryError;
use crate::query::syntax::FacetPaths;
use crate::text::codes::SchoolCode;
use crate::text::fold;
use crate::text::typed_keys::{MatchInfo, MatchKind, TypedKeys};
use crate::work::WorkBudget;

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
    /// With the former name, if a former name matches.
    view: SchoolView<'s>,
    match_info: MatchInfo,
}

impl SuggestedSchool<'_> {
    pub fn code(&self) -> SchoolCode {
        self.view.code()
    }
}

/// The schools that match the typed text, at most `limit`.
pub fn suggest_schools<'s>(
    data: &'s SchoolData,
    typed: &TypedSchool,
    limit: usize,
    budget: &WorkBudget<'_>,
) -> Result<Vec<SuggestedSchool<'s>>, QueryError> {
    let (tables, successors) = (data.tables()?, &data.search_index()?.successors);
    let classes = data.name_classes(&typed.search(limit), budget)?;
    let (open, closed) = classes.split_at(NameClass::COUNT);
    let view = |row: &u32| SchoolView::read(tables, *row);
    let mut found: Vec<SchoolView<'_>> =
        open.iter().flatten().take(limit).filter_map(view).collect();
    if found.len() < limit {
        let closed: Vec<u32> = closed.iter().flatten().copied().collect();
        budget.spend(closed.len() as u64 * UNITS_PER_CLOSED_SCHOOL)?;
        let followed =
            closed.iter().flat_map(|row| successors.after(*row).map(move |it| (it, row)));
        for (open, closed) in followed.filter_map(|(open, closed)| view(&open).zip(view(closed))) {
            if found.len() < limit && found.iter().all(|known| known.code() != open.code()) {
                found.push(open.found_by(closed));
            }
        }
        let rest = limit - found.len();
        found.extend(closed.iter().take(rest).filter_map(view));
    }
    let finder = Finder::new(&typed.keyword);
    Ok(found.into_iter().map(|view| suggested(view, typed, &finder)).collect())
}

fn suggested<'s>(
    view: SchoolView<'s>,
    typed: &TypedSchool,
    keyword: &Finder<'_>,
) -> SuggestedSchool<'s> {
    let kind = match NameClass::of(view.name_key(), keyword) {
        _ if view.former_name().is_some() => MatchKind::FormerName,
        NameClass::Whole | NameClass::Beginning => MatchKind::Prefix,
        NameClass::Inside | NameClass::Elsewhere => MatchKind::Inside,
    };
    let highlight = match kind {
        // The text has the present name, in which nothing was typed.
        MatchKind::FormerName => Vec::new(),
        _ => typed.keys.find_in(view.name()).into_iter().collect(),
    };
    SuggestedSchool { view, match_info: MatchInfo { kind, highlight } }
}

members! {
    pub const SUGGESTED_SCHOOL: "SuggestedSchool" of it: &SuggestedSchool<'_>;
    ..SuggestedText { SuggestedText(it.view.name().into()) };
    "code": SCHOOL_CODE => it.view.code(), "School code", "学校コード";
    "type": Pattern("^[A-H][0-9]$") => Ascii(type_code(it.view)), "Type of school (学校種), as in a school's record", "学校種（学校のレコードと同じ）";
    "branch": OneNumber(&[1, 2, 9]) => it.view.branch(), "1 main school, 2 branch, 9 closed", "本分校。1は本校、2は分校、9は廃校";
    "name": Text => it.view.name(), "Name", "学校名";
    "address_raw": Text => it.view.address_raw(), "Address as published", "所在地（公表のまま）";
    ..Match { Match(&it.match_info) };
    ..FormerName { FormerName(it.view.former_name()) };
}
