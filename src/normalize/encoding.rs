//! The encodings of texts: UTF-8, UTF-16, and those of Japan: Shift_JIS (code page 932, which Windows and the official
//! files use), EUC-JP and ISO-2022-JP.
//!
//! Decodes and encodes. Does not know which encoding a file has: `detect.rs` finds it.

use std::collections::BTreeMap;

use encoding_rs::{
    DecoderResult, EUC_JP, EncoderResult, ISO_2022_JP, SHIFT_JIS, UTF_16BE, UTF_16LE,
};

use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    pub enum Encoding {
        Utf8 = "UTF-8",
        ShiftJis = "Shift_JIS",
        EucJp = "EUC-JP",
        Iso2022Jp = "ISO-2022-JP",
        Utf16Le = "UTF-16LE",
        Utf16Be = "UTF-16BE",
    }
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
    /// Whether a byte below 0x40 always means the ASCII character. Only such a text can be split into rows and fields
    /// as it is.
    pub fn keeps_ascii(self) -> bool {
        matches!(self, Encoding::Utf8 | Encoding::ShiftJis | Encoding::EucJp)
    }

    pub fn is_utf16(self) -> bool {
        matches!(self, Encoding::Utf16Le | Encoding::Utf16Be)
    }

    /// The byte order mark; empty for encodings without one.
    pub fn byte_order_mark(self) -> &'static [u8] {
        match self {
            Encoding::Utf8 => b"\xef\xbb\xbf",
            Encoding::Utf16Le => b"\xff\xfe",
            Encoding::Utf16Be => b"\xfe\xff",
            _ => b"",
        }
    }

    /// A decoder of the crate; `None` for UTF-8, which the standard library checks.
    pub fn decoder(self) -> Option<encoding_rs::Decoder> {
        let encoding = match self {
            Encoding::Utf8 => return None,
            Encoding::ShiftJis => SHIFT_JIS,
            Encoding::EucJp => EUC_JP,
            Encoding::Iso2022Jp => ISO_2022_JP,
            Encoding::Utf16Le => UTF_16LE,
            Encoding::Utf16Be => UTF_16BE,
        };
        Some(encoding.new_decoder_without_bom_handling())
    }

    /// Decodes bytes, into `buffer` if they need conversion; `None` if they are invalid.
    pub fn decode<'a>(self, bytes: &'a [u8], buffer: &'a mut String) -> Option<&'a str> {
        if self.keeps_ascii() && bytes.is_ascii() {
            return std::str::from_utf8(bytes).ok();
        }
        let Some(mut decoder) = self.decoder() else { return std::str::from_utf8(bytes).ok() };
        buffer.clear();
        // A character of two bytes has at most three in UTF-8; the rest is for the end of a cut one.
        buffer.reserve(bytes.len() * 3 + 4);
        let (end, _) = decoder.decode_to_string_without_replacement(bytes, buffer, true);
        matches!(end, DecoderResult::InputEmpty).then_some(buffer.as_str())
    }

    /// Decodes bytes; invalid ones become U+FFFD.
    pub fn decode_lossy(self, bytes: &[u8]) -> String {
        let Some(mut decoder) = self.decoder() else {
            return String::from_utf8_lossy(bytes).into_owned();
        };
        let mut text = String::with_capacity(bytes.len() * 3 + 16);
        // The capacity is enough for every encoding, so nothing is left over.
        let _ = decoder.decode_to_string(bytes, &mut text, true);
        text
    }

    /// Appends a text in this encoding; `unmappable` counts the characters that it lacks.
    pub fn encode(self, text: &str, out: &mut Vec<u8>, unmappable: &mut Unmappable) {
        match self {
            Encoding::Utf8 => out.extend_from_slice(text.as_bytes()),
            Encoding::Utf16Le => {
                text.encode_utf16().for_each(|unit| out.extend_from_slice(&unit.to_le_bytes()));
            }
            Encoding::Utf16Be => {
                text.encode_utf16().for_each(|unit| out.extend_from_slice(&unit.to_be_bytes()));
            }
            Encoding::ShiftJis => encode_with(SHIFT_JIS, text, out, unmappable),
            Encoding::EucJp => encode_with(EUC_JP, text, out, unmappable),
            Encoding::Iso2022Jp => {
                let mut euc_jp = Vec::new();
                encode_with(EUC_JP, text, &mut euc_jp, unmappable);
                push_iso_2022_jp(&euc_jp, out);
            }
        }
    }
}

fn encode_with(
    encoding: &'static encoding_rs::Encoding,
    text: &str,
    out: &mut Vec<u8>,
    unmappable: &mut Unmappable,
) {
    if text.is_ascii() {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut encoder = encoding.new_encoder();
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
                let (bytes, _, _) = encoding.encode(replacement);
                out.extend_from_slice(&bytes);
            }
        }
    }
}

/// What the bytes of ISO-2022-JP mean, until the next escape sequence.
#[derive(PartialEq, Eq, Clone, Copy)]
enum CharacterSet {
    Ascii,
    HalfWidthKana,
    Jis0208,
}

/// Rewrites EUC-JP as ISO-2022-JP: both have the same sets of characters. The crate's own encoder would widen kana of
/// half width. Ends in ASCII.
fn push_iso_2022_jp(euc_jp: &[u8], out: &mut Vec<u8>) {
    let mut current = CharacterSet::Ascii;
    let mut enter = |set: CharacterSet, out: &mut Vec<u8>| {
        if current != set {
            out.extend_from_slice(match set {
                CharacterSet::Ascii => b"\x1b(B",
                CharacterSet::HalfWidthKana => b"\x1b(I",
                CharacterSet::Jis0208 => b"\x1b$B",
            });
            current = set;
        }
    };
    let mut bytes = euc_jp.iter().copied();
    while let Some(first) = bytes.next() {
        match first {
            0x8e => {
                enter(CharacterSet::HalfWidthKana, out);
                out.extend(bytes.next().map(|kana| kana & 0x7f));
            }
            0x80.. => {
                enter(CharacterSet::Jis0208, out);
                out.push(first & 0x7f);
                out.extend(bytes.next().map(|second| second & 0x7f));
            }
            ascii => {
                enter(CharacterSet::Ascii, out);
                out.push(ascii);
            }
        }
    }
    enter(CharacterSet::Ascii, out);
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

    #[test]
    fn a_text_is_the_same_after_each_encoding() {
        let text = "id,住所\r\n1,東京都千代田区ｱﾞｲ①1-1\r\n表ソポ,,ﾊﾟ\n";
        for encoding in Encoding::ALL {
            let (mut out, mut unmappable) = (Vec::new(), Unmappable::default());
            encoding.encode(text, &mut out, &mut unmappable);
            let mut buffer = String::new();
            assert_eq!(encoding.decode(&out, &mut buffer), Some(text), "{}", encoding.name());
            assert_eq!(encoding.decode_lossy(&out), text, "{}", encoding.name());
            assert_eq!(unmappable.count, 0, "{}", encoding.name());
        }
        let (mut out, mut unmappable) = (Vec::new(), Unmappable::default());
        Encoding::Iso2022Jp.encode("都ｱa😀", &mut out, &mut unmappable);
        assert_eq!(out, b"\x1b$BET\x1b(I1\x1b(Ba\x1b$B\".\x1b(B");
        assert_eq!(unmappable.count, 1);
    }
}
