//! Kana columns: converts half-width katakana to full-width, and both printings to one spelling.
//!
//! The Shift_JIS files print readings in half-width katakana with ASCII brackets and digits, the UTF-8 files in
//! full-width; after this module both are equal. Large kana stay large.

/// U+FF61 to U+FF9F, in order: JIS X 0201 katakana and their full-width equivalents.
const HALF_WIDTH: [char; 63] = [
    '。', '「', '」', '、', '・', 'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー',
    'ア', 'イ', 'ウ', 'エ', 'オ', 'カ', 'キ', 'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ', 'タ',
    'チ', 'ツ', 'テ', 'ト', 'ナ', 'ニ', 'ヌ', 'ネ', 'ノ', 'ハ', 'ヒ', 'フ', 'ヘ', 'ホ', 'マ', 'ミ',
    'ム', 'メ', 'モ', 'ヤ', 'ユ', 'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン', '゛', '゜',
];

/// First of [`HALF_WIDTH`], its voiced mark and its half-voiced mark.
const HALF_FIRST: char = '\u{ff61}';
const HALF_VOICED: char = '\u{ff9e}';
const HALF_SEMIVOICED: char = '\u{ff9f}';

const FULL_WIDTH_OFFSET: u32 = 0xfee0;

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
    text.chars().find(|char| ('\u{ff61}'..='\u{ff9f}').contains(char))
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
            HALF_FIRST..=HALF_SEMIVOICED => {
                let wide = HALF_WIDTH[(char as u32 - HALF_FIRST as u32) as usize];
                let composed = match chars.peek() {
                    Some(&HALF_VOICED) => voiced(wide),
                    Some(&HALF_SEMIVOICED) => semivoiced(wide),
                    _ => None,
                };
                if composed.is_some() {
                    chars.next();
                }
                out.push(composed.unwrap_or(wide));
            }
            ' ' => out.push('\u{3000}'),
            '!'..='~' => {
                let mark = marks(char);
                let wide = match mark {
                    '!'..='~' => char::from_u32(mark as u32 + FULL_WIDTH_OFFSET),
                    other => Some(other),
                };
                out.push(wide.unwrap_or(mark));
            }
            other => out.push(marks(unify(other))),
        }
    }
    out
}

fn voiced(char: char) -> Option<char> {
    match char {
        'ウ' => Some('ヴ'),
        // In the Unicode block each voiced kana follows its plain one; ツ to ト too.
        'カ' | 'キ' | 'ク' | 'ケ' | 'コ' | 'サ' | 'シ' | 'ス' | 'セ' | 'ソ' | 'タ' | 'チ'
        | 'ツ' | 'テ' | 'ト' | 'ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ' => {
            char::from_u32(char as u32 + 1)
        }
        _ => None,
    }
}

fn semivoiced(char: char) -> Option<char> {
    match char {
        'ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ' => char::from_u32(char as u32 + 2),
        _ => None,
    }
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
