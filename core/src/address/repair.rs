//! Repairs signs that a typing error, a reader of scans or a program put in place of others: ニ丁目 and ー丁目 for a
//! number, 丁日 for 丁目, 3,026番地 and 1.2.3 for lots.
//!
//! Works on the folded characters before they are compared with names. Each keeps its bytes in the text, so that spans
//! stay right. A repaired chome is a correction; a repaired sign between numbers only writes the lot in another way.
//! Does not know towns: a town whose name has such a sign does not exist in the data.

use super::tail::{Text, is_digit, is_numeral};
use super::units::is_dash;
use crate::text::fold::Folded;
use crate::text::kana::is_katakana;

/// A chome that was read with other letters than the text has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedChome {
    /// The bytes of the chome in the text.
    pub start: u32,
    pub end: u32,
    /// What was read: 二丁目.
    pub became: String,
}

/// Most numbers that points or low lines join.
const DOTTED_MAX: usize = 4;

/// Repairs a folded text in place, and appends each repaired chome to `chome`.
pub fn repair(text: &mut Vec<Folded>, chome: &mut Vec<RepairedChome>) {
    let mut position = 0;
    while position < text.len() {
        match text[position].character {
            '丁' => repair_chome(text, position, chome),
            ',' if is_thousands_mark(Text(text), position) => {
                let mark = text.remove(position);
                // The digit before takes the bytes, so that the text stays covered.
                text[position - 1].end = mark.end;
            }
            '.' | '_' => repair_dotted(text, position),
            'ち' | 'チ' | 'c' | '-' => replace_read_chome(text, position),
            // An old letter for a cloth, which no name has.
            '巿' => text[position].character = '市',
            _ => {}
        }
        position += 1;
    }
}

/// Spellings of 丁目 behind a digit, folded.
const READ_CHOME: [&str; 5] = ["ちようめ", "チヨウメ", "chome", "-chome", "-ちようめ"];

/// Replaces ちょうめ or chome behind a digit by 丁目.
fn replace_read_chome(text: &mut [Folded], position: usize) {
    let is_counter = is_digit(Text(text).before(position));
    let has = |word: &&&str| is_counter && Text(text).has(position, word);
    let Some(word) = READ_CHOME.iter().find(has) else { return };
    let end = position + word.chars().count();
    let last = text[end - 1].end;
    text[position].character = '丁';
    text[position + 1].character = '目';
    text[position + 1].end = last;
    for folded in &mut text[position + 2..end] {
        *folded = Folded { character: ' ', start: last, end: last };
    }
}

/// Repairs the 目 after a 丁, and the number before it.
fn repair_chome(text: &mut [Folded], position: usize, chome: &mut Vec<RepairedChome>) {
    let Some(before) = position.checked_sub(1) else { return };
    let is_number = is_numeral(Text(text).at(before));
    let is_misread = matches!(Text(text).at(position + 1), '日' | '曰') && is_number;
    if is_misread {
        text[position + 1].character = '目';
    }
    if Text(text).at(position + 1) != '目' {
        return;
    }
    let mut start = before;
    if !is_number {
        let Some((first, number)) = misread_number(Text(text), before) else { return };
        // Of a number in several letters the first takes the bytes of all.
        text[first].character = number;
        text[first].end = text[before].end;
        for folded in &mut text[first + 1..=before] {
            folded.character = ' ';
            folded.start = folded.end;
        }
        start = first;
    } else if !is_misread {
        return;
    }
    let end = position + 2;
    let became = text[start..end].iter().map(|folded| folded.character);
    chome.push(RepairedChome {
        start: text[start].start,
        end: text[end - 1].end,
        became: became.filter(|character| *character != ' ').collect(),
    });
}

/// The numeral that letters before a 丁目 stand for, and the position of the first letter.
fn misread_number(text: Text<'_>, last: usize) -> Option<(usize, char)> {
    let character = text.at(last);
    let before = text.before(last);
    let alike = match character {
        'ニ' => Some('二'),
        'ハ' => Some('八'),
        'ミ' => Some('三'),
        _ if is_hyphen_like(character) => Some('一'),
        _ => None,
    };
    if let Some(number) = alike {
        let goes_on = is_katakana(before) || before.is_ascii_digit() || is_hyphen_like(before);
        return (!goes_on).then_some((last, number));
    }
    // Ⅲ丁目: a Roman number, which folding writes in letters.
    let first = text.skip_back(last + 1, |letter| matches!(letter, 'i' | 'v'));
    let number: String = text.0[first..=last].iter().map(|folded| folded.character).collect();
    let value = match number.as_str() {
        "i" => '1',
        "ii" => '2',
        "iii" => '3',
        "iv" => '4',
        "v" => '5',
        _ => return None,
    };
    let before = text.before(first);
    (!before.is_ascii_alphanumeric()).then_some((first, value))
}

fn is_hyphen_like(character: char) -> bool {
    u16::try_from(u32::from(character)).is_ok_and(is_dash)
}

/// Whether a comma separates the thousands of one number: 3,026番地. Without 番 behind it, only if the number after it
/// begins with a zero: in 3,126 it may as well separate two lots.
fn is_thousands_mark(text: Text<'_>, comma: usize) -> bool {
    let start = text.skip_back(comma, is_digit);
    let end = text.skip(comma + 1, is_digit);
    let is_whole = |sign: char| !matches!(sign, ',' | '-' | '.');
    let before = text.before(start);
    (1..=3).contains(&(comma - start))
        && end - comma == 4
        && text.at(start) != '0'
        && is_whole(before)
        && is_whole(text.at(end))
        && (text.at(end) == '番' || text.at(comma + 1) == '0' && text.at(end) != '号')
}

/// Makes the points or low lines between the numbers of a lot hyphens: 1.2.3, 1_2. Two numbers with a point are left:
/// 1.2F are two floors. A number that begins with zero is a telephone's, one of four digits a date's.
fn repair_dotted(text: &mut [Folded], position: usize) {
    let view = Text(text);
    let sign = view.at(position);
    let start = view.skip_back(position, is_digit);
    let (mut end, mut count) = (position, 1);
    while view.at(end) == sign && view.skip(end + 1, is_digit) > end + 1 {
        end = view.skip(end + 1, is_digit);
        count += 1;
    }
    let before = view.before(start);
    let is_first = start < position && before != sign && !before.is_ascii_alphanumeric();
    let is_date = position - start == 4 && matches!(view.at(start), '1' | '2');
    let needed = if sign == '.' { 3 } else { 2 };
    let is_lot = (needed..=DOTTED_MAX).contains(&count) && view.at(start) != '0' && !is_date;
    if is_first && is_lot && !matches!(view.at(end), 'f' | '階') {
        for folded in text[start..end].iter_mut().filter(|folded| folded.character == sign) {
            folded.character = '-';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::{Level, fold};

    #[test]
    fn misread_signs_are_repaired() {
        for (text, expected, chome) in [
            ("赤坂ニ丁目10", "赤坂二丁目10", "二丁目"),
            ("赤坂ハ丁目10", "赤坂八丁目10", "八丁目"),
            ("赤坂―丁目10", "赤坂一丁目10", "一丁目"),
            ("赤坂ー丁目10", "赤坂一丁目10", "一丁目"),
            ("赤坂Ⅱ丁目10", "赤坂2 丁目10", "2丁目"),
            ("赤坂二丁日10", "赤坂二丁目10", "二丁目"),
            ("赤坂2丁日10", "赤坂2丁目10", "2丁目"),
            ("赤坂二丁目10", "赤坂二丁目10", ""),
            ("カニ丁目", "カニ丁目", ""),
            ("6ちょうめ1", "6丁目  1", ""),
            ("2-chome 3", "2丁目     3", ""),
            ("横丁目白", "横丁目白", ""),
            ("3,026番地", "3026番地", ""),
            ("長倉3,026", "長倉3026", ""),
            ("3,126", "3,126", ""),
            ("656,307号", "656,307号", ""),
            ("1,234,567番", "1,234,567番", ""),
            ("1.2.3", "1-2-3", ""),
            ("1_2_3", "1-2-3", ""),
            ("1_2", "1-2", ""),
            ("1.2F", "1.2f", ""),
            ("1.2.3F", "1.2.3f", ""),
            ("03.1234.5678", "03.1234.5678", ""),
            ("2001.2.3", "2001.2.3", ""),
            (".", ".", ""),
            ("丁", "丁", ""),
            ("丁目", "丁目", ""),
        ] {
            let (mut folded, mut found) = (Vec::new(), Vec::new());
            fold(text, Level::Address, &mut folded);
            repair(&mut folded, &mut found);
            let became: String = folded.iter().map(|folded| folded.character).collect();
            assert_eq!(became, expected, "{text}");
            let became: String = found.iter().map(|it| it.became.as_str()).collect();
            assert_eq!(became, chome, "{text}");
            assert_eq!(folded.last().map_or(0, |it| it.end as usize), text.len(), "{text}");
        }
    }
}
