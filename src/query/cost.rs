//! The cost of a search, estimated before it runs.
//!
//! The unit is that of [`super::work`]: reading one row of a posting list. An estimate looks up the length of each
//! term's lists without reading them. It is an upper bound, except for ordering the rows whose names come first,
//! which only the evaluation knows. Costs that every answer has, such as writing a hundred records, are not
//! included.

use std::ops::Range;
use std::sync::Arc;

use super::rows::{PROBE, units_of_list};
use super::syntax::{Conjunction, Query, Term, Vocabulary, What};
use crate::snapshot::OpenError;

/// Upper bounds for one term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Estimate {
    pub rows: u64,
    /// Units of work to find its rows, before they are joined with those of other terms.
    pub units: u64,
}

/// A table that can estimate the cost of its searches.
pub trait CostModel {
    type Words: Vocabulary;

    fn rows(&self) -> u64;

    /// The cost and the number of rows of a keyword in a field, without searching.
    fn keyword(
        &self,
        field: Option<<Self::Words as Vocabulary>::Field>,
        text: &str,
    ) -> Result<Estimate, Arc<OpenError>>;

    /// The cost and the number of rows of a filter.
    fn filter(&self, filter: &<Self::Words as Vocabulary>::Filter) -> Estimate;
}

/// Units per term beside the reading: its text is folded and looked up.
pub const TERM: u64 = 500;

/// A part of a search that takes work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A keyword or filter: its bytes in the query.
    Term(Range<usize>),
    /// All terms together, if none of them is expensive alone.
    Terms(usize),
    Offset(u64),
    Facets,
    /// Data versions that are read one after the other.
    Versions(usize),
    /// Explaining how an address was read.
    Explain,
}

/// The total cost of a search, and its most expensive part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    pub units: u64,
    pub most_expensive: Part,
    most_expensive_units: u64,
}

impl Cost {
    pub fn none() -> Cost {
        Cost { units: 0, most_expensive: Part::Terms(0), most_expensive_units: 0 }
    }

    /// Adds the cost of a part.
    pub fn add(&mut self, part: Part, units: u64) {
        self.units = self.units.saturating_add(units);
        if units > self.most_expensive_units {
            (self.most_expensive, self.most_expensive_units) = (part, units);
        }
    }

    /// Adds the cost of skipping `offset` rows before a page.
    pub fn add_offset(&mut self, offset: u64, found: u64) {
        self.add(Part::Offset(offset), offset.min(found).saturating_mul(SKIPPED));
    }

    /// Sets the most expensive part; all terms together if there are many and none takes a third.
    fn set_most_expensive(&mut self, terms: usize) {
        if terms > 1 && self.most_expensive_units < self.units / 3 {
            (self.most_expensive, self.most_expensive_units) = (Part::Terms(terms), self.units);
        }
    }
}

/// Units to skip one row, for which its class in the order is looked up.
const SKIPPED: u64 = 8;

/// The cost of finding the rows of a query, and an upper bound on their number.
pub fn of_query<T: CostModel>(
    table: &T,
    q: &Query<T::Words>,
) -> Result<(Cost, u64), Arc<OpenError>> {
    let mut estimator = Estimator { table, cost: Cost::none(), terms: 0, joins: !is_alone(q) };
    let rows = estimator.query(q)?;
    let Estimator { mut cost, terms, .. } = estimator;
    cost.set_most_expensive(terms);
    Ok((cost, rows))
}

/// Whether the whole query is one keyword or filter: then its rows are counted and cut in the index.
pub fn is_alone<V: Vocabulary>(q: &Query<V>) -> bool {
    let mut terms = q.terms();
    let first = terms.next().is_some_and(|term| {
        !term.excluded && matches!(term.what, What::Keyword { .. } | What::Filter(_))
    });
    first && terms.next().is_none()
}

/// Follows the same path through a query as the evaluation.
struct Estimator<'t, T> {
    table: &'t T,
    cost: Cost,
    terms: usize,
    /// Whether rows are joined with others.
    joins: bool,
}

impl<T: CostModel> Estimator<'_, T> {
    /// An upper bound on the rows of a query.
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
            // A join reads all the rows, or looks up the few rows of another term in them.
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

    /// A keyword of two letters has 10 rows, and each further letter means ten times as many.
    struct Table;

    impl CostModel for Table {
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
    fn the_estimated_rows_follow_the_operators_of_the_query() {
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
    fn a_query_costs_its_terms_and_their_joins() {
        assert_eq!(weighed("abcde").0.units, TERM + 7);
        // Two lists of 100 rows each are read completely.
        assert_eq!(weighed("abc cde").0.units, 2 * (TERM + 7 + 100));
        // The ten rows of one are looked up in the list of the other.
        assert_eq!(weighed("ab AND abcde").0.units, 2 * (TERM + 7) + 10 + 10 * PROBE);
        // A list with a quarter of all rows is read as a bitmap.
        let whole = units_of_list(ROWS, ROWS);
        assert_eq!(weighed("abcdef OR bcdefg").0.units, 2 * (TERM + 7 + whole));
        assert!(whole < ROWS / 50);
    }

    #[test]
    fn the_most_expensive_part_is_named() {
        for (q, expected) in [
            ("ab OR abcde OR abc", Part::Term(6..11)),
            ("abcde", Part::Term(0..5)),
            ("ab abc abd abe abf", Part::Terms(5)),
        ] {
            assert_eq!(weighed(q).0.most_expensive, expected, "{q}");
        }
        let (mut cost, found) = weighed("abcd");
        cost.add_offset(u64::MAX, found);
        assert_eq!(
            (cost.units, &cost.most_expensive),
            (TERM + 7 + 1_000 * SKIPPED, &Part::Offset(u64::MAX))
        );
        cost.add(Part::Facets, u64::MAX);
        assert_eq!((cost.units, cost.most_expensive), (u64::MAX, Part::Facets));
    }
}
