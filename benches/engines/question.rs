//! Queries in a form that every engine can run, and results in a form that can be compared.

use super::rows::{FACETS, Field};

/// A substring of a field.
#[derive(Debug, Clone)]
pub struct Term {
    pub field: Field,
    /// Two letters or more, folded.
    pub text: String,
}

/// One query.
#[derive(Debug, Clone)]
pub enum Question {
    One(Term),
    /// Rows with all of the terms.
    And(Vec<Term>),
    /// Rows with any of the terms.
    Or(Vec<Term>),
    /// Rows with the first term and none of the others.
    Not(Term, Vec<Term>),
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub count: u64,
    /// For each requested facet (area, or all), the number of rows with each value.
    pub facets: Vec<[u32; 100]>,
    /// Number of returned rows, at most a hundred.
    pub rows: usize,
}

impl Answer {
    /// An empty result, with the area facet or all facets.
    pub fn none(all_facets: bool) -> Answer {
        Answer { count: 0, facets: vec![[0; 100]; if all_facets { FACETS } else { 1 }], rows: 0 }
    }
}

/// A query, and its text in daicho's query language.
pub struct Asked {
    pub question: Question,
    /// The text in daicho's query language.
    pub written: String,
}

impl From<Question> for Asked {
    fn from(question: Question) -> Asked {
        Asked { written: question.written(), question }
    }
}

impl Asked {
    /// The keyword alone, without its field.
    pub fn bare(question: Question) -> Asked {
        let written = question.written();
        let keyword = written.split_once(':').map_or(written.as_str(), |(_, keyword)| keyword);
        Asked { written: keyword.to_owned(), question }
    }
}

/// A search engine.
pub trait Engine {
    /// The name in the printed tables.
    fn name(&self) -> &'static str;

    /// Runs a query: count, first hundred rows and area facet, or all facets if requested.
    fn ask(&self, asked: &Asked, all_facets: bool) -> Answer;

    /// Runs a query for timing, without converting the result into an [`Answer`].
    fn run(&self, asked: &Asked, all_facets: bool) {
        std::hint::black_box(self.ask(asked, all_facets));
    }
}

impl Term {
    /// The text in daicho's query language.
    pub fn written(&self) -> String {
        format!("{}:\"{}\"", self.field.name(), self.text.replace('"', "\\\""))
    }
}

impl Question {
    /// A query that finds no row.
    pub fn absent() -> Question {
        Question::One(Term { field: Field::Name, text: "\u{4e00}\u{3093}\u{30fc}".to_owned() })
    }

    /// The text in daicho's query language.
    pub fn written(&self) -> String {
        let all = |terms: &[Term]| -> Vec<String> { terms.iter().map(Term::written).collect() };
        match self {
            Question::One(term) => term.written(),
            Question::And(terms) => all(terms).join(" AND "),
            Question::Or(terms) => all(terms).join(" OR "),
            Question::Not(term, others) => {
                let without: String =
                    all(others).iter().map(|other| format!(" -{other}")).collect();
                term.written() + &without
            }
        }
    }
}
