//! Typed names and the initials of readings, in the form in which they are compared.

use crate::address::units::{Unit, units};
use crate::text::fold::{Folded, Level, fold};
use crate::text::spellings::{Letter, Spellings};

/// Most units of a typed name.
const TYPED_MAX: usize = 60;

/// A typed text as the beginning of a name; `None` if it is too long.
pub(super) fn typed_name(text: &str) -> Option<Spellings> {
    let (mut folded, mut found) = (Vec::new(), Vec::new());
    fold(text, Level::Address, &mut folded);
    units(&folded, &mut found);
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
    let (mut folded, mut found) = (Vec::new(), Vec::new());
    fold(name, Level::Address, &mut folded);
    units(&folded, &mut found);
    match count.checked_sub(1).and_then(|last| found.get(last)) {
        Some(unit) => byte_end(&folded, unit.last as usize) as usize,
        None => 0,
    }
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
