//! Searches, independent of a dataset: the language of `q` ([`syntax`]), budgets of work, counts by area, and the
//! evaluation of a query to the rows that match it. Each dataset brings its vocabulary and its indexes.
//!
//! The meaning of a query is implemented once, here: clauses, `AND`, `OR`, `-`, groups, and filters that restrict the
//! whole. A [`SearchTable`] provides the rows of a keyword and of a filter. See `docs/rules.md` for the rules.
//!
//! Synchronous. Does not know HTTP, JSON or the clock.

pub mod areas;
pub mod budget;
pub mod cost;
pub mod rows;
pub mod syntax;

use crate::index::grams::{Candidates, Matches};
use crate::work::WorkBudget;
use budget::EvaluationError;
use cost::UNITS_PER_TERM;
use rows::{Rows, SPARSE_ONE_IN, UNITS_PER_LOOKUP, intersection, union, union_of};
use syntax::{Clause, Conjunction, Query, Term, TermKind, Vocabulary, Word};

pub use areas::{FacetCounts, SearchResults};

/// Rows that a search is restricted to.
pub use crate::index::row_set::RowSet;

/// A table that can be searched. Its sets of rows live for `'s`.
pub trait SearchTable<'s> {
    type Vocabulary: Vocabulary;

    fn row_count(&self) -> usize;

    /// The rows that a keyword finds in a field; without one, in all fields that such a keyword searches.
    fn keyword(
        &self,
        field: Option<<Self::Vocabulary as Vocabulary>::Field>,
        text: &str,
    ) -> Result<Rows<'s>, EvaluationError>;

    /// For a keyword that is a part of one text of a row: the rows that may have it. `None` for others, of which
    /// [`keyword`](Self::keyword) finds the rows.
    fn text_keyword(
        &self,
        _field: Option<<Self::Vocabulary as Vocabulary>::Field>,
        _text: &str,
    ) -> Result<Option<Box<dyn TextKeyword<'s> + '_>>, EvaluationError> {
        Ok(None)
    }

    fn filter(
        &self,
        filter: &<Self::Vocabulary as Vocabulary>::Filter,
    ) -> Result<Rows<'s>, EvaluationError>;

    fn budget(&self) -> &WorkBudget<'_>;
}

/// A keyword whose rows are found in two steps: lists of an index give candidates, of which the texts are compared. Of
/// several such keywords joined by `AND`, only texts of rows that all lists have are compared.
pub trait TextKeyword<'s> {
    /// An upper bound on its rows.
    fn bound(&self) -> Result<usize, EvaluationError>;

    fn candidates(&self) -> Result<Candidates<'s>, EvaluationError>;

    /// Removes from the ascending `rows` those that are no candidates. Returns whether the texts of the others must still be
    /// compared.
    fn retain(&self, rows: &mut Vec<u32>) -> Result<bool, EvaluationError>;

    /// The candidates whose texts have the keyword.
    fn verified(&self, candidates: Candidates<'s>) -> Result<Matches<'s>, EvaluationError>;
}

/// The rows that match a query or group. The parser limits the depth of groups.
pub fn matching_rows<'s, S: SearchTable<'s>>(
    table: &S,
    q: &Query<S::Vocabulary>,
) -> Result<Rows<'s>, EvaluationError> {
    let finding: Vec<_> = q.clauses.iter().filter(|clause| !clause.only_restricts()).collect();
    let found = if finding.is_empty() { None } else { Some(any_of(table, &finding)?) };
    restricted(table, q, found)
}

/// The rows that match a query of several words ([`Query::words`]), and the rows of each word.
pub fn matching_words<'s, S: SearchTable<'s>>(
    table: &S,
    q: &Query<S::Vocabulary>,
    words: &[Word<'_, S::Vocabulary>],
) -> Result<(Rows<'s>, Vec<Rows<'s>>), EvaluationError> {
    let mut of_words = Vec::with_capacity(words.len());
    for word in words {
        table.budget().spend(UNITS_PER_TERM)?;
        of_words.push(table.keyword(word.field, word.text)?);
    }
    let found = union_of(table.row_count(), &of_words, table.budget())?;
    Ok((restricted(table, q, Some(found))?, of_words))
}

/// The rows among those found that the restricting clauses allow; without any found, the rows of the table.
fn restricted<'s, S: SearchTable<'s>>(
    table: &S,
    q: &Query<S::Vocabulary>,
    found: Option<Rows<'s>>,
) -> Result<Rows<'s>, EvaluationError> {
    let (mut wanted, mut unwanted) = (Vec::from_iter(found), Vec::new());
    for clause in q.clauses.iter().filter(|clause| clause.only_restricts()) {
        match clause.conjunctions.as_slice() {
            [Conjunction { terms }] => collect_terms(table, terms, &mut wanted, &mut unwanted)?,
            _ => wanted.push(any_of(table, &[clause])?),
        }
    }
    intersection(table.row_count(), wanted, unwanted, table.budget())
}

fn any_of<'s, S: SearchTable<'s>>(
    table: &S,
    clauses: &[&Clause<S::Vocabulary>],
) -> Result<Rows<'s>, EvaluationError> {
    let mut parts = Vec::new();
    for Conjunction { terms } in clauses.iter().flat_map(|clause| &clause.conjunctions) {
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        collect_terms(table, terms, &mut wanted, &mut unwanted)?;
        parts.push(intersection(table.row_count(), wanted, unwanted, table.budget())?);
    }
    union(table.row_count(), parts, table.budget())
}

/// Adds the rows of terms joined by `AND` to the sets that a row must be in, or must not be in.
fn collect_terms<'s, S: SearchTable<'s>>(
    table: &S,
    terms: &[Term<S::Vocabulary>],
    wanted: &mut Vec<Rows<'s>>,
    unwanted: &mut Vec<Rows<'s>>,
) -> Result<(), EvaluationError> {
    let mut texts = Vec::new();
    for term in terms {
        table.budget().spend(UNITS_PER_TERM)?;
        let rows = match &term.kind {
            TermKind::Keyword { field, text } => {
                let keyword =
                    if term.excluded { None } else { table.text_keyword(*field, text)? };
                if let Some(keyword) = keyword {
                    texts.push(keyword);
                    continue;
                }
                table.keyword(*field, text)?
            }
            TermKind::Filter(filter) => table.filter(filter)?,
            TermKind::Group(query) => matching_rows(table, query)?,
        };
        if term.excluded { unwanted.push(rows) } else { wanted.push(rows) }
    }
    if let [keyword] = texts.as_slice() {
        wanted.push(Rows::Matches(keyword.verified(keyword.candidates()?)?));
        return Ok(());
    }
    let bounded = texts.into_iter().map(|keyword| Ok((keyword.bound()?, keyword)));
    let mut bounded = bounded.collect::<Result<Vec<_>, EvaluationError>>()?;
    bounded.sort_by_key(|(bound, _)| *bound);
    collect_texts(table, bounded.into_iter().map(|(_, keyword)| keyword).collect(), wanted)
}

/// Adds the rows of keywords joined by `AND`, the rarest first.
fn collect_texts<'s, S: SearchTable<'s>>(
    table: &S,
    keywords: Vec<Box<dyn TextKeyword<'s> + '_>>,
    wanted: &mut Vec<Rows<'s>>,
) -> Result<(), EvaluationError> {
    let many = table.row_count() / SPARSE_ONE_IN;
    // The rows so far, which are few or uncompared; and lists of many rows, which are joined with them, or as bitmaps.
    let (mut rows, mut dense): (Option<Vec<u32>>, Vec<Matches<'s>>) = (None, Vec::new());
    let mut uncompared = Vec::new();
    for keyword in keywords {
        let must_compare = match &mut rows {
            Some(rows) => {
                table.budget().spend(UNITS_PER_LOOKUP * rows.len() as u64)?;
                keyword.retain(rows)?
            }
            None => match keyword.candidates()? {
                Candidates::Exact(matches) if matches.count() > many => {
                    dense.push(matches);
                    false
                }
                Candidates::Exact(matches) => {
                    rows = Some(matches.into_rows());
                    false
                }
                Candidates::Unverified(candidates) => {
                    rows = Some(candidates);
                    true
                }
            },
        };
        if must_compare {
            uncompared.push(keyword);
        }
    }
    let Some(mut rows) = rows else {
        wanted.extend(dense.into_iter().map(Rows::Matches));
        return Ok(());
    };
    for matches in dense {
        table.budget().spend(UNITS_PER_LOOKUP * rows.len() as u64)?;
        matches.retain(0, &mut rows);
    }
    for keyword in uncompared {
        rows = keyword.verified(Candidates::Unverified(rows))?.into_rows();
    }
    wanted.push(Rows::Matches(Matches::from_rows(rows)));
    Ok(())
}
