//! Finds the encoding of a text from its beginning.
//!
//! UTF-16, ISO-2022-JP and EUC-JP are found only where the whole beginning is valid and can hardly be anything else.
//! What remains is UTF-8 or Shift_JIS. A text that looks like another encoding and is not valid in it is refused by
//! name: its names would be garbled.

use encoding_rs::DecoderResult;

use super::encoding::Encoding;

/// The share of zero bytes, one in this many, from which a text that is no UTF-16 is refused.
const ZEROS_SHARE: usize = 10;

/// What was found, and how to remedy it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecodable {
    pub found: &'static str,
    pub remedy: &'static str,
}

const SAVE_AS_UTF8: &str = "save it as UTF-8, or name its encoding with --encoding";

/// The encoding that a byte order mark names; `Err` for UTF-32.
pub fn byte_order_mark(beginning: &[u8]) -> Result<Option<Encoding>, Undecodable> {
    if beginning.starts_with(b"\xff\xfe\0\0") || beginning.starts_with(b"\0\0\xfe\xff") {
        return Err(Undecodable { found: "UTF-32", remedy: "save it as UTF-8" });
    }
    let marked = [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be];
    Ok(marked.into_iter().find(|it| beginning.starts_with(it.byte_order_mark())))
}

/// The encoding of a text without a byte order mark. The beginning may end within a character.
pub fn detect(beginning: &[u8]) -> Result<Encoding, Undecodable> {
    if beginning.contains(&0)
        && let Some(utf16) = utf16(beginning)?
    {
        return Ok(utf16);
    }
    if has_escape_sequence(beginning) && beginning.is_ascii() {
        return match decoded(Encoding::Iso2022Jp, beginning) {
            Some(_) => Ok(Encoding::Iso2022Jp),
            None => Err(Undecodable {
                found: "escape sequences of ISO-2022-JP, and bytes that are invalid in it",
                remedy: SAVE_AS_UTF8,
            }),
        };
    }
    // An error without a length is a character cut off at the end.
    let error = std::str::from_utf8(beginning).err();
    if error.is_none_or(|error| error.error_len().is_none()) {
        return Ok(Encoding::Utf8);
    }
    if is_euc_jp(beginning) {
        return Ok(Encoding::EucJp);
    }
    let invalid = |text: &str| text.matches('\u{fffd}').count();
    let shift_jis = Encoding::ShiftJis.decode_lossy(beginning);
    if invalid(&shift_jis) <= invalid(&String::from_utf8_lossy(beginning)) {
        Ok(Encoding::ShiftJis)
    } else {
        Ok(Encoding::Utf8)
    }
}

/// Decodes a beginning that may end within a character; `None` if it is invalid.
fn decoded(encoding: Encoding, bytes: &[u8]) -> Option<String> {
    let mut decoder = encoding.decoder()?;
    let mut text = String::with_capacity(bytes.len() * 3 + 16);
    let (end, _) = decoder.decode_to_string_without_replacement(bytes, &mut text, false);
    matches!(end, DecoderResult::InputEmpty).then_some(text)
}

/// UTF-16 without a mark: every character is one that lists have, in one byte order only, and there is a line break.
fn utf16(beginning: &[u8]) -> Result<Option<Encoding>, Undecodable> {
    let fits = |encoding: &Encoding| {
        let Some(text) = decoded(*encoding, beginning) else { return false };
        text.contains(['\n', '\r']) && text.chars().all(is_usual)
    };
    let mut fitting = [Encoding::Utf16Le, Encoding::Utf16Be].into_iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(Some(only)),
        _ if bytecount(beginning, 0) * ZEROS_SHARE > beginning.len() => Err(Undecodable {
            found: "zero bytes, as in UTF-16, but no valid UTF-16",
            remedy: SAVE_AS_UTF8,
        }),
        _ => Ok(None),
    }
}

fn bytecount(bytes: &[u8], wanted: u8) -> usize {
    memchr::memchr_iter(wanted, bytes).count()
}

/// Whether lists of addresses have such characters: ASCII, Latin, punctuation, kana, kanji, forms of width, symbols.
fn is_usual(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{17f}' | '\u{370}'..='\u{45f}'
        | '\u{2010}'..='\u{27bf}' | '\u{2e80}'..='\u{33ff}' | '\u{3400}'..='\u{9fff}' | '\u{e000}'..='\u{faff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe30}'..='\u{fe4f}' | '\u{feff}' | '\u{ff00}'..='\u{ffef}'
        | '\u{1f000}'..='\u{1faff}' | '\u{20000}'..='\u{3ffff}' | '\u{e0100}'..='\u{e01ef}')
}

/// An escape sequence of ISO-2022-JP: to JIS X 0208, to half-width kana, or to JIS X 0201.
fn has_escape_sequence(bytes: &[u8]) -> bool {
    memchr::memchr_iter(0x1b, bytes)
        .any(|at| matches!(bytes.get(at + 1..at + 3), Some(b"$B" | b"$@" | b"(I" | b"(J")))
}

/// EUC-JP if it is valid as such, and not valid as Shift_JIS or only with the rarest letters. Both are valid for short
/// texts: of Shift_JIS, half-width kana; of EUC-JP, texts that Shift_JIS reads as half-width kana with rare kanji.
fn is_euc_jp(beginning: &[u8]) -> bool {
    if decoded(Encoding::EucJp, beginning).is_none() {
        return false;
    }
    let Some(shift_jis) = decoded(Encoding::ShiftJis, beginning) else { return true };
    shift_jis.chars().any(|letter| !letter.is_ascii() && !('｡'..='ﾟ').contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::encoding::Unmappable;

    fn encoded(encoding: Encoding, text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        encoding.encode(text, &mut out, &mut Unmappable::default());
        out
    }

    #[test]
    fn encodings_are_detected() {
        #[track_caller]
        fn check(bytes: &[u8], expected: Encoding) {
            assert_eq!(detect(bytes), Ok(expected), "{bytes:x?}");
        }
        let shift_jis = encoded(Encoding::ShiftJis, "東京都千代田区霞が関ｶﾀｶﾅ");
        check(b"", Encoding::Utf8);
        check(b"id,address\r\n", Encoding::Utf8);
        check("東京都千代田区".as_bytes(), Encoding::Utf8);
        check(&"東京都千代田区".as_bytes()[..10], Encoding::Utf8);
        check(&shift_jis, Encoding::ShiftJis);
        check(&shift_jis[..9], Encoding::ShiftJis);
        check(&[b"x\xff,".as_slice(), "東京都千代田区霞が関".as_bytes()].concat(), Encoding::Utf8);
        check(&[b"x\xff,".as_slice(), &shift_jis].concat(), Encoding::ShiftJis);
        // Valid in EUC-JP too: half-width kana are Shift_JIS.
        check(&encoded(Encoding::ShiftJis, "ﾄｳｷﾖｳﾄ,ﾁﾖﾀﾞｸ\n"), Encoding::ShiftJis);
        check(&encoded(Encoding::ShiftJis, "住所\n"), Encoding::ShiftJis);
        check(b"a\0b,c,d,e,f,g,h\n", Encoding::Utf8);
        check(b"\x1b[31mred\x1b[0m\n", Encoding::Utf8);
    }

    #[test]
    fn sure_encodings_are_detected_at_any_cut() {
        let text = "番号,住所\r\n1,東京都千代田区霞が関1-2\r\n2,北海道札幌市中央区　一条\r\n";
        for encoding in [Encoding::EucJp, Encoding::Iso2022Jp, Encoding::Utf16Le, Encoding::Utf16Be]
        {
            let bytes = encoded(encoding, text);
            for cut in [bytes.len(), bytes.len() - 1, bytes.len() - 2, bytes.len() - 3, 24] {
                assert_eq!(detect(&bytes[..cut]), Ok(encoding), "{encoding:?} {cut}");
            }
        }
        assert_eq!(detect(&encoded(Encoding::EucJp, "住所\n")), Ok(Encoding::EucJp));
    }

    #[test]
    fn marks_name_the_encoding() {
        assert_eq!(byte_order_mark(b"\xef\xbb\xbfa"), Ok(Some(Encoding::Utf8)));
        assert_eq!(byte_order_mark(b"\xff\xfea\0"), Ok(Some(Encoding::Utf16Le)));
        assert_eq!(byte_order_mark(b"\xfe\xff\0a"), Ok(Some(Encoding::Utf16Be)));
        assert_eq!(byte_order_mark(b"abc"), Ok(None));
        assert_eq!(byte_order_mark(b"\xff\xfe\0\0a\0\0\0").map_err(|it| it.found), Err("UTF-32"));
    }

    #[test]
    fn what_looks_like_another_encoding_and_is_invalid_is_refused() {
        #[track_caller]
        fn check(bytes: &[u8], expected: &str) {
            let found = detect(bytes).expect_err("it is invalid").found;
            assert!(found.contains(expected), "{found}");
        }
        check(b"\x1b$BET\x1b(B,\x1b$B\x01\x01\n", "ISO-2022-JP");
        check(b"a\0b\0\0\0\x01\0\n\0", "UTF-16");
    }
}
