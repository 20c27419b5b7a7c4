//! From a name, perhaps an address and a postal code, to a corporate number (`docs/matching.md`).
//!
//! Candidates come from the loose names; [`rules`] gives the points of what speaks for each, [`place`] compares the
//! addresses, and `scoring` reads no more rows than the answer depends on. A match is never `exact` or `probable` where
//! another open corporation fits equally. Reads the corporate data alone; the same data and the same question give the
//! same answer.

mod candidate;
pub mod place;
pub mod rules;
mod scoring;

pub use self::candidate::{CANDIDATES_MAX, Candidate, MatchQuery};
use self::place::TypedAddress;
use self::rules::{EXACT_MIN, LEAD_MIN, MatchLevel, PROBABLE_MIN, REVIEW_MIN};
use self::scoring::{Matcher, Scored};
use super::CorporateData;
use super::search::loose::{match_equal_names, match_other_names};
use crate::dataset::member::shape::Shape::{List, OneOf, OrNull, Text, Whole};
use crate::dataset::member::shape::{CORPORATE_NUMBER, DATE_OR_NULL};
use crate::dataset::member::{Day, ListOf, members};
use crate::query::budget::EvaluationError;
use crate::text::loose_name::TypedName;
use crate::work::WorkBudget;

/// Most rows with a name that are compared with the address.
const COMPARED_MAX: usize = 500;

pub struct MatchAnswer<'s> {
    pub level: MatchLevel,
    /// The likeliest first, at most [`CANDIDATES_MAX`]. Empty if the level is `none`.
    pub candidates: Vec<Candidate<'s>>,
    has_telephone: bool,
}

impl<'s> MatchAnswer<'s> {
    /// The corporation of an exact or probable match.
    pub fn found(&self) -> Option<&Candidate<'s>> {
        let is_found = matches!(self.level, MatchLevel::Exact | MatchLevel::Probable);
        self.candidates.first().filter(|_| is_found)
    }

    /// The points of the first candidate; 0 without one.
    pub fn score(&self) -> u8 {
        self.candidates.first().map_or(0, Candidate::score)
    }

    /// The reasons of the first candidate, that others fit as well, and what was not compared.
    pub fn reason(&self) -> String {
        let Some(best) = self.candidates.first() else { return String::new() };
        let mut reason = best.reasons_in_words();
        if self.level == MatchLevel::Review && best.points >= PROBABLE_MIN {
            reason.push_str("; others fit as well");
        }
        if self.has_telephone {
            reason.push_str("; telephone number not compared: the register has none");
        }
        reason
    }
}

/// Finds the corporation of a query.
pub fn match_corporation<'s>(
    data: &'s CorporateData,
    query: &MatchQuery<'_>,
    budget: &WorkBudget<'_>,
) -> Result<MatchAnswer<'s>, EvaluationError> {
    let has_telephone = query.has_telephone;
    let none = || MatchAnswer { level: MatchLevel::None, candidates: Vec::new(), has_telephone };
    let Some(name) = TypedName::parse(query.name) else { return Ok(none()) };
    let municipalities = data.municipalities()?;
    let address = TypedAddress::parse(query.address, municipalities);
    let matcher = Matcher { data, municipalities, query, name: &name, address };
    let equal = match_equal_names(data, query.name, &name, COMPARED_MAX, budget)?;
    let scores = matcher.scores(&equal)?;
    let mut candidates = scores.rows;
    if scores.surest.is_none_or(|points| points < PROBABLE_MIN) {
        let places = matcher.places();
        let mut others = match_other_names(data, &name, places, COMPARED_MAX, budget)?;
        let is_known = |row: u32| equal.rows.binary_search_by_key(&row, |(row, _)| *row).is_ok();
        others.rows.retain(|(row, _)| !is_known(*row));
        candidates.extend(matcher.scores(&others)?.rows);
    }
    candidates.retain(|it| it.points >= REVIEW_MIN);
    candidates.sort_unstable_by_key(Scored::order);
    let level = level(&candidates);
    candidates.truncate(CANDIDATES_MAX);
    let candidates = candidates.into_iter().map(|scored| scored.into_candidate(data, &name));
    let candidates = candidates.collect::<Result<Vec<_>, _>>()?;
    Ok(MatchAnswer { level, candidates, has_telephone })
}

/// The level of sorted candidates.
fn level(candidates: &[Scored<'_>]) -> MatchLevel {
    let Some(best) = candidates.first() else { return MatchLevel::None };
    let is_rival = |other: &Scored<'_>| {
        let is_behind = best.points - other.points >= LEAD_MIN;
        // A closed corporation is no rival of an open one; its successor is the same one.
        !is_behind && (best.head.is_closed() || !other.head.is_closed())
    };
    match best.points {
        _ if candidates[1..].iter().any(is_rival) => MatchLevel::Review,
        EXACT_MIN.. => MatchLevel::Exact,
        PROBABLE_MIN.. => MatchLevel::Probable,
        _ => MatchLevel::Review,
    }
}

members! {
    pub const MATCH_CANDIDATE: "MatchCandidate" of it: &Candidate<'_>;
    "corporate_number": CORPORATE_NUMBER => it.view.number(), "The corporate number", "法人番号";
    "name": Text => it.view.name(), "Name", "商号または名称";
    "address": Text => it.view.inland_address(), "Prefecture, municipality and the rest in one", "都道府県から番地までの所在地";
    "match_score": Whole { min: 0, max: 100 } => u32::from(it.score()), "Points, 0 to 100", "点数。0から100";
    "match_reason": Text => it.reasons_in_words(), "What speaks for it and against it", "照合の理由";
    "close_date": DATE_OR_NULL => it.view.close_date().map(Day), "Date of closing, null while open", "登記記録の閉鎖等年月日";
    "successor_corporate_number": OrNull(&CORPORATE_NUMBER) => it.view.successor(), "Number of the successor, or null", "承継先法人番号。なければnull";
}

members! {
    pub const MATCH: "CorporateMatch" of it: &MatchAnswer<'_>;
    "match_level": OneOf(&["exact", "probable", "review", "none"]) => it.level.name(), "How sure the match is", "照合の確かさ";
    "corporate_number": OrNull(&CORPORATE_NUMBER) => it.found().map(|it| it.view.number()), "The number of an exact or probable match, else null", "exactまたはprobableの場合の法人番号。それ以外はnull";
    "match_score": Whole { min: 0, max: 100 } => u32::from(it.score()), "Points of the first candidate", "先頭の候補の点数";
    "match_reason": Text => it.reason(), "Its reasons, and why a person must decide", "先頭の候補の理由と、確認が必要な理由";
    "candidates": List(&MATCH_CANDIDATE) => ListOf(it.candidates.iter()), "At most five, the likeliest first", "有力な候補から順に最大5件";
}
