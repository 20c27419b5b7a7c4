//! Writes names as bank transfers have them: `ｶ)ﾄﾂﾄﾘｷﾞﾝｺｳ` for 株式会社鳥取銀行.
//!
//! The kind of a corporation is abbreviated in brackets: `ｶ)…` before the name, `…(ｶ` behind it, `…(ｶ)…` inside it, where
//! a branch follows; an office is `…(ｴｲ`. A name without a kind is written as it is read. Kanji are never read here: who
//! writes a name gives its reading, or hears which letters have none. A name may be longer than the thirty letters that a
//! transfer has room for; it is not cut.

mod letters;
pub mod words;

pub use letters::large_kana;
use letters::{foreign_run, half_width};
use words::{Abbreviation, BUSINESSES, CORPORATIONS, OFFICES, longest};

use super::fold::{Level, folded};
use super::kind_words::expand;

/// Why a name cannot be written for a transfer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteFault {
    #[error("expected a name; found none")]
    Nothing,
    /// These letters are not kana, and nothing says how they are read.
    #[error("expected kana, or a reading of {0}; found none")]
    Unread(String),
}

/// Writes a name for a transfer. `reading` is that of the name, with or without its kind word; without it the name must
/// be kana, Latin letters, digits and the words that have an abbreviation.
pub fn write(name: &str, reading: Option<&str>) -> Result<String, WriteFault> {
    let name = large_kana(&expand(&folded(name.trim(), Level::Width), Level::Width));
    let reading = reading.map(large_kana).filter(|reading| !reading.is_empty());
    if name.is_empty() {
        return Err(WriteFault::Nothing);
    }
    let Some(Layout { left, kind, right }) = abbreviated(&name).or_else(|| written_out(&name))
    else {
        return segment(&name, reading.as_deref());
    };
    let reading = reading.as_deref().map(|reading| without_kind(reading, kind));
    match (left, right) {
        ("", body) => Ok([half(kind.short)?, ")".to_owned(), segment(body, reading)?].concat()),
        (body, "") => Ok([segment(body, reading)?, "(".to_owned(), half(kind.short)?].concat()),
        // A reading does not say where the kind word stood in it.
        (left, right) => {
            let [left, right] = [segment(left, None)?, segment(right, None)?];
            Ok([left, "(".to_owned(), half(kind.short)?, ")".to_owned(), right].concat())
        }
    }
}

/// A name around the word of its kind. One side may be empty, not both.
struct Layout<'n> {
    left: &'n str,
    kind: &'static Abbreviation,
    right: &'n str,
}

impl<'n> Layout<'n> {
    fn around(left: &'n str, kind: &'static Abbreviation, right: &'n str) -> Option<Layout<'n>> {
        let (left, right) = (left.trim(), right.trim());
        (!left.is_empty() || !right.is_empty()).then_some(Layout { left, kind, right })
    }
}

/// The layout of a name with the abbreviation of a kind of corporation in brackets, of which the outer one may be
/// missing.
fn abbreviated(name: &str) -> Option<Layout<'_>> {
    let first = |it: &Abbreviation| {
        name.strip_prefix('(').unwrap_or(name).strip_prefix(it.short)?.strip_prefix(')')
    };
    if let Some(kind) = longest(CORPORATIONS, |it| it.short, |it| first(it).is_some()) {
        return Layout::around("", kind, first(kind)?);
    }
    let last = |it: &Abbreviation| {
        name.strip_suffix(')').unwrap_or(name).strip_suffix(it.short)?.strip_suffix('(')
    };
    if let Some(kind) = longest(CORPORATIONS, |it| it.short, |it| last(it).is_some()) {
        return Layout::around(last(kind)?, kind, "");
    }
    let inside = |it: &Abbreviation| name.split_once(&format!("({})", it.short));
    let kind = longest(CORPORATIONS, |it| it.short, |it| inside(it).is_some())?;
    let (left, right) = inside(kind)?;
    Layout::around(left, kind, right)
}

/// The layout of a name with the whole word of its kind, in kanji or, before or behind the name, as it is read.
fn written_out(name: &str) -> Option<Layout<'_>> {
    let word: fn(&Abbreviation) -> &'static str = |it| it.word;
    let reading: fn(&Abbreviation) -> &'static str = |it| it.reading;
    for form in [word, reading] {
        if let Some(kind) = longest(CORPORATIONS, form, |it| name.starts_with(form(it))) {
            return Layout::around("", kind, name.strip_prefix(form(kind))?);
        }
        if let Some(kind) = longest(CORPORATIONS, form, |it| name.ends_with(form(it))) {
            return Layout::around(name.strip_suffix(form(kind))?, kind, "");
        }
    }
    let kind = longest(CORPORATIONS, word, |it| name.contains(it.word))?;
    let (left, right) = name.split_once(kind.word)?;
    Layout::around(left, kind, right)
}

/// A reading without that of the kind word at its beginning or end.
fn without_kind<'r>(reading: &'r str, kind: &Abbreviation) -> &'r str {
    let rest = reading.strip_prefix(kind.reading).or_else(|| reading.strip_suffix(kind.reading));
    rest.map(str::trim).filter(|rest| !rest.is_empty()).unwrap_or(reading)
}

/// A part of a name without the word of its kind, in half width, with its offices and businesses abbreviated.
fn segment(name: &str, reading: Option<&str>) -> Result<String, WriteFault> {
    let mut read = match reading {
        Some(reading) => reading.to_owned(),
        None => by_longest_word(name, |text, it| text.replace(it.word, it.reading)),
    };
    if let Some(foreign) = foreign_run(&read) {
        return Err(WriteFault::Unread(foreign.to_owned()));
    }
    let office = OFFICES.iter().find(|it| name.ends_with(it.word) || name.ends_with(it.reading));
    let stem = office.and_then(|office| Some((read.strip_suffix(office.reading)?, office.short)));
    if let Some((stem, short)) = stem.filter(|(stem, _)| !stem.trim().is_empty()) {
        read = [stem.trim_end(), "(", short].concat();
    }
    let has_business = |it: &Abbreviation| name.contains(it.word) || name.ends_with(it.reading);
    let mut list: Vec<&Abbreviation> = BUSINESSES.iter().filter(|it| has_business(it)).collect();
    list.sort_by_key(|it| std::cmp::Reverse(it.reading.len()));
    for business in list {
        if read.matches(business.reading).count() == 1 {
            read = read.replace(business.reading, business.short);
        }
    }
    half(&read)
}

/// Applies `replace` for each office and business, the longest word first.
fn by_longest_word(name: &str, replace: impl Fn(&str, &Abbreviation) -> String) -> String {
    let mut list: Vec<&Abbreviation> = OFFICES.iter().chain(BUSINESSES).collect();
    list.sort_by_key(|it| std::cmp::Reverse(it.word.len()));
    list.into_iter().fold(name.to_owned(), |text, it| replace(&text, it))
}

fn half(text: &str) -> Result<String, WriteFault> {
    half_width(text).map_err(|_foreign| WriteFault::Unread(text.to_owned()))
}

#[cfg(test)]
mod tests;
