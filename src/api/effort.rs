//! Where a search or other long work runs: on the thread of the connection, in one of the lanes, or not at all.
//!
//! The cost is estimated before it begins ([`crate::query::cost`]). If it turns out higher, the search starts again
//! in the next lane. Above the last limit it is an error that names the expensive part of the search.

use std::ops::Range;

use super::error::{ApiError, Code};
use crate::query::budget::{StopReason, WorkBudget};
use crate::query::cost::{Cost, CostPart};

/// Most units of work (rows read) of a search in each place; above the last one it is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub here: u64,
    pub short: u64,
    pub long: u64,
}

/// `here` is 0.1 ms, as long as writing the answer takes; `short` is 4 to 8 ms; `long` is a third of a second.
/// The most expensive searches of names, addresses and readings take a sixth of that.
impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { here: 100_000, short: 4_000_000, long: 250_000_000 }
    }
}

impl Bounds {
    fn of(&self, place: Place) -> u64 {
        match place {
            Place::Here => self.here,
            Place::Short => self.short,
            Place::Long => self.long,
        }
    }

    /// Where a search of this cost runs.
    fn place(&self, units: u64) -> Place {
        let places = [Place::Here, Place::Short];
        places.into_iter().find(|place| units <= self.of(*place)).unwrap_or(Place::Long)
    }
}

/// Characters of a term that an error repeats.
const TERM_CHARS_MAX: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The thread of the connection.
    Here,
    Short,
    Long,
}

/// Why there is no answer yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotDone {
    Error(ApiError),
    /// It is too expensive for the place where it was tried, and must run in this one.
    Belongs(Place),
}

impl From<ApiError> for NotDone {
    fn from(error: ApiError) -> NotDone {
        NotDone::Error(error)
    }
}

/// The limit of a search in the place where it is tried.
pub struct Effort<'w> {
    place: Place,
    bounds: Bounds,
    pub work: WorkBudget<'w>,
}

impl Place {
    fn next(self) -> Option<Place> {
        match self {
            Place::Here => Some(Place::Short),
            Place::Short => Some(Place::Long),
            Place::Long => None,
        }
    }
}

impl<'w> Effort<'w> {
    /// The limit of a place; work goes on while `is_stopped` is false. The actual cost may be twice the
    /// estimate.
    pub fn of(place: Place, bounds: Bounds, is_stopped: &'w dyn Fn() -> bool) -> Effort<'w> {
        Effort { place, bounds, work: WorkBudget::new(2 * bounds.of(place), is_stopped) }
    }

    /// Refuses slow work here: data that must still be read and verified need a lane.
    pub fn need_ready(&self, is_ready: bool) -> Result<(), NotDone> {
        if self.place == Place::Here && !is_ready {
            Err(NotDone::Belongs(Place::Long))
        } else {
            Ok(())
        }
    }

    /// Accepts a search that may run here. `q` is its query, from `parameter`.
    pub fn weigh(&self, cost: &Cost, parameter: &str, q: &str) -> Result<(), NotDone> {
        check(cost, self.bounds, parameter, q)?;
        if cost.units > self.bounds.of(self.place) {
            return Err(NotDone::Belongs(self.bounds.place(cost.units)));
        }
        Ok(())
    }

    /// The result of a search that was stopped here.
    pub fn stopped(&self, stop: StopReason, parameter: &str) -> NotDone {
        match (stop, self.place.next()) {
            (StopReason::OverBudget, Some(next)) => NotDone::Belongs(next),
            (StopReason::OverBudget, None) => over_budget(self.bounds, parameter).into(),
            (StopReason::Abandoned, _) => ApiError::plain(
                Code::SearchTimeout,
                "the search did not finish in time; simplify it, for example with fewer or longer terms, or retry later",
            )
            .into(),
        }
    }
}

/// The error of a search that exceeded the last limit despite a lower estimate.
pub fn over_budget(bounds: Bounds, parameter: &str) -> ApiError {
    let units_max = bounds.long;
    let detail = format!(
        "expected a search that reads at most {units_max} rows; found more; \
         send fewer terms, or longer ones"
    );
    ApiError::of(parameter.to_owned(), Code::QueryTooExpensive, detail)
}

/// Refuses a search that exceeds the last limit; the error names the most expensive part.
pub fn check(cost: &Cost, bounds: Bounds, parameter: &str, q: &str) -> Result<(), ApiError> {
    let (units, units_max) = (cost.units, bounds.long);
    if units <= units_max {
        return Ok(());
    }
    let (parameter, part, remedy) = match &cost.most_expensive {
        CostPart::Term(span) => {
            let part = format!("most of them for the term {:?}", term(q, span));
            (parameter, part, "make the term longer or complete, or leave it out")
        }
        CostPart::Terms(count) => {
            let part = format!("for {count} terms together");
            (parameter, part, "send fewer terms, or longer ones")
        }
        CostPart::Offset(offset) => {
            let part = format!("most of them for the offset {offset}");
            ("offset", part, "narrow the query with an area or another term, and start at 0")
        }
        CostPart::Versions(count) => {
            let part = format!("for {count} versions of the data");
            (parameter, part, "ask for an older version")
        }
        CostPart::Facets => {
            (parameter, "most of them for its facets".to_owned(), "ask for fewer facets")
        }
        CostPart::Explain => {
            ("explain", "most of them for explain".to_owned(), "leave out explain")
        }
    };
    let detail = format!(
        "expected a search that reads at most {units_max} rows; found {units}, {part}; {remedy}"
    );
    Err(ApiError::of(parameter.to_owned(), Code::QueryTooExpensive, detail))
}

fn term<'q>(q: &'q str, span: &Range<usize>) -> &'q str {
    let term = q.get(span.clone()).unwrap_or(q);
    term.char_indices().nth(TERM_CHARS_MAX).map_or(term, |(end, _)| &term[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { here: 10, short: 100, long: 1_000 };

    fn cost(parts: &[(CostPart, u64)]) -> Cost {
        let mut cost = Cost::none();
        parts.iter().for_each(|(part, units)| cost.add(part.clone(), *units));
        cost
    }

    #[test]
    fn a_search_runs_in_the_place_for_its_cost() {
        for (units, place, expected) in [
            (BOUNDS.here, Place::Here, Ok(())),
            (BOUNDS.here + 1, Place::Here, Err(NotDone::Belongs(Place::Short))),
            (BOUNDS.short, Place::Here, Err(NotDone::Belongs(Place::Short))),
            (BOUNDS.short + 1, Place::Here, Err(NotDone::Belongs(Place::Long))),
            (BOUNDS.short, Place::Short, Ok(())),
            (BOUNDS.short + 1, Place::Short, Err(NotDone::Belongs(Place::Long))),
            (BOUNDS.long, Place::Long, Ok(())),
        ] {
            let effort = Effort::of(place, BOUNDS, &|| false);
            let found = effort.weigh(&cost(&[(CostPart::Facets, units)]), "q", "query");
            assert_eq!(found, expected, "{units} {place:?}");
        }
    }

    #[test]
    fn the_error_names_the_most_expensive_part() {
        for (part, parameter, words) in [
            (CostPart::Term(4..8), "q", "most of them for the term \"dear\"; make the term longer"),
            (CostPart::Terms(3), "q", "for 3 terms together; send fewer terms"),
            (CostPart::Offset(9), "offset", "most of them for the offset 9; narrow the query"),
            (CostPart::Versions(9), "q", "for 9 versions of the data; ask for an older version"),
            (CostPart::Facets, "q", "most of them for its facets; ask for fewer"),
            (CostPart::Explain, "explain", "most of them for explain; leave out explain"),
        ] {
            let dear = cost(&[(CostPart::Term(0..3), 5), (part, BOUNDS.long)]);
            let error = check(&dear, BOUNDS, "q", "one dear").expect_err("too much");
            assert_eq!(error.code, Code::QueryTooExpensive);
            assert_eq!(error.parameter.as_deref(), Some(parameter));
            let found = format!("at most 1000 rows; found 1005, {words}");
            assert!(error.detail.contains(&found), "{}", error.detail);
        }
        let long = "長".repeat(100);
        let error = check(&cost(&[(CostPart::Term(0..long.len()), u64::MAX)]), BOUNDS, "q", &long);
        let detail = error.expect_err("too much").detail;
        assert!(detail.contains(&format!("{:?}", "長".repeat(40))), "{detail}");
    }

    #[test]
    fn a_stopped_search_moves_to_the_next_place_or_is_an_error() {
        let stopped = |place, stop| Effort::of(place, BOUNDS, &|| false).stopped(stop, "q");
        assert_eq!(stopped(Place::Here, StopReason::OverBudget), NotDone::Belongs(Place::Short));
        assert_eq!(stopped(Place::Short, StopReason::OverBudget), NotDone::Belongs(Place::Long));
        for (place, stop, code) in [
            (Place::Long, StopReason::OverBudget, Code::QueryTooExpensive),
            (Place::Here, StopReason::Abandoned, Code::SearchTimeout),
            (Place::Long, StopReason::Abandoned, Code::SearchTimeout),
        ] {
            match stopped(place, stop) {
                NotDone::Error(error) => assert_eq!(error.code, code),
                other => panic!("expected {code:?}, found {other:?}"),
            }
        }
    }
}
