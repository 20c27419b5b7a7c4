//! Half-width forms of letters: of ASCII, and of katakana; and full-width forms of ASCII. One letter at a time; callers decide about marks and spaces.

/// The ASCII letter of a full-width one; any other letter stays.
pub fn half_width_ascii(letter: char) -> char {
    match letter {
        '！'..='～' => char::from_u32(letter as u32 - FULL_WIDTH_OFFSET).unwrap_or(letter),
        other => other,
    }
}

/// The full-width form of a visible ASCII letter; any other letter stays.
pub fn full_width_ascii(letter: char) -> char {
    match letter {
        '!'..='~' => char::from_u32(letter as u32 + FULL_WIDTH_OFFSET).unwrap_or(letter),
        other => other,
    }
}

/// From ASCII to its full-width forms.
const FULL_WIDTH_OFFSET: u32 = 0xfee0;

/// The half-width form of katakana, a voiced one with its mark (ガ as ｶﾞ); `None` for other letters and those without one
/// (ヮ, ヰ, ヱ). Small kana stay small.
pub fn half_width_katakana(letter: char) -> Option<&'static str> {
    let place = (letter as usize).checked_sub('ァ' as usize)?;
    HALF_KATAKANA.get(place).copied().filter(|form| !form.is_empty())
}

/// The half-width forms of ァ to ヴ, in the order of Unicode; empty where there is none.
#[rustfmt::skip] // Five vowels side by side.
const HALF_KATAKANA: [&str; 84] = [
    "ｧ", "ｱ", "ｨ", "ｲ", "ｩ", "ｳ", "ｪ", "ｴ", "ｫ", "ｵ", "ｶ", "ｶﾞ", "ｷ", "ｷﾞ", "ｸ", "ｸﾞ", "ｹ", "ｹﾞ", "ｺ", "ｺﾞ",
    "ｻ", "ｻﾞ", "ｼ", "ｼﾞ", "ｽ", "ｽﾞ", "ｾ", "ｾﾞ", "ｿ", "ｿﾞ", "ﾀ", "ﾀﾞ", "ﾁ", "ﾁﾞ", "ｯ", "ﾂ", "ﾂﾞ", "ﾃ", "ﾃﾞ", "ﾄ", "ﾄﾞ",
    "ﾅ", "ﾆ", "ﾇ", "ﾈ", "ﾉ", "ﾊ", "ﾊﾞ", "ﾊﾟ", "ﾋ", "ﾋﾞ", "ﾋﾟ", "ﾌ", "ﾌﾞ", "ﾌﾟ", "ﾍ", "ﾍﾞ", "ﾍﾟ", "ﾎ", "ﾎﾞ", "ﾎﾟ",
    "ﾏ", "ﾐ", "ﾑ", "ﾒ", "ﾓ", "ｬ", "ﾔ", "ｭ", "ﾕ", "ｮ", "ﾖ", "ﾗ", "ﾘ", "ﾙ", "ﾚ", "ﾛ", "", "ﾜ", "", "", "ｦ", "ﾝ", "ｳﾞ",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::{Level, folded};

    #[test]
    fn every_half_width_form_folds_back() {
        for letter in '\0'..='\u{ffff}' {
            let ascii = half_width_ascii(letter);
            let own = letter.to_string();
            assert!(ascii == letter || folded(&own, Level::Width) == ascii.to_string(), "{letter}");
            if let Some(form) = half_width_katakana(letter) {
                assert_eq!(folded(form, Level::Width), own);
            }
        }
        assert_eq!(('ァ'..='ヴ').filter(|it| half_width_katakana(*it).is_none()).count(), 3);
        assert_eq!(half_width_ascii('Ｔ'), 'T');
        assert_eq!(half_width_katakana('ヷ'), None);
    }
}
