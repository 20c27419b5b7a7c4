//! Prefectures as people write them: 東京都, 東京, Tokyo, Tōkyō-to, Tokyo Prefecture, とうきょう, ﾄｳｷｮｳﾄ, 13, JP-13.
//!
//! Readings are compared as Roman keys, so every way to write a long vowel is read. Does not look inside longer texts.

use super::codes::digits::{PREFECTURES, PrefectureCode, prefecture_in_roman};
use super::codes::plain_code;
use super::roman_key::roman_key;

/// A prefecture: its code (JIS X 0401) and its Japanese name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefectureName {
    pub code: u16,
    pub name: &'static str,
}

/// The prefecture that a text names.
pub fn prefecture_named(text: &str) -> Option<PrefectureName> {
    let text = text.trim();
    let code = written_code(text);
    let key = roman_key(without_english_word(text));
    let found = PREFECTURES.into_iter().find(|(number, name)| {
        text == *name
            || text == name.trim_end_matches(['都', '府', '県'])
            || code == Some(*number)
            || (!key.is_empty() && keys(*number).any(|known| known == key))
    });
    found.map(|(code, name)| PrefectureName { code, name })
}

/// The number of `13`, `１３`, `JP-13` or `jp13`.
fn written_code(text: &str) -> Option<u16> {
    let plain = plain_code(text).to_ascii_uppercase();
    let code = PrefectureCode::parse(plain.strip_prefix("JP").unwrap_or(&plain)).ok()?;
    u16::try_from(code.number()).ok()
}

fn without_english_word(text: &str) -> &str {
    let ends = [" prefecture", " pref.", " pref", " metropolis"];
    let start = |end: &str| {
        let at = text.len().checked_sub(end.len())?;
        text.get(at..).filter(|found| found.eq_ignore_ascii_case(end)).map(|_| at)
    };
    ends.into_iter().find_map(start).map_or(text, |at| &text[..at])
}

/// The Roman keys of a prefecture: of its name alone, and with its kind.
fn keys(number: u16) -> impl Iterator<Item = String> {
    let roman = u8::try_from(number).ok().and_then(prefecture_in_roman).unwrap_or_default();
    let kind = match number {
        1 => "",
        13 => "to",
        26 | 27 => "fu",
        _ => "ken",
    };
    ["", kind].into_iter().map(move |kind| roman_key(&[roman, kind].join("-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip] // Several readings a line, in the order of the codes.
    const READINGS: [&str; 47] = [
        "ほっかいどう", "あおもりけん", "いわてけん", "みやぎけん", "あきたけん", "やまがたけん", "ふくしまけん",
        "いばらきけん", "とちぎけん", "ぐんまけん", "さいたまけん", "ちばけん", "とうきょうと", "かながわけん",
        "にいがたけん", "とやまけん", "いしかわけん", "ふくいけん", "やまなしけん", "ながのけん", "ぎふけん",
        "しずおかけん", "あいちけん", "みえけん", "しがけん", "きょうとふ", "おおさかふ", "ひょうごけん", "ならけん",
        "わかやまけん", "とっとりけん", "しまねけん", "おかやまけん", "ひろしまけん", "やまぐちけん", "とくしまけん",
        "かがわけん", "えひめけん", "こうちけん", "ふくおかけん", "さがけん", "ながさきけん", "くまもとけん",
        "おおいたけん", "みやざきけん", "かごしまけん", "おきなわけん",
    ];

    #[test]
    fn every_prefecture_is_read_by_name_letters_kana_and_code() {
        for ((number, name), reading) in PREFECTURES.into_iter().zip(READINGS) {
            let roman = prefecture_in_roman(number as u8).expect("a prefecture");
            let katakana: String = reading.chars().map(crate::text::kana::katakana).collect();
            for written in [
                name.to_owned(),
                name.trim_end_matches(['都', '府', '県']).to_owned(),
                roman.to_owned(),
                roman.to_lowercase(),
                format!("{roman} Prefecture"),
                reading.to_owned(),
                katakana,
                format!("{number:02}"),
                format!("JP-{number:02}"),
            ] {
                assert_eq!(
                    prefecture_named(&written),
                    Some(PrefectureName { code: number, name }),
                    "{written}"
                );
            }
        }
    }

    #[test]
    fn other_ways_of_writing_are_read_and_other_places_are_not() {
        for (written, expected) in [
            ("Tōkyō", Some(13)),
            ("Toukyou-to", Some(13)),
            ("tokyo metropolis", Some(13)),
            ("とうきょう", Some(13)),
            ("ﾄｳｷｮｳﾄ", Some(13)),
            (" 東京 ", Some(13)),
            ("jp13", Some(13)),
            ("Kyoto-fu", Some(26)),
            ("Ōsaka Pref.", Some(27)),
            ("Gumma", Some(10)),
            ("Hokkai-do", Some(1)),
            ("", None),
            ("　", None),
            ("-", None),
            ("都", None),
            ("48", None),
            ("JP-00", None),
            ("Chiyoda", None),
            ("千代田区", None),
            ("東京都千代田区", None),
            ("to", None),
        ] {
            let found = prefecture_named(written).map(|it| it.code);
            assert_eq!(found, expected, "{written}");
        }
    }
}
