//! Finds towns with one wrong letter of any kind in the text: 南衣円町 for 南衣田町.
//!
//! Only the whole name before a lot is compared, and only with towns of the same length. A difference in a letter
//! that distinguishes places is not a typing error: 東, 上, 新 and numbers, the last letter, and a letter after a
//! beginning that other towns share (形原町北辻 is not 形原町北浜). In a long name the error is accepted if the two
//! letters are of different kinds (number and word): 四七条 for 西七条.

use super::{Ambiguous, FuzzyMatch};
use crate::address::name_match::{Hit, OTHER_NAME, is_name, section_mark};
use crate::address::town::CityText;
use crate::address::units::{codes, is_digit, is_figure_at, unit};

/// Shorter names, without their numbers, have too many similar ones.
const LETTERS_MIN: usize = 4;
/// Several towns may share a beginning of this many letters.
const BEGINNING_MIN: usize = 2;
/// A name of this many letters identifies its town even if a distinguishing letter is wrong.
const LONG_MIN: usize = 7;
/// Letters that distinguish places of one name.
const DISTINGUISHING: &str = "東西南北上中下大小本新元古旧前後内外奥口左右甲乙丙丁";

/// The town that the text names with one letter wrong; a preceding 字 makes it a koaza.
pub fn with_one_letter(inside: CityText<'_>, start: usize) -> FuzzyMatch {
    let CityText { gazetteer, text, .. } = inside;
    let mark = section_mark(text, start).unwrap_or(0);
    let start = start + mark;
    let name = text[start..].iter().take_while(|next| is_name(next.code) || next.is_kanji);
    let end = start + name.count();
    let name = &text[start..end];
    let letters = name.iter().filter(|unit| !unit.is_kanji).count();
    if mark == 1 || letters < LETTERS_MIN || !is_figure_at(text, end) {
        return Ok(None);
    }
    let keys = &gazetteer.towns;
    let mut near = None;
    for town in inside.towns().filter(|town| keys.length(*town) == name.len()) {
        let pairs = keys.codes(town).zip(codes(name)).enumerate();
        let mut differing = pairs.filter(|(_, (one, other))| one != other);
        let (Some((index, (one, other))), None) = (differing.next(), differing.next()) else {
            continue;
        };
        // A second town as near makes both doubtful, whatever its letter.
        let is_distinguishing = match (distinguishing_kind(one), distinguishing_kind(other)) {
            (None, None) => false,
            (town, text) => town == text || name.len() < LONG_MIN,
        };
        if near.replace((town, index, is_distinguishing)).is_some() {
            return Err(Ambiguous);
        }
    }
    let near = near.filter(|(_, index, _)| index + 1 < name.len());
    let Some((town, index, false)) = near else { return Ok(None) };
    let alike = keys.narrow_by(inside.towns(), 0, codes(&name[..index]));
    let is_beginning_shared = index >= BEGINNING_MIN && alike.len() > 1;
    let hit = Hit { name: town, count: 1, end, cost: OTHER_NAME };
    Ok((!is_beginning_shared).then_some(hit))
}

/// Kinds of letters that distinguish places of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Distinguishing {
    Number,
    Word,
}

/// The kind of a distinguishing letter; `None` for most letters.
fn distinguishing_kind(code: u16) -> Option<Distinguishing> {
    let word = code == unit('ノ') || DISTINGUISHING.encode_utf16().any(|letter| letter == code);
    match word {
        true => Some(Distinguishing::Word),
        false => is_digit(code).then_some(Distinguishing::Number),
    }
}
