//! Kana columns: converts half-width katakana to full-width, and both printings to one spelling.
//!
//! The Shift_JIS files print readings in half-width katakana with ASCII brackets and digits, the UTF-8 files in
//! full-width; after this module both are equal. Large kana stay large.

use daicho_core::text::fold::{Level, compose, fold_char};
use daicho_core::text::half_width::full_width_ascii;

/// A reading of KEN_ALL in its uniform spelling: `-` becomes `－`, as in the UTF-8 file, and `.` becomes `・`.
pub fn area_reading(text: &str) -> String {
    widen(text, |mark| match mark {
        '.' | '．' => '・',
        ',' => '、',
        other => other,
    })
}

/// A reading of JIGYOSYO, or a reading or name of the bank directory: everything full-width, marks unchanged, so
/// that `-` is `－` and `.` is `．` as in the directory's JSON edition.
pub fn full_width(text: &str) -> String {
    widen(text, |mark| mark)
}

/// A name in kanji, as decoded from the Shift_JIS file: `～` and `－` for the UTF-8 file's U+301C and U+2212.
pub fn name(text: &str) -> String {
    if text.contains(['\u{301c}', '\u{2212}']) {
        text.chars().map(unify).collect()
    } else {
        text.to_owned()
    }
}

/// A name in kanji with the characters that the source prints: the UTF-8 file has U+301C and U+2212 for what decoding
/// Shift_JIS makes `～` and `－`, as JIS X 0208 does.
pub fn printed_name(text: &str) -> String {
    text.chars().map(|char| if char == '～' { '\u{301c}' } else { printed_mark(char) }).collect()
}

/// A reading of KEN_ALL as the UTF-8 file prints it: full-width, its marks unchanged.
pub fn printed_reading(text: &str) -> String {
    widen(text, |mark| match mark {
        ',' => '、',
        other => printed_mark(other),
    })
}

fn printed_mark(char: char) -> char {
    match char {
        '-' | '－' => '\u{2212}',
        other => other,
    }
}

/// Whether a text consists of katakana and full-width digits, Latin letters and marks.
pub fn is_reading(text: &str) -> bool {
    text.chars().all(|char| {
        matches!(char, 'ァ'..='ヶ' | '・' | 'ー' | '\u{ff01}'..='\u{ff5e}')
            || matches!(char, '、' | '。' | '「' | '」' | '〔' | '〕' | '\u{3000}')
    })
}

pub fn half_width(text: &str) -> Option<char> {
    text.chars().find(is_half_width)
}

/// Whether a character is katakana of JIS X 0201, or one of its marks.
fn is_half_width(char: &char) -> bool {
    ('\u{ff61}'..='\u{ff9f}').contains(char)
}

/// One character for those that the printings spell in two ways.
fn unify(char: char) -> char {
    match char {
        '\u{301c}' => '～',
        '\u{2212}' => '－',
        other => other,
    }
}

/// Everything full-width, voiced marks composed; `marks` maps each character that is not katakana.
fn widen(text: &str, marks: fn(char) -> char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            'ァ'..='ヶ' | 'ー' => out.push(char),
            _ if is_half_width(&char) => {
                let wide = fold_char(char, Level::Width);
                let mark = chars.peek().filter(|mark| is_half_width(mark));
                let composed = mark.and_then(|mark| compose(wide, fold_char(*mark, Level::Width)));
                if composed.is_some() {
                    chars.next();
                }
                out.push(composed.unwrap_or(wide));
            }
            ' ' => out.push('\u{3000}'),
            '!'..='~' => out.push(full_width_ascii(marks(char))),
            other => out.push(marks(unify(other))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn area_readings_become_full_width() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(area_reading(text), expected);
            assert!(is_reading(expected), "{expected}");
            assert_eq!(area_reading(expected), expected, "converting again changes nothing");
        }
        check("", "");
        check("ﾎｯｶｲﾄﾞｳ", "ホッカイドウ");
        check("ﾎﾂｶｲﾄﾞｳ", "ホツカイドウ");
        check("ﾊﾟﾋﾟﾌﾟﾍﾟﾎﾟﾊﾞﾋﾞﾌﾞﾍﾞﾎﾞ", "パピプペポバビブベボ");
        check("ｶﾞｷﾞｸﾞｹﾞｺﾞｻﾞｼﾞｽﾞｾﾞｿﾞﾀﾞﾁﾞﾂﾞﾃﾞﾄﾞｳﾞ", "ガギグゲゴザジズゼゾダヂヅデドヴ");
        check("ｷﾀ1ｼﾞｮｳﾆｼ(20-28ﾁｮｳﾒ)", "キタ１ジョウニシ（２０－２８チョウメ）");
        check("ﾀﾞｲ40ﾁﾜﾘ<57ﾊﾞﾝﾁ125､176ｦﾉｿﾞｸ>", "ダイ４０チワリ＜５７バンチ１２５、１７６ヲノゾク＞");
        check("4ﾉ2.4.6", "４ノ２・４・６");
        check("４ノ２．４．６", "４ノ２・４・６");
        check("ﾁｶｲ･ｶｲｿｳﾌﾒｲ", "チカイ・カイソウフメイ");
        check("１\u{2212}２", "１－２");
        check("1,2", "１、２");
    }

    #[test]
    fn both_printings_give_the_characters_of_the_utf8_file() {
        assert_eq!(printed_name("（１～３、５－１）"), "（１\u{301c}３、５\u{2212}１）");
        assert_eq!(
            printed_name("（１\u{301c}３、５\u{2212}１）"),
            "（１\u{301c}３、５\u{2212}１）"
        );
        for (text, expected) in [
            ("ｷﾀ(20-28ﾁｮｳﾒ)", "キタ（２０\u{2212}２８チョウメ）"),
            ("キタ（２０\u{2212}２８チョウメ）", "キタ（２０\u{2212}２８チョウメ）"),
            ("4ﾉ2.4.6", "４ノ２．４．６"),
            ("ﾁｶｲ･ｶｲｿｳﾌﾒｲ", "チカイ・カイソウフメイ"),
            ("1､2", "１、２"),
        ] {
            assert_eq!(printed_reading(text), expected);
        }
    }

    #[test]
    fn marks_without_a_base_are_not_a_reading() {
        assert_eq!(area_reading("ｱﾞﾞ"), "ア゛゛");
        assert!(!is_reading("ア゛゛"));
        for text in ["北海道", "あ", "ｱ", "a", "-", "\u{301c}"] {
            assert!(!is_reading(text), "{text}");
        }
    }

    #[test]
    fn marks_of_businesses_and_banks_stay() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(full_width(text), expected);
            assert_eq!(full_width(expected), expected);
        }
        check("ﾐﾂﾋﾞｼﾕ-ｴﾌｼﾞｴｲ", "ミツビシユ－エフジエイ");
        check("ｲﾄ-ﾖ-ｶﾄﾞ-.UFJ ｱ", "イト－ヨ－カド－．ＵＦＪ　ア");
        check("三菱UFJ", "三菱ＵＦＪ");
        check("(ｶ) ｴﾇ.ﾃｲ.ﾃｲ", "（カ）　エヌ．テイ．テイ");
        check("ｱｰｽ&ﾋﾞ-!", "アース＆ビ－！");
        check("<ﾎﾝｼﾔ>｢ｱ｣", "＜ホンシヤ＞「ア」");
    }

    #[test]
    fn names_have_one_spelling() {
        assert_eq!(name("１\u{301c}２\u{2212}３"), "１～２－３");
        assert_eq!(name("丸の内"), "丸の内");
        assert_eq!(half_width("六本木ｱ"), Some('ｱ'));
        assert_eq!(half_width("六本木"), None);
    }

    proptest! {
        #[test]
        fn half_width_katakana_never_survive(text in "\\PC{0,40}") {
            prop_assert_eq!(half_width(&area_reading(&text)), None);
            prop_assert_eq!(half_width(&full_width(&text)), None);
        }
    }
}
