//! The language of `q` (`docs/rules.md`, 'Search query'): parses text to a [`Query`], or to an error with its
//! position and reason.
//!
//! [`QUERY_MAX`], [`TERMS_MAX`] and [`DEPTH_MAX`] bound every query. A [`Vocabulary`] defines the identifiers; each
//! dataset has its own. Knows text. Does not know an index.

mod error;
mod facet_path;
mod parse;

use std::ops::Range;

pub use error::{SyntaxError, SyntaxFault};
pub use facet_path::{CodeFacet, CodePath, FacetFilter, FacetPath, FacetPathError, FacetPaths};
pub use parse::{DEPTH_MAX, Grouping, QUERY_MAX, TERMS_MAX};

/// What a space between two terms means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Either finds rows; a term that only restricts restricts both.
    Or,
    /// As AND does: a row must match both.
    And,
}

pub trait Vocabulary {
    type Field: Copy + PartialEq + std::fmt::Debug + 'static;
    type Filter: Clone + PartialEq + std::fmt::Debug;

    /// Shortest keyword that may stand alone, measured by [`keyword_length`](Self::keyword_length).
    const KEYWORD_MIN: usize = 1;
    const SPACE: Space = Space::Or;
    /// Characters that are allowed only inside double quotes.
    const QUOTED_ONLY: &'static [char] = &[];
    /// Characters that are allowed nowhere. Parentheses among them are allowed around groups.
    const FORBIDDEN: &'static [char] = &['(', ')', '{', '}', '[', ']', '\''];
    /// The identifiers of the fields and of the filters, in the order in which a message lists them.
    const FIELDS: &'static [(&'static str, Self::Field)];
    const FILTERS: &'static [&'static str];

    /// The filter with this identifier and value. The error says which value was expected.
    fn parse_filter(identifier: &str, value: &str) -> Result<Self::Filter, String>;

    /// The number of characters of a keyword that count for [`KEYWORD_MIN`](Self::KEYWORD_MIN).
    fn keyword_length(keyword: &str) -> usize;
}

/// A query, or a group in parentheses. A row must be in at least one clause that finds rows, if there is one, and
/// in every clause that only restricts them.
#[derive(Debug, Clone, PartialEq)]
pub struct Query<V: Vocabulary> {
    pub clauses: Vec<Clause<V>>,
}

/// Conjunctions joined by OR.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause<V: Vocabulary> {
    pub conjunctions: Vec<Conjunction<V>>,
}

/// Terms joined by AND.
#[derive(Debug, Clone, PartialEq)]
pub struct Conjunction<V: Vocabulary> {
    pub terms: Vec<Term<V>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Term<V: Vocabulary> {
    /// Whether a `-` precedes it.
    pub excluded: bool,
    pub kind: TermKind<V>,
    /// Its bytes in the query, including `-` and identifier.
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TermKind<V: Vocabulary> {
    Keyword {
        /// The field to search; `None` for every field.
        field: Option<V::Field>,
        /// The text, with quotes and escapes resolved.
        text: String,
    },
    Filter(V::Filter),
    Group(Query<V>),
}

impl<V: Vocabulary> Term<V> {
    /// Whether it finds rows: a keyword, or a group with one, that is not excluded.
    pub fn finds_rows(&self) -> bool {
        !self.excluded
            && match &self.kind {
                TermKind::Keyword { .. } => true,
                TermKind::Filter(_) => false,
                TermKind::Group(query) => query.terms().any(Term::finds_rows),
            }
    }
}

impl<V: Vocabulary> Clause<V> {
    /// Whether it only restricts the rows that other clauses find.
    pub fn only_restricts(&self) -> bool {
        !self.conjunctions.iter().flat_map(|conjunction| &conjunction.terms).any(Term::finds_rows)
    }
}

/// A keyword that is a clause of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Word<'q, V: Vocabulary> {
    pub field: Option<V::Field>,
    pub text: &'q str,
}

impl<V: Vocabulary> Clause<V> {
    /// The clause as a word; `None` if it has operators or more than one term.
    fn word(&self) -> Option<Word<'_, V>> {
        let [Conjunction { terms }] = self.conjunctions.as_slice() else { return None };
        let [Term { excluded: false, kind: TermKind::Keyword { field, text }, .. }] =
            terms.as_slice()
        else {
            return None;
        };
        Some(Word { field: *field, text })
    }
}

impl<V: Vocabulary> Query<V> {
    /// The words of a query of several words without operators, as far as they find rows; none of any other query.
    pub fn words(&self) -> Vec<Word<'_, V>> {
        let finding = self.clauses.iter().filter(|clause| !clause.only_restricts());
        let words: Option<Vec<_>> = finding.map(Clause::word).collect();
        words.filter(|words| words.len() > 1).unwrap_or_default()
    }

    /// The query of one keyword, which may be any text.
    pub fn of_keyword(field: Option<V::Field>, text: String) -> Query<V> {
        let kind = TermKind::Keyword { field, text };
        let terms = vec![Term { excluded: false, kind, span: 0..0 }];
        Query { clauses: vec![Clause { conjunctions: vec![Conjunction { terms }] }] }
    }

    /// Appends the keywords whose field is wanted to `out`, including those in groups. Excluded ones are left out.
    pub fn collect_keywords<'q>(
        &'q self,
        is_wanted: impl Fn(Option<V::Field>) -> bool + Copy,
        out: &mut Vec<&'q str>,
    ) {
        for term in self.terms().filter(|term| !term.excluded) {
            match &term.kind {
                TermKind::Keyword { field, text } if is_wanted(*field) => out.push(text),
                TermKind::Group(query) => query.collect_keywords(is_wanted, out),
                TermKind::Keyword { .. } | TermKind::Filter(_) => {}
            }
        }
    }

    /// Whether a keyword asks for this field, be it excluded or in a group.
    pub fn asks_for(&self, field: V::Field) -> bool {
        self.terms().any(|term| match &term.kind {
            TermKind::Keyword { field: found, .. } => *found == Some(field),
            TermKind::Group(query) => query.asks_for(field),
            TermKind::Filter(_) => false,
        })
    }

    /// The terms in the order of the text; a group is one term.
    pub fn terms(&self) -> impl Iterator<Item = &Term<V>> {
        let conjunctions = self.clauses.iter().flat_map(|clause| &clause.conjunctions);
        conjunctions.flat_map(|conjunction| &conjunction.terms)
    }
}
