//! Texts in the English order: `1-2-3 Marunouchi, Chiyoda-ku, Tokyo 100-0005, Japan`.
//!
//! The parts between commas are turned around, so that the rest of the normaliser reads them in the Japanese order. Each
//! character keeps its bytes in the text. A text with kanji, or without a comma, is left as it is.

use std::ops::Range;

use crate::text::fold::Folded;
use crate::text::numerals::is_hyphen;

/// Digits of a postal code.
const CODE_DIGITS: usize = 7;

/// Turns the parts of a folded text around, if it is in the English order.
pub(super) fn reorder(folded: &mut Vec<Folded>) {
    let is_latin = folded.iter().any(|it| it.character.is_ascii_alphabetic());
    let is_japanese = folded.iter().any(|it| matches!(it.character, '\u{3040}'..='\u{9FFF}'));
    if !is_latin || is_japanese {
        return;
    }
    let mut parts = split(folded);
    if parts.len() < 2 {
        return;
    }
    let text = |range: &Range<usize>| -> String {
        folded[range.clone()].iter().map(|it| it.character).collect()
    };
    // The country is no part of the address, and stays as unplaced text.
    parts.retain(|part| text(part) != "japan");
    let has_digit = |part: &Range<usize>| text(part).contains(|it: char| it.is_ascii_digit());
    let lot = match parts.iter().rposition(|part| has_lot(folded, part)) {
        Some(lot) => lot,
        // Marunouchi 1-2-3, Chiyoda-ku, Tokyo
        None if parts.first().is_some_and(has_digit) => 0,
        None => return,
    };
    let (mut codes, mut order) = (Vec::new(), Vec::new());
    let areas: Vec<Range<usize>> = parts.drain(lot + 1..).collect();
    for area in areas.into_iter().rev() {
        match code_in(folded, &area) {
            Some(code) => {
                let (before, after) = (area.start..code.start, code.end..area.end);
                codes.push(code);
                order.extend([before, after]);
            }
            None => order.push(area),
        }
    }
    let Some(street) = parts.pop() else { return };
    let name_start = lot_end(folded, &street);
    order.push(name_start..street.end);
    order.push(street.start..name_start);
    // Buildings stand in front of the lot, the room first.
    order.extend(parts.into_iter().rev());
    let mut turned = Vec::with_capacity(folded.len());
    for range in codes.into_iter().chain(order).filter(|range| !range.is_empty()) {
        turned.extend_from_slice(&folded[range.clone()]);
        // A separator without bytes keeps the parts apart.
        let end = folded[range.end - 1].end;
        turned.push(Folded { character: ' ', start: end, end });
    }
    *folded = turned;
}

/// The parts between commas, without the spaces around them.
fn split(folded: &[Folded]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for position in 0..=folded.len() {
        let is_end =
            folded.get(position).is_none_or(|it| matches!(it.character, ',' | '、' | '\n'));
        if !is_end {
            continue;
        }
        let is_space = |position: &usize| folded[*position].character.is_whitespace();
        let first = (start..position).find(|position| !is_space(position)).unwrap_or(position);
        let last = (first..position).rev().find(|position| !is_space(position));
        parts.extend(last.map(|last| first..last + 1));
        start = position + 1;
    }
    parts
}

/// Whether a part begins with a lot: digits with a hyphen or before a name.
fn has_lot(folded: &[Folded], part: &Range<usize>) -> bool {
    folded[part.start].character.is_ascii_digit() && code_in(folded, part).is_none()
}

/// The end of the lot with which a part begins, 0 characters if it begins with a name: its digits and hyphens, and 1-chome.
fn lot_end(folded: &[Folded], part: &Range<usize>) -> usize {
    let text = &folded[part.clone()];
    let in_lot = |it: &Folded| {
        it.character.is_ascii_digit() || is_hyphen(it.character) || it.character.is_whitespace()
    };
    let mut end = text.iter().take_while(|it| in_lot(it)).count();
    let chome = text[end..].iter().map(|it| it.character);
    if chome.take(5).eq("chome".chars()) {
        end += 5;
        end += text[end..].iter().take_while(|it| in_lot(it)).count();
    }
    part.start + end
}

/// The postal code in a part: seven digits, possibly with a hyphen.
fn code_in(folded: &[Folded], part: &Range<usize>) -> Option<Range<usize>> {
    let text = &folded[part.clone()];
    let digit = |it: &Folded| it.character.is_ascii_digit();
    let start = text.iter().position(digit)?;
    let in_code = |it: &Folded| digit(it) || is_hyphen(it.character);
    let length = text[start..].iter().take_while(|it| in_code(it)).count();
    let digits = text[start..start + length].iter().filter(|it| digit(it)).count();
    let hyphens = length - digits;
    let is_code = digits == CODE_DIGITS && hyphens <= 1;
    is_code.then_some(part.start + start..part.start + start + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::{Level, fold};

    #[test]
    fn parts_are_turned_around() {
        for (text, expected) in [
            (
                "1-2-3 Marunouchi, Chiyoda-ku, Tokyo 100-0005",
                "100-0005 tokyo chiyoda-ku marunouchi 1-2-3",
            ),
            (
                "5F Sumitomo Bldg, 1-2-3 Marunouchi, Chiyoda-ku, Tokyo, Japan",
                "tokyo chiyoda-ku marunouchi 1-2-3 5f sumitomo bldg",
            ),
            ("2-chome 3-4 Honcho, Naka-ku, Yokohama", "yokohama naka-ku honcho 2-chome 3-4"),
            ("Marunouchi 1-2-3, Chiyoda-ku, Tokyo", "tokyo chiyoda-ku marunouchi 1-2-3"),
            ("Tokyo, Chiyoda-ku, Marunouchi 1-2-3", "tokyo, chiyoda-ku, marunouchi 1-2-3"),
            ("Marunouchi, Chiyoda-ku", "marunouchi, chiyoda-ku"),
            ("東京都, 1-2 A", "東京都, 1-2 a"),
            ("1, a", "a 1"),
            (",", ","),
            ("a", "a"),
        ] {
            let mut folded = Vec::new();
            fold(text, Level::Address, &mut folded);
            reorder(&mut folded);
            let turned: String = folded.iter().map(|it| it.character).collect();
            let turned = turned.split_whitespace().collect::<Vec<&str>>().join(" ");
            assert_eq!(turned, expected, "{text}");
        }
    }
}
