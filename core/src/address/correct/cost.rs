//! What each kind of difference between a text and a name costs. The less it costs, the likelier it is a mistake of
//! somebody who means the name.
//!
//! `letters.tsv` has the pairs that the official files confuse, `readings.tsv` the readings of kanji: letters that are
//! read alike are typed for one another. A letter that distinguishes places (東, 上, a number) costs more than another.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::address::units::{code_at, folded_units, is_digit, unit};
use crate::text::kana::{is_hiragana, is_katakana, katakana, other_kana};

/// Highest cost of a place that is accepted.
pub const COST_MAX: u16 = 8;
const LETTERS: &str = include_str!("letters.tsv");
const READINGS: &str = include_str!("readings.tsv");

/// Hiragana for katakana.
const OTHER_KANA: u16 = 1;
/// One of ケ, ノ and ツ more or less; 町, 通 or 丁 more or less at the end of a name.
pub(super) const OPTIONAL: u16 = 1;
const SIMILAR: u16 = 2;
const DOUBLED: u16 = 2;
/// The 区 of a former ward inside a name.
const FORMER_WARD: u16 = 2;
const READ_ALIKE: u16 = 3;
pub(super) const SWAPPED: u16 = 4;
const MISSING: u16 = 5;
const ADDED: u16 = 5;
const REPLACED: u16 = 7;
const DISTINGUISHING_MISSING: u16 = 6;
const NUMBER_MISSING: u16 = 7;
const DISTINGUISHING_REPLACED: u16 = 8;
const NUMBER_REPLACED: u16 = 9;
/// 東 for 西: another place, in a name of any length.
const DISTINGUISHED: u16 = 12;

/// Letters that distinguish places of one name.
const DISTINGUISHING: [u16; 32] =
    letters("東西南北上中下大小本新元古旧前後内外奥口左右甲乙丙丁戊己庚辛壬癸");
/// Letters behind a number that counts.
const COUNTERS: [u16; 9] = letters("条丁番線号区町通軒");
/// Letters that people insert into names or leave out.
const OPTIONAL_LETTERS: [u16; 3] = [unit('ケ'), unit('ノ'), unit('ツ')];
/// Letters that end a name in one register and not in another.
const ENDINGS: [u16; 4] = [unit('町'), unit('通'), unit('リ'), unit('り')];

/// The letters of a text of which each has three bytes, as kanji have.
const fn letters<const COUNT: usize>(text: &str) -> [u16; COUNT] {
    let bytes = text.as_bytes();
    assert!(bytes.len() == 3 * COUNT, "three bytes a letter");
    let mut letters = [0; COUNT];
    let mut at = 0;
    while at < COUNT {
        let (first, second, third) = (bytes[3 * at], bytes[3 * at + 1], bytes[3 * at + 2]);
        assert!(first >> 4 == 0b1110, "the first of three bytes");
        letters[at] = (first as u16) << 12 | (second as u16 & 0x3F) << 6 | (third as u16 & 0x3F);
        at += 1;
    }
    letters
}

/// The letters that each letter may be written for, without pairs that folding already merges.
static SIMILAR_LETTERS: LazyLock<FxHashMap<u16, Vec<u16>>> = LazyLock::new(|| {
    let mut similar: FxHashMap<u16, Vec<u16>> = FxHashMap::default();
    let folded_unit = |letter: &str| code_at(&folded_units(letter).1, 0);
    for line in LETTERS.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t').map(folded_unit);
        let (Some(Some(one)), Some(Some(other))) = (columns.next(), columns.next()) else {
            continue;
        };
        for (written, meant) in [(one, other), (other, one)] {
            let known = similar.entry(written).or_default();
            if written != meant && !known.contains(&meant) {
                known.push(meant);
            }
        }
    }
    similar
});

/// A reading of a kanji.
#[derive(Debug, Clone, Copy)]
struct Reading {
    sounds: &'static str,
    /// The same for all kanji that are read so; comparing numbers is faster than comparing sounds.
    number: u16,
}

/// The readings of each kanji, without voiced marks, since 川 is かわ and がわ.
static KANJI_READINGS: LazyLock<FxHashMap<u16, Vec<Reading>>> = LazyLock::new(|| {
    let mut numbers: FxHashMap<&'static str, u16> = FxHashMap::default();
    let mut reading = |sounds| {
        let next = u16::try_from(numbers.len()).expect("the file has some thousand readings");
        Reading { sounds, number: *numbers.entry(sounds).or_insert(next) }
    };
    let mut readings = FxHashMap::default();
    for line in READINGS.lines().filter(|line| !line.starts_with('#')) {
        let Some((kanji, sounds)) = line.split_once('\t') else { continue };
        let Some(code) = code_at(&folded_units(kanji).1, 0) else { continue };
        readings.insert(code, sounds.split(' ').map(&mut reading).collect());
    }
    readings
});

/// Whether two letters differ only in a way that the files confuse.
fn is_similar(one: u16, other: u16) -> bool {
    SIMILAR_LETTERS.get(&one).is_some_and(|similar| similar.contains(&other))
}

/// The readings of a kanji; none of another letter.
fn readings(kanji: u16) -> &'static [Reading] {
    KANJI_READINGS.get(&kanji).map_or(&[], Vec::as_slice)
}

/// Whether two kanji have a reading in common.
fn is_read_alike(one: u16, other: u16) -> bool {
    let others = readings(other);
    let is_shared = |reading: &Reading| others.iter().any(|other| other.number == reading.number);
    readings(one).iter().any(is_shared)
}

/// Whether two kanji together have a reading of a third: 意思 for 石.
pub(super) fn are_read_as_one(first: u16, second: u16, one: u16) -> bool {
    readings(one).iter().any(|whole| {
        readings(first).iter().any(|begin| {
            let rest = whole.sounds.strip_prefix(begin.sounds);
            rest.is_some_and(|rest| readings(second).iter().any(|end| end.sounds == rest))
        })
    })
}

/// The cost of two kanji that are written for one.
pub(super) const TWO_FOR_ONE: u16 = READ_ALIKE;

/// How many of these letters of a name, all in kana, a kanji may be read as: 埼 for さい; none if it has no such reading.
pub(super) fn read_as_kana(kanji: u16, name: &[u16]) -> impl Iterator<Item = usize> {
    let is_in_kana = name.first().is_some_and(|letter| is_kana(*letter));
    let readings = if is_in_kana { readings(kanji) } else { &[] };
    readings.iter().filter_map(|reading| {
        let count = reading.sounds.chars().count();
        let letters = name.get(..count)?;
        let same = reading.sounds.chars().zip(letters).all(|(sound, letter)| {
            // Folding makes some hiragana katakana.
            char::from_u32(u32::from(*letter)).is_some_and(|it| unvoiced(katakana(it)) == sound)
        });
        same.then_some(count)
    })
}

/// The cost of a kanji that is written for kana.
pub(super) const KANJI_FOR_KANA: u16 = OTHER_KANA;

/// A kana without its voiced mark.
fn unvoiced(kana: char) -> char {
    const VOICED: &str = "ガギグゲゴザジズゼゾダヂヅデドバビブベボパピプペポ";
    const PLAIN: &str = "カキクケコサシスセソタチツテトハヒフヘホハヒフヘホ";
    let position = VOICED.chars().position(|voiced| voiced == kana);
    position.and_then(|position| PLAIN.chars().nth(position)).unwrap_or(kana)
}

pub(super) fn is_kana(letter: u16) -> bool {
    let letter = char::from_u32(letter.into());
    letter.is_some_and(|letter| is_hiragana(letter) || is_katakana(letter))
}

pub(super) fn is_distinguishing(letter: u16) -> bool {
    DISTINGUISHING.contains(&letter)
}

/// Whether a letter may end a name or be left out there.
pub(super) fn is_ending(letter: u16) -> bool {
    ENDINGS.contains(&letter)
}

/// Whether two kana differ in being hiragana and katakana.
fn is_other_kana(written: u16, meant: u16) -> bool {
    let kana = char::from_u32(written.into()).filter(|_| is_kana(written));
    kana.and_then(other_kana).is_some_and(|other| unit(other) == meant)
}

/// The cost of `written` in place of `meant`; if it is higher than `highest`, any cost above it.
pub(super) fn replacing(written: u16, meant: u16, highest: u16) -> u16 {
    if written == meant {
        0
    } else if highest == 0 {
        REPLACED
    } else if is_other_kana(written, meant) {
        OTHER_KANA
    } else if is_digit(written) && is_digit(meant) {
        NUMBER_REPLACED
    } else if is_digit(written) || is_digit(meant) {
        // 四七条 for 西七条: a number is a misread letter.
        REPLACED
    } else if is_similar(written, meant) {
        SIMILAR
    } else if highest < READ_ALIKE {
        // Looking readings up takes most of the time.
        REPLACED
    } else if is_distinguishing(written) && is_distinguishing(meant) {
        DISTINGUISHED
    } else if is_distinguishing(written) || is_distinguishing(meant) {
        if is_read_alike(written, meant) { READ_ALIKE + 1 } else { DISTINGUISHING_REPLACED }
    } else if is_read_alike(written, meant) {
        READ_ALIKE
    } else {
        REPLACED
    }
}

/// The cost of a letter of the name that the text lacks, with the letters of the name before and after it.
pub(super) fn missing(meant: u16, before: Option<u16>, after: Option<u16>) -> u16 {
    // 八重洲: the numeral counts nothing.
    let counts = after.is_none_or(|after| COUNTERS.contains(&after));
    match meant {
        _ if OPTIONAL_LETTERS.contains(&meant) => OPTIONAL,
        _ if before == Some(meant) => READ_ALIKE,
        _ if is_digit(meant) && counts => NUMBER_MISSING,
        _ if is_distinguishing(meant) => DISTINGUISHING_MISSING,
        _ => MISSING,
    }
}

/// The cost of a letter that the text has in addition. `before`: the letter of the text before it.
pub(super) fn added(written: u16, before: Option<u16>) -> u16 {
    match written {
        _ if OPTIONAL_LETTERS.contains(&written) => OPTIONAL,
        _ if before == Some(written) && !is_digit(written) => DOUBLED,
        _ if written == unit('区') => FORMER_WARD,
        _ if is_digit(written) => NUMBER_MISSING,
        _ if is_distinguishing(written) => DISTINGUISHING_MISSING,
        _ => ADDED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_two_letters_and_two_counts() {
        for line in LETTERS.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            assert_eq!(columns.len(), 4, "{line}");
            assert!(columns[..2].iter().all(|letter| letter.chars().count() == 1), "{line}");
            assert_ne!(columns[0], columns[1], "{line}");
            assert!(columns[2..].iter().all(|count| count.parse::<u32>().is_ok()), "{line}");
        }
        for line in READINGS.lines().filter(|line| !line.starts_with('#')) {
            let (kanji, readings) = line.split_once('\t').expect("a kanji and its readings");
            assert!(kanji.chars().count() == 1 && !readings.is_empty(), "{line}");
        }
    }

    #[test]
    fn likelier_mistakes_cost_less() {
        let cost = |written, meant| replacing(unit(written), unit(meant), COST_MAX);
        assert_eq!(cost('町', '町'), 0);
        assert!(cost('み', 'ミ') < cost('次', '治'));
        assert!(cost('次', '治') < cost('街', '町'));
        assert!(cost('街', '町') < cost('谷', '町'));
        assert!(cost('谷', '町') < cost('東', '西'));
        assert!(are_read_as_one(unit('意'), unit('思'), unit('石')));
        assert!(!are_read_as_one(unit('意'), unit('思'), unit('町')));
    }
}
