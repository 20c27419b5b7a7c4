//! UTF-8 and Shift_JIS (code page 932, which Windows and the official files use).

use std::collections::BTreeMap;

use encoding_rs::{DecoderResult, EncoderResult, SHIFT_JIS};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    ShiftJis,
}

/// Replaces a character that the output's encoding lacks.
const GETA: char = '〓';
/// How many different characters are counted one by one.
const CHARACTERS_MAX: usize = 100;

/// The characters that an encoding lacks, with their counts.
#[derive(Debug, Default)]
pub struct Unmappable {
    pub count: u64,
    /// How often each occurred, for the first [`CHARACTERS_MAX`] different ones.
    pub characters: BTreeMap<char, u64>,
}

impl Unmappable {
    fn add(&mut self, character: char, times: u64) {
        if self.characters.len() < CHARACTERS_MAX || self.characters.contains_key(&character) {
            *self.characters.entry(character).or_default() += times;
        }
    }

    /// Adds the counts of `other` and resets it.
    pub fn append(&mut self, other: &mut Unmappable) {
        self.count += std::mem::take(&mut other.count);
        for (character, count) in std::mem::take(&mut other.characters) {
            self.add(character, count);
        }
    }
}

impl Encoding {
    /// Detects the encoding of a text: UTF-8 for ASCII, else the one with fewer invalid bytes.
    pub fn detect(beginning: &[u8]) -> Encoding {
        // An error without a length is a character cut off at the end.
        let error = std::str::from_utf8(beginning).err();
        if error.is_none_or(|error| error.error_len().is_none()) {
            return Encoding::Utf8;
        }
        let invalid = |text: &str| text.matches('\u{fffd}').count();
        let (shift_jis, _) = SHIFT_JIS.decode_without_bom_handling(beginning);
        if invalid(&shift_jis) <= invalid(&String::from_utf8_lossy(beginning)) {
            Encoding::ShiftJis
        } else {
            Encoding::Utf8
        }
    }

    /// Decodes bytes, into `buffer` if they need conversion; `None` if they are invalid.
    pub fn decode<'a>(self, bytes: &'a [u8], buffer: &'a mut String) -> Option<&'a str> {
        match self {
            Encoding::Utf8 => std::str::from_utf8(bytes).ok(),
            Encoding::ShiftJis if bytes.is_ascii() => std::str::from_utf8(bytes).ok(),
            Encoding::ShiftJis => {
                buffer.clear();
                let mut decoder = SHIFT_JIS.new_decoder_without_bom_handling();
                // A character of two bytes has at most three in UTF-8.
                buffer.reserve(bytes.len() * 3);
                let (end, _) = decoder.decode_to_string_without_replacement(bytes, buffer, true);
                matches!(end, DecoderResult::InputEmpty).then_some(buffer.as_str())
            }
        }
    }

    /// Decodes bytes; invalid ones become U+FFFD.
    pub fn decode_lossy(self, bytes: &[u8]) -> String {
        match self {
            Encoding::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Encoding::ShiftJis => SHIFT_JIS.decode_without_bom_handling(bytes).0.into_owned(),
        }
    }

    /// Appends a text in this encoding; `unmappable` counts the characters that it lacks.
    pub fn encode(self, text: &str, out: &mut Vec<u8>, unmappable: &mut Unmappable) {
        if self == Encoding::Utf8 || text.is_ascii() {
            out.extend_from_slice(text.as_bytes());
            return;
        }
        let mut encoder = SHIFT_JIS.new_encoder();
        let mut rest = text;
        loop {
            // A character of two bytes or more in UTF-8 has at most two.
            out.reserve(rest.len() + 4);
            let (end, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, out, true);
            rest = &rest[read..];
            match end {
                EncoderResult::InputEmpty => return,
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(character) => {
                    let replacement = substitute(character).unwrap_or_else(|| {
                        unmappable.count += 1;
                        unmappable.add(character, 1);
                        GETA
                    });
                    let mut buffer = [0; 4];
                    let replacement = replacement.encode_utf8(&mut buffer);
                    let (bytes, _, _) = SHIFT_JIS.encode(replacement);
                    out.extend_from_slice(&bytes);
                }
            }
        }
    }
}

/// The character of code page 932 for one that other Shift_JIS tables map differently.
fn substitute(character: char) -> Option<char> {
    Some(match character {
        '\u{301c}' => '～',
        '\u{2014}' => '―',
        '\u{2016}' => '∥',
        '\u{a2}' => '￠',
        '\u{a3}' => '￡',
        '\u{ac}' => '￢',
        '\u{a0}' => ' ',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_detected() {
        #[track_caller]
        fn check(bytes: &[u8], expected: Encoding) {
            assert_eq!(Encoding::detect(bytes), expected, "{bytes:x?}");
        }
        let (shift_jis, _, _) = SHIFT_JIS.encode("東京都千代田区霞が関ｶﾀｶﾅ");
        check(b"", Encoding::Utf8);
        check(b"id,address\r\n", Encoding::Utf8);
        check("東京都千代田区".as_bytes(), Encoding::Utf8);
        check(&"東京都千代田区".as_bytes()[..10], Encoding::Utf8);
        check(&shift_jis, Encoding::ShiftJis);
        check(&shift_jis[..9], Encoding::ShiftJis);
        check(&[b"x\xff,".as_slice(), "東京都千代田区霞が関".as_bytes()].concat(), Encoding::Utf8);
        check(&[b"x\xff,".as_slice(), &shift_jis].concat(), Encoding::ShiftJis);
    }

    #[test]
    fn characters_missing_in_shift_jis_are_counted() {
        #[track_caller]
        fn check(text: &str, expected: &str, count: u64) {
            let (mut out, mut unmappable) = (Vec::new(), Unmappable::default());
            Encoding::ShiftJis.encode(text, &mut out, &mut unmappable);
            let mut buffer = String::new();
            assert_eq!(Encoding::ShiftJis.decode(&out, &mut buffer), Some(expected), "{text}");
            assert_eq!(unmappable.count, count, "{text}");
        }
        check("", "", 0);
        check("abc", "abc", 0);
        check("東京都髙﨑①㈱ｶﾞ", "東京都髙﨑①㈱ｶﾞ", 0);
        check("𠮷野家と鄧😀", "〓野家と鄧〓", 2);
        check("１〜２−３—", "１～２－３―", 0);
        check(&"𠮷".repeat(1_000), &"〓".repeat(1_000), 1_000);
        let (mut out, mut unmappable) = (Vec::new(), Unmappable::default());
        Encoding::Utf8.encode("𠮷", &mut out, &mut unmappable);
        assert_eq!((out.as_slice(), unmappable.count), ("𠮷".as_bytes(), 0));
    }

    #[test]
    fn invalid_bytes_are_reported() {
        let mut buffer = String::new();
        assert_eq!(Encoding::Utf8.decode(b"\xff\xfe", &mut buffer), None);
        assert_eq!(Encoding::ShiftJis.decode(b"\x93\x8c\xff", &mut buffer), None);
        assert_eq!(Encoding::ShiftJis.decode(b"\x93", &mut buffer), None);
        assert_eq!(Encoding::ShiftJis.decode(b"\x93\x8c\x8b\x9e", &mut buffer), Some("東京"));
        assert_eq!(Encoding::ShiftJis.decode_lossy(b"\x93\x8c\xff"), "東\u{fffd}");
    }
}
