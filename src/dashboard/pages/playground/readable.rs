//! A readable form of a request: letters of any script, colons and commas instead of their escapes.
//!
//! Characters that would change the meaning of the URL or are invisible stay escaped: the text is still a URL.

use percent_encoding::percent_decode_str;

/// Decodes a percent-encoded target. Other ASCII and broken escapes stay.
pub fn readable(target: &str) -> String {
    let mut out = String::with_capacity(target.len());
    let mut rest = target;
    while let Some(start) = rest.find('%') {
        out.push_str(&rest[..start]);
        let length = escapes_length(&rest[start..]);
        // An incomplete escape stays as it is.
        let (escapes, after) = rest[start..].split_at(length.max(1));
        push_decoded(&mut out, escapes);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The length, in bytes, of the escapes at the start of this text.
fn escapes_length(text: &str) -> usize {
    let is_escape = |bytes: &[u8]| matches!(bytes, [b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    3 * text.as_bytes().chunks(3).take_while(|bytes| is_escape(bytes)).count()
}

/// Appends escapes with their readable characters decoded. If they are not UTF-8, they stay as they are.
fn push_decoded(out: &mut String, escapes: &str) {
    let Ok(decoded) = percent_decode_str(escapes).decode_utf8() else {
        return out.push_str(escapes);
    };
    let mut start = 0;
    for character in decoded.chars() {
        // Each byte of the character has an escape of three letters.
        let end = (start + 3 * character.len_utf8()).min(escapes.len());
        match is_readable(character) {
            true => out.push(character),
            false => out.push_str(&escapes[start..end]),
        }
        start = end;
    }
}

/// Whether a character is shown without an escape: letters, digits, and the marks of Japanese text, but no spaces,
/// control characters, or marks that change the direction of text.
fn is_readable(character: char) -> bool {
    match character.is_ascii() {
        // These mean the same with and without an escape, and most queries have them.
        true => ":,".contains(character),
        false => character.is_alphanumeric() || "々〆ー・、。「」（）－−〒／".contains(character),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::percent::encode;

    #[test]
    fn letters_are_decoded_and_reserved_characters_are_not() {
        for (target, expected) in [
            ("/v1/postalcode/?t=%E5%8D%83%E4%BB%A3%E7%94%B0%201", "/v1/postalcode/?t=千代田%201"),
            ("/v1/bank?q=%26%3D%23%25%2B", "/v1/bank?q=%26%3D%23%25%2B"),
            ("a%26%E6%9D%B1", "a%26東"),
            ("?q=city%3A%E6%9D%B1%20AND%20_type%3A1%2C2", "?q=city:東%20AND%20_type:1,2"),
            ("%E3%80%80%E2%80%AE", "%E3%80%80%E2%80%AE"),
            ("%FF%E6%9D%B1", "%FF%E6%9D%B1"),
            ("100%", "100%"),
            ("%zz%E6%9D%B1%4", "%zz東%4"),
            ("%E3%82%AB%E3%83%BC%E3%83%89", "カード"),
            ("", ""),
        ] {
            assert_eq!(readable(target), expected, "{target}");
        }
    }

    proptest! {
        #[test]
        fn a_readable_target_decodes_to_the_same_text(text in any::<String>()) {
            let target = encode(&text).to_string();
            let read = readable(&target);
            let back = percent_decode_str(&read).decode_utf8().expect("UTF-8").into_owned();
            prop_assert_eq!(back, text);
            prop_assert!(!read.contains(char::is_whitespace));
        }

        #[test]
        fn any_text_is_read(text in "[%0-9a-fA-F東]{0,30}") {
            let _ = readable(&text);
        }
    }
}
