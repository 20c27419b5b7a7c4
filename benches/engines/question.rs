//! Questions that every engine understands, and answers that can be compared.

use super::rows::{FACETS, Field};

/// A substring of a field.
#[derive(Debug, Clone)]
pub struct Term {
    pub field: Field,
    /// Two letters or more, folded.
    pub text: String,
}

/// One search.
#[derive(Debug, Clone)]
pub enum Question {
    One(Term),
    /// All of them.
    And(Vec<Term>),
    /// Any of them.
    Or(Vec<Term>),
    /// The first without the others.
    Not(Term, Vec<Term>),
}

/// What a search gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub count: u64,
    /// Rows by value, of each facet that was asked for: area alone, or all.
    pub facets: Vec<[u32; 100]>,
    /// How many rows it gave, at most a hundred.
    pub rows: usize,
}

impl Answer {
    /// No row yet, with the area facet or all facets.
    pub fn none(all_facets: bool) -> Answer {
        Answer { count: 0, facets: vec![[0; 100]; if all_facets { FACETS } else { 1 }], rows: 0 }
    }
}

/// A question with what daicho is asked, which is text.
pub struct Asked {
    /// What is asked.
    pub question: Question,
    /// In daicho's query language.
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

/// What answers questions.
pub trait Engine {
    /// What it is called in the tables.
    fn name(&self) -> &'static str;

    /// Count, first hundred rows and area facet; all facets where they are asked for.
    fn ask(&self, asked: &Asked, all_facets: bool) -> Answer;

    /// The same for the clock, without bringing the answer into the common form.
    fn run(&self, asked: &Asked, all_facets: bool) {
        std::hint::black_box(self.ask(asked, all_facets));
    }
}

impl Term {
    /// As daicho's query language writes it.
    pub fn written(&self) -> String {
        format!("{}:\"{}\"", self.field.name(), self.text.replace('"', "\\\""))
    }
}

impl Question {
    /// One that no row answers.
    pub fn absent() -> Question {
        Question::One(Term { field: Field::Name, text: "\u{4e00}\u{3093}\u{30fc}".to_owned() })
    }

    /// As daicho's query language writes it.
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
