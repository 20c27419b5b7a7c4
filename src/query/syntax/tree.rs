//! A parsed `q`, by the grammar of `docs/rules.md`: clauses, each of conjunctions joined by OR, each of terms joined by
//! AND. Which identifiers a term may have is in the [`Vocabulary`] of a search.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names<F> {
    Field(F),
    Filter,
}

/// The vocabulary of one search: identifiers, values of filters, shortest keyword.
pub trait Vocabulary {
    type Field: Copy + PartialEq + std::fmt::Debug + 'static;
    type Filter: Clone + PartialEq + std::fmt::Debug;

    const KEYWORD_MIN: usize;
    /// Characters that are allowed only inside a phrase.
    const FORBIDDEN: &'static [char];
    /// Characters that are allowed nowhere. Parentheses among them are allowed as groups.
    const BANNED: &'static [char];
    /// The identifiers, in the order in which a message lists them.
    const NAMES: &'static [(&'static str, Names<Self::Field>)];

    /// The filter with this identifier and value; the error says what value was expected.
    fn filter(identifier: &str, value: &str) -> Result<Self::Filter, String>;

    fn length(keyword: &str) -> usize;
}

#[derive(Debug, Clone, PartialEq)]
pub struct Query<V: Vocabulary> {
    pub clauses: Vec<Clause<V>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Clause<V: Vocabulary> {
    pub conjunctions: Vec<Conjunction<V>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Conjunction<V: Vocabulary> {
    pub terms: Vec<Term<V>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Term<V: Vocabulary> {
    pub excluded: bool,
    pub what: What<V>,
    /// Its bytes in the query, including `-` and identifier.
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum What<V: Vocabulary> {
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
    /// Whether it finds rows: a text, or a group with one.
    pub fn finds(&self) -> bool {
        !self.excluded
            && match &self.what {
                What::Keyword { .. } => true,
                What::Filter(_) => false,
                What::Group(query) => query.terms().any(Term::finds),
            }
    }
}

impl<V: Vocabulary> Clause<V> {
    /// Whether it only restricts the rows that other clauses find.
    pub fn restricts(&self) -> bool {
        !self.conjunctions.iter().flat_map(|conjunction| &conjunction.terms).any(Term::finds)
    }
}

impl<V: Vocabulary> Query<V> {
    /// Adds the keywords that are searched in these fields, including those in groups.
    pub fn keywords<'q>(
        &'q self,
        is_wanted: impl Fn(Option<V::Field>) -> bool + Copy,
        out: &mut Vec<&'q str>,
    ) {
        for term in self.terms().filter(|term| !term.excluded) {
            match &term.what {
                What::Keyword { field, text } if is_wanted(*field) => out.push(text),
                What::Group(query) => query.keywords(is_wanted, out),
                What::Keyword { .. } | What::Filter(_) => {}
            }
        }
    }

    pub fn terms(&self) -> impl Iterator<Item = &Term<V>> {
        let conjunctions = self.clauses.iter().flat_map(|clause| &clause.conjunctions);
        conjunctions.flat_map(|conjunction| &conjunction.terms)
    }
}
