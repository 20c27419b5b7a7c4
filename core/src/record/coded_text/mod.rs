//! Japanese names and streets in a third of their bytes: one byte for a frequent sequence of letters, two for any other kanji,
//! kana or wide letter.
//!
//! ```text
//! byte 0 to 167    a frequent sequence of this kind of text: a line of `names.txt` or `streets.txt`
//! byte 168 to 253  one of 86 blocks of 256 letters each, [`KANJI`] and [`OTHER_BLOCKS`]; the letter's number in it follows
//! byte 254         any letter; three bytes of its code point follow, the lowest first
//! ```
//!
//! Any text can be coded, and reading any bytes gives a text without a panic. The sequences save the most bytes of 40,000
//! names and streets of the daily differences of July and August 2026 and of as many of Shimane and Kochi of 2017: twelve
//! rounds coded them with the sequences of the round before, and kept those that would save the most in both. Other
//! sequences would give other sizes and the same texts, but a snapshot must be read with the sequences that it was
//! written with, so a change of a line needs another format of snapshots.

mod folded;

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::strings::Text;

/// The kinds of texts that have frequent sequences of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Names of corporations.
    Name,
    /// Addresses below the municipality.
    Street,
}

/// Sequences with a byte of their own.
const SEQUENCES: usize = 168;

/// No sequence is longer: ten letters of three bytes.
const SEQUENCE_BYTES_MAX: usize = 32;

/// The blocks of kanji, by the high bits of their code points: U+4E00 to U+9FFF.
const KANJI: RangeInclusive<u8> = 0x4e..=0x9f;

/// The blocks after those of kanji: kana and Japanese punctuation, wide letters, Latin letters, general punctuation. Only Latin
/// letters have some that JSON escapes.
const OTHER_BLOCKS: [u8; 4] = [0x30, 0xff, 0x00, 0x20];

const KANJI_BLOCKS: usize = (*KANJI.end() - *KANJI.start() + 1) as usize;

const ANY_LETTER: u8 = 254;

/// Blocks whose letters have three bytes in UTF-8, and that JSON does not escape: all before the Latin letters.
const LONG_BLOCKS: usize = KANJI_BLOCKS + 2;

// U+0800 is the first letter of three bytes.
const _: () = assert!(OTHER_BLOCKS[0] >= 8 && OTHER_BLOCKS[1] >= 8);

/// The UTF-8 of the first letter of each of these blocks, the first byte in the lowest bits. The others of a block have
/// further bits, see [`bits_of_low`].
const FIRST_LETTERS: [u32; LONG_BLOCKS] = {
    let mut letters = [0; LONG_BLOCKS];
    let mut number = 0;
    while number < LONG_BLOCKS {
        let block = block(number).expect("the blocks before the last ones") as u32;
        letters[number] = 0x80_80_e0 | block >> 4 | (block & 15) << 10;
        number += 1;
    }
    letters
};

/// The bits that the low byte of a code point adds to the UTF-8 of the first letter of its block.
#[inline]
fn bits_of_low(low: u8) -> u32 {
    let low = u32::from(low);
    (low >> 6) << 8 | (low & 0x3f) << 16
}

/// A coded text, read in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodedText<'s> {
    bytes: &'s [u8],
    kind: TextKind,
}

impl<'s> CodedText<'s> {
    pub fn new(bytes: &'s [u8], kind: TextKind) -> CodedText<'s> {
        CodedText { bytes, kind }
    }

    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends the text as UTF-8. Returns whether it has certainly no letter that JSON escapes.
    #[inline]
    pub fn push_to(self, out: &mut Vec<u8>) -> bool {
        self.push_beginning_to(usize::MAX, out)
    }

    /// Appends whole letters as UTF-8 until these are at least so many bytes, or all. Returns whether JSON certainly escapes
    /// none of them.
    #[inline]
    fn push_beginning_to(self, bytes_min: usize, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        // No byte becomes longer than the longest sequence.
        out.resize(start + self.bytes.len() * SEQUENCE_BYTES_MAX, 0);
        let (length, is_plain) = self.decode(bytes_min, &mut out[start..]);
        out.truncate(start + length);
        is_plain
    }

    /// Writes whole letters to the front until these are at least so many bytes, or all. Returns their length, and whether
    /// JSON certainly escapes none of them.
    #[inline]
    fn decode(self, bytes_min: usize, out: &mut [u8]) -> (usize, bool) {
        let sequences = &self.kind.code().sequences;
        let (mut end, mut is_plain, mut rest) = (0, true, self.bytes);
        while let Some((first, after_first)) = rest.split_first()
            && end < bytes_min
        {
            if let Some(sequence) = sequences.get(usize::from(*first)) {
                // A copy of constant length takes no call.
                out[end..end + SEQUENCE_BYTES_MAX].copy_from_slice(&sequence.bytes);
                end += sequence.length;
                rest = after_first;
            } else if let Some(first_letter) = FIRST_LETTERS.get(usize::from(*first) - SEQUENCES)
                && let Some((low, after_letter)) = after_first.split_first()
            {
                let letter = first_letter | bits_of_low(*low);
                // The fourth byte is zero: the next letter replaces it.
                out[end..end + 4].copy_from_slice(&letter.to_le_bytes());
                end += 3;
                rest = after_letter;
            } else {
                let (letter, after_letter) = read_letter(*first, after_first);
                end += letter.encode_utf8(&mut out[end..]).len();
                is_plain = false;
                rest = after_letter;
            }
        }
        (end, is_plain)
    }

    /// Appends the bytes `start..start + length` of the text; nothing if they are not whole letters of it. Returns as
    /// [`push_to`](CodedText::push_to).
    pub fn push_slice_to(self, start: usize, length: usize, out: &mut Vec<u8>) -> bool {
        let (text_start, end) = (out.len(), start.saturating_add(length));
        let is_plain = self.push_beginning_to(end, out);
        let is_start_of_letter =
            |at: usize| out[text_start..].get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
        if end > out.len() - text_start || !is_start_of_letter(start) || !is_start_of_letter(end) {
            out.truncate(text_start);
            return true;
        }
        out.copy_within(text_start + start..text_start + end, text_start);
        out.truncate(text_start + length);
        is_plain
    }
}

impl fmt::Display for CodedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.push_to(&mut text);
        f.write_str(std::str::from_utf8(&text).expect("whole letters were appended"))
    }
}

/// A text of a record in either form.
#[derive(Debug, Clone, Copy)]
pub enum StoredText<'s> {
    Text(Text<'s>),
    Coded(CodedText<'s>),
}

impl<'s> From<&'s str> for StoredText<'s> {
    fn from(text: &'s str) -> StoredText<'s> {
        StoredText::Text(Text::unmarked(text))
    }
}

impl<'s> StoredText<'s> {
    pub fn to_text(self) -> Cow<'s, str> {
        match self {
            StoredText::Text(text) => Cow::Borrowed(text.text),
            StoredText::Coded(text) => Cow::Owned(text.to_string()),
        }
    }
}

/// A letter without a sequence, and the bytes after it. An unknown or unfinished letter ends the text.
#[inline]
fn read_letter(first: u8, rest: &[u8]) -> (char, &[u8]) {
    let known = match (first, rest) {
        (ANY_LETTER, [low, middle, high, rest @ ..]) => {
            char::from_u32(u32::from_le_bytes([*low, *middle, *high, 0])).map(|it| (it, rest))
        }
        (_, [low, rest @ ..]) => block(usize::from(first) - SEQUENCES)
            .and_then(|block| char::from_u32(u32::from_be_bytes([0, 0, block, *low])))
            .map(|it| (it, rest)),
        _ => None,
    };
    known.unwrap_or((char::REPLACEMENT_CHARACTER, &[]))
}

/// The block with this number.
const fn block(number: usize) -> Option<u8> {
    match number.checked_sub(KANJI_BLOCKS) {
        None => Some(*KANJI.start() + number as u8),
        Some(other) if other < OTHER_BLOCKS.len() => Some(OTHER_BLOCKS[other]),
        Some(_) => None,
    }
}

fn append_letter(letter: char, out: &mut Vec<u8>) {
    let [_, plane, block, low] = u32::from(letter).to_be_bytes();
    let other = || OTHER_BLOCKS.iter().position(|known| *known == block);
    let number = match KANJI.contains(&block) {
        true => Some(usize::from(block - KANJI.start())),
        false => other().map(|index| KANJI_BLOCKS + index),
    };
    match number.filter(|_| plane == 0) {
        Some(number) => out.extend_from_slice(&[(SEQUENCES + number) as u8, low]),
        None => out.extend_from_slice(&[ANY_LETTER, low, block, plane]),
    }
}

impl TextKind {
    fn code(self) -> &'static Code {
        static NAMES: LazyLock<Code> = LazyLock::new(|| Code::new(include_str!("names.txt")));
        static STREETS: LazyLock<Code> = LazyLock::new(|| Code::new(include_str!("streets.txt")));
        match self {
            TextKind::Name => &NAMES,
            TextKind::Street => &STREETS,
        }
    }

    /// Appends the code of a text.
    pub fn append(self, text: &str, out: &mut Vec<u8>) {
        let mut coded = 0;
        for found in self.code().finder.find_iter(text) {
            text[coded..found.start()].chars().for_each(|letter| append_letter(letter, out));
            out.push(found.pattern().as_u32() as u8);
            coded = found.end();
        }
        text[coded..].chars().for_each(|letter| append_letter(letter, out));
    }
}

struct Sequence {
    /// The sequence as UTF-8, then zeros.
    bytes: [u8; SEQUENCE_BYTES_MAX],
    length: usize,
}

/// The sequences of one kind of text.
struct Code {
    /// By their bytes in a coded text.
    sequences: [Sequence; SEQUENCES],
    /// Finds the longest sequence at each letter.
    finder: AhoCorasick,
}

impl Code {
    fn new(list: &'static str) -> Code {
        let mut lines = list.lines();
        let sequences = std::array::from_fn(|_| {
            let line = lines.next().unwrap_or_default();
            let mut bytes = [0; SEQUENCE_BYTES_MAX];
            bytes[..line.len()].copy_from_slice(line.as_bytes());
            Sequence { bytes, length: line.len() }
        });
        let mut finder = AhoCorasick::builder();
        let finder = finder.match_kind(MatchKind::LeftmostLongest).build(list.lines());
        Code { sequences, finder: finder.expect("the lists are short") }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::is_plain;

    const KINDS: [TextKind; 2] = [TextKind::Name, TextKind::Street];

    fn coded(kind: TextKind, text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        kind.append(text, &mut bytes);
        bytes
    }

    #[test]
    fn frequent_sequences_take_one_byte_and_letters_two() {
        for (kind, text, bytes) in [
            (TextKind::Name, "", 0),
            (TextKind::Name, "株式会社", 1),
            (TextKind::Name, "株式会社台帳", 5),
            (TextKind::Name, "台帳ー", 5),
            (TextKind::Name, "A&B", 6),
            (TextKind::Name, "‐", 2),
            (TextKind::Name, "𠮷", 4),
            (TextKind::Name, "한", 4),
            (TextKind::Street, "番地", 1),
            (TextKind::Street, "株式会社", 8),
        ] {
            let found = coded(kind, text);
            assert_eq!(found.len(), bytes, "{text}");
            assert_eq!(CodedText::new(&found, kind).to_string(), text);
        }
    }

    #[test]
    fn each_letter_reads_back() {
        for letter in (0..=0x1_ffff).filter_map(char::from_u32) {
            let text = letter.to_string();
            let bytes = coded(TextKind::Name, &text);
            let mut out = Vec::new();
            let needs_no_escaping = CodedText::new(&bytes, TextKind::Name).push_to(&mut out);
            assert_eq!(out, text.as_bytes());
            assert!(!needs_no_escaping || is_plain(&text), "{letter:?}");
        }
    }

    #[test]
    fn the_sequences_are_complete_different_and_need_no_escaping() {
        for list in [include_str!("names.txt"), include_str!("streets.txt")] {
            let mut lines: Vec<&str> = list.lines().collect();
            assert_eq!(lines.len(), SEQUENCES);
            assert!(lines.iter().all(|line| !line.is_empty() && is_plain(line)));
            assert!(lines.iter().all(|line| line.len() <= SEQUENCE_BYTES_MAX));
            lines.sort_unstable();
            lines.dedup();
            assert_eq!(lines.len(), SEQUENCES, "each stands once");
        }
        // Snapshots of format 16 are written with these lists: another list needs another format.
        let sum = crc32fast::hash(
            concat!(include_str!("names.txt"), include_str!("streets.txt")).as_bytes(),
        );
        assert_eq!(sum, 3_515_200_697);
    }

    #[test]
    fn a_slice_of_whole_letters_is_read() {
        let bytes = coded(TextKind::Street, "大字台帳１番地");
        let street = CodedText::new(&bytes, TextKind::Street);
        for (start, length, expected) in [
            (0, 21, "大字台帳１番地"),
            (6, 6, "台帳"),
            (0, 0, ""),
            (21, 0, ""),
            (1, 3, ""),
            (0, 4, ""),
            (18, 6, ""),
            (22, 0, ""),
            (usize::MAX, 2, ""),
        ] {
            let mut out = b"before".to_vec();
            street.push_slice_to(start, length, &mut out);
            assert_eq!(
                String::from_utf8_lossy(&out),
                format!("before{expected}"),
                "{start} {length}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_reads_back(text in "([a-zA-Z\"\\\\]|株式会社|[ァ-ヶ一-龠１-９ーｱ-ﾝ]|丁目|番地|\\PC){0,20}") {
            for kind in KINDS {
                let bytes = coded(kind, &text);
                let mut out = b"before".to_vec();
                let needs_no_escaping = CodedText::new(&bytes, kind).push_to(&mut out);
                prop_assert_eq!(&out[6..], text.as_bytes());
                prop_assert!(!needs_no_escaping || is_plain(&text));
            }
        }

        #[test]
        fn any_bytes_give_a_text(bytes in prop::collection::vec(any::<u8>(), 0..30), start in 0usize..40, length in 0usize..40) {
            for kind in KINDS {
                let text = CodedText::new(&bytes, kind);
                let whole = text.to_string();
                let mut out = Vec::new();
                let needs_no_escaping = text.push_slice_to(start, length, &mut out);
                let slice = String::from_utf8(out).expect("whole letters");
                prop_assert!(!needs_no_escaping || is_plain(&slice));
                prop_assert_eq!(slice, whole.get(start..start + length).unwrap_or_default());
            }
        }
    }
}
