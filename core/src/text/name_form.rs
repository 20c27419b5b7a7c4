//! Names with uniform letters, digits and long-vowel marks, for requests that ask for them.
//!
//! Rule 6 of the specification's corporate part: full-width letters and digits become half-width; a mark that looks
//! like the long-vowel mark becomes a half-width hyphen after an ASCII letter or digit and the full-width
//! long-vowel mark elsewhere. Everything else stays, including spaces and other signs.

use std::borrow::Cow;

/// Long-vowel marks, hyphens, dashes, minus signs, box-drawing lines and wave dashes, in every width.
const LONG_MARKS: [char; 18] = [
    'ー', 'ｰ', '-', '－', '‐', '‑', '‒', '–', '—', '―', '−', '─', '━', '﹣', '~', '～', '〜', '﹘',
];

pub fn normalised(name: &str) -> Cow<'_, str> {
    if !name.chars().any(|letter| half_width(letter) != letter || LONG_MARKS.contains(&letter)) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len());
    let mut is_after_alphanumeric = false;
    for letter in name.chars() {
        let letter = match (LONG_MARKS.contains(&letter), is_after_alphanumeric) {
            (true, true) => '-',
            (true, false) => 'ー',
            (false, _) => half_width(letter),
        };
        is_after_alphanumeric = letter.is_ascii_alphanumeric();
        out.push(letter);
    }
    Cow::Owned(out)
}

/// A full-width letter or digit in half width; anything else as it is.
fn half_width(letter: char) -> char {
    match letter {
        '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' => {
            char::from_u32(letter as u32 - '！' as u32 + '!' as u32).unwrap_or(letter)
        }
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_long_vowels_become_uniform() {
        #[track_caller]
        fn check(name: &str, expected: &str) {
            assert_eq!(normalised(name), expected, "{name}");
            assert_eq!(normalised(expected), expected, "already uniform: {name}");
        }
        check("", "");
        check("株式会社見本", "株式会社見本");
        check("ＡＢＣ１２３ｘｙｚ", "ABC123xyz");
        check("ＮＴＴ－ＡＴ株式会社", "NTT-AT株式会社");
        check("ラ－メン", "ラーメン");
        check("ラーメン", "ラーメン");
        check("Ａー１", "A-1");
        check("１－２‐３", "1-2-3");
        check("らぁ～めん", "らぁーめん");
        check("－Ａ", "ーA");
        check("Ａ－－Ｂ", "A-ーB");
        check("ｱｰﾄ", "ｱーﾄ");
        check("Ａ＆Ｂ　Ｃ．", "A＆B　C．");
        for mark in LONG_MARKS {
            check(&format!("ビ{mark}ル Z{mark}"), "ビール Z-");
        }
    }
}
