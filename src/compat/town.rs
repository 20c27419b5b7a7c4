//! How zipcloud, yubinbango and jpostal shorten the town column of Japan Post's file, and write its reading in half-width
//! katakana.
//!
//! The column has one row's text as printed, such as 上美唄町（協和、南） or 大手町ＪＡビル（１階）. All three leave out what is in
//! the brackets, but the number of a floor; zipcloud makes one town of each plain name in them. A text that names no town
//! becomes empty. Pure: knows neither records nor requests.

use crate::text::half_width::{half_width_ascii, half_width_katakana};

/// A town and its reading in half-width katakana.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Town {
    pub name: String,
    pub kana: String,
    /// Whether the text names lots by 第N地割 outside brackets, for which jpostal gives no town.
    pub has_numbered_lots: bool,
}

/// The town of a row: without brackets, 地割 and texts that name no town.
pub fn town(raw: &str, kana_raw: &str) -> Town {
    if names_no_town(raw) {
        return Town::default();
    }
    if let Some((name, floor)) = split_floor(raw) {
        let kana = match kana_raw.rsplit_once('（') {
            Some((name, floor)) => [name, floor.trim_end_matches('）')].concat(),
            None => kana_raw.to_owned(),
        };
        let (name, kana) = ([name, floor].concat(), half_width(&kana));
        return Town { name, kana, has_numbered_lots: false };
    }
    let (name, kana) = (before_bracket(raw), before_bracket(kana_raw));
    let Some((name, has_numbered_lots)) = before_lots(name, "地割", "第") else {
        return Town { name: name.to_owned(), kana: half_width(kana), has_numbered_lots: false };
    };
    let kana = before_lots(kana, "チワリ", "ダイ").map_or(kana, |(kana, _)| kana);
    Town { name: name.to_owned(), kana: half_width(kana), has_numbered_lots }
}

/// The towns of a row as zipcloud lists them: one for each name in the brackets if these have plain names only.
pub fn listed_towns(raw: &str, kana_raw: &str) -> Vec<Town> {
    let names = inside_brackets(raw).map(|inside| inside.split('、').collect::<Vec<_>>());
    let Some(names) = names.filter(|names| names.iter().all(|name| is_plain(name))) else {
        return vec![town(raw, kana_raw)];
    };
    let Town { name: town_name, kana, .. } = town(raw, kana_raw);
    let readings = inside_brackets(kana_raw).unwrap_or_default().split('、').collect::<Vec<_>>();
    if town_name.is_empty() || readings.len() != names.len() {
        return vec![town(raw, kana_raw)];
    }
    let pairs = names.into_iter().zip(readings);
    pairs
        .map(|(name, reading)| Town {
            name: [&town_name, name].concat(),
            kana: [kana.as_str(), &half_width(reading)].concat(),
            has_numbered_lots: false,
        })
        .collect()
}

/// A town as printed: its name and reading before the brackets, and what else is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Printed<'t> {
    pub name: &'t str,
    /// Full-width katakana.
    pub kana: &'t str,
    /// The text in the brackets, or the whole text if it names no town.
    pub note: &'t str,
}

pub fn printed<'t>(raw: &'t str, kana_raw: &'t str) -> Printed<'t> {
    if names_no_town(raw) {
        return Printed { name: "", kana: "", note: raw };
    }
    let (name, kana) = (before_bracket(raw), before_bracket(kana_raw));
    Printed { name, kana, note: inside_brackets(raw).unwrap_or(&raw[name.len()..]) }
}

/// Whether the text stands for a whole municipality, or for its lots without a town.
fn names_no_town(raw: &str) -> bool {
    raw == "以下に掲載がない場合"
        || (before_bracket(raw).ends_with("場合") && raw.contains("の次に"))
        // 一円 is the name of a town, too.
        || (raw.ends_with("一円") && raw != "一円")
}

pub fn before_bracket(text: &str) -> &str {
    text.split('（').next().unwrap_or(text)
}

/// The text in the only pair of brackets, which ends the text.
fn inside_brackets(text: &str) -> Option<&str> {
    let (_, inside) = text.split_once('（')?;
    inside.strip_suffix('）').filter(|inside| !inside.contains(['（', '）']))
}

/// Splits a floor off: 大手町ＪＡビル and １階 of 大手町ＪＡビル（１階）.
pub fn split_floor(raw: &str) -> Option<(&str, &str)> {
    let (name, floor) = raw.strip_suffix('）')?.rsplit_once('（')?;
    let number = floor.strip_suffix('階')?;
    let is_number = !number.is_empty() && number.chars().all(is_wide_digit);
    is_number.then_some((name, floor))
}

/// The text before the first number of `unit`, and whether `ordinal` stands before that number.
pub fn before_lots<'t>(text: &'t str, unit: &str, ordinal: &str) -> Option<(&'t str, bool)> {
    // Most towns have no such number; for texts this short, `memmem` prepares nothing.
    let numbers = memchr::memmem::find_iter(text.as_bytes(), unit).map(|at| &text[..at]);
    let mut numbers = numbers.filter(|before| before.ends_with(is_wide_digit));
    let name = numbers.next()?.trim_end_matches(is_wide_digit);
    Some(match name.strip_suffix(ordinal) {
        Some(name) => (name, true),
        None => (name, false),
    })
}

fn is_wide_digit(character: char) -> bool {
    ('０'..='９').contains(&character)
}

/// What a name in brackets does not have if it names a part of the town.
const NOT_IN_NAMES: &[&str] = &[
    "その他",
    "番地",
    "丁目",
    "地割",
    "除く",
    "以上",
    "以下",
    "以内",
    "以外",
    "全域",
    "階",
    "上る",
    "下る",
    "東入",
    "西入",
    "上ル",
    "下ル",
    "含む",
    "「",
    "〔",
    "～",
    "〜",
    "－",
    "−",
    "・",
    "＜",
    "○",
];

/// Whether a text in brackets is a plain name: no number, range, remainder or street of Kyoto.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(is_wide_digit)
        && !NOT_IN_NAMES.iter().any(|part| name.contains(part))
}

/// A reading with half-width katakana, digits and marks; small kana stay small. What has no half-width form stays.
pub fn half_width(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match half_width_katakana(character) {
            Some(form) => out.push_str(form),
            None => out.push(narrow_mark(character)),
        }
    }
    out
}

fn narrow_mark(character: char) -> char {
    match character {
        'ー' => 'ｰ',
        '、' => '､',
        '。' => '｡',
        '「' => '｢',
        '」' => '｣',
        '・' => '･',
        '\u{2212}' => '-',
        '\u{3000}' => ' ',
        other => half_width_ascii(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, kana_raw: &str, expected: [&str; 2]) {
        let found = town(raw, kana_raw);
        assert_eq!([found.name.as_str(), &found.kana], expected, "{raw}");
    }

    #[test]
    fn a_town_is_the_text_before_the_brackets() {
        check("千代田", "チヨダ", ["千代田", "ﾁﾖﾀﾞ"]);
        check("以下に掲載がない場合", "イカニケイサイガナイバアイ", ["", ""]);
        check("境町の次に番地がくる場合", "サカイマチノツギニバンチガクルバアイ", ["", ""]);
        check("小菅村の次に６６４番地以降がくる場合", "コスゲムラ", ["", ""]);
        check(
            "琴平町の次に４２７番地以降がくる場合（川東）",
            "コトヒラチョウノツギニ４２７バンチイコウガクルバアイ（カワヒガシ）",
            ["", ""],
        );
        check("利島村一円", "トシマムライチエン", ["", ""]);
        check("一円", "イチエン", ["一円", "ｲﾁｴﾝ"]);
        check(
            "大通西（１～１９丁目）",
            "オオドオリニシ（１－１９チョウメ）",
            ["大通西", "ｵｵﾄﾞｵﾘﾆｼ"],
        );
        check(
            "穴明２２地割、穴明２３地割",
            "アナアケ２２チワリ、アナアケ２３チワリ",
            ["穴明", "ｱﾅｱｹ"],
        );
        check("大渡５７地割", "オオワタリ５７チワリ", ["大渡", "ｵｵﾜﾀﾘ"]);
        let numbered = town(
            "種市第８地割～第１４地割（玉川）",
            "タネイチダイ８チワリ－ダイ１４チワリ（タマガワ）",
        );
        assert_eq!([numbered.name.as_str(), &numbered.kana], ["種市", "ﾀﾈｲﾁ"]);
        assert!(numbered.has_numbered_lots);
        check("葛巻（第４０地割「５７番地」）", "クズマキ（ダイ４０チワリ）", ["葛巻", "ｸｽﾞﾏｷ"]);
    }

    #[test]
    fn the_number_of_a_floor_stays() {
        check(
            "大手町ＪＡビル（１階）",
            "オオテマチジェイエイビル（１カイ）",
            ["大手町ＪＡビル１階", "ｵｵﾃﾏﾁｼﾞｪｲｴｲﾋﾞﾙ1ｶｲ"],
        );
        check(
            "大手町ＪＡビル（地階・階層不明）",
            "オオテマチジェイエイビル（チカイ・カイソウフメイ）",
            ["大手町ＪＡビル", "ｵｵﾃﾏﾁｼﾞｪｲｴｲﾋﾞﾙ"],
        );
        check(
            "名駅ミッドランドスクエア（高層棟）（１階）",
            "メイエキミッドランドスクエア（コウソウトウ）（１カイ）",
            ["名駅ミッドランドスクエア（高層棟）１階", "ﾒｲｴｷﾐｯﾄﾞﾗﾝﾄﾞｽｸｴｱ(ｺｳｿｳﾄｳ)1ｶｲ"],
        );
    }

    #[test]
    fn zipcloud_lists_each_plain_name_in_brackets() {
        #[track_caller]
        fn check(raw: &str, kana_raw: &str, expected: &[[&str; 2]]) {
            let found = listed_towns(raw, kana_raw);
            let found: Vec<_> = found.iter().map(|it| [it.name.as_str(), &it.kana]).collect();
            assert_eq!(found, expected, "{raw}");
        }
        check(
            "上美唄町（協和、南）",
            "カミビバイチョウ（キョウワ、ミナミ）",
            &[["上美唄町協和", "ｶﾐﾋﾞﾊﾞｲﾁｮｳｷｮｳﾜ"], ["上美唄町南", "ｶﾐﾋﾞﾊﾞｲﾁｮｳﾐﾅﾐ"]],
        );
        check("千代田", "チヨダ", &[["千代田", "ﾁﾖﾀﾞ"]]);
        check("音江町（その他）", "オトエチョウ（ソノタ）", &[["音江町", "ｵﾄｴﾁｮｳ"]]);
        check("甲（乙、１番地）", "コウ（オツ、１バンチ）", &[["甲", "ｺｳ"]]);
        check("亀屋町（御幸町通三条上る）", "カメヤチョウ（ゴコマチ）", &[["亀屋町", "ｶﾒﾔﾁｮｳ"]]);
        check("富岡（○○屋敷）", "トミオカ（ヤシキチク）", &[["富岡", "ﾄﾐｵｶ"]]);
        // No reading belongs to one of the names.
        check("甲（乙、丙）", "コウ（オツ）", &[["甲", "ｺｳ"]]);
        check("以下に掲載がない場合", "イカニケイサイガナイバアイ", &[["", ""]]);
    }

    #[test]
    fn what_is_printed_in_brackets_is_a_note() {
        for (raw, kana_raw, expected) in [
            ("千代田", "チヨダ", ["千代田", "チヨダ", ""]),
            (
                "大通西（１～１９丁目）",
                "オオドオリニシ（１－１９チョウメ）",
                ["大通西", "オオドオリニシ", "１～１９丁目"],
            ),
            ("甲（乙）（１階）", "コウ（オツ）（１カイ）", ["甲", "コウ", "（乙）（１階）"]),
            (
                "以下に掲載がない場合",
                "イカニケイサイガナイバアイ",
                ["", "", "以下に掲載がない場合"],
            ),
            ("利島村一円", "トシマムライチエン", ["", "", "利島村一円"]),
            ("一円", "イチエン", ["一円", "イチエン", ""]),
            ("（", "（", ["", "", "（"]),
        ] {
            let found = printed(raw, kana_raw);
            assert_eq!([found.name, found.kana, found.note], expected);
        }
    }

    #[test]
    fn readings_are_half_width() {
        for (wide, expected) in [
            ("アァガパヴン", "ｱｧｶﾞﾊﾟｳﾞﾝ"),
            ("ドウリョクチョウ", "ﾄﾞｳﾘｮｸﾁｮｳ"),
            ("ー、。「」・", "ｰ､｡｢｣･"),
            ("（１－２）　ヵ", "(1-2) ヵ"),
            ("\u{2212}", "-"),
        ] {
            assert_eq!(half_width(wide), expected);
        }
    }

    #[test]
    fn any_text_has_towns() {
        for text in
            ["", "（", "）", "（）", "階）", "（階）", "地割", "第１地割", "、（、）", "１地割（"]
        {
            assert!(!listed_towns(text, text).is_empty());
            let _ = town(text, "");
        }
    }
}
