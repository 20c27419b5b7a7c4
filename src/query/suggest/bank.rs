//! Suggestions of banks and of the branches of one: by name, reading or the digits of the code.
//!
//! Entries whose name or code begins with the typed text come first, whole names before all others; then those that
//! contain it; each in the order of codes. Every entry is compared: 1,200 banks, or at most 1,000 branches of one
//! bank.

use std::borrow::Cow;
use std::sync::Arc;

use super::bank_words::{Stem, Word, left_out_of_bank, left_out_of_branch};
use crate::query::bank::BankData;
use crate::record::bank::archive::KEY_START;
use crate::record::bank::{BankView, EntryView};
use crate::snapshot::OpenError;
use crate::text::match_info::{MatchInfo, MatchKind, utf16_range};
use crate::text::roman_key::roman_key;
use crate::text::typed_keys::TypedKeys;

/// Shortest text that is also found inside a name, in letters.
const INSIDE_MIN: usize = 2;

/// The same for Roman letters, of which a syllable has two.
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
) -> Result<Vec<SuggestedEntry<'s>>, Arc<OpenError>> {
    let typed_name = TypedName::of(typed);
    let found = data.banks()?.map(BankView::entry).filter_map(|bank| {
        let keys = Keys::of(bank)?;
        let found = typed_name.find(bank.code(), 4, Stem::of_bank(&keys.written, &keys.reading))?;
        Some((found, bank))
    });
    let text = |bank: EntryView<'_>| left_out_of_bank(bank.code(), bank.name().text);
    Ok(typed_name.first(found.collect(), limit, text))
}

/// The branches of an institution that match `typed`, at most `limit`.
pub fn suggest_branches<'s>(
    bank: BankView<'s>,
    typed: &TypedKeys,
    limit: usize,
) -> Vec<SuggestedEntry<'s>> {
    let typed_name = TypedName::of(typed);
    let found = bank.branches().filter_map(|branch| {
        let keys = Keys::of(branch)?;
        let found =
            typed_name.find(branch.code(), 3, Stem::of_branch(&keys.written, &keys.reading))?;
        Some((found, branch))
    });
    let code = bank.entry().code();
    typed_name.first(found.collect(), limit, |branch| left_out_of_branch(code, branch.name().text))
}

/// The keys of an entry's name and reading, without spaces.
struct Keys<'s> {
    written: Cow<'s, str>,
    reading: Cow<'s, str>,
}

impl<'s> Keys<'s> {
    fn of(entry: EntryView<'s>) -> Option<Keys<'s>> {
        let mut keys = entry.keys().split(KEY_START).skip(1).map(without_spaces);
        Some(Keys { written: keys.next()?, reading: keys.next()? })
    }
}

fn without_spaces(key: &str) -> Cow<'_, str> {
    if key.contains(' ') { key.replace(' ', "").into() } else { key.into() }
}

/// How an entry matches; the smallest class comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Whole,
    Beginning,
    Inside,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    class: Class,
    matched: MatchKind,
    marked: Marked,
}

/// The part of the text that was typed, for the highlight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marked {
    /// Only its code was typed.
    Nothing,
    /// The typed letters, at their position.
    Letters,
    /// The name without this final word.
    Without(&'static str),
    /// The name and that word, possibly in another form than in the text.
    WithWord,
}

/// The typed text, with and without the prefix of cooperatives' names.
struct TypedName<'t> {
    typed: &'t TypedKeys,
    /// For `ja…` and `jf…`: those two letters, and the rest.
    behind_front: Option<(&'t str, Option<TypedKeys>)>,
}

impl<'t> TypedName<'t> {
    fn of(typed: &'t TypedKeys) -> TypedName<'t> {
        let front = ["ja", "jf"].into_iter().find(|front| typed.key.starts_with(front));
        let behind_front = front.map(|front| (front, TypedKeys::parse(&typed.key[front.len()..])));
        TypedName { typed, behind_front }
    }

    fn find(&self, code: u16, digits: usize, stem: Stem<'_>) -> Option<Found> {
        if let Some(typed) = &self.typed.digits
            && format!("{code:0digits$}").starts_with(&**typed)
        {
            let class = if typed.len() == digits { Class::Whole } else { Class::Beginning };
            return Some(Found { class, matched: MatchKind::Prefix, marked: Marked::Nothing });
        }
        beginning(self.typed, stem)
            .or_else(|| self.find_behind_front(stem))
            .or_else(|| inside(self.typed, stem))
    }

    fn find_behind_front(&self, stem: Stem<'_>) -> Option<Found> {
        let (front, behind) = self.behind_front.as_ref()?;
        if stem.ending.front != *front {
            return None;
        }
        match behind {
            Some(typed) => beginning(typed, stem),
            None => {
                let (matched, marked) = (MatchKind::Prefix, Marked::Nothing);
                Some(Found { class: Class::Beginning, matched, marked })
            }
        }
    }

    /// The first matches, in order.
    fn first<'s>(
        &self,
        mut found: Vec<(Found, EntryView<'s>)>,
        limit: usize,
        left_out: impl Fn(EntryView<'s>) -> &'static str,
    ) -> Vec<SuggestedEntry<'s>> {
        // A stable sort keeps entries in the order of their codes.
        found.sort_by_key(|(found, _)| found.class);
        found.truncate(limit);
        let suggested = |(found, entry): (Found, EntryView<'s>)| {
            let text = [entry.name().text, left_out(entry)].concat();
            let highlight = self.highlight(&text, entry, found.marked).into_iter().collect();
            SuggestedEntry { entry, text, match_info: MatchInfo { kind: found.matched, highlight } }
        };
        found.into_iter().map(suggested).collect()
    }

    fn highlight(&self, text: &str, entry: EntryView<'_>, marked: Marked) -> Option<[usize; 2]> {
        let behind = self.behind_front.as_ref().and_then(|(_, typed)| typed.as_ref());
        let mut typed = [Some(self.typed), behind].into_iter().flatten();
        let mut place = || typed.find_map(|typed| typed.find_in(text));
        match marked {
            Marked::Nothing => None,
            Marked::Letters => place(),
            Marked::Without(word) => {
                let name = entry.name().text;
                Some(utf16_range(text, 0..name.strip_suffix(word).unwrap_or(name).len()))
            }
            Marked::WithWord => Some(place().unwrap_or_else(|| utf16_range(text, 0..text.len()))),
        }
    }
}

/// The form of a word that is compared.
type Part = fn(&Word) -> &String;

/// The three ways to type a name.
const WAYS: [(MatchKind, Part); 3] = [
    (MatchKind::Prefix, |word| &word.written),
    (MatchKind::Reading, |word| &word.reading),
    (MatchKind::Roman, |word| &word.roman),
];

fn beginning(typed: &TypedKeys, stem: Stem<'_>) -> Option<Found> {
    let roman = if typed.roman.is_empty() { String::new() } else { roman_key(stem.reading) };
    let stems = [stem.written, stem.reading, &roman];
    let mut found: Option<Found> = None;
    for ((matched, of_word), name) in WAYS.into_iter().zip(stems) {
        let keys = match matched {
            MatchKind::Roman => typed.roman.as_slice(),
            _ => std::slice::from_ref(&typed.key),
        };
        for key in keys {
            let Some(reach) = reach(key, name, stem.ending.words.iter().map(of_word)) else {
                continue;
            };
            let class = if reach.is_whole { Class::Whole } else { Class::Beginning };
            let marked = match (reach.has_word, matched) {
                (true, _) => Marked::WithWord,
                (false, MatchKind::Prefix) => Marked::Letters,
                (false, _) => Marked::Without(stem.ending.short),
            };
            if found.is_none_or(|found| class < found.class) {
                found = Some(Found { class, matched, marked });
            }
        }
    }
    found
}

struct Reach {
    /// Whether it ends at the end of the name or of a word after it.
    is_whole: bool,
    has_word: bool,
}

/// How far a key extends into a name, which one of the words may follow.
fn reach<'w>(key: &str, stem: &str, mut words: impl Iterator<Item = &'w String>) -> Option<Reach> {
    if let Some(rest) = stem.strip_prefix(key) {
        return Some(Reach { is_whole: rest.is_empty(), has_word: false });
    }
    let rest = key.strip_prefix(stem)?;
    let word = words.find(|word| word.starts_with(rest))?;
    Some(Reach { is_whole: word == rest, has_word: true })
}

fn inside(typed: &TypedKeys, stem: Stem<'_>) -> Option<Found> {
    let found = |marked| Found { class: Class::Inside, matched: MatchKind::Inside, marked };
    let long_enough = |key: &str, min: usize| key.chars().nth(min - 1).is_some();
    if long_enough(&typed.key, INSIDE_MIN) {
        if stem.written.contains(&typed.key) {
            return Some(found(Marked::Letters));
        }
        if stem.reading.contains(&typed.key) {
            return Some(found(Marked::Without(stem.ending.short)));
        }
    }
    let mut roman = typed.roman.iter().filter(|key| long_enough(key, ROMAN_INSIDE_MIN)).peekable();
    roman.peek()?;
    let reading = roman_key(stem.reading);
    roman.any(|key| reading.contains(&**key)).then(|| found(Marked::Without(stem.ending.short)))
}
