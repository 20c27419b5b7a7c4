//! The parser of `q`: one pass, no recursion, total. Open groups are on a stack of at most [`DEPTH_MAX`].

use std::ops::Range;

use super::error::{Excerpt, SyntaxError, SyntaxFault};
use super::tree::{Clause, Conjunction, Names, Query, Term, Vocabulary, What};

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
            return Err(SyntaxError::at(text, 0..text.len(), fault));
        }
        let parser = Parser {
            text,
            grouping,
            at: 0,
            level: Level::default(),
            outer: Vec::new(),
            terms: 0,
            short: None,
            has_long: false,
        };
        parser.query()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Joint {
    #[default]
    Start,
    Term,
    And,
    Or,
}

impl Joint {
    fn place(self) -> &'static str {
        match self {
            Joint::Start | Joint::Term => "before an operator",
            Joint::And => "after AND",
            Joint::Or => "after OR",
        }
    }
}

struct Parser<'q, V: Vocabulary> {
    text: &'q str,
    grouping: Grouping,
    at: usize,
    level: Level<V>,
    /// For each open group the clauses before it, where it begins, and whether it is excluded.
    outer: Vec<(Level<V>, usize, bool)>,
    terms: usize,
    /// The error of the first keyword that is too short to stand alone.
    short: Option<SyntaxError>,
    /// Whether a keyword is long enough to stand alone.
    has_long: bool,
}

struct Level<V: Vocabulary> {
    clauses: Vec<Clause<V>>,
    joint: Joint,
}

impl<V: Vocabulary> Default for Level<V> {
    fn default() -> Level<V> {
        Level { clauses: Vec::new(), joint: Joint::Start }
    }
}

/// The space of Japanese text. It belongs to its keyword, since names contain it.
const WIDE_SPACE: char = '\u{3000}';

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

impl<V: Vocabulary> Parser<'_, V> {
    fn query(mut self) -> Result<Query<V>, SyntaxError> {
        self.refuse_banned()?;
        loop {
            self.skip_spaces();
            let start = self.at;
            if self.rest().is_empty() {
                break;
            }
            if self.groups() && self.rest().starts_with(')') {
                self.close()?;
                continue;
            }
            match self.word() {
                "AND" => self.operator(start, Joint::And)?,
                "OR" => self.operator(start, Joint::Or)?,
                "NOT" => return Err(self.fault(start..start + 3, SyntaxFault::Not)),
                _ if self.opens() => self.open()?,
                _ => self.term()?,
            }
        }
        if let Some((_, start, _)) = self.outer.last() {
            return Err(self.fault(*start..self.text.len(), SyntaxFault::UnclosedGroup));
        }
        let end = self.text.len();
        self.check_end(end..end, Excerpt::end())?;
        match self.short {
            Some(short) if !self.has_long => Err(short),
            _ => Ok(Query { clauses: self.level.clauses }),
        }
    }

    /// Refuses a query that ends here without the keyword that must follow.
    fn check_end(&self, span: Range<usize>, found: Excerpt) -> Result<(), SyntaxError> {
        if self.level.joint != Joint::Term {
            let place = match self.level.joint {
                Joint::Start if self.outer.is_empty() => "in the query",
                Joint::Start => "in the parentheses",
                joint => joint.place(),
            };
            return Err(self.fault(span, SyntaxFault::KeywordExpected { place, found }));
        }
        self.check_sides()
    }

    fn groups(&self) -> bool {
        self.grouping == Grouping::Allowed
    }

    fn refuse_banned(&self) -> Result<(), SyntaxError> {
        let groups = |found: char| self.groups() && matches!(found, '(' | ')');
        let banned = |(_, found): &(usize, char)| V::BANNED.contains(found) && !groups(*found);
        match self.text.char_indices().find(banned) {
            Some((at, found)) => {
                let fault = SyntaxFault::Banned { found };
                Err(self.fault(at..at + found.len_utf8(), fault))
            }
            None => Ok(()),
        }
    }

    fn opens(&self) -> bool {
        self.groups() && self.rest().trim_start_matches('-').starts_with('(')
    }

    fn open(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let excluded = self.rest().starts_with('-');
        self.at += usize::from(excluded);
        if !self.rest().starts_with('(') {
            let found = Excerpt::of(self.word());
            let fault = SyntaxFault::KeywordExpected { place: "after '-'", found };
            return Err(self.fault(self.at..self.at + 1, fault));
        }
        self.at += 1;
        if self.outer.len() == DEPTH_MAX {
            let fault = SyntaxFault::TooDeep { expected: DEPTH_MAX };
            return Err(self.fault(start..self.at, fault));
        }
        self.outer.push((std::mem::take(&mut self.level), start, excluded));
        Ok(())
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        let end = self.at + 1;
        if self.outer.is_empty() {
            return Err(self.fault(self.at..end, SyntaxFault::UnopenedGroup));
        }
        self.check_end(self.at..end, Excerpt::of(")"))?;
        let Some((outer, start, excluded)) = self.outer.pop() else { return Ok(()) };
        let Level { clauses, .. } = std::mem::replace(&mut self.level, outer);
        self.at = end;
        let behind = self.word();
        if !behind.is_empty() {
            let fault = SyntaxFault::BesideGroup { found: Excerpt::of(behind) };
            return Err(self.fault(end..end + behind.len(), fault));
        }
        self.push(Term { excluded, what: What::Group(Query { clauses }), span: start..end })
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_spaces(&mut self) {
        loop {
            self.at = self.text.len() - self.rest().trim_start_matches(is_space).len();
            // A word of only wide spaces is not a keyword.
            let word = self.word();
            if word.is_empty() || !word.trim_start_matches(WIDE_SPACE).is_empty() {
                break;
            }
            self.at += word.len();
        }
    }

    /// The text up to the next space, or to the end of the group.
    fn word(&self) -> &str {
        let groups = self.groups();
        let ends = |character| is_space(character) || groups && character == ')';
        self.rest().split(ends).next().unwrap_or_default()
    }

    fn fault(&self, span: Range<usize>, fault: SyntaxFault) -> SyntaxError {
        SyntaxError::at(self.text, span, fault)
    }

    fn operator(&mut self, start: usize, operator: Joint) -> Result<(), SyntaxError> {
        let word = self.word();
        let end = start + word.len();
        if self.level.joint != Joint::Term {
            let fault = SyntaxFault::KeywordExpected {
                place: self.level.joint.place(),
                found: Excerpt::of(word),
            };
            return Err(self.fault(start..end, fault));
        }
        self.at = end;
        self.level.joint = operator;
        Ok(())
    }

    fn term(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let excluded = self.rest().starts_with('-');
        if excluded {
            self.at += 1;
        }
        let identifier = self.identifier()?;
        let beside = match (identifier, excluded) {
            (Some(_), _) => "after the colon",
            (None, true) => "after '-'",
            (None, false) => "here",
        };
        let keyword = self.keyword(beside, excluded && identifier.is_none())?;
        let span = start..self.at;
        let what = match identifier {
            Some((identifier, Names::Filter)) => {
                let filter = V::filter(identifier, &keyword).map_err(|expected| {
                    let found = Excerpt::of(&keyword);
                    let fault = SyntaxFault::FilterValue { identifier, expected, found };
                    self.fault(span.clone(), fault)
                })?;
                What::Filter(filter)
            }
            Some((_, Names::Field(field))) => self.searched(Some(field), keyword, &span)?,
            None => self.searched(None, keyword, &span)?,
        };
        self.push(Term { excluded, what, span })
    }

    fn searched(
        &mut self,
        field: Option<V::Field>,
        text: String,
        span: &Range<usize>,
    ) -> Result<What<V>, SyntaxError> {
        let length = V::length(&text);
        if length < V::KEYWORD_MIN {
            let (expected, found) = (V::KEYWORD_MIN, Excerpt::of(&text));
            let fault = SyntaxFault::KeywordTooShort { expected, found, length };
            let fault = self.fault(span.clone(), fault);
            if length == 0 {
                return Err(fault);
            }
            self.short.get_or_insert(fault);
        } else {
            self.has_long = true;
        }
        Ok(What::Keyword { field, text })
    }

    /// Parses `identifier:` if a colon comes before any quote and space.
    fn identifier(&mut self) -> Result<Option<Named<V>>, SyntaxError> {
        let word = self.word();
        let end = word.find([':', '"']).filter(|end| word[*end..].starts_with(':'));
        let Some(end) = end else { return Ok(None) };
        let (identifier, span) = (&word[..end], self.at..self.at + end);
        let known = V::NAMES.iter().find(|(name, _)| *name == identifier);
        let Some((name, names)) = known else {
            let expected: Vec<&str> = V::NAMES.iter().map(|(name, _)| *name).collect();
            let (expected, found) = (expected.join(", "), Excerpt::of(identifier));
            let fault = SyntaxFault::UnknownIdentifier { expected, found };
            return Err(self.fault(span, fault));
        };
        self.at += end + 1;
        Ok(Some((*name, *names)))
    }

    /// Parses a word or a phrase. `minus` says that a bare `-` was read just before.
    fn keyword(&mut self, beside: &'static str, minus: bool) -> Result<String, SyntaxError> {
        if self.rest().starts_with('"') {
            return self.phrase();
        }
        let (start, word) = (self.at, self.word());
        let end = start + word.len();
        if word.is_empty() || minus && word.starts_with('-') {
            let found = if self.rest().is_empty() {
                Excerpt::end()
            } else {
                Excerpt::of(self.rest().split_inclusive(is_space).next().unwrap_or_default())
            };
            let fault = SyntaxFault::KeywordExpected { place: beside, found };
            return Err(self.fault(start..end, fault));
        }
        for (at, found) in word.char_indices() {
            let span = start + at..start + at + found.len_utf8();
            if found == '"' {
                let fault = SyntaxFault::QuoteInWord { found: Excerpt::of(word) };
                return Err(self.fault(span, fault));
            }
            if self.groups() && found == '(' {
                let fault = SyntaxFault::BesideGroup { found: Excerpt::of(word) };
                return Err(self.fault(span, fault));
            }
            if V::FORBIDDEN.contains(&found) {
                return Err(self.fault(span, SyntaxFault::Forbidden { found }));
            }
        }
        let text = word.to_owned();
        self.at = end;
        Ok(text)
    }

    fn phrase(&mut self) -> Result<String, SyntaxError> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1).peekable();
        let mut end = None;
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    end = Some(start + at + 1);
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
            return Err(self.fault(start..self.text.len(), SyntaxFault::UnclosedQuote));
        };
        self.at = end;
        let behind = self.word();
        if !behind.is_empty() {
            let fault = SyntaxFault::QuoteInWord { found: Excerpt::of(behind) };
            return Err(self.fault(end..end + behind.len(), fault));
        }
        Ok(text)
    }

    fn push(&mut self, term: Term<V>) -> Result<(), SyntaxError> {
        self.terms += 1;
        if self.terms > TERMS_MAX {
            let fault = SyntaxFault::TooManyTerms { expected: TERMS_MAX };
            return Err(self.fault(term.span, fault));
        }
        match (self.level.joint, self.level.clauses.last_mut()) {
            (Joint::And, Some(clause)) => match clause.conjunctions.last_mut() {
                Some(conjunction) => conjunction.terms.push(term),
                None => clause.conjunctions.push(Conjunction { terms: vec![term] }),
            },
            (Joint::Or, Some(clause)) => {
                clause.conjunctions.push(Conjunction { terms: vec![term] });
            }
            _ => {
                let conjunctions = vec![Conjunction { terms: vec![term] }];
                self.level.clauses.push(Clause { conjunctions });
            }
        }
        self.level.joint = Joint::Term;
        Ok(())
    }

    fn check_sides(&self) -> Result<(), SyntaxError> {
        for clause in self.level.clauses.iter().filter(|clause| clause.conjunctions.len() > 1) {
            for Conjunction { terms } in &clause.conjunctions {
                if let ([first, ..], [.., last]) = (terms.as_slice(), terms.as_slice())
                    && terms.iter().all(|term| term.excluded)
                {
                    let span = first.span.start..last.span.end;
                    return Err(self.fault(span, SyntaxFault::OnlyExcluded));
                }
            }
        }
        Ok(())
    }
}

type Named<V> = (&'static str, Names<<V as Vocabulary>::Field>);
