//! Single columns of Japan Post's files, by their index from 0: the value, or a [`Fault`].

use daicho_core::text::codes::digits::PREFECTURES;

use crate::{csv::Fault, kana};

pub(crate) fn is_prefecture(text: &str) -> bool {
    PREFECTURES.iter().any(|(_code, name)| *name == text)
}

/// Exactly this many digits.
pub(crate) fn is_digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn number(text: &str, count: usize) -> Option<u32> {
    if is_digits(text, count) { text.parse().ok() } else { None }
}

pub(super) fn municipality_code(text: &str) -> Option<u32> {
    number(text, 5).filter(|code| (1..=47).contains(&(code / 1000)))
}

pub(super) fn municipality(fields: &[&str], index: usize) -> Result<u32, Fault> {
    let fault =
        || Fault::column(index, "a municipality code, 5 digits from 01 to 47", fields[index]);
    municipality_code(fields[index]).ok_or_else(fault)
}

pub(super) fn postal_code(fields: &[&str], index: usize) -> Result<u32, Fault> {
    number(fields[index], 7)
        .ok_or_else(|| Fault::column(index, "a postal code, 7 digits", fields[index]))
}

/// An old postal code: three or five digits, padded with spaces to five; returned without them.
pub(super) fn old_code<'t>(fields: &[&'t str], index: usize) -> Result<&'t str, Fault> {
    let code = fields[index].trim_end_matches(' ');
    if is_digits(code, 3) || is_digits(code, 5) {
        return Ok(code);
    }
    Err(Fault::column(index, "an old postal code, 3 or 5 digits", fields[index]))
}

/// The prefecture's name, which must match the municipality code.
pub(super) fn prefecture<'t>(
    fields: &[&'t str],
    index: usize,
    code: u32,
) -> Result<&'t str, Fault> {
    let (_code, expected) = PREFECTURES[(code / 1000) as usize - 1];
    if fields[index] == expected {
        return Ok(fields[index]);
    }
    let expected = format!("{expected}, the prefecture of municipality {code:05}");
    Err(Fault::column(index, expected, fields[index]))
}

/// A name: full-width, without control characters and quotes; may be empty.
pub(super) fn optional_name<'t>(fields: &[&'t str], index: usize) -> Result<&'t str, Fault> {
    let text = fields[index];
    let is_foreign = |char: char| char.is_ascii() || char.is_control() || char == '\u{fffd}';
    if text.contains(is_foreign) || kana::half_width(text).is_some() {
        return Err(Fault::column(index, "a name in full-width characters", text));
    }
    Ok(text)
}

pub(super) fn name<'t>(fields: &[&'t str], index: usize) -> Result<&'t str, Fault> {
    if fields[index].is_empty() {
        return Err(Fault::column(index, "a name", fields[index]));
    }
    optional_name(fields, index)
}

/// One digit in a range that starts at 0.
pub(super) fn digit(fields: &[&str], index: usize, max: u8) -> Result<u8, Fault> {
    match fields[index].as_bytes() {
        [digit @ b'0'..=b'9'] if digit - b'0' <= max => Ok(digit - b'0'),
        _ => Err(Fault::column(index, format!("a digit from 0 to {max}"), fields[index])),
    }
}

pub(super) fn flag(fields: &[&str], index: usize) -> Result<bool, Fault> {
    match fields[index] {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err(Fault::column(index, "0 or 1", other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_checked() {
        #[track_caller]
        fn check<T: std::fmt::Debug + PartialEq>(found: Result<T, Fault>, expected: Option<T>) {
            if let Err(fault) = &found {
                assert_eq!(fault.column, Some(1));
            }
            assert_eq!(found.ok(), expected);
        }
        check(municipality(&["01101"], 0), Some(1101));
        check(municipality(&["47382"], 0), Some(47382));
        for bad in ["", "1101", "00101", "48101", "011011", "0110a", "０１１０１", "-1101"] {
            check(municipality(&[bad], 0), None);
        }
        check(postal_code(&["0600000"], 0), Some(600_000));
        for bad in ["", "600000", "06000000", "060-000", "060000O", "+600000"] {
            check(postal_code(&[bad], 0), None);
        }
        check(old_code(&["060  "], 0), Some("060"));
        check(old_code(&["06001"], 0), Some("06001"));
        for bad in ["", "     ", "0600", "06 01", "  060"] {
            check(old_code(&[bad], 0), None);
        }
        check(prefecture(&["東京都"], 0, 13101), Some("東京都"));
        check(prefecture(&["京都府"], 0, 13101), None);
        check(name(&["六本木"], 0), Some("六本木"));
        for bad in ["", "ﾛｯﾎﾟﾝｷﾞ", "a", "六\u{fffd}", "六\t", "六\"本"] {
            check(name(&[bad], 0), None);
        }
        check(optional_name(&[""], 0), Some(""));
        check(digit(&["6"], 0, 6), Some(6));
        for bad in ["", "7", "10", "-", "１"] {
            check(digit(&[bad], 0, 6), None);
        }
        check(flag(&["1"], 0), Some(true));
        check(flag(&["2"], 0), None);
    }
}
