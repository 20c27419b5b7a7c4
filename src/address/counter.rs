//! Numbers with their counters directly after a name: 4丁目, 第11地割, the 7 of 7北1.

use super::units::{Unit, is_dash, unit};

/// The position after the number and the 丁目 at `at`.
pub fn behind_chome(units: &[Unit], at: usize) -> Option<usize> {
    let digits = units.get(at..)?.iter().take_while(|unit| unit.is_digit()).count();
    let mark = units.get(at + digits..at + digits + 2)?;
    let chome = mark.iter().map(|unit| unit.code).eq("丁目".encode_utf16());
    (digits > 0 && chome).then_some(at + digits + 2)
}

/// The position after a number at `at`, including a hyphen after it.
pub fn behind_number(units: &[Unit], at: usize) -> Option<usize> {
    let digits = units.get(at..)?.iter().take_while(|unit| unit.is_figure()).count();
    let behind = at + digits;
    let dash = units.get(behind).is_some_and(|next| is_dash(next.code));
    (digits > 0).then_some(behind + usize::from(dash))
}

/// `at`, or the position of the hyphen before it.
pub fn with_dash(units: &[Unit], at: usize) -> usize {
    at - usize::from(at > 0 && is_dash(units[at - 1].code))
}

/// The number of a 地割 directly after the town: 第11地割.
pub fn jiwari(behind: &[Unit]) -> Option<u32> {
    let digits = &behind[usize::from(behind.first()?.code == unit('第'))..];
    let count = digits.iter().take_while(|unit| unit.is_digit()).take(4).count();
    let mark = digits.get(count..count + 2)?;
    let is_mark = mark.iter().map(|unit| unit.code).eq("地割".encode_utf16());
    let value = digits[..count].iter();
    let value = value.fold(0, |value, digit| value * 10 + u32::from(digit.code - unit('0')));
    (is_mark && count > 0).then_some(value)
}
