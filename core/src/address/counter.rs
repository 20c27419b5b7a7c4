//! Numbers in a text with their counters: 4丁目, 第11地割, the 7 of 7北1.

use super::units::{Unit, code_at, codes, is_dash, is_digit_at, is_name, unit};

/// The number of digits of the number at a position; 0 if there is none.
pub fn number_length(text: &[Unit], position: usize) -> usize {
    let before_last = text[position..].iter().take_while(|unit| unit.is_inner_digit).count();
    before_last + usize::from(is_digit_at(text, position + before_last))
}

/// The position after the digits at a position, of one or several numbers.
pub fn digits_end(text: &[Unit], position: usize) -> usize {
    let rest = text.get(position..).unwrap_or_default();
    position + rest.iter().take_while(|unit| unit.is_digit()).count()
}

/// The position after the digits at a position, where kanji numerals do not count as digits.
pub fn figures_end(text: &[Unit], position: usize) -> usize {
    let rest = text.get(position..).unwrap_or_default();
    position + rest.iter().take_while(|unit| unit.is_figure()).count()
}

/// Whether a number is at a position, possibly after a hyphen or の.
pub fn is_lot_start(text: &[Unit], position: usize) -> bool {
    let is_joint = code_at(text, position).is_some_and(|code| is_dash(code) || code == unit('ノ'));
    is_digit_at(text, position + usize::from(is_joint))
}

/// Whether a name in kanji numerals, and no number, is at a position: 八 in 八幡町.
pub fn is_name_in_numerals(text: &[Unit], position: usize) -> bool {
    const COUNTERS: [u16; 9] = [
        unit('丁'),
        unit('番'),
        unit('号'),
        unit('条'),
        unit('地'),
        unit('ノ'),
        unit('線'),
        unit('街'),
        unit('画'),
    ];
    let is_kanji = text.get(position).is_some_and(|unit| unit.is_digit() && unit.is_kanji);
    let end = digits_end(text, position);
    let Some(next) = text.get(end).filter(|next| is_kanji && is_name(next.code)) else {
        return false;
    };
    let set_off = text[end - 1].last < next.first;
    // 一番町 is a name, 一番 a lot.
    let is_town = next.code == unit('番') && code_at(text, end + 1) == Some(unit('町'));
    !set_off && (is_town || !COUNTERS.contains(&next.code) && !is_dash(next.code))
}

/// The largest number of a chome that a lot may have for its first number; larger ones are lots.
const CHOME_MAX: u32 = 30;

/// Whether the lot at a position needs a town that is counted in 丁目, because it has a chome or three numbers, or one that
/// is not, because its first number is too large; `None` if it says nothing.
pub fn needs_chome(text: &[Unit], position: usize) -> Option<bool> {
    if after_chome(text, position).is_some() {
        return Some(true);
    }
    let (mut count, mut first, mut next) = (0, 0, position);
    loop {
        let end = figures_end(text, next);
        if end == next || end - next > 6 {
            break;
        }
        if count == 0 {
            let digits = codes(&text[next..end]).map(|digit| u32::from(digit - unit('0')));
            first = digits.fold(0, |value, digit| value * 10 + digit);
        }
        count += 1;
        if !code_at(text, end).is_some_and(is_dash) {
            break;
        }
        next = end + 1;
    }
    match count {
        3 => Some(true),
        1 | 2 if first > CHOME_MAX => Some(false),
        _ => None,
    }
}

/// Whether a number with the counter of a street or a line is at a position: 3条, 5線.
pub fn is_counted_name(text: &[Unit], position: usize) -> bool {
    let end = figures_end(text, position);
    let next = code_at(text, end);
    end > position && [unit('条'), unit('線')].map(Some).contains(&next)
}

/// The position after a number with 丁目, if one begins here; also after 2町目, which is written for it.
pub fn after_chome(text: &[Unit], position: usize) -> Option<usize> {
    let end = digits_end(text, position);
    let counter = text.get(end..end + 2)?;
    let is_counter = ["丁目", "町目"].iter().any(|word| codes(counter).eq(word.encode_utf16()));
    (end > position && is_counter).then_some(end + 2)
}

/// The number of the 地割 with which the text after a town begins: 第11地割.
pub fn jiwari(text: &[Unit]) -> Option<u32> {
    let digits = &text[usize::from(text.first()?.code == unit('第'))..];
    let count = digits.iter().take_while(|unit| unit.is_digit()).take(4).count();
    let is_jiwari = codes(digits.get(count..count + 2)?).eq("地割".encode_utf16());
    let value = codes(&digits[..count]);
    let value = value.fold(0, |value, digit| value * 10 + u32::from(digit - unit('0')));
    (is_jiwari && count > 0).then_some(value)
}
