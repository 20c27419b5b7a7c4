//! Strict percent-encoding: a wrong escape or text that is not UTF-8 is a fault, never a replacement character.

use std::borrow::Cow;

use percent_encoding::{
    AsciiSet, NON_ALPHANUMERIC, PercentEncode, percent_decode_str, utf8_percent_encode,
};

/// The ASCII characters that are encoded in a query string and in a path segment: all but letters, digits and these.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The meaning of `+`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlusSign {
    /// Itself, as in a path.
    Literal,
    /// A space, as in a form or a query string.
    Space,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PercentFault {
    #[error("% is followed by two hexadecimal digits; found something else")]
    Escape,
    #[error("percent-encoded text is UTF-8; found other bytes")]
    Utf8,
}

/// Decodes the text; borrowed if nothing is encoded.
pub fn decode(text: &str, plus_sign: PlusSign) -> Result<Cow<'_, str>, PercentFault> {
    let is_plain = |byte: u8| byte != b'%' && (byte != b'+' || plus_sign == PlusSign::Literal);
    if text.bytes().all(is_plain) {
        return Ok(Cow::Borrowed(text));
    }
    // The crate leaves a wrong escape as it is, so check first.
    let is_escape = |after: &str| {
        after.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_escape) {
        return Err(PercentFault::Escape);
    }
    let spaced = match plus_sign {
        PlusSign::Literal => Cow::Borrowed(text),
        PlusSign::Space => Cow::Owned(text.replace('+', " ")),
    };
    let decoded = percent_decode_str(&spaced).decode_utf8().map_err(|_cause| PercentFault::Utf8)?;
    Ok(Cow::Owned(decoded.into_owned()))
}

/// Encodes a text as a value in a query string or as a path segment.
pub fn encode(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ENCODED)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn decoding_never_panics_and_reverses_encoding(text in ".{0,40}", junk in "[%+0-9a-fx]{0,12}") {
            let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let decoded = decode(&encoded, PlusSign::Space);
            prop_assert_eq!(decoded.as_deref(), Ok(text.as_str()));
            let _ = decode(&junk, PlusSign::Literal);
        }
    }
}
