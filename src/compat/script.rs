//! What a browser runs as a script: JSON in a call of a function, and the names of functions that a request may choose.
//!
//! `<` and the two line separators of Unicode are escaped: the text may stand inside a page, and in older JavaScript a
//! string must not contain them.

use std::borrow::Cow;

use crate::api::error::{ApiError, Code};
use crate::api::pipeline::params::unexpected;
use crate::json;

pub const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

const NAME_LENGTH_MAX: usize = 128;

/// The function that the text of this parameter names: without it none, and an error if the name could be something else
/// than a function.
pub fn callback_name<'t>(
    parameter: &'static str,
    text: Option<Cow<'t, str>>,
) -> Result<Option<Cow<'t, str>>, ApiError> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    if is_function_name(&text) {
        return Ok(Some(text));
    }
    let expected =
        "the name of a function: a letter, _ or $, then up to 127 letters, digits, _, $ and dots";
    Err(unexpected(parameter, Code::InvalidParameter, expected, &text))
}

fn is_function_name(text: &str) -> bool {
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$');
    let is_part = |byte: u8| is_start(byte) || byte.is_ascii_digit() || byte == b'.';
    text.len() <= NAME_LENGTH_MAX
        && text.bytes().next().is_some_and(is_start)
        && text.bytes().all(is_part)
}

/// Appends a call of the function with what `write` appends. The comment before it keeps the answer from being read as
/// another kind of file.
pub fn write_call(out: &mut Vec<u8>, function: &str, write: impl FnOnce(&mut Vec<u8>)) {
    json::put(out, &["/**/", function, "("]);
    write(out);
    json::put(out, &[");"]);
}

/// Appends a JSON string that may stand in a script.
pub fn push_string(out: &mut Vec<u8>, text: &str) {
    // The first byte of the two separators, and of other marks that kanji and kana seldom stand beside.
    const SEPARATORS: u8 = 0xe2;
    if memchr::memchr2(b'<', SEPARATORS, text.as_bytes()).is_none() {
        return json::push_string(out, text);
    }
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = rest.find(['<', '\u{2028}', '\u{2029}']) {
        json::push_escaped(out, &rest[..at]);
        let (escape, length) = match rest.as_bytes()[at] {
            b'<' => ("\\u003c", 1),
            _ if rest[at..].starts_with('\u{2028}') => ("\\u2028", '\u{2028}'.len_utf8()),
            _ => ("\\u2029", '\u{2029}'.len_utf8()),
        };
        json::put(out, &[escape]);
        rest = &rest[at + length..];
    }
    json::push_escaped(out, rest);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callback_is_the_name_of_a_function() {
        for name in ["f", "_", "$f", "jQuery123_4", "a.b.c", &"x".repeat(128)] {
            assert_eq!(
                callback_name("f", Some(name.into())).expect("a name").as_deref(),
                Some(name)
            );
        }
        assert_eq!(callback_name("f", None), Ok(None));
        assert_eq!(callback_name("f", Some("".into())), Ok(None));
        for wrong in ["1f", ".f", "f(", "alert(1)", "f;", "a b", "関数", "f\n", &"x".repeat(129)]
        {
            let error = callback_name("f", Some(wrong.into())).expect_err("no name");
            assert_eq!((error.code, error.code.status().as_u16()), (Code::InvalidParameter, 400));
            assert!(error.detail.contains("the name of a function"), "{}", error.detail);
        }
    }

    #[test]
    fn text_cannot_end_the_script_or_its_line() {
        let written = |text: &str| {
            let mut out = Vec::new();
            push_string(&mut out, text);
            String::from_utf8(out).expect("UTF-8")
        };
        let text = "a</script>\u{2028}\"\u{2029}<";
        let found = written(text);
        assert_eq!(found, r#""a\u003c/script>\u2028\"\u2029\u003c""#);
        assert_eq!(serde_json::from_str::<String>(&found).expect("JSON"), text);
        assert_eq!(written("千代田"), "\"千代田\"");
        let mut out = Vec::new();
        write_call(&mut out, "f.g", |out| out.extend_from_slice(b"[]"));
        assert_eq!(out, b"/**/f.g([]);");
    }
}
