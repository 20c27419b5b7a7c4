//! The parser of `q`: one pass, without recursion; no text makes it panic. Open groups are on a stack of at most
//! [`DEPTH_MAX`].

use std::ops::Range;

use super::error::{Excerpt, SyntaxError, SyntaxFault};
use super::{Clause, Conjunction, Query, Space, Term, TermKind, Vocabulary};

/// Longest query in characters: more than browsers keep in an address line.
pub const QUERY_MAX: usize = 2_000;

/// Most keywords and filters of a query; each costs an index look-up.
pub const TERMS_MAX: usize = 64;

/// Deepest nesting of groups, so that code may recurse into the groups of a query.
pub const DEPTH_MAX: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    #[default]
    Refused,
    /// A group is a query of its own that counts as one term.
    Allowed,
}

impl<V: Vocabulary> Query<V> {
    /// Parses a query; parentheses are refused.
    pub fn parse(text: &str) -> Result<Query<V>, SyntaxError> {
        Query::parse_with(text, Grouping::Refused)
    }

    pub fn parse_with(text: &str, grouping: Grouping) -> Result<Query<V>, SyntaxError> {
        let length = text.chars().count();
        if length > QUERY_MAX {
            let fault = SyntaxFault::QueryTooLong { expected: QUERY_MAX, found: length };
            return Err(SyntaxError::new(text, 0..text.len(), fault));
        }
        let parser = Parser {
            text,
            grouping,
            position: 0,
            scope: Scope::default(),
            open_groups: Vec::new(),
            term_count: 0,
            too_short: None,
            has_long_keyword: false,
        };
        parser.parse()
    }
}

impl<V: Vocabulary> Query<V> {
    /// Parses a typed name: an expression if it has an operator or an identifier, or begins with a quote; else all of it
    /// is one keyword, with its spaces and signs.
    pub fn parse_name(text: &str, grouping: Grouping) -> Result<Query<V>, SyntaxError> {
        let is_syntax = |word: &str| {
            let word = word.trim_start_matches(['-', '(']);
            let has_identifier = |(name, _): NamedIdentifier<V>| {
                word.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'))
            };
            matches!(word, "AND" | "OR") || identifiers::<V>().any(has_identifier)
        };
        if text.trim().starts_with('"') || text.split(is_space).any(is_syntax) {
            return Query::parse_with(text, grouping);
        }
        let length = text.chars().count();
        let span = 0..text.len();
        if length > QUERY_MAX {
            let fault = SyntaxFault::QueryTooLong { expected: QUERY_MAX, found: length };
            return Err(SyntaxError::new(text, span, fault));
        }
        let kind = TermKind::Keyword { field: None, text: text.to_owned() };
        let terms = vec![Term { excluded: false, kind, span }];
        Ok(Query { clauses: vec![Clause { conjunctions: vec![Conjunction { terms }] }] })
    }
}

/// What was read last, which decides what may follow.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum LastToken {
    /// Nothing: the query or group begins here.
    #[default]
    Nothing,
    Term,
    And,
    Or,
}

impl LastToken {
    /// Where a keyword is missing, for a message.
    fn context(self) -> &'static str {
        match self {
            LastToken::Nothing | LastToken::Term => "before an operator",
            LastToken::And => "after AND",
            LastToken::Or => "after OR",
        }
    }
}

struct Parser<'q, V: Vocabulary> {
    text: &'q str,
    grouping: Grouping,
    /// The offset of the next byte to read.
    position: usize,
    /// The query, or the innermost open group.
    scope: Scope<V>,
    open_groups: Vec<OpenGroup<V>>,
    term_count: usize,
    /// The error of the first keyword that is too short to stand alone.
    too_short: Option<SyntaxError>,
    has_long_keyword: bool,
}

/// The clauses of the query or of a group, as far as they are read.
struct Scope<V: Vocabulary> {
    clauses: Vec<Clause<V>>,
    last_token: LastToken,
}

impl<V: Vocabulary> Default for Scope<V> {
    fn default() -> Scope<V> {
        Scope { clauses: Vec::new(), last_token: LastToken::Nothing }
    }
}

/// A group whose closing parenthesis is not read yet.
struct OpenGroup<V: Vocabulary> {
    outer: Scope<V>,
    /// The offset of its first byte, which may be a `-`.
    start: usize,
    excluded: bool,
}

/// An identifier, and the field that it stands for; a filter has none.
type NamedIdentifier<V> = (&'static str, Option<<V as Vocabulary>::Field>);

fn identifiers<V: Vocabulary>() -> impl Iterator<Item = NamedIdentifier<V>> {
    let fields = V::FIELDS.iter().map(|(name, field)| (*name, Some(*field)));
    fields.chain(V::FILTERS.iter().map(|name| (*name, None)))
}

/// The space of Japanese text. It belongs to its keyword, since names contain it.
const WIDE_SPACE: char = '\u{3000}';

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

impl<V: Vocabulary> Parser<'_, V> {
    fn parse(mut self) -> Result<Query<V>, SyntaxError> {
        self.refuse_forbidden()?;
        loop {
            self.skip_spaces();
            let start = self.position;
            if self.rest().is_empty() {
                break;
            }
            if self.allows_groups() && self.rest().starts_with(')') {
                self.close_group()?;
                continue;
            }
            match self.word() {
                "AND" => self.read_operator(start, LastToken::And)?,
                "OR" => self.read_operator(start, LastToken::Or)?,
                "NOT" => return Err(self.error(start..start + 3, SyntaxFault::Not)),
                _ if self.starts_group() => self.open_group()?,
                _ => self.read_term()?,
            }
        }
        if let Some(group) = self.open_groups.last() {
            return Err(self.error(group.start..self.text.len(), SyntaxFault::UnclosedGroup));
        }
        let end = self.text.len();
        self.check_end(end..end, Excerpt::end_of_query())?;
        match self.too_short {
            Some(short) if !self.has_long_keyword => Err(short),
            _ => Ok(Query { clauses: self.scope.clauses }),
        }
    }

    /// Refuses a query or group that ends here without the keyword that must follow, or with a side of OR that
    /// finds no rows. `span` and `found` are for the message: what comes instead of the keyword.
    fn check_end(&self, span: Range<usize>, found: Excerpt) -> Result<(), SyntaxError> {
        if self.scope.last_token != LastToken::Term {
            let context = match self.scope.last_token {
                LastToken::Nothing if self.open_groups.is_empty() => "in the query",
                LastToken::Nothing => "in the parentheses",
                operator => operator.context(),
            };
            return Err(self.error(span, SyntaxFault::KeywordExpected { context, found }));
        }
        self.check_sides_of_or()
    }

    fn allows_groups(&self) -> bool {
        self.grouping == Grouping::Allowed
    }

    fn refuse_forbidden(&self) -> Result<(), SyntaxError> {
        let is_grouping = |found: char| self.allows_groups() && matches!(found, '(' | ')');
        let is_forbidden =
            |(_, found): &(usize, char)| V::FORBIDDEN.contains(found) && !is_grouping(*found);
        match self.text.char_indices().find(is_forbidden) {
            Some((start, found)) => {
                let fault = SyntaxFault::Forbidden { found };
                Err(self.error(start..start + found.len_utf8(), fault))
            }
            None => Ok(()),
        }
    }

    /// Whether a group begins here, possibly after `-`.
    fn starts_group(&self) -> bool {
        self.allows_groups() && self.rest().trim_start_matches('-').starts_with('(')
    }

    fn open_group(&mut self) -> Result<(), SyntaxError> {
        let start = self.position;
        let excluded = self.rest().starts_with('-');
        self.position += usize::from(excluded);
        if !self.rest().starts_with('(') {
            let found = Excerpt::new(self.word());
            let fault = SyntaxFault::KeywordExpected { context: "after '-'", found };
            return Err(self.error(self.position..self.position + 1, fault));
        }
        self.position += 1;
        if self.open_groups.len() == DEPTH_MAX {
            let fault = SyntaxFault::TooDeep { expected: DEPTH_MAX };
            return Err(self.error(start..self.position, fault));
        }
        let outer = std::mem::take(&mut self.scope);
        self.open_groups.push(OpenGroup { outer, start, excluded });
        Ok(())
    }

    fn close_group(&mut self) -> Result<(), SyntaxError> {
        let end = self.position + 1;
        if self.open_groups.is_empty() {
            return Err(self.error(self.position..end, SyntaxFault::UnopenedGroup));
        }
        self.check_end(self.position..end, Excerpt::new(")"))?;
        let Some(group) = self.open_groups.pop() else { return Ok(()) };
        let OpenGroup { outer, start, excluded } = group;
        let Scope { clauses, .. } = std::mem::replace(&mut self.scope, outer);
        self.position = end;
        let after = self.word();
        if !after.is_empty() {
            let fault = SyntaxFault::TextBesideGroup { found: Excerpt::new(after) };
            return Err(self.error(end..end + after.len(), fault));
        }
        self.push(Term { excluded, kind: TermKind::Group(Query { clauses }), span: start..end })
    }

    fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    fn skip_spaces(&mut self) {
        loop {
            self.position = self.text.len() - self.rest().trim_start_matches(is_space).len();
            // A word of only wide spaces is not a keyword.
            let word = self.word();
            if word.is_empty() || !word.trim_start_matches(WIDE_SPACE).is_empty() {
                break;
            }
            self.position += word.len();
        }
    }

    /// The text up to the next space, or to the end of the group.
    fn word(&self) -> &str {
        let groups = self.allows_groups();
        let ends = |character| is_space(character) || groups && character == ')';
        self.rest().split(ends).next().unwrap_or_default()
    }

    fn error(&self, span: Range<usize>, fault: SyntaxFault) -> SyntaxError {
        SyntaxError::new(self.text, span, fault)
    }

    fn read_operator(&mut self, start: usize, operator: LastToken) -> Result<(), SyntaxError> {
        let word = self.word();
        let end = start + word.len();
        if self.scope.last_token != LastToken::Term {
            let fault = SyntaxFault::KeywordExpected {
                context: self.scope.last_token.context(),
                found: Excerpt::new(word),
            };
            return Err(self.error(start..end, fault));
        }
        self.position = end;
        self.scope.last_token = operator;
        Ok(())
    }

    fn read_term(&mut self) -> Result<(), SyntaxError> {
        let start = self.position;
        let excluded = self.rest().starts_with('-');
        if excluded {
            self.position += 1;
        }
        let identifier = self.read_identifier()?;
        let context = match (identifier, excluded) {
            (Some(_), _) => "after the colon",
            (None, true) => "after '-'",
            (None, false) => "here",
        };
        let keyword = self.read_keyword(context, excluded && identifier.is_none())?;
        let span = start..self.position;
        let kind = match identifier {
            Some((identifier, None)) => {
                let filter = V::parse_filter(identifier, &keyword).map_err(|expected| {
                    let found = Excerpt::new(&keyword);
                    let fault = SyntaxFault::FilterValue { identifier, expected, found };
                    self.error(span.clone(), fault)
                })?;
                TermKind::Filter(filter)
            }
            _ => self.checked_keyword(identifier.and_then(|(_, field)| field), keyword, &span)?,
        };
        self.push(Term { excluded, kind, span })
    }

    /// A keyword, if it is long enough. A short one is allowed beside a long one, so its error waits for the end of
    /// the query; a keyword without any counted character is an error at once.
    fn checked_keyword(
        &mut self,
        field: Option<V::Field>,
        text: String,
        span: &Range<usize>,
    ) -> Result<TermKind<V>, SyntaxError> {
        let length = V::keyword_length(&text);
        if length < V::KEYWORD_MIN {
            let (expected, found) = (V::KEYWORD_MIN, Excerpt::new(&text));
            let fault = SyntaxFault::KeywordTooShort { expected, found, length };
            let error = self.error(span.clone(), fault);
            if length == 0 {
                return Err(error);
            }
            self.too_short.get_or_insert(error);
        } else {
            self.has_long_keyword = true;
        }
        Ok(TermKind::Keyword { field, text })
    }

    /// Reads `identifier:` if a colon comes before any quote and space.
    fn read_identifier(&mut self) -> Result<Option<NamedIdentifier<V>>, SyntaxError> {
        let word = self.word();
        let end = word.find([':', '"']).filter(|end| word[*end..].starts_with(':'));
        let Some(end) = end else { return Ok(None) };
        let (identifier, span) = (&word[..end], self.position..self.position + end);
        let known = identifiers::<V>().find(|(name, _)| *name == identifier);
        if known.is_none() {
            let expected: Vec<&str> = identifiers::<V>().map(|(name, _)| name).collect();
            let (expected, found) = (expected.join(", "), Excerpt::new(identifier));
            let fault = SyntaxFault::UnknownIdentifier { expected, found };
            return Err(self.error(span, fault));
        }
        self.position += end + 1;
        Ok(known)
    }

    /// Reads a word or a phrase. `minus` says that a bare `-` was read just before; `context` says for a message
    /// where the keyword is expected.
    fn read_keyword(&mut self, context: &'static str, minus: bool) -> Result<String, SyntaxError> {
        if self.rest().starts_with('"') {
            return self.read_phrase();
        }
        let (start, word) = (self.position, self.word());
        let end = start + word.len();
        if word.is_empty() || minus && word.starts_with('-') {
            let found = if self.rest().is_empty() {
                Excerpt::end_of_query()
            } else {
                Excerpt::new(self.rest().split_inclusive(is_space).next().unwrap_or_default())
            };
            let fault = SyntaxFault::KeywordExpected { context, found };
            return Err(self.error(start..end, fault));
        }
        for (offset, found) in word.char_indices() {
            let span = start + offset..start + offset + found.len_utf8();
            if found == '"' {
                let fault = SyntaxFault::QuoteInWord { found: Excerpt::new(word) };
                return Err(self.error(span, fault));
            }
            if self.allows_groups() && found == '(' {
                let fault = SyntaxFault::TextBesideGroup { found: Excerpt::new(word) };
                return Err(self.error(span, fault));
            }
            if V::QUOTED_ONLY.contains(&found) {
                return Err(self.error(span, SyntaxFault::QuotedOnly { found }));
            }
        }
        let text = word.to_owned();
        self.position = end;
        Ok(text)
    }

    /// Reads a keyword in double quotes, in which `\"` is a quote and `\\` a backslash.
    fn read_phrase(&mut self) -> Result<String, SyntaxError> {
        let start = self.position;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1).peekable();
        let mut end = None;
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    end = Some(start + offset + 1);
                    break;
                }
                '\\' => {
                    let escaped = characters.next_if(|(_, next)| matches!(next, '"' | '\\'));
                    text.push(escaped.map_or('\\', |(_, next)| next));
                }
                other => text.push(other),
            }
        }
        let Some(end) = end else {
            return Err(self.error(start..self.text.len(), SyntaxFault::UnclosedQuote));
        };
        self.position = end;
        let after = self.word();
        if !after.is_empty() {
            let fault = SyntaxFault::QuoteInWord { found: Excerpt::new(after) };
            return Err(self.error(end..end + after.len(), fault));
        }
        Ok(text)
    }

    /// Adds a term where the last operator says.
    fn push(&mut self, term: Term<V>) -> Result<(), SyntaxError> {
        self.term_count += 1;
        if self.term_count > TERMS_MAX {
            let fault = SyntaxFault::TooManyTerms { expected: TERMS_MAX };
            return Err(self.error(term.span, fault));
        }
        let operator = match (self.scope.last_token, V::SPACE) {
            (LastToken::Term, Space::And) => LastToken::And,
            (operator, _) => operator,
        };
        match (operator, self.scope.clauses.last_mut()) {
            (LastToken::And, Some(clause)) => match clause.conjunctions.last_mut() {
                Some(conjunction) => conjunction.terms.push(term),
                None => clause.conjunctions.push(Conjunction { terms: vec![term] }),
            },
            (LastToken::Or, Some(clause)) => {
                clause.conjunctions.push(Conjunction { terms: vec![term] });
            }
            _ => {
                let conjunctions = vec![Conjunction { terms: vec![term] }];
                self.scope.clauses.push(Clause { conjunctions });
            }
        }
        self.scope.last_token = LastToken::Term;
        Ok(())
    }

    /// Refuses a side of OR that has only excluded terms: it would find nearly every row.
    fn check_sides_of_or(&self) -> Result<(), SyntaxError> {
        for clause in self.scope.clauses.iter().filter(|clause| clause.conjunctions.len() > 1) {
            for Conjunction { terms } in &clause.conjunctions {
                if let ([first, ..], [.., last]) = (terms.as_slice(), terms.as_slice())
                    && terms.iter().all(|term| term.excluded)
                {
                    let span = first.span.start..last.span.end;
                    return Err(self.error(span, SyntaxFault::OnlyExcluded));
                }
            }
        }
        Ok(())
    }
}
