//! Suggestions of banks and of the branches of one: by name, reading or the digits of the code.
//!
//! Entries whose name or code begins with the typed text come first, whole names before all others; then those that
//! contain it; each in the order of codes. Every entry is compared: 1,200 banks, or the branches of one bank, most of
//! which have a code of three digits of their own.

use std::borrow::Cow;

use super::BankData;
use super::members::{Branch, Institution};
use super::record::KEY_START;
use super::record::{BankView, EntryView};
use super::suggest_words::{Stem, Word, omitted_bank_word, omitted_branch_word};
use crate::dataset::member::shape::Shape::Pattern;
use crate::dataset::member::{Digits, members};
use crate::dataset::suggestion::{Match, SuggestedText};
use crate::snapshot::Result;
use crate::text::codes::BankCode;
use crate::text::roman_key::roman_key;
use crate::text::typed_keys::{MatchInfo, MatchKind, TypedKeys, utf16_range};

/// Shortest text that is also found inside a name, in letters.
const INSIDE_MIN: usize = 2;

/// Shortest text of Roman letters that is also found inside a name: a syllable has two letters.
const ROMAN_INSIDE_MIN: usize = 3;

pub struct SuggestedEntry<'s> {
    pub entry: EntryView<'s>,
    /// The name as people say it, with the word that the directory leaves out.
    pub text: String,
    pub match_info: MatchInfo,
}

/// The institutions that match `typed`, at most `limit`.
pub fn suggest_banks<'s>(
    data: &'s BankData,
    typed: &TypedKeys,
    limit: usize,
) -> Result<Vec<SuggestedEntry<'s>>> {
    let typed_name = TypedName::new(typed);
    let found = data.banks()?.map(BankView::entry).filter_map(|bank| {
        let [written, reading] = keys(bank)?;
        let found = typed_name.find(bank.code(), 4, Stem::of_bank(&written, &reading))?;
        Some((found, bank))
    });
    let omitted_word = |bank: EntryView<'_>| omitted_bank_word(bank.code(), bank.name().text);
    Ok(typed_name.first_matches(found.collect(), limit, omitted_word))
}

/// The branches of an institution that match `typed`, at most `limit`.
pub fn suggest_branches<'s>(
    bank: BankView<'s>,
    typed: &TypedKeys,
    limit: usize,
) -> Vec<SuggestedEntry<'s>> {
    let typed_name = TypedName::new(typed);
    let found = bank.branches().filter_map(|branch| {
        let [written, reading] = keys(branch)?;
        let found = typed_name.find(branch.code(), 3, Stem::of_branch(&written, &reading))?;
        Some((found, branch))
    });
    let code = bank.entry().code();
    typed_name.first_matches(found.collect(), limit, |branch| {
        omitted_branch_word(code, branch.name().text)
    })
}

/// The keys of an entry's name and reading, without spaces.
fn keys(entry: EntryView<'_>) -> Option<[Cow<'_, str>; 2]> {
    let mut keys = entry.keys().split(KEY_START).skip(1).map(without_spaces);
    Some([keys.next()?, keys.next()?])
}

fn without_spaces(key: &str) -> Cow<'_, str> {
    if key.contains(' ') { key.replace(' ', "").into() } else { key.into() }
}

/// Where a typed text matches; the smallest class comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Whole,
    Beginning,
    Inside,
}

#[derive(Debug, Clone, Copy)]
struct EntryMatch {
    class: Class,
    matched: MatchKind,
    highlight: Highlight,
}

impl EntryMatch {
    fn without_highlight(class: Class) -> EntryMatch {
        EntryMatch { class, matched: MatchKind::Prefix, highlight: Highlight::Nothing }
    }
}

/// The part of the text that was typed, for the highlight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Highlight {
    /// Nothing, since the code was typed.
    Nothing,
    /// The typed letters, where they are.
    TypedLetters,
    /// The name without this final word.
    NameWithout(&'static str),
    /// The name and its final word, which may be typed in another form than in the text.
    NameAndWord,
}

/// The typed text, with and without the prefix of cooperatives' names.
struct TypedName<'t> {
    typed: &'t TypedKeys,
    /// For `ja…` and `jf…`: those two letters, and the text after them.
    after_prefix: Option<(&'t str, Option<TypedKeys>)>,
}

impl<'t> TypedName<'t> {
    fn new(typed: &'t TypedKeys) -> TypedName<'t> {
        let prefix = ["ja", "jf"].into_iter().find(|prefix| typed.key.starts_with(prefix));
        let after_prefix =
            prefix.map(|prefix| (prefix, TypedKeys::parse(&typed.key[prefix.len()..])));
        TypedName { typed, after_prefix }
    }

    /// Matches an entry by its code of this many digits, or by its name.
    fn find(&self, code: u16, digits: usize, stem: Stem<'_>) -> Option<EntryMatch> {
        if let Some(typed) = &self.typed.digits
            && format!("{code:0digits$}").starts_with(&**typed)
        {
            let class = if typed.len() == digits { Class::Whole } else { Class::Beginning };
            return Some(EntryMatch::without_highlight(class));
        }
        beginning(self.typed, stem)
            .or_else(|| self.find_after_prefix(stem))
            .or_else(|| inside(self.typed, stem))
    }

    fn find_after_prefix(&self, stem: Stem<'_>) -> Option<EntryMatch> {
        let (prefix, after) = self.after_prefix.as_ref()?;
        if stem.ending.prefix != *prefix {
            return None;
        }
        match after {
            Some(typed) => beginning(typed, stem),
            None => Some(EntryMatch::without_highlight(Class::Beginning)),
        }
    }

    fn first_matches<'s>(
        &self,
        mut found: Vec<(EntryMatch, EntryView<'s>)>,
        limit: usize,
        omitted_word: impl Fn(EntryView<'s>) -> &'static str,
    ) -> Vec<SuggestedEntry<'s>> {
        // A stable sort keeps entries in the order of their codes.
        found.sort_by_key(|(found, _)| found.class);
        found.truncate(limit);
        let suggested = |(found, entry): (EntryMatch, EntryView<'s>)| {
            let text = [entry.name().text, omitted_word(entry)].concat();
            let highlight =
                self.highlighted_range(&text, entry, found.highlight).into_iter().collect();
            SuggestedEntry { entry, text, match_info: MatchInfo { kind: found.matched, highlight } }
        };
        found.into_iter().map(suggested).collect()
    }

    fn highlighted_range(
        &self,
        text: &str,
        entry: EntryView<'_>,
        highlight: Highlight,
    ) -> Option<[usize; 2]> {
        let after = self.after_prefix.as_ref().and_then(|(_, typed)| typed.as_ref());
        let mut typed = [Some(self.typed), after].into_iter().flatten();
        let mut typed_range = || typed.find_map(|typed| typed.find_in(text));
        match highlight {
            Highlight::Nothing => None,
            Highlight::TypedLetters => typed_range(),
            Highlight::NameWithout(word) => {
                let name = entry.name().text;
                Some(utf16_range(text, 0..name.strip_suffix(word).unwrap_or(name).len()))
            }
            Highlight::NameAndWord => {
                Some(typed_range().unwrap_or_else(|| utf16_range(text, 0..text.len())))
            }
        }
    }
}

type WordForm = fn(&Word) -> &String;

/// The three ways to type a name, with the form of its words that each is compared with.
const INPUT_FORMS: [(MatchKind, WordForm); 3] = [
    (MatchKind::Prefix, |word| &word.written),
    (MatchKind::Reading, |word| &word.reading),
    (MatchKind::Roman, |word| &word.roman),
];

fn beginning(typed: &TypedKeys, stem: Stem<'_>) -> Option<EntryMatch> {
    let roman = if typed.roman.is_empty() { String::new() } else { roman_key(stem.reading) };
    let stems = [stem.written, stem.reading, &roman];
    let mut found: Option<EntryMatch> = None;
    for ((matched, of_word), name) in INPUT_FORMS.into_iter().zip(stems) {
        let keys = match matched {
            MatchKind::Roman => typed.roman.as_slice(),
            _ => std::slice::from_ref(&typed.key),
        };
        for key in keys {
            let Some(key_match) = match_key(key, name, stem.ending.words.iter().map(of_word))
            else {
                continue;
            };
            let class = if key_match.is_whole { Class::Whole } else { Class::Beginning };
            let highlight = match (key_match.has_word, matched) {
                (true, _) => Highlight::NameAndWord,
                (false, MatchKind::Prefix) => Highlight::TypedLetters,
                (false, _) => Highlight::NameWithout(stem.ending.short),
            };
            if found.is_none_or(|found| class < found.class) {
                found = Some(EntryMatch { class, matched, highlight });
            }
        }
    }
    found
}

struct KeyMatch {
    /// Whether the key ends where the name or a word after it ends.
    is_whole: bool,
    /// Whether the key contains the beginning of such a word.
    has_word: bool,
}

/// Matches a key with the beginning of a name, which one of the words may follow.
fn match_key<'w>(
    key: &str,
    stem: &str,
    mut words: impl Iterator<Item = &'w String>,
) -> Option<KeyMatch> {
    if let Some(rest) = stem.strip_prefix(key) {
        return Some(KeyMatch { is_whole: rest.is_empty(), has_word: false });
    }
    let rest = key.strip_prefix(stem)?;
    let word = words.find(|word| word.starts_with(rest))?;
    Some(KeyMatch { is_whole: word == rest, has_word: true })
}

fn inside(typed: &TypedKeys, stem: Stem<'_>) -> Option<EntryMatch> {
    let found =
        |highlight| EntryMatch { class: Class::Inside, matched: MatchKind::Inside, highlight };
    let is_long_enough = |key: &str, min: usize| key.chars().nth(min - 1).is_some();
    if is_long_enough(&typed.key, INSIDE_MIN) {
        if stem.written.contains(&typed.key) {
            return Some(found(Highlight::TypedLetters));
        }
        if stem.reading.contains(&typed.key) {
            return Some(found(Highlight::NameWithout(stem.ending.short)));
        }
    }
    let mut roman =
        typed.roman.iter().filter(|key| is_long_enough(key, ROMAN_INSIDE_MIN)).peekable();
    roman.peek()?;
    let reading = roman_key(stem.reading);
    roman
        .any(|key| reading.contains(&**key))
        .then(|| found(Highlight::NameWithout(stem.ending.short)))
}

#[derive(Clone, Copy)]
pub struct SuggestedInstitution<'a>(pub &'a SuggestedEntry<'a>);

members! {
    pub const SUGGESTED_INSTITUTION: "SuggestedBank" of it: SuggestedInstitution<'_>;
    ..SuggestedText { SuggestedText(&it.0.text) };
    ..Institution { Institution(it.0.entry) };
    ..Match { Match(&it.0.match_info) };
}

/// A suggested branch, and the code of its institution.
#[derive(Clone, Copy)]
pub struct SuggestedBranch<'a>(pub &'a SuggestedEntry<'a>, pub BankCode);

members! {
    pub const SUGGESTED_BRANCH: "SuggestedBranch" of it: SuggestedBranch<'_>;
    ..SuggestedText { SuggestedText(&it.0.text) };
    ..Branch { Branch(it.0.entry) };
    "bank_code": Pattern("^[0-9]{4}$") => Digits::<4>(it.1.number().into()), "Code of the institution", "金融機関コード";
    ..Match { Match(&it.0.match_info) };
}
