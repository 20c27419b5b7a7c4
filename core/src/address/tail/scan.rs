//! A folded text as the parsers read it: characters by position, classes of characters, words.

use super::words::{self, Words};
use crate::text::fold::Folded;
pub(super) use crate::text::kana::{is_hiragana, is_katakana};
use crate::text::numerals;
pub(super) use crate::text::numerals::is_hyphen;

/// Folded characters of a tail, or of a whole text. Positions out of range give `\0`, which belongs to no class.
#[derive(Clone, Copy)]
pub struct Text<'a>(pub &'a [Folded]);

impl Text<'_> {
    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    pub fn at(self, position: usize) -> char {
        self.0.get(position).map_or('\0', |folded| folded.character)
    }

    pub fn before(self, position: usize) -> char {
        position.checked_sub(1).map_or('\0', |position| self.at(position))
    }

    pub fn has(self, position: usize, word: &str) -> bool {
        word.chars().enumerate().all(|(offset, character)| self.at(position + offset) == character)
    }

    /// The position after the first of `words` that is at a position.
    pub(super) fn word_end(self, position: usize, words: &Words) -> Option<usize> {
        let words = words.beginning(self.at(position));
        let found = words.iter().find(|word| self.has(position, word));
        found.map(|word| position + word.chars().count())
    }

    /// Like [`word_end`](Self::word_end); the position itself if no word is there.
    pub(super) fn skip_word(self, position: usize, words: &Words) -> usize {
        self.word_end(position, words).unwrap_or(position)
    }

    pub(super) fn has_word(self, position: usize, words: &Words) -> bool {
        self.word_end(position, words).is_some()
    }

    /// Whether one of `words` begins in a range.
    pub(super) fn has_word_in(self, start: usize, end: usize, words: &Words) -> bool {
        (start..end).any(|position| self.has_word(position, words))
    }

    /// Whether one of `words` ends before a position.
    pub(super) fn has_word_before(self, position: usize, words: &Words) -> bool {
        let words = words.ending(self.before(position));
        words.iter().any(|word| {
            let start = position.checked_sub(word.chars().count());
            start.is_some_and(|start| self.has(start, word))
        })
    }

    /// The first position from here on of which the character is not in the class.
    pub fn skip(self, position: usize, class: impl Fn(char) -> bool) -> usize {
        let rest = self.0.get(position..).unwrap_or_default();
        position + rest.iter().take_while(|folded| class(folded.character)).count()
    }

    /// The first position of the run of this class that ends at a position.
    pub fn skip_back(self, position: usize, class: impl Fn(char) -> bool) -> usize {
        let before = self.0[..position].iter().rev();
        position - before.take_while(|folded| class(folded.character)).count()
    }

    /// Whether a mark such as `（株）` begins here: one kanji, or the short name of a legal form, in brackets. It
    /// belongs to the adjacent word.
    pub(super) fn is_mark(self, position: usize) -> bool {
        self.mark_length(position).is_some()
    }

    /// The length of the mark that begins at a position.
    fn mark_length(self, position: usize) -> Option<usize> {
        if self.at(position) != '(' {
            return None;
        }
        let short = position + 1 + usize::from(is_kanji(self.at(position + 1)));
        let end = self.word_end(position + 1, &words::LEGAL_FORMS).unwrap_or(short);
        (end > position + 1 && self.at(end) == ')').then_some(end + 1 - position)
    }

    /// The position of the bracket that closes the one at `open`; `end` if none does before it.
    pub(super) fn closing_bracket(self, open: usize, end: usize) -> usize {
        let mut depth = 0_usize;
        for position in open..end {
            match self.at(position) {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return position;
            }
        }
        end
    }

    /// Whether the text ends or a sign follows, so that a word ends before a position.
    pub(super) fn is_boundary(self, position: usize) -> bool {
        position >= self.len() || is_sign(self.at(position))
    }
}

/// A range of a tail: the position of its first character, and the position after its last.
pub(super) type CharRange = (usize, usize);

/// A range without the signs at its ends; `None` if it holds only signs.
pub(super) fn trimmed(text: Text<'_>, start: usize, end: usize) -> Option<CharRange> {
    let is_outer = |position: usize| is_sign(text.at(position)) && !is_inner_mark(text, position);
    let first = (start..end).find(|position| !is_outer(*position))?;
    let is_last = |position: usize| !is_outer(position) || closes_word(text, first, position);
    let last = (first..end).rev().find(|position| is_last(*position))?;
    Some((first, last + 1))
}

/// Most characters between a bracket at the end of a name and the one that opened it.
pub(super) const BRACKET_MAX: usize = 128;

/// Whether a sign belongs to the word before it: the stop of ＢＬＤＧ．, a bracket that was opened inside.
fn closes_word(text: Text<'_>, first: usize, position: usize) -> bool {
    let opening = match text.at(position) {
        '.' => return is_letter(text.before(position)),
        '」' => '「',
        '』' => '『',
        ']' => '[',
        '】' => '【',
        '〕' => '〔',
        ')' => '(',
        _ => return false,
    };
    let near = position.saturating_sub(BRACKET_MAX).max(first);
    (near..position).any(|position| text.at(position) == opening)
}

/// Whether the bracket at a position belongs to a mark such as （株）.
fn is_inner_mark(text: Text<'_>, position: usize) -> bool {
    let closes = |length: usize| {
        let open = (position + 1).checked_sub(length);
        open.is_some_and(|open| text.mark_length(open) == Some(length))
    };
    text.is_mark(position) || (text.at(position) == ')' && (closes(3) || closes(4)))
}

/// Half-width digits; others were folded to these.
pub fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

pub fn is_numeral(character: char) -> bool {
    is_digit(character) || numerals::is_numeral(character)
}

pub(super) fn is_letter(character: char) -> bool {
    character.is_ascii_alphabetic()
}

/// A range sign, which some people write for a hyphen.
pub(super) fn is_tilde(character: char) -> bool {
    matches!(character, '~' | '〜' | '～' | '∼' | '˜')
}

pub(super) fn is_kana(character: char) -> bool {
    is_katakana(character) || is_hiragana(character)
}

pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace()
}

/// Signs between or around the parts of an address. The long-vowel mark counts as a letter.
#[rustfmt::skip] // Several characters a line.
pub fn is_sign(character: char) -> bool {
    is_space(character)
        || is_tilde(character)
        || (is_hyphen(character) && character != 'ー')
        || matches!(character, '(' | ')' | '[' | ']' | '「' | '」' | '『' | '』' | '【' | '】' | '〔' | '〕' | '〈' | '〉' | '《' | '》'
            | '<' | '>' | ',' | '、' | '。' | '.' | '・' | '/' | ':' | ';' | '&' | '|' | '"' | '\'' | '_' | '*' | '#')
        || character.is_control()
}

pub(super) fn is_kanji(character: char) -> bool {
    is_common_kanji(character)
        || matches!(character, '〇' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// The kanji of two bytes, without the numeral 〇.
pub fn is_common_kanji(character: char) -> bool {
    matches!(character, '々' | '\u{3400}'..='\u{9FFF}')
}

/// Letters before or after the number of some lots: 甲, 乙, and イ to ト.
pub(super) fn is_lot_letter(character: char) -> bool {
    is_stem(character) || matches!(character, 'イ' | 'ロ' | 'ハ' | 'ニ' | 'ホ' | 'ヘ' | 'ト')
}

/// The ten stems: 甲乙丙丁 and so on.
pub(super) fn is_stem(character: char) -> bool {
    matches!(character, '甲' | '乙' | '丙' | '丁' | '戊' | '己' | '庚' | '辛' | '壬' | '癸')
}

/// The twelve branches, which number the blocks of some towns.
pub(super) fn is_zodiac(character: char) -> bool {
    "子丑寅卯辰巳午未申酉戌亥".contains(character)
}
