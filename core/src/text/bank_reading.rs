//! Readings of the bank directory, from its katakana to hiragana and to Latin letters.
//!
//! The directory has large kana only (`トウキヨウ`). Its Latin letters spell them one by one, which is not Hepburn:
//! `toukiyou`, `mitsubishiyu-efujiei`. The table in `romaji_syllables` agrees with every one of the 215,000
//! readings of seven editions. Small kana do not occur in the directory; they are written as the large ones.

use super::kana;
use super::romaji_syllables::syllable;

/// The reading with `ー` for the long vowel, where the directory prints `－`.
pub fn with_long_vowels(reading: &str) -> String {
    reading.replace('－', "ー")
}

pub fn hiragana(katakana: &str) -> String {
    let to_hiragana = |letter: char| match letter {
        // ヴ, ヵ and ヶ stay katakana, as the directory leaves ヴ.
        'ァ'..='ン' => kana::hiragana(letter),
        other => other,
    };
    katakana.chars().map(to_hiragana).collect()
}

/// The reading in lower-case ASCII. Kana, hyphens, spaces and ASCII of both widths are written; other
/// characters are left out.
pub fn romaji(katakana: &str) -> String {
    let mut out = String::with_capacity(katakana.len());
    let mut kana = katakana.chars().peekable();
    while let Some(first) = kana.next() {
        match first {
            'ン' => {
                let next = kana.peek().and_then(|next| spelling(*next));
                let is_labial = next.is_some_and(|next| next.starts_with(['b', 'm', 'p']));
                out.push(if is_labial { 'm' } else { 'n' });
            }
            '－' | 'ー' | '‐' | '−' => out.push('-'),
            '\u{3000}' => out.push(' '),
            '！'..='～' => {
                let ascii = char::from_u32(first as u32 - 0xfee0).unwrap_or(' ');
                out.push(ascii.to_ascii_lowercase());
            }
            ' '..='~' => out.push(first.to_ascii_lowercase()),
            other => out.push_str(spelling(other).unwrap_or_default()),
        }
    }
    out
}

fn spelling(kana: char) -> Option<&'static str> {
    match kana {
        'ヂ' => Some("di"),
        'ヅ' => Some("du"),
        'ッ' => Some("tsu"),
        'ン' => Some("n"),
        other => syllable(other, None).map(|(letters, _)| letters),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn readings_are_spelled_as_in_the_directory() {
        #[track_caller]
        fn check(katakana: &str, kana: &str, letters: &str) {
            assert_eq!((hiragana(katakana).as_str(), romaji(katakana).as_str()), (kana, letters));
        }
        check("", "", "");
        check("ミズホ", "みずほ", "mizuho");
        check("トウキヨウ", "とうきよう", "toukiyou");
        check("マルノウチチユウオウ", "まるのうちちゆうおう", "marunouchichiyuuou");
        check("ミツビシユ－エフジエイ", "みつびしゆ－えふじえい", "mitsubishiyu-efujiei");
        check("ミツビシユーエフジエイ", "みつびしゆーえふじえい", "mitsubishiyu-efujiei");
        assert_eq!(with_long_vowels("イ－ハト－ヴ"), "イーハトーヴ");
        check("ニホンバシ", "にほんばし", "nihombashi");
        check("シンマチ", "しんまち", "shimmachi");
        check("シンシン", "しんしん", "shinshin");
        check("アイヅ", "あいづ", "aidu");
        check("ツキヂ", "つきぢ", "tsukidi");
        check("サツポロ", "さつぽろ", "satsuporo");
        check("イ－ハト－ヴ", "い－はと－ヴ", "i-hato-vu");
        check("ソシエテ　ジエネラル", "そしえて　じえねらる", "soshiete jieneraru");
        check("ＵＦＪ．１", "ＵＦＪ．１", "ufj.1");
        check("ンン", "んん", "nn");
        check("チョッコウ", "ちょっこう", "chiyotsukou");
        check("東京", "東京", "");
    }

    proptest! {
        #[test]
        fn romaji_of_any_text_is_ascii(text in ".{0,40}") {
            prop_assert!(romaji(&text).is_ascii());
            prop_assert_eq!(hiragana(&text).chars().count(), text.chars().count());
        }
    }
}
