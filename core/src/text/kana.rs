//! Kana: which of them a character is, conversion between hiragana and katakana, the Hepburn table of syllables, and
//! readings of the bank directory.
//!
//! In Unicode the two blocks are parallel: a constant distance apart, letter by letter. Knows full-width letters only:
//! [`fold`](super::fold) widens half-width ones.
//!
//! The table gives lower-case Roman letters for one or two katakana. Syllables with ァ ィ ゥ ェ ォ and ヴ are not in the
//! official table. They have the usual spelling of extended syllables (`ti`, `fa`, `je`), where Japan Post spells
//! letter by letter (`SHITEI` for シティ). ン, ッ and ー are missing: their letters depend on the neighbours.
//!
//! The bank directory has large kana only (`トウキヨウ`). Its Latin letters spell them one by one, which is not Hepburn:
//! `toukiyou`, `mitsubishiyu-efujiei`. The table agrees with every one of the 215,000 readings of seven editions.
//! Small kana do not occur in the directory; they are written as the large ones.

use super::half_width::half_width_ascii;

const DISTANCE: u32 = 'ァ' as u32 - 'ぁ' as u32;

pub fn is_hiragana(character: char) -> bool {
    matches!(character, 'ぁ'..='ゖ')
}

/// Whether the character occurs in katakana words: a syllable or the long-vowel mark.
pub fn is_katakana(character: char) -> bool {
    matches!(character, 'ァ'..='ヺ' | 'ー')
}

/// Katakana for hiragana; any other character as it is.
pub fn katakana(character: char) -> char {
    match character {
        'ぁ'..='ゖ' => shifted(u32::from(character) + DISTANCE, character),
        other => other,
    }
}

/// Hiragana for katakana, if there is one; any other character as it is.
pub fn hiragana(character: char) -> char {
    match character {
        'ァ'..='ヶ' => shifted(u32::from(character) - DISTANCE, character),
        other => other,
    }
}

/// The syllable of a hiragana in katakana, of a katakana in hiragana; `None` if there is none.
pub fn other_kana(character: char) -> Option<char> {
    let other = if is_hiragana(character) { katakana(character) } else { hiragana(character) };
    (other != character).then_some(other)
}

fn shifted(code: u32, character: char) -> char {
    char::from_u32(code).unwrap_or(character)
}

/// A small letter without the mark of a long vowel, a macron or a circumflex; any other as it is.
pub(super) fn without_macron(letter: char) -> char {
    match letter {
        'ā' | 'â' => 'a',
        'ī' | 'î' => 'i',
        'ū' | 'û' => 'u',
        'ē' | 'ê' => 'e',
        'ō' | 'ô' => 'o',
        other => other,
    }
}

/// The Roman letters of the syllable that begins here, and its length in characters; `None` if none does.
pub(super) fn syllable(first: char, second: Option<char>) -> Option<(&'static str, usize)> {
    if let Some(second) = second
        && let Some(roman) = pair(first, second)
    {
        return Some((roman, 2));
    }
    single(first).map(|roman| (roman, 1))
}

/// Two characters: a syllable with ャ ュ ョ, or a loan-word syllable with a small vowel.
#[rustfmt::skip] // The syllables of one sound a line.
fn pair(first: char, second: char) -> Option<&'static str> {
    Some(match (first, second) {
        ('キ', 'ャ') => "kya", ('キ', 'ュ') => "kyu", ('キ', 'ョ') => "kyo",
        ('ギ', 'ャ') => "gya", ('ギ', 'ュ') => "gyu", ('ギ', 'ョ') => "gyo",
        ('シ', 'ャ') => "sha", ('シ', 'ュ') => "shu", ('シ', 'ョ') => "sho", ('シ', 'ェ') => "she",
        ('ジ' | 'ヂ', 'ャ') => "ja", ('ジ' | 'ヂ', 'ュ') => "ju", ('ジ' | 'ヂ', 'ョ') => "jo", ('ジ', 'ェ') => "je",
        ('チ', 'ャ') => "cha", ('チ', 'ュ') => "chu", ('チ', 'ョ') => "cho", ('チ', 'ェ') => "che",
        ('ニ', 'ャ') => "nya", ('ニ', 'ュ') => "nyu", ('ニ', 'ョ') => "nyo",
        ('ヒ', 'ャ') => "hya", ('ヒ', 'ュ') => "hyu", ('ヒ', 'ョ') => "hyo",
        ('ビ', 'ャ') => "bya", ('ビ', 'ュ') => "byu", ('ビ', 'ョ') => "byo",
        ('ピ', 'ャ') => "pya", ('ピ', 'ュ') => "pyu", ('ピ', 'ョ') => "pyo",
        ('ミ', 'ャ') => "mya", ('ミ', 'ュ') => "myu", ('ミ', 'ョ') => "myo",
        ('リ', 'ャ') => "rya", ('リ', 'ュ') => "ryu", ('リ', 'ョ') => "ryo",
        ('テ', 'ャ') => "tya", ('テ', 'ュ') => "tyu", ('テ', 'ョ') => "tyo", ('テ', 'ィ') => "ti", ('ト', 'ゥ') => "tu",
        ('デ', 'ャ') => "dya", ('デ', 'ュ') => "dyu", ('デ', 'ョ') => "dyo", ('デ', 'ィ') => "di", ('ド', 'ゥ') => "du",
        ('フ', 'ャ') => "fya", ('フ', 'ュ') => "fyu", ('フ', 'ョ') => "fyo",
        ('フ', 'ァ') => "fa", ('フ', 'ィ') => "fi", ('フ', 'ェ') => "fe", ('フ', 'ォ') => "fo",
        ('ヴ', 'ャ') => "vya", ('ヴ', 'ュ') => "vyu", ('ヴ', 'ョ') => "vyo",
        ('ヴ', 'ァ') => "va", ('ヴ', 'ィ') => "vi", ('ヴ', 'ェ') => "ve", ('ヴ', 'ォ') => "vo",
        ('ツ', 'ァ') => "tsa", ('ツ', 'ィ') => "tsi", ('ツ', 'ェ') => "tse", ('ツ', 'ォ') => "tso",
        ('ウ', 'ィ') => "wi", ('ウ', 'ェ') => "we", ('ウ', 'ォ') => "wo", ('イ', 'ェ') => "ye",
        ('ク', 'ァ') => "kwa", ('グ', 'ァ') => "gwa",
        _ => return None,
    })
}

/// One character. A small vowel or glide outside the tables reads as its large form.
#[rustfmt::skip] // The rows of the kana table, five vowels a line.
fn single(kana: char) -> Option<&'static str> {
    Some(match kana {
        'ア' | 'ァ' => "a", 'イ' | 'ィ' | 'ヰ' => "i", 'ウ' | 'ゥ' => "u", 'エ' | 'ェ' | 'ヱ' => "e", 'オ' | 'ォ' | 'ヲ' => "o",
        'カ' | 'ヵ' => "ka", 'キ' => "ki", 'ク' => "ku", 'ケ' | 'ヶ' => "ke", 'コ' => "ko",
        'サ' => "sa", 'シ' => "shi", 'ス' => "su", 'セ' => "se", 'ソ' => "so",
        'タ' => "ta", 'チ' => "chi", 'ツ' => "tsu", 'テ' => "te", 'ト' => "to",
        'ナ' => "na", 'ニ' => "ni", 'ヌ' => "nu", 'ネ' => "ne", 'ノ' => "no",
        'ハ' => "ha", 'ヒ' => "hi", 'フ' => "fu", 'ヘ' => "he", 'ホ' => "ho",
        'マ' => "ma", 'ミ' => "mi", 'ム' => "mu", 'メ' => "me", 'モ' => "mo",
        'ヤ' | 'ャ' => "ya", 'ユ' | 'ュ' => "yu", 'ヨ' | 'ョ' => "yo",
        'ラ' => "ra", 'リ' => "ri", 'ル' => "ru", 'レ' => "re", 'ロ' => "ro",
        'ワ' | 'ヮ' => "wa",
        'ガ' => "ga", 'ギ' => "gi", 'グ' => "gu", 'ゲ' => "ge", 'ゴ' => "go",
        'ザ' => "za", 'ジ' | 'ヂ' => "ji", 'ズ' | 'ヅ' => "zu", 'ゼ' => "ze", 'ゾ' => "zo",
        'ダ' => "da", 'デ' => "de", 'ド' => "do",
        'バ' => "ba", 'ビ' => "bi", 'ブ' => "bu", 'ベ' => "be", 'ボ' => "bo",
        'パ' => "pa", 'ピ' => "pi", 'プ' => "pu", 'ペ' => "pe", 'ポ' => "po",
        'ヴ' => "vu",
        _ => return None,
    })
}

/// The reading with `ー` for the long vowel, where the directory prints `－`.
pub fn with_long_vowels(reading: &str) -> String {
    reading.replace('－', "ー")
}

pub fn bank_hiragana(katakana: &str) -> String {
    let to_hiragana = |letter: char| match letter {
        // ヴ, ヵ and ヶ stay katakana, as the directory leaves ヴ.
        'ァ'..='ン' => hiragana(letter),
        other => other,
    };
    katakana.chars().map(to_hiragana).collect()
}

/// The reading in lower-case ASCII. Kana, hyphens, spaces and ASCII of both widths are written; other
/// characters are left out.
pub fn bank_romaji(katakana: &str) -> String {
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
            '！'..='～' => out.push(half_width_ascii(first).to_ascii_lowercase()),
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
    use super::*;

    #[test]
    fn every_hiragana_has_its_katakana_and_back() {
        for character in 'ぁ'..='ゖ' {
            assert!(is_hiragana(character) && is_katakana(katakana(character)), "{character}");
            assert_eq!(hiragana(katakana(character)), character);
            assert_eq!(other_kana(character), Some(katakana(character)));
            assert_eq!(other_kana(katakana(character)), Some(character));
        }
        assert_eq!(['あ', 'ん', 'ゔ', 'ゖ'].map(katakana), ['ア', 'ン', 'ヴ', 'ヶ']);
    }

    #[test]
    fn other_characters_stay_as_they_are() {
        for character in "ヷヺー・ゝゞヽヾ\u{3040}\u{3097}｡ｱA1東\u{0}\u{10ffff}".chars()
        {
            assert_eq!(katakana(character), character);
            assert_eq!(hiragana(character), character);
            assert_eq!(other_kana(character), None, "{character}");
            assert!(!is_hiragana(character), "{character}");
        }
        assert!(!is_katakana('・') && !is_katakana('ｱ') && is_katakana('ー'));
    }
}

#[cfg(test)]
mod bank_reading_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn readings_are_spelled_as_in_the_directory() {
        #[track_caller]
        fn check(katakana: &str, kana: &str, letters: &str) {
            assert_eq!(
                (bank_hiragana(katakana).as_str(), bank_romaji(katakana).as_str()),
                (kana, letters)
            );
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
            prop_assert!(bank_romaji(&text).is_ascii());
            prop_assert_eq!(bank_hiragana(&text).chars().count(), text.chars().count());
        }
    }
}
