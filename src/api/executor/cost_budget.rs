//! The cost that a search may have, and the executor on which it runs: the thread of the connection, the short lane or
//! the long lane.
//!
//! The cost is estimated before a search starts ([`crate::query::cost`]). If it turns out higher, the search starts
//! again on the next executor. Above the limit of the long lane it is an error that names the expensive part.

use crate::api::error::{ApiError, Code, excerpt};
use crate::query::cost::{Cost, CostPart};
use crate::work::{StopReason, WorkBudget};

/// The most units of work (rows read) of a search on each executor. A search above the budget of the long lane is an
/// error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostLimits {
    pub connection: u64,
    pub short_lane: u64,
    pub long_lane: u64,
}

/// `connection` is 0.1 ms, as long as writing the answer takes; `short_lane` is 4 to 8 ms; `long_lane` is a third of a
/// second. The most expensive searches of names, addresses and readings take a sixth of that.
impl Default for CostLimits {
    fn default() -> CostLimits {
        CostLimits { connection: 100_000, short_lane: 4_000_000, long_lane: 250_000_000 }
    }
}

impl CostLimits {
    /// For a process that serves nobody else. A budget is twice its limit.
    pub const UNLIMITED: CostLimits =
        CostLimits { connection: u64::MAX / 2, short_lane: u64::MAX / 2, long_lane: u64::MAX / 2 };

    fn units_max(&self, executor: Executor) -> u64 {
        match executor {
            Executor::Connection => self.connection,
            Executor::ShortLane => self.short_lane,
            Executor::LongLane => self.long_lane,
        }
    }

    /// The budget of a search on an executor: twice its limit, because the actual cost may be twice the estimate. The
    /// search stops once `is_stopped` returns true.
    pub fn work_budget<'w>(
        &self,
        executor: Executor,
        is_stopped: &'w dyn Fn() -> bool,
    ) -> WorkBudget<'w> {
        WorkBudget::new(2 * self.units_max(executor), is_stopped)
    }

    /// The first executor that allows this cost; the long lane if none does.
    fn executor_for(&self, units: u64) -> Executor {
        let executors = [Executor::Connection, Executor::ShortLane];
        executors
            .into_iter()
            .find(|executor| units <= self.units_max(*executor))
            .unwrap_or(Executor::LongLane)
    }
}

/// Where a search runs, the cheapest searches first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executor {
    /// The thread of the connection, which also drives other connections.
    Connection,
    ShortLane,
    LongLane,
}

/// Why a handler has no reply.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::From)]
pub enum HandlerError {
    #[from]
    Api(ApiError),
    /// The request is too expensive for the executor on which it was tried, and must run on this one.
    MoveTo(Executor),
}

impl HandlerError {
    /// Separates the executor on which the work must run instead from the result.
    pub fn split<T>(result: Result<T, HandlerError>) -> Result<Result<T, ApiError>, Executor> {
        match result {
            Ok(value) => Ok(Ok(value)),
            Err(HandlerError::Api(error)) => Ok(Err(error)),
            Err(HandlerError::MoveTo(executor)) => Err(executor),
        }
    }
}

/// What a search may cost on the executor on which it is tried.
pub struct CostBudget<'w> {
    executor: Executor,
    limits: CostLimits,
    /// Counts the units while the search runs, and stops it.
    pub work: WorkBudget<'w>,
}

impl Executor {
    fn next(self) -> Option<Executor> {
        match self {
            Executor::Connection => Some(Executor::ShortLane),
            Executor::ShortLane => Some(Executor::LongLane),
            Executor::LongLane => None,
        }
    }
}

impl<'w> CostBudget<'w> {
    /// The budget on an executor. The search stops once `is_stopped` returns true.
    pub fn new(
        executor: Executor,
        limits: CostLimits,
        is_stopped: &'w dyn Fn() -> bool,
    ) -> CostBudget<'w> {
        CostBudget { executor, limits, work: limits.work_budget(executor, is_stopped) }
    }

    /// Moves a search to the long lane if its data must still be read and verified.
    pub fn require_ready(&self, is_ready: bool) -> Result<(), HandlerError> {
        if self.executor == Executor::Connection && !is_ready {
            Err(HandlerError::MoveTo(Executor::LongLane))
        } else {
            Ok(())
        }
    }

    /// Accepts work of this many units if they are within the limit of this executor: the writing of a long list.
    pub fn admit_units(&self, units: u64) -> Result<(), HandlerError> {
        match units <= self.limits.units_max(self.executor) {
            true => Ok(()),
            false => Err(HandlerError::MoveTo(self.limits.executor_for(units))),
        }
    }

    /// Accepts a search whose estimated cost is within the limit of this executor. `q` is its query, from
    /// `parameter`.
    pub fn admit(&self, cost: &Cost, parameter: &str, q: &str) -> Result<(), HandlerError> {
        check_cost(cost, self.limits, parameter, q)?;
        if cost.units > self.limits.units_max(self.executor) {
            return Err(HandlerError::MoveTo(self.limits.executor_for(cost.units)));
        }
        Ok(())
    }

    /// The error of a search that was stopped on this executor.
    pub fn stop_error(&self, stop: StopReason, parameter: &str) -> HandlerError {
        match (stop, self.executor.next()) {
            (StopReason::OverBudget, Some(next)) => HandlerError::MoveTo(next),
            (StopReason::OverBudget, None) => over_budget(self.limits, parameter).into(),
            (StopReason::Abandoned, _) => ApiError::new(
                Code::SearchTimeout,
                "the search did not finish in time; simplify it, for example with fewer or longer terms, or retry later",
            )
            .into(),
        }
    }
}

/// The error of a search that exceeded the limit of the long lane despite a lower estimate.
pub fn over_budget(limits: CostLimits, parameter: &str) -> ApiError {
    let units_max = limits.long_lane;
    let detail = format!(
        "expected a search that reads at most {units_max} rows; found more; \
         send fewer terms, or longer ones"
    );
    ApiError::in_parameter(parameter.to_owned(), Code::QueryTooExpensive, detail)
}

/// Refuses a search above the limit of the long lane; the error names the most expensive part.
pub fn check_cost(
    cost: &Cost,
    limits: CostLimits,
    parameter: &str,
    q: &str,
) -> Result<(), ApiError> {
    let (units, units_max) = (cost.units, limits.long_lane);
    if units <= units_max {
        return Ok(());
    }
    let (parameter, part, remedy) = match &cost.most_expensive {
        CostPart::Term(span) => {
            let term = excerpt(q.get(span.clone()).unwrap_or(q));
            let part = format!("most of them for the term {term:?}");
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
    Err(ApiError::in_parameter(parameter.to_owned(), Code::QueryTooExpensive, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: CostLimits = CostLimits { connection: 10, short_lane: 100, long_lane: 1_000 };

    fn cost(parts: &[(CostPart, u64)]) -> Cost {
        let mut cost = Cost::none();
        parts.iter().for_each(|(part, units)| cost.add(part.clone(), *units));
        cost
    }

    #[test]
    fn a_search_runs_on_the_executor_for_its_cost() {
        for (units, executor, expected) in [
            (LIMITS.connection, Executor::Connection, Ok(())),
            (
                LIMITS.connection + 1,
                Executor::Connection,
                Err(HandlerError::MoveTo(Executor::ShortLane)),
            ),
            (
                LIMITS.short_lane,
                Executor::Connection,
                Err(HandlerError::MoveTo(Executor::ShortLane)),
            ),
            (
                LIMITS.short_lane + 1,
                Executor::Connection,
                Err(HandlerError::MoveTo(Executor::LongLane)),
            ),
            (LIMITS.short_lane, Executor::ShortLane, Ok(())),
            (
                LIMITS.short_lane + 1,
                Executor::ShortLane,
                Err(HandlerError::MoveTo(Executor::LongLane)),
            ),
            (LIMITS.long_lane, Executor::LongLane, Ok(())),
        ] {
            let budget = CostBudget::new(executor, LIMITS, &|| false);
            let found = budget.admit(&cost(&[(CostPart::Facets, units)]), "q", "query");
            assert_eq!(found, expected, "{units} {executor:?}");
        }
    }

    #[test]
    fn a_search_may_read_twice_the_rows_of_its_limit() {
        for (executor, limit) in [
            (Executor::Connection, LIMITS.connection),
            (Executor::ShortLane, LIMITS.short_lane),
            (Executor::LongLane, LIMITS.long_lane),
        ] {
            let work = CostBudget::new(executor, LIMITS, &|| false).work;
            assert_eq!(work.spend(limit + limit), Ok(()), "{executor:?}");
            assert_eq!(work.spend(1), Err(StopReason::OverBudget), "{executor:?}");
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
            let dear = cost(&[(CostPart::Term(0..3), 5), (part, LIMITS.long_lane)]);
            let error = check_cost(&dear, LIMITS, "q", "one dear").expect_err("too much");
            assert_eq!(error.code, Code::QueryTooExpensive);
            assert_eq!(error.parameter.as_deref(), Some(parameter));
            let found = format!("at most 1000 rows; found 1005, {words}");
            assert!(error.detail.contains(&found), "{}", error.detail);
        }
        let long = "長".repeat(100);
        let error =
            check_cost(&cost(&[(CostPart::Term(0..long.len()), u64::MAX)]), LIMITS, "q", &long);
        let detail = error.expect_err("too much").detail;
        assert!(detail.contains(&format!("{:?}", "長".repeat(40))), "{detail}");
    }

    #[test]
    fn a_stopped_search_moves_to_the_next_executor_or_is_an_error() {
        let stopped =
            |executor, stop| CostBudget::new(executor, LIMITS, &|| false).stop_error(stop, "q");
        assert_eq!(
            stopped(Executor::Connection, StopReason::OverBudget),
            HandlerError::MoveTo(Executor::ShortLane)
        );
        assert_eq!(
            stopped(Executor::ShortLane, StopReason::OverBudget),
            HandlerError::MoveTo(Executor::LongLane)
        );
        for (executor, stop, code) in [
            (Executor::LongLane, StopReason::OverBudget, Code::QueryTooExpensive),
            (Executor::Connection, StopReason::Abandoned, Code::SearchTimeout),
            (Executor::LongLane, StopReason::Abandoned, Code::SearchTimeout),
        ] {
            match stopped(executor, stop) {
                HandlerError::Api(error) => assert_eq!(error.code, code),
                other => panic!("expected {code:?}, found {other:?}"),
            }
        }
    }
}
