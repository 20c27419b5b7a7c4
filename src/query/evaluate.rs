//! Evaluates a query to the rows that match it, for every table with a [`Vocabulary`].
//!
//! The meaning of a query is implemented once, here: clauses, `AND`, `OR`, `-`, groups, and filters that restrict
//! the whole. A table provides the rows of a keyword and of a filter. See [`super::syntax`] for the rules.

use std::sync::Arc;

use super::cost::TERM;
use super::rows::{Rows, intersection, union};
use super::syntax::{Clause, Conjunction, Query, Term, Vocabulary, What};
use super::work::{Halt, Unanswered, Work};
use crate::snapshot::{Fault, OpenError};

/// A table that can be searched. Its rows live for `'s`.
pub trait Searched<'s> {
    type Words: Vocabulary;

    fn rows(&self) -> usize;

    /// The rows that a keyword finds in a field; without one, in all fields that such a keyword searches.
    fn keyword(
        &self,
        field: Option<<Self::Words as Vocabulary>::Field>,
        text: &str,
    ) -> Result<Rows<'s>, Unanswered>;

    fn filter(&self, filter: &<Self::Words as Vocabulary>::Filter) -> Result<Rows<'s>, Unanswered>;

    fn refuse(&self, fault: Fault) -> Arc<OpenError>;

    fn work(&self) -> &Work<'_>;

    /// Like [`refuse`](Self::refuse), if the work may also have been stopped.
    fn halted(&self, halt: Halt) -> Unanswered {
        match halt {
            Halt::Damaged(fault) => Unanswered::Damaged(self.refuse(fault)),
            Halt::Stopped(stop) => Unanswered::Stopped(stop),
        }
    }
}

/// The rows that match a query or group. The parser limits the depth of groups.
pub fn matching<'s, S: Searched<'s>>(
    table: &S,
    q: &Query<S::Words>,
) -> Result<Rows<'s>, Unanswered> {
    let (restricting, finding): (Vec<_>, Vec<_>) =
        q.clauses.iter().partition(|clause| clause.restricts());
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    if !finding.is_empty() {
        wanted.push(any_of(table, finding.into_iter())?);
    }
    for clause in restricting {
        match clause.conjunctions.as_slice() {
            [Conjunction { terms }] => collect_terms(table, terms, &mut wanted, &mut unwanted)?,
            _ => wanted.push(any_of(table, [clause].into_iter())?),
        }
    }
    intersection(table.rows(), wanted, unwanted, table.work()).map_err(|halt| table.halted(halt))
}

fn any_of<'q, 's, S: Searched<'s>>(
    table: &S,
    clauses: impl Iterator<Item = &'q Clause<S::Words>>,
) -> Result<Rows<'s>, Unanswered>
where
    S::Words: 'q,
{
    let halted = |halt| table.halted(halt);
    let mut parts = Vec::new();
    for Conjunction { terms } in clauses.flat_map(|clause| &clause.conjunctions) {
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        collect_terms(table, terms, &mut wanted, &mut unwanted)?;
        parts.push(intersection(table.rows(), wanted, unwanted, table.work()).map_err(halted)?);
    }
    union(table.rows(), parts, table.work()).map_err(halted)
}

/// Adds the rows of terms joined by `AND` to the sets that a row must be in, or must not be in.
fn collect_terms<'s, S: Searched<'s>>(
    table: &S,
    terms: &[Term<S::Words>],
    wanted: &mut Vec<Rows<'s>>,
    unwanted: &mut Vec<Rows<'s>>,
) -> Result<(), Unanswered> {
    for term in terms {
        table.work().spend(TERM)?;
        let rows = match &term.what {
            What::Keyword { field, text } => table.keyword(*field, text)?,
            What::Filter(filter) => table.filter(filter)?,
            What::Group(query) => matching(table, query)?,
        };
        if term.excluded { unwanted.push(rows) } else { wanted.push(rows) }
    }
    Ok(())
}
