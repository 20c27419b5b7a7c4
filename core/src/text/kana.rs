//! Hiragana and katakana: which of them a character is, and conversion between them.
//!
//! In Unicode the two blocks are parallel: a constant distance apart, letter by letter. Knows full-width letters
//! only: [`fold`](super::fold) widens half-width ones.

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
