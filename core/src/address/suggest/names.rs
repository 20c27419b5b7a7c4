//! Typed names and readings, and the initials of readings, in the form in which they are compared.

use crate::address::units::{Unit, folded_units};
use crate::text::fold::Folded;
use crate::text::spellings::{Letter, Spellings};
use crate::text::typed_keys::MatchKind;

/// Most units of a typed name.
const TYPED_MAX: usize = 60;

/// A typed text, taken either as a written name or as a reading.
pub(super) struct TypedText {
    pub spellings: Spellings,
    pub match_kind: MatchKind,
}

impl TypedText {
    /// The text as a written name, and as a reading, unless it cannot be one.
    pub fn interpretations(text: &str) -> impl Iterator<Item = TypedText> + use<> {
        let read = if Spellings::is_roman(text) { MatchKind::Roman } else { MatchKind::Reading };
        let found = [(typed_name(text), MatchKind::Prefix), (Spellings::from_reading(text), read)];
        found.into_iter().filter_map(|(spellings, match_kind)| {
            spellings.map(|spellings| TypedText { spellings, match_kind })
        })
    }

    pub fn is_written(&self) -> bool {
        self.match_kind == MatchKind::Prefix
    }

    /// How many units of a name were typed; a reading marks the whole name.
    pub fn units(&self) -> Option<u8> {
        self.is_written().then(|| self.spellings.max_letters() as u8)
    }
}

/// A typed text as the beginning of a name; `None` if it is too long.
fn typed_name(text: &str) -> Option<Spellings> {
    let (folded, found) = folded_units(text);
    if found.len() > TYPED_MAX {
        return None;
    }
    let with_end = |(index, unit): (usize, &Unit)| {
        // Digits of a kanji numeral are read together, so that only the last has an end.
        let is_inner = found.get(index + 1).is_some_and(|next| next.first == unit.first);
        (unit.code, (!is_inner).then(|| byte_end(&folded, unit.last as usize)))
    };
    Spellings::from_letters(found.iter().enumerate().map(with_end))
}

/// The number of bytes from which the first `count` units of a name come.
pub(super) fn bytes_of(name: &str, count: usize) -> usize {
    let (folded, found) = folded_units(name);
    let last = count.checked_sub(1).and_then(|last| found.get(last));
    last.map_or(0, |unit| byte_end(&folded, unit.last as usize) as usize)
}

/// The byte of the text at which the first `count` folded characters end.
fn byte_end(folded: &[Folded], count: usize) -> u32 {
    count.checked_sub(1).and_then(|last| folded.get(last)).map_or(0, |folded| folded.end)
}

/// The first letter of a reading as a byte: katakana by their index in the block, digits above them.
pub(super) fn initial(letter: Option<Letter>) -> u8 {
    const BLOCK: Letter = 0x30A0;
    match letter {
        None => 0,
        Some(letter) if letter < 0x80 => letter as u8 | 0x80,
        Some(letter) => letter.wrapping_sub(BLOCK) as u8 & 0x7F,
    }
}
