//! Errors in a query: where, what was expected, what was found, what to do.

use std::ops::Range;

use crate::text::numerals::characters;

/// Most characters of a query that a message repeats.
const EXCERPT_MAX: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {position} of the query: {fault}")]
pub struct SyntaxError {
    /// The bytes of the query with the error; empty at the end of the query.
    pub span: Range<usize>,
    /// The position of the first of these bytes in characters, from 1.
    pub position: usize,
    pub fault: SyntaxFault,
}

impl SyntaxError {
    pub(super) fn new(query: &str, span: Range<usize>, fault: SyntaxFault) -> SyntaxError {
        let before = query.get(..span.start).unwrap_or(query);
        SyntaxError { position: before.chars().count() + 1, span, fault }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxFault {
    #[error("expected at most {expected} characters, found {found}; shorten the query")]
    QueryTooLong { expected: usize, found: usize },
    #[error("expected at most {expected} keywords and filters, found more; shorten the query")]
    TooManyTerms { expected: usize },
    /// A keyword is missing: at the end, before or after an operator, after `-` or a colon.
    #[error(
        "expected a keyword {context}, found {found}; to search for an operator or a symbol, \
         put it in double quotes"
    )]
    KeywordExpected { context: &'static str, found: Excerpt },
    #[error(
        "a keyword has at least {}; found {found}, which has {length}; make it longer",
        characters(*.expected)
    )]
    KeywordTooShort {
        expected: usize,
        found: Excerpt,
        /// The counted characters: without spaces, a voiced half-width kana as one.
        length: usize,
    },
    #[error(
        "expected one of the identifiers {expected} before the colon, found {found}; \
         to search for a text with a colon, put it in double quotes"
    )]
    UnknownIdentifier { expected: String, found: Excerpt },
    #[error("{identifier}: expected {expected}, found {found}")]
    FilterValue { identifier: &'static str, expected: String, found: Excerpt },
    #[error(
        "expected a closing double quote, found the end of the query; close it, or write \\\" \
         inside a quoted keyword for a quote"
    )]
    UnclosedQuote,
    /// A double quote inside a word, or a character directly after a closing one.
    #[error(
        "expected a space around a quoted keyword, found {found}; put the whole keyword in \
         double quotes, and write \\\" for a quote in it"
    )]
    QuoteInWord { found: Excerpt },
    #[error(
        "{found:?} is not allowed here: there is no grouping; use AND, which binds tighter than \
         OR, or put the keyword in double quotes"
    )]
    QuotedOnly { found: char },
    #[error(
        "{found:?} is not allowed in a query, not even in double quotes; leave it out, or type its \
         full-width form if a name has it"
    )]
    Forbidden { found: char },
    #[error("expected a closing parenthesis, found the end of the query; close the group")]
    UnclosedGroup,
    #[error("found a closing parenthesis without an opening one; leave it out")]
    UnopenedGroup,
    #[error(
        "expected a space around a group in parentheses, found {found}; put a space there, or put \
         a keyword with a parenthesis in double quotes"
    )]
    TextBesideGroup { found: Excerpt },
    #[error("expected at most {expected} nested groups, found more; simplify the query")]
    TooDeep { expected: usize },
    /// `NOT`, which would be searched as a word.
    #[error(
        "NOT is not an operator; write -keyword to exclude it, or \"NOT\" to search for the word"
    )]
    Not,
    #[error(
        "expected a keyword to find on this side of OR, found only excluded ones; join them with AND, \
         or leave out OR to exclude them from all results"
    )]
    OnlyExcluded,
}

/// An excerpt of a query in quotes: control characters escaped, cut if long.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub struct Excerpt(String);

impl Excerpt {
    pub(super) fn new(text: &str) -> Excerpt {
        Excerpt(match text.char_indices().nth(EXCERPT_MAX) {
            Some((cut, _)) => format!("{:?} and more", &text[..cut]),
            None if text.is_empty() => "nothing".to_owned(),
            None => format!("{text:?}"),
        })
    }

    pub(super) fn end_of_query() -> Excerpt {
        Excerpt("the end of the query".to_owned())
    }
}
