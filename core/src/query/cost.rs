//! The cost of a search, estimated before it runs.
//!
//! The unit is the one of [`crate::work`]: reading one row of a posting list. An estimate looks up the length of each
//! term's lists without reading them. It is an upper bound, except for ordering the rows whose names come first,
//! which only the evaluation knows. Costs that every answer has, such as writing a hundred records, are not
//! included.

use std::ops::Range;

use super::rows::{UNITS_PER_LOOKUP, units_of_list};
use super::syntax::{Conjunction, Query, Term, TermKind, Vocabulary};
use crate::snapshot::Fault;

/// Upper bounds for one term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Estimate {
    pub rows: u64,
    /// Units of work to find its rows, before they are joined with the rows of other terms.
    pub units: u64,
}

/// A table that can estimate the cost of its terms without reading their rows.
pub trait CostModel {
    type Vocabulary: Vocabulary;

    /// The estimate for a keyword in a field; without one, in all fields that such a keyword searches.
    fn keyword(
        &self,
        field: Option<<Self::Vocabulary as Vocabulary>::Field>,
        text: &str,
    ) -> Result<Estimate, Fault>;

    fn filter(&self, filter: &<Self::Vocabulary as Vocabulary>::Filter) -> Estimate;
}

/// Units to fold and look up the text of a term, before any row is read.
pub const UNITS_PER_TERM: u64 = 500;

/// A part of a search that has a cost of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CostPart {
    /// A keyword or filter: its bytes in the query.
    Term(Range<usize>),
    /// All terms together, if none of them is expensive alone.
    Terms(usize),
    Offset(u64),
    Facets,
    /// Data versions that are read one after the other.
    Versions(usize),
    Explain,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    pub units: u64,
    pub most_expensive: CostPart,
    most_expensive_units: u64,
}

impl Cost {
    pub fn none() -> Cost {
        Cost { units: 0, most_expensive: CostPart::Terms(0), most_expensive_units: 0 }
    }

    pub fn add(&mut self, part: CostPart, units: u64) {
        self.units = self.units.saturating_add(units);
        if units > self.most_expensive_units {
            (self.most_expensive, self.most_expensive_units) = (part, units);
        }
    }

    /// Adds the cost of skipping `offset` of the `found` rows before a page.
    pub fn add_offset(&mut self, offset: u64, found: u64) {
        self.add(CostPart::Offset(offset), offset.min(found).saturating_mul(UNITS_PER_SKIPPED_ROW));
    }
}

/// Units to skip one row: its class in the order is looked up.
const UNITS_PER_SKIPPED_ROW: u64 = 8;

/// The cost of finding the rows of a query in a table with this many rows, and an upper bound on their number.
pub fn estimate_query<T: CostModel>(
    table: &T,
    row_count: u64,
    q: &Query<T::Vocabulary>,
) -> Result<(Cost, u64), Fault> {
    let joins_rows = !is_single_term(q);
    let mut estimator =
        Estimator { table, row_count, cost: Cost::none(), term_count: 0, joins_rows };
    let rows = estimator.query(q)?;
    let Estimator { mut cost, term_count, .. } = estimator;
    // Names all terms together if there are several and none takes a third of the cost.
    if term_count > 1 && cost.most_expensive_units < cost.units / 3 {
        (cost.most_expensive, cost.most_expensive_units) =
            (CostPart::Terms(term_count), cost.units);
    }
    Ok((cost, rows))
}

/// Whether the whole query is one keyword or filter: then its rows are counted and cut in the index.
pub fn is_single_term<V: Vocabulary>(q: &Query<V>) -> bool {
    let mut terms = q.terms();
    let first = terms.next().is_some_and(|term| {
        !term.excluded && matches!(term.kind, TermKind::Keyword { .. } | TermKind::Filter(_))
    });
    first && terms.next().is_none()
}

/// Follows the same path through a query as the evaluation.
struct Estimator<'t, T> {
    table: &'t T,
    row_count: u64,
    cost: Cost,
    term_count: usize,
    /// Whether the rows of a term are joined with the rows of others.
    joins_rows: bool,
}

impl<T: CostModel> Estimator<'_, T> {
    /// An upper bound on the rows of a query or group.
    fn query(&mut self, q: &Query<T::Vocabulary>) -> Result<u64, Fault> {
        let (mut least, mut found, mut finds_rows) = (self.row_count, 0u64, false);
        for clause in &q.clauses {
            let mut of_clause = 0u64;
            for Conjunction { terms } in &clause.conjunctions {
                of_clause = of_clause.saturating_add(self.conjunction(terms)?);
            }
            match clause.only_restricts() {
                true => least = least.min(of_clause),
                false => (found, finds_rows) = (found.saturating_add(of_clause), true),
            }
        }
        Ok(if finds_rows { found.min(least) } else { least })
    }

    /// An upper bound on the rows of terms joined by AND.
    fn conjunction(&mut self, terms: &[Term<T::Vocabulary>]) -> Result<u64, Fault> {
        let all = self.row_count;
        let mut of_terms = Vec::with_capacity(terms.len());
        for term in terms {
            self.term_count += 1;
            let estimate = match &term.kind {
                TermKind::Keyword { field, text } => self.table.keyword(*field, text)?,
                TermKind::Filter(filter) => self.table.filter(filter),
                TermKind::Group(query) => Estimate { rows: self.query(query)?, units: 0 },
            };
            of_terms.push((term, estimate));
        }
        let wanted = of_terms.iter().filter(|(term, _)| !term.excluded);
        let least = wanted.map(|(_, estimate)| estimate.rows).min().unwrap_or(all);
        for (term, Estimate { rows, units }) in of_terms {
            // A join reads all the rows, or looks up the few rows of another term in them.
            let joining = units_of_list(rows, all).min(least.saturating_mul(UNITS_PER_LOOKUP));
            let joining = if self.joins_rows { joining } else { 0 };
            self.cost.add(CostPart::Term(term.span.clone()), UNITS_PER_TERM + units + joining);
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::syntax::Grouping;

    /// One field, and the filter `_type:1`.
    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Letters;

    impl Vocabulary for Letters {
        type Field = ();
        type Filter = ();

        const FIELDS: &'static [(&'static str, ())] = &[("text", ())];
        const FILTERS: &'static [&'static str] = &["_type"];

        fn parse_filter(_identifier: &str, value: &str) -> Result<(), String> {
            if value == "1" { Ok(()) } else { Err("1".to_owned()) }
        }

        fn keyword_length(keyword: &str) -> usize {
            keyword.len()
        }
    }

    const ROWS: u64 = 64_000;

    /// A keyword of two letters has 10 rows, and each further letter means ten times as many.
    struct Table;

    impl CostModel for Table {
        type Vocabulary = Letters;

        fn keyword(&self, _field: Option<()>, text: &str) -> Result<Estimate, Fault> {
            let rows = 10u64.pow(text.chars().count() as u32 - 1).min(ROWS);
            Ok(Estimate { rows, units: 7 })
        }

        fn filter(&self, (): &()) -> Estimate {
            Estimate { rows: ROWS / 2, units: 3 }
        }
    }

    fn estimated(q: &str) -> (Cost, u64) {
        let q = Query::<Letters>::parse_with(q, Grouping::Allowed).expect(q);
        estimate_query(&Table, ROWS, &q).expect("a table without faults")
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
            assert_eq!(estimated(q).1.min(ROWS), rows, "{q}");
        }
    }

    #[test]
    fn a_query_costs_its_terms_and_their_joins() {
        assert_eq!(estimated("abcde").0.units, UNITS_PER_TERM + 7);
        // Two lists of 100 rows each are read completely.
        assert_eq!(estimated("abc cde").0.units, 2 * (UNITS_PER_TERM + 7 + 100));
        // The ten rows of one are looked up in the list of the other.
        assert_eq!(
            estimated("ab AND abcde").0.units,
            2 * (UNITS_PER_TERM + 7) + 10 + 10 * UNITS_PER_LOOKUP
        );
        // A list with a quarter of all rows is read as a bitmap.
        let whole = units_of_list(ROWS, ROWS);
        assert_eq!(estimated("abcdef OR bcdefg").0.units, 2 * (UNITS_PER_TERM + 7 + whole));
        assert!(whole < ROWS / 50);
    }

    #[test]
    fn the_most_expensive_part_is_named() {
        for (q, expected) in [
            ("ab OR abcde OR abc", CostPart::Term(6..11)),
            ("abcde", CostPart::Term(0..5)),
            ("ab abc abd abe abf", CostPart::Terms(5)),
        ] {
            assert_eq!(estimated(q).0.most_expensive, expected, "{q}");
        }
        let (mut cost, found) = estimated("abcd");
        cost.add_offset(u64::MAX, found);
        assert_eq!(
            (cost.units, &cost.most_expensive),
            (UNITS_PER_TERM + 7 + 1_000 * UNITS_PER_SKIPPED_ROW, &CostPart::Offset(u64::MAX))
        );
        cost.add(CostPart::Facets, u64::MAX);
        assert_eq!((cost.units, cost.most_expensive), (u64::MAX, CostPart::Facets));
    }
}
