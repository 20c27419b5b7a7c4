//! Towns with a rare kanji that Japan Post writes in kana: 大埇 is 大そね, 橳島町 is ぬで島町.
//!
//! A kanji is rare if JIS X 0208 lacks it. The tax agency writes ＿ for it, so ＿ counts as rare too. The letters
//! around it must match the town exactly.

use encoding_rs::SHIFT_JIS;

use super::cost::is_kana;
use crate::address::name_match::{Hit, OTHER_NAME, is_name, section_mark};
use crate::address::town::{CityText, name_continues};
use crate::address::units::{codes, unit};

/// The town that the text means, if there is one.
type RareMatch = Result<Option<Hit>, Ambiguous>;

/// Several towns match equally well.
pub(super) struct Ambiguous;

/// The longest reading of one kanji, in kana.
const READING_MAX: usize = 4;

/// This many exact letters identify the town even if an aza follows.
const OTHERS_TO_GO_ON: usize = 3;

/// The town that the text names with a rare kanji in it, where at least one other letter matches.
pub(super) fn with_rare_kanji(inside: CityText<'_>, start: usize) -> RareMatch {
    let CityText { gazetteer, text, .. } = inside;
    let start = start + section_mark(text, start).unwrap_or(0);
    let mut name = codes(&text[start..]).take_while(|code| is_name(*code) || *code == GAP);
    let Some(rare) = name.position(is_rare) else { return Ok(None) };
    let rest_start = start + rare + 1;
    let others_min = if text[start + rare].code == GAP { 2 } else { 1 };
    let keys = &gazetteer.towns;
    let mut found: Option<Hit> = None;
    for town in keys.narrow_by(inside.towns(), 0, codes(&text[start..start + rare])) {
        let rest = &keys.units(town)[rare..];
        let kana = rest.iter().take_while(|unit| is_kana(unit.to_native()));
        for length in 1..=kana.take(READING_MAX).count() {
            let end = rest_start + rest.len() - length;
            let written = text.get(rest_start..end);
            let same = written.is_some_and(|written| {
                codes(written).eq(rest[length..].iter().map(|unit| unit.to_native()))
            });
            let others = rare + rest.len() - length;
            let is_sure = others >= OTHERS_TO_GO_ON || !name_continues(text, end);
            if !same || others < others_min || !is_sure {
                continue;
            }
            match found {
                Some(hit) if hit.end > end => {}
                Some(hit) if hit.end == end && hit.name != town => return Err(Ambiguous),
                _ => found = Some(Hit { name: town, count: 1, end, cost: OTHER_NAME }),
            }
        }
    }
    Ok(found)
}

/// The tax agency's substitute for a letter that its files cannot hold.
const GAP: u16 = unit('_');

fn is_rare(code: u16) -> bool {
    let kanji = char::from_u32(u32::from(code)).filter(|it| matches!(it, '\u{3400}'..='\u{9FFF}'));
    code == GAP
        || kanji.is_some_and(|kanji| {
            let mut bytes = [0; 4];
            let (encoded, _, lacking) = SHIFT_JIS.encode(kanji.encode_utf8(&mut bytes));
            // The vendor rows after the rows of the standard.
            lacking || encoded.first().is_some_and(|lead| matches!(lead, 0xED | 0xEE | 0xFA..=0xFC))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kanji_outside_the_standard_are_rare() {
        for kanji in ['埇', '薭', '橳', '穝', '＿'] {
            let mut folded = Vec::new();
            let mut text = [0; 4];
            crate::text::fold::fold(
                kanji.encode_utf8(&mut text),
                crate::text::fold::Level::Address,
                &mut folded,
            );
            assert!(is_rare(unit(folded[0].character)), "{kanji}");
        }
        for kanji in ['鬱', '町', '槇', 'あ', '1'] {
            assert!(!is_rare(unit(kanji)), "{kanji}");
        }
    }
}
