//! UTF-8 and Shift_JIS: which one a text is, reading its fields, and writing what a set lacks.
//!
//! Shift_JIS is code page 932, as Windows and the official files have it.

use std::collections::BTreeMap;

use clap::ValueEnum;
use encoding_rs::{DecoderResult, EncoderResult, SHIFT_JIS};

/// An encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// UTF-8
    #[value(name = "utf-8", alias = "utf8")]
    Utf8,
    /// Shift_JIS (CP932)
    #[value(name = "shift_jis", aliases = ["sjis", "shift-jis", "cp932"])]
    ShiftJis,
}

/// What stands for a character that the output's encoding lacks.
const GETA: char = '〓';
/// How many different characters that were lacking are remembered.
const LACKING_MAX: usize = 100;

/// Characters that the output's encoding lacks.
#[derive(Debug, Default)]
pub struct Lacking {
    /// How often one was met.
    pub count: u64,
    /// Which, and how often each.
    pub characters: BTreeMap<char, u64>,
}

impl Lacking {
    fn note(&mut self, character: char) {
        self.count += 1;
        if self.characters.len() < LACKING_MAX || self.characters.contains_key(&character) {
            *self.characters.entry(character).or_default() += 1;
        }
    }

    /// Adds what another met.
    pub fn add(&mut self, other: &mut Lacking) {
        self.count += std::mem::take(&mut other.count);
        for (character, count) in std::mem::take(&mut other.characters) {
            if self.characters.len() < LACKING_MAX || self.characters.contains_key(&character) {
                *self.characters.entry(character).or_default() += count;
            }
        }
    }
}

impl Encoding {
    /// The encoding of a text that begins with these bytes. Text of ASCII alone counts as UTF-8;
    /// of two that both fail, the one that fails less often.
    pub fn detect(beginning: &[u8]) -> Encoding {
        let valid = match std::str::from_utf8(beginning) {
            Ok(_) => true,
            // Cut in the middle of a character.
            Err(error) => error.error_len().is_none(),
        };
        if valid {
            return Encoding::Utf8;
        }
        let unreadable = |text: &str| text.matches('\u{fffd}').count();
        let (shift_jis, _) = SHIFT_JIS.decode_without_bom_handling(beginning);
        if unreadable(&shift_jis) <= unreadable(&String::from_utf8_lossy(beginning)) {
            Encoding::ShiftJis
        } else {
            Encoding::Utf8
        }
    }

    /// Reads bytes, into `buffer` where they must be converted; `None` where they are no text of
    /// this encoding.
    pub fn read<'a>(self, bytes: &'a [u8], buffer: &'a mut String) -> Option<&'a str> {
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

    /// Reads bytes whatever they are; those that are no text become U+FFFD.
    pub fn read_anyhow(self, bytes: &[u8]) -> String {
        match self {
            Encoding::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Encoding::ShiftJis => SHIFT_JIS.decode_without_bom_handling(bytes).0.into_owned(),
        }
    }

    /// Appends a text in this encoding; `lacking` counts what it has not.
    pub fn write(self, text: &str, out: &mut Vec<u8>, lacking: &mut Lacking) {
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
                    let instead = twin(character).unwrap_or_else(|| {
                        lacking.note(character);
                        GETA
                    });
                    let mut buffer = [0; 4];
                    let instead = instead.encode_utf8(&mut buffer);
                    let (bytes, _, _) = SHIFT_JIS.encode(instead);
                    out.extend_from_slice(&bytes);
                }
            }
        }
    }
}

/// The character that code page 932 has for one that other tables of Shift_JIS print alike.
fn twin(character: char) -> Option<char> {
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
    fn encodings_are_told_apart() {
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
    fn what_shift_jis_lacks_is_counted() {
        #[track_caller]
        fn check(text: &str, expected: &str, count: u64) {
            let (mut out, mut lacking) = (Vec::new(), Lacking::default());
            Encoding::ShiftJis.write(text, &mut out, &mut lacking);
            let mut buffer = String::new();
            assert_eq!(Encoding::ShiftJis.read(&out, &mut buffer), Some(expected), "{text}");
            assert_eq!(lacking.count, count, "{text}");
        }
        check("", "", 0);
        check("abc", "abc", 0);
        check("東京都髙﨑①㈱ｶﾞ", "東京都髙﨑①㈱ｶﾞ", 0);
        check("𠮷野家と鄧😀", "〓野家と鄧〓", 2);
        check("１〜２−３—", "１～２－３―", 0);
        check(&"𠮷".repeat(1_000), &"〓".repeat(1_000), 1_000);
        let (mut out, mut lacking) = (Vec::new(), Lacking::default());
        Encoding::Utf8.write("𠮷", &mut out, &mut lacking);
        assert_eq!((out.as_slice(), lacking.count), ("𠮷".as_bytes(), 0));
    }

    #[test]
    fn bytes_that_are_no_text_are_told() {
        let mut buffer = String::new();
        assert_eq!(Encoding::Utf8.read(b"\xff\xfe", &mut buffer), None);
        assert_eq!(Encoding::ShiftJis.read(b"\x93\x8c\xff", &mut buffer), None);
        assert_eq!(Encoding::ShiftJis.read(b"\x93", &mut buffer), None);
        assert_eq!(Encoding::ShiftJis.read(b"\x93\x8c\x8b\x9e", &mut buffer), Some("東京"));
        assert_eq!(Encoding::ShiftJis.read_anyhow(b"\x93\x8c\xff"), "東\u{fffd}");
    }
}
