//! The language, case by case.

use proptest::prelude::*;

use super::*;

/// The structure of a query on one line: clauses in brackets, `|` for OR, `&` for AND.
fn drawn(query: &str) -> Result<String, SyntaxError> {
    let term = |term: &Term<Postal>| {
        let minus = if term.excluded { "-" } else { "" };
        match &term.what {
            What::Keyword { field: None, text } => format!("{minus}{text}"),
            What::Keyword { field: Some(field), text } => format!("{minus}{field:?}:{text}"),
            What::Filter(Filter::Facet(path)) => format!("{minus}{path}"),
            What::Filter(Filter::Kind(kind)) => format!("{minus}{kind:?}"),
        }
    };
    let conjunction = |conjunction: &Conjunction<Postal>| {
        conjunction.terms.iter().map(term).collect::<Vec<_>>().join("&")
    };
    let clause = |clause: &Clause<Postal>| {
        let sides: Vec<_> = clause.conjunctions.iter().map(conjunction).collect();
        format!("[{}]{}", sides.join("|"), if clause.restricts() { "!" } else { "" })
    };
    Expression::parse(query).map(|query| query.clauses.iter().map(clause).collect())
}
