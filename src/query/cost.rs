//! What a search takes, said before it runs.
//!
//! The unit is that of [`super::work`]: reading one row of a posting list. An estimate looks up how long the lists of
//! each term are and reads none of them; it is an upper bound but for the rows whose names come first, which only the
//! evaluation knows. What every answer costs alike, such as writing a hundred records, is not in it.

use std::ops::Range;
use std::sync::Arc;

use super::rows::{PROBE, units_of_list};
use super::syntax::{Conjunction, Query, Term, Vocabulary, What};
use crate::snapshot::OpenError;

/// What one term finds and takes, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Estimate {
    pub rows: u64,
    /// Units of work until the rows are known, before they are joined with those of others.
    pub units: u64,
}

/// A table of which is known what its searches take.
pub trait Weighed {
    type Words: Vocabulary;

    fn rows(&self) -> u64;

    /// What a keyword in a field takes and finds, without looking for it.
    fn keyword(
        &self,
        field: Option<<Self::Words as Vocabulary>::Field>,
        text: &str,
    ) -> Result<Estimate, Arc<OpenError>>;

    /// What a filter takes and lets through.
    fn filter(&self, filter: &<Self::Words as Vocabulary>::Filter) -> Estimate;
}

/// Units that a term takes beside what it reads: its text is folded and looked up.
pub const TERM: u64 = 500;

/// A part of a search that takes work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A keyword or filter: the bytes of the query that it stands in.
    Term(Range<usize>),
    /// All terms together, none of which is dear alone.
    Terms(usize),
    Offset(u64),
    Facets,
    /// Versions of the data that are read one after the other.
    Versions(usize),
    /// Telling how an address was read.
    Explain,
}

/// What a search takes in all, and the part that takes most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    pub units: u64,
    pub dearest: Part,
    of_dearest: u64,
}

impl Cost {
    pub fn none() -> Cost {
        Cost { units: 0, dearest: Part::Terms(0), of_dearest: 0 }
    }

    /// Adds what a part takes.
    pub fn add(&mut self, part: Part, units: u64) {
        self.units = self.units.saturating_add(units);
        if units > self.of_dearest {
            (self.dearest, self.of_dearest) = (part, units);
        }
    }

    /// Adds an offset behind which a page of so many rows begins.
    pub fn add_offset(&mut self, offset: u64, found: u64) {
        self.add(Part::Offset(offset), offset.min(found).saturating_mul(SKIPPED));
    }

    /// The part that takes most; all terms where there are many and none takes a third.
    fn settle(&mut self, terms: usize) {
        if terms > 1 && self.of_dearest < self.units / 3 {
            (self.dearest, self.of_dearest) = (Part::Terms(terms), self.units);
        }
    }
}

/// Units that passing over one row takes: whether it is one of those that come first is looked up.
const SKIPPED: u64 = 8;

/// What the rows of a query cost to find, and how many they are at most.
pub fn of_query<T: Weighed>(table: &T, q: &Query<T::Words>) -> Result<(Cost, u64), Arc<OpenError>> {
    let mut weighing = Weighing { table, cost: Cost::none(), terms: 0, joins: !is_alone(q) };
    let rows = weighing.query(q)?;
    let Weighing { mut cost, terms, .. } = weighing;
    cost.settle(terms);
    Ok((cost, rows))
}

/// Whether one keyword or filter is the whole query: its rows are counted and cut where they lie.
pub fn is_alone<V: Vocabulary>(q: &Query<V>) -> bool {
    let mut terms = q.terms();
    let first = terms.next().is_some_and(|term| {
        !term.excluded && matches!(term.what, What::Keyword { .. } | What::Filter(_))
    });
    first && terms.next().is_none()
}

/// Follows the evaluation's own way through a query.
struct Weighing<'t, T> {
    table: &'t T,
    cost: Cost,
    terms: usize,
    /// Whether rows are joined with others.
    joins: bool,
}

impl<T: Weighed> Weighing<'_, T> {
    /// The rows that a query finds at most.
    fn query(&mut self, q: &Query<T::Words>) -> Result<u64, Arc<OpenError>> {
        let (mut least, mut found, mut finds) = (self.table.rows(), 0u64, false);
        for clause in &q.clauses {
            let mut of_clause = 0u64;
            for Conjunction { terms } in &clause.conjunctions {
                of_clause = of_clause.saturating_add(self.conjunction(terms)?);
            }
            match clause.restricts() {
                true => least = least.min(of_clause),
                false => (found, finds) = (found.saturating_add(of_clause), true),
            }
        }
        Ok(if finds { found.min(least) } else { least })
    }

    fn conjunction(&mut self, joined: &[Term<T::Words>]) -> Result<u64, Arc<OpenError>> {
        let all = self.table.rows();
        let mut of_terms = Vec::with_capacity(joined.len());
        for term in joined {
            self.terms += 1;
            let estimate = match &term.what {
                What::Keyword { field, text } => self.table.keyword(*field, text)?,
                What::Filter(filter) => self.table.filter(filter),
                What::Group(query) => Estimate { rows: self.query(query)?, units: 0 },
            };
            of_terms.push((term, estimate));
        }
        let wanted = of_terms.iter().filter(|(term, _)| !term.excluded);
        let least = wanted.map(|(_, estimate)| estimate.rows).min().unwrap_or(all);
        for (term, Estimate { rows, units }) in of_terms {
            // Joining reads all of the rows, or looks for the few of another term among them.
            let joining = units_of_list(rows, all).min(least.saturating_mul(PROBE));
            let joining = if self.joins { joining } else { 0 };
            self.cost.add(Part::Term(term.span.clone()), TERM + units + joining);
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::syntax::{Field, Filter, Grouping, Postal};

    const ROWS: u64 = 64_000;

    /// A keyword of two letters has 10 rows, and each further letter ten times as many.
    struct Table;

    impl Weighed for Table {
        type Words = Postal;

        fn rows(&self) -> u64 {
            ROWS
        }

        fn keyword(&self, _field: Option<Field>, text: &str) -> Result<Estimate, Arc<OpenError>> {
            let rows = 10u64.pow(text.chars().count() as u32 - 1).min(ROWS);
            Ok(Estimate { rows, units: 7 })
        }

        fn filter(&self, _filter: &Filter) -> Estimate {
            Estimate { rows: ROWS / 2, units: 3 }
        }
    }

    fn weighed(q: &str) -> (Cost, u64) {
        let q = Query::<Postal>::parse_with(q, Grouping::Allowed).expect(q);
        of_query(&Table, &q).expect("a table without faults")
    }

    #[test]
    fn rows_are_bounded_as_the_query_joins_them() {
        for (q, rows) in [
            ("ab", 10),
            ("ab abc", 110),
            ("ab OR abc", 110),
            ("ab AND abc", 10),
            ("abcdef", ROWS),
            ("abcdef abcdef", ROWS),
            ("abc -ab", 100),
            ("abc _type:1", 100),
            ("abcdef _type:1", ROWS / 2),
            ("_type:1", ROWS / 2),
            ("(ab abc) AND abcd", 110),
        ] {
            assert_eq!(weighed(q).1.min(ROWS), rows, "{q}");
        }
    }

    #[test]
    fn a_query_of_one_term_joins_nothing() {
        assert_eq!(weighed("abcde").0.units, TERM + 7);
        // Two lists of 100 rows each are read whole.
        assert_eq!(weighed("abc cde").0.units, 2 * (TERM + 7 + 100));
        // The ten rows of one are looked for in the list of the other.
        assert_eq!(weighed("ab AND abcde").0.units, 2 * (TERM + 7) + 10 + 10 * PROBE);
        // What a quarter of all rows have is read as a bit a row.
        let whole = units_of_list(ROWS, ROWS);
        assert_eq!(weighed("abcdef OR bcdefg").0.units, 2 * (TERM + 7 + whole));
        assert!(whole < ROWS / 50);
    }

    #[test]
    fn the_dearest_part_is_named() {
        for (q, expected) in [
            ("ab OR abcde OR abc", Part::Term(6..11)),
            ("abcde", Part::Term(0..5)),
            ("ab abc abd abe abf", Part::Terms(5)),
        ] {
            assert_eq!(weighed(q).0.dearest, expected, "{q}");
        }
        let (mut cost, found) = weighed("abcd");
        cost.add_offset(u64::MAX, found);
        assert_eq!(
            (cost.units, &cost.dearest),
            (TERM + 7 + 1_000 * SKIPPED, &Part::Offset(u64::MAX))
        );
        cost.add(Part::Facets, u64::MAX);
        assert_eq!((cost.units, cost.dearest), (u64::MAX, Part::Facets));
    }
}
