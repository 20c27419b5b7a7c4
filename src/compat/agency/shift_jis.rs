//! Shift_JIS with the characters of JIS X 0208 alone, as the agency's own files of this encoding have them.
//!
//! Code page 932 has more: 髙, ①, Ⅱ, ㈱. The agency writes a look-alike instead (髙 becomes 高) and gives the image of the
//! name. The look-alikes here are those by which the search folds characters. A character without one becomes 〓, which is
//! our own choice: no file of the agency shows what it writes then.

use encoding_rs::SHIFT_JIS;

use crate::text::fold::{Level, folded};
use crate::text::half_width::full_width_ascii;

/// What stands for a character that has no look-alike.
const GETA: &str = "〓";

/// A text in Shift_JIS.
pub fn encode(text: &str) -> Vec<u8> {
    // Nearly every answer needs no look-alike.
    let (bytes, _, lacks) = SHIFT_JIS.encode(text);
    if !lacks && is_jis(&bytes) {
        return bytes.into_owned();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|letter| !is_in_jis(letter)) {
        push(&mut out, &rest[..at]);
        let Some(letter) = rest[at..].chars().next() else { break };
        push(&mut out, &look_alike(letter));
        rest = &rest[at + letter.len_utf8()..];
    }
    push(&mut out, rest);
    out
}

/// Appends a text of characters that the encoding has.
fn push(out: &mut Vec<u8>, text: &str) {
    let (bytes, _, _) = SHIFT_JIS.encode(text);
    out.extend_from_slice(&bytes);
}

/// Whether JIS X 0208 or ASCII has a character.
fn is_in_jis(letter: char) -> bool {
    let mut buffer = [0; 4];
    let (bytes, _, lacks) = SHIFT_JIS.encode(letter.encode_utf8(&mut buffer));
    !lacks && is_jis(&bytes)
}

/// Whether all characters of a text in code page 932 are in JIS X 0208 or ASCII. The rows that it lacks begin with 87
/// (NEC), ED and EE (NEC's choice of IBM's), and FA to FC (IBM); half-width kana have one byte.
fn is_jis(mut bytes: &[u8]) -> bool {
    loop {
        bytes = match bytes {
            [] => return true,
            [0..=0x7f, rest @ ..] | [0x81..=0x84 | 0x88..=0x9f | 0xe0..=0xea, _, rest @ ..] => rest,
            _ => return false,
        };
    }
}

/// The character that the agency's table has for one that it lacks.
fn look_alike(letter: char) -> String {
    let same_meaning = match letter {
        '\u{301c}' => "～",
        '\u{2014}' => "―",
        '\u{2016}' => "∥",
        '\u{2212}' => "－",
        _ => "",
    };
    let candidates = [
        same_meaning.to_owned(),
        wide(&folded(&letter.to_string(), Level::Width)),
        wide(&folded(&letter.to_string(), Level::Kanji)),
    ];
    let is_writable = |text: &&String| !text.is_empty() && text.chars().all(is_in_jis);
    candidates.iter().find(is_writable).cloned().unwrap_or_else(|| GETA.to_owned())
}

/// A text with its letters in full width: names and addresses have no others.
fn wide(text: &str) -> String {
    let widened = |letter| if letter == ' ' { '\u{3000}' } else { full_width_ascii(letter) };
    text.chars().map(widened).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_outside_jis_x_0208_become_look_alikes() {
        for (text, expected) in [
            ("", ""),
            ("1,\"株式会社日立製作所\"\r\n", "1,\"株式会社日立製作所\"\r\n"),
            ("髙島屋", "高島屋"),
            ("①ｶ", "１カ"),
            ("隆", "隆"),
            ("塚本", "塚本"),
            ("德川", "徳川"),
            ("第Ⅱ号", "第ＩＩ号"),
            ("１〜２−３", "１～２－３"),
            ("𣘺本", "橋本"),
            ("台😀帳", "台〓帳"),
            ("Hitachi, Ltd.", "Hitachi, Ltd."),
        ] {
            let encoded = encode(text);
            let (decoded, _, is_wrong) = SHIFT_JIS.decode(&encoded);
            assert_eq!((&*decoded, is_wrong), (expected, false), "{text}");
        }
    }
}
