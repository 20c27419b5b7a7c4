//! Numbers with their counters directly after a name: 4丁目, 第11地割, the 7 of 7北1.

use super::units::{Unit, is_dash, unit};

/// The position after a number with 丁目, if one begins here.
pub fn after_chome(units: &[Unit], position: usize) -> Option<usize> {
    let digits = units.get(position..)?.iter().take_while(|unit| unit.is_digit()).count();
    let mark = units.get(position + digits..position + digits + 2)?;
    let chome = mark.iter().map(|unit| unit.code).eq("丁目".encode_utf16());
    (digits > 0 && chome).then_some(position + digits + 2)
}

/// The position after a number and a hyphen after it, if a number begins here.
pub fn after_number(units: &[Unit], position: usize) -> Option<usize> {
    let digits = units.get(position..)?.iter().take_while(|unit| unit.is_figure()).count();
    let end = position + digits;
    let dash = units.get(end).is_some_and(|next| is_dash(next.code));
    (digits > 0).then_some(end + usize::from(dash))
}

/// The same position, or that of the hyphen directly before it.
pub fn including_dash_before(units: &[Unit], position: usize) -> usize {
    position - usize::from(position > 0 && is_dash(units[position - 1].code))
}

/// The number of the 地割 with which the text after a town begins: 第11地割.
pub fn jiwari(text: &[Unit]) -> Option<u32> {
    let digits = &text[usize::from(text.first()?.code == unit('第'))..];
    let count = digits.iter().take_while(|unit| unit.is_digit()).take(4).count();
    let mark = digits.get(count..count + 2)?;
    let is_mark = mark.iter().map(|unit| unit.code).eq("地割".encode_utf16());
    let value = digits[..count].iter();
    let value = value.fold(0, |value, digit| value * 10 + u32::from(digit.code - unit('0')));
    (is_mark && count > 0).then_some(value)
}
