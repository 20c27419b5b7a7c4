//! Suggestions of banks and of the branches of one: by name, reading or the digits of the code.
//!
//! Names are compared as in searches ([`names`](super::names)). Entries whose name or code begins with the typed text come
//! first, whole names before all others; then those that contain it, then those of the typed kind; each in the order of
//! codes. Every entry is compared: 1,200 banks, or the branches of one bank, most of which have a code of three digits of
//! their own.

use super::BankData;
use super::members::{Branch, Institution};
use super::name_words::{omitted_bank_word, omitted_branch_word};
use super::names::{Class, EntryMatch, Highlight, TypedName};
use super::record::{BankView, EntryView};
use crate::dataset::member::shape::Shape::Pattern;
use crate::dataset::member::{Digits, members};
use crate::dataset::suggestion::{Match, SuggestedText};
use crate::snapshot::Result;
use crate::text::codes::BankCode;
use crate::text::typed_keys::{MatchInfo, utf16_range};

/// Shortest text that is also found inside a name, in letters.
const INSIDE_MIN: usize = 2;

pub struct SuggestedEntry<'s> {
    pub entry: EntryView<'s>,
    /// The name as people say it, with the word that the directory leaves out.
    pub text: String,
    pub match_info: MatchInfo,
}

/// The institutions that match `typed`, at most `limit`.
pub fn suggest_banks<'s>(
    data: &'s BankData,
    typed: &TypedName,
    limit: usize,
) -> Result<Vec<SuggestedEntry<'s>>> {
    let banks = data.banks()?.map(BankView::entry);
    let found = banks.filter_map(|bank| Some((find(typed, bank, 4)?, bank)));
    let omitted_word = |bank: EntryView<'_>| omitted_bank_word(bank.code(), bank.name().text);
    Ok(first_matches(typed, found.collect(), limit, omitted_word))
}

/// The branches of an institution that match `typed`, at most `limit`.
pub fn suggest_branches<'s>(
    bank: BankView<'s>,
    typed: &TypedName,
    limit: usize,
) -> Vec<SuggestedEntry<'s>> {
    let branches = bank.branches();
    let found = branches.filter_map(|branch| Some((find(typed, branch, 3)?, branch)));
    let code = bank.entry().code();
    first_matches(typed, found.collect(), limit, |branch| {
        omitted_branch_word(code, branch.name().text)
    })
}

/// Matches an entry by its code of this many digits, or by its name.
fn find(typed: &TypedName, entry: EntryView<'_>, digits: usize) -> Option<EntryMatch> {
    if let Some(typed) = &typed.keys().digits
        && format!("{:0digits$}", entry.code()).starts_with(&**typed)
    {
        let class = if typed.len() == digits { Class::Whole } else { Class::Beginning };
        return Some(EntryMatch::without_highlight(class));
    }
    let found = typed.find(entry)?;
    match found.class {
        Class::Whole | Class::Beginning => Some(found),
        Class::Inside | Class::Kind => is_long_enough(typed).then_some(found),
        Class::WithoutWord | Class::Within => None,
    }
}

/// Whether a text is long enough to be found inside names: too many names have a shorter one.
fn is_long_enough(typed: &TypedName) -> bool {
    typed.keys().key.chars().count() >= INSIDE_MIN
}

fn first_matches<'s>(
    typed: &TypedName,
    mut found: Vec<(EntryMatch, EntryView<'s>)>,
    limit: usize,
    omitted_word: impl Fn(EntryView<'s>) -> &'static str,
) -> Vec<SuggestedEntry<'s>> {
    // A stable sort keeps entries in the order of their codes.
    found.sort_by_key(|(found, _)| found.class);
    found.truncate(limit);
    let suggested = |(found, entry): (EntryMatch, EntryView<'s>)| {
        let text = [entry.name().text, omitted_word(entry)].concat();
        let highlight = highlighted_range(typed, &text, entry, found.highlight);
        let highlight = highlight.into_iter().collect();
        SuggestedEntry { entry, text, match_info: MatchInfo { kind: found.matched, highlight } }
    };
    found.into_iter().map(suggested).collect()
}

fn highlighted_range(
    typed: &TypedName,
    text: &str,
    entry: EntryView<'_>,
    highlight: Highlight,
) -> Option<[usize; 2]> {
    let typed_range = || typed.highlighted_keys().find_map(|keys| keys.find_in(text));
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

#[derive(Clone, Copy)]
pub struct SuggestedInstitution<'a>(pub &'a SuggestedEntry<'a>);

members! {
    pub const SUGGESTED_INSTITUTION: "SuggestedBank" of it: SuggestedInstitution<'_>;
    ..SuggestedText { SuggestedText(it.0.text.as_str().into()) };
    ..Institution { Institution(it.0.entry) };
    ..Match { Match(&it.0.match_info) };
}

/// A suggested branch, and the code of its institution.
#[derive(Clone, Copy)]
pub struct SuggestedBranch<'a>(pub &'a SuggestedEntry<'a>, pub BankCode);

members! {
    pub const SUGGESTED_BRANCH: "SuggestedBranch" of it: SuggestedBranch<'_>;
    ..SuggestedText { SuggestedText(it.0.text.as_str().into()) };
    ..Branch { Branch(it.0.entry) };
    "bank_code": Pattern("^[0-9]{4}$") => Digits::<4>(it.1.number().into()), "Code of the institution", "金融機関コード";
    ..Match { Match(&it.0.match_info) };
}
