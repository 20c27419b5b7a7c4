//! Parsers of values that the files of several datasets have. Each returns the value in its uniform spelling, or what was
//! expected.

use crate::text::codes::PostalCode;

pub fn any_text(text: &str) -> Result<String, &'static str> {
    Ok(text.to_owned())
}

/// A code of `N` digits, which is three, four or five.
pub fn digits<const N: usize>(text: &str) -> Result<String, &'static str> {
    let expected = const {
        match N {
            3 => "three digits",
            4 => "four digits",
            5 => "five digits",
            _ => panic!("no code has as many digits"),
        }
    };
    let is_code = text.len() == N && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_code { Ok(text.to_owned()) } else { Err(expected) }
}

/// A postal code as seven digits.
pub fn postal_code(text: &str) -> Result<String, &'static str> {
    let code = PostalCode::parse(text).map(|code| format!("{:07}", code.number()));
    code.map_err(|_cause| "seven digits")
}
