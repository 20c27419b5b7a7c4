//! The outline of a town column, the text outside brackets and the text inside each; and its head, the text outside
//! the parentheses: the town's own name and the 地割 that may follow it.
//!
//! 岩手県 prints 地割 after the town (種市第１５地割～第２１地割), repeating the name in lists and ranges (左草１地割～左草６地割). Kanji and kana
//! are read in parallel: the reading keeps the same parts as the name.
//!
//! The kana printing writes ＜…＞ for 「…」. An unclosed bracket extends to the end of the text and a stray closing one is
//! plain text, so every input has an outline.

use super::lot::{expand_range, is_digit, leading_digits};

/// A division of farm land, numbered through a town or a former village.
pub(super) const CHIWARI: &str = "地割";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head<'a> {
    pub(super) town: &'a str,
    pub(super) town_kana: &'a str,
    /// `第１５地割`, `４４地割`, with ranges expanded.
    pub(super) chiwari: Vec<String>,
}

impl<'a> Head<'a> {
    /// `city` is the municipality; `name` and `kana` are the columns without parentheses.
    pub(super) fn parse(city: &str, name: &'a str, kana: &'a str) -> Head<'a> {
        if let Some((town, town_kana)) = read_sentence(city, name, kana) {
            return Head { town, town_kana, chiwari: Vec::new() };
        }
        if let Some(start) = chiwari_start(name) {
            let (town, numbers) = name.split_at(start);
            // 左草１地割～左草６地割 repeats the name; without it this is a range of 地割.
            let numbers = numbers.replace(town, "");
            let is_ordinal = numbers.starts_with('第');
            return Head {
                town,
                town_kana: before_chiwari(kana, is_ordinal).unwrap_or(kana),
                chiwari: expand_range(&numbers),
            };
        }
        let town = without_branch_number(name);
        let town_kana = if town.len() == name.len() { kana } else { without_branch_number(kana) };
        Head { town, town_kana, chiwari: Vec::new() }
    }
}

/// The town and its reading, usually none, in a column that is a sentence about the municipality; `None` for any other
/// column.
///
/// The name in it is the municipality's in all rows but one: 西海市 大島町の次に番地がくる場合 refers to a former town that
/// every address there still has, so that name stays the town. After any other name than the municipality's, or
/// alone (多賀町 一円), 一円 is part of a name.
pub(super) fn read_sentence<'a>(
    city: &str,
    name: &'a str,
    kana: &'a str,
) -> Option<(&'a str, &'a str)> {
    const NO_TOWN: (&str, &str) = ("", "");
    if name == "以下に掲載がない場合" {
        return Some(NO_TOWN);
    }
    if let Some((place, condition)) = name.split_once("の次に")
        && condition.ends_with("がくる場合")
        && condition.contains("番地")
    {
        if city.ends_with(place) {
            return Some(NO_TOWN);
        }
        let town_kana = kana.split_once("ノツギニ").map_or(kana, |(before, _)| before);
        return Some((place, town_kana));
    }
    let place = name.strip_suffix("一円").filter(|place| !place.is_empty())?;
    city.ends_with(place).then_some(NO_TOWN)
}

/// Start of the first 地割 with its number, if a name precedes it.
fn chiwari_start(name: &str) -> Option<usize> {
    let before = &name[..name.find(CHIWARI)?];
    let town = before.trim_end_matches(is_digit);
    let has_number = town.len() < before.len();
    let town = town.strip_suffix('第').unwrap_or(town);
    (has_number && !town.is_empty()).then_some(town.len())
}

/// The reading up to the first チワリ and its number (and ダイ, if the name has 第).
fn before_chiwari(kana: &str, is_ordinal: bool) -> Option<&str> {
    let before = &kana[..kana.find("チワリ")?];
    let town = before.trim_end_matches(is_digit);
    let town = if is_ordinal { town.strip_suffix("ダイ").unwrap_or(town) } else { town };
    (!town.is_empty()).then_some(town)
}

/// Drops a lot with its branch number (大泉町西井出８２４０－１); a single number stays (浦臼第１).
fn without_branch_number(text: &str) -> &str {
    let Some((before, branch)) = text.rsplit_once('－') else { return text };
    let town = before.trim_end_matches(is_digit);
    let is_lot = !branch.is_empty()
        && leading_digits(branch) == branch.len()
        && town.len() < before.len()
        && !town.is_empty();
    if is_lot { town } else { text }
}

fn closing(open: char) -> Option<char> {
    match open {
        '（' => Some('）'),
        '「' => Some('」'),
        '〔' => Some('〕'),
        '＜' => Some('＞'),
        _ => None,
    }
}

/// Splits at each of `separators` outside all brackets. Parts may be empty.
pub(super) fn split_outside<'a>(text: &'a str, separators: &[&str]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut position = 0;
    while position < text.len() {
        if let Some(bracket) = bracket_at(text, position) {
            position = bracket.end;
        } else if let Some(separator) =
            separators.iter().find(|s| text[position..].starts_with(**s))
        {
            parts.push(&text[start..position]);
            position += separator.len();
            start = position;
        } else {
            position += char_len(text, position);
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The end of the first bracketed part of `text`; adjacent ones are included.
pub(super) fn bracket_end(text: &str) -> Option<usize> {
    let mut end = next_bracket(text, 0)?.1.end;
    while let Some(adjacent) = bracket_at(text, end) {
        end = adjacent.end;
    }
    Some(end)
}

/// A text without its bracketed parts, and the contents of those parts, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Outline<'a> {
    pub(super) head: &'a str,
    /// The text outside brackets, concatenated; equal to `head` if nothing follows them.
    pub(super) outside: String,
    pub(super) inside: Vec<&'a str>,
}

impl<'a> Outline<'a> {
    pub(super) fn parse(text: &'a str) -> Outline<'a> {
        let mut outline = Outline { head: text, ..Outline::default() };
        let mut start = 0;
        while let Some((position, bracket)) = next_bracket(text, start) {
            if outline.inside.is_empty() {
                outline.head = &text[..position];
            }
            outline.outside.push_str(&text[start..position]);
            outline.inside.push(bracket.content);
            start = bracket.end;
        }
        outline.outside.push_str(&text[start..]);
        outline
    }
}

/// A bracketed part: its content, and where the text continues after it.
struct Bracket<'a> {
    content: &'a str,
    end: usize,
}

/// The first bracketed part that opens at or after byte `start`, with the position at which it opens.
fn next_bracket(text: &str, start: usize) -> Option<(usize, Bracket<'_>)> {
    let mut positions = text[start..].char_indices().map(|(offset, _)| start + offset);
    positions.find_map(|position| Some((position, bracket_at(text, position)?)))
}

/// The bracketed part that opens at byte `position`, which is a character boundary.
fn bracket_at(text: &str, position: usize) -> Option<Bracket<'_>> {
    let open = text[position..].chars().next()?;
    let mut expected = vec![closing(open)?];
    let content_start = position + open.len_utf8();
    for (offset, found) in text[content_start..].char_indices() {
        if expected.last() == Some(&found) {
            expected.pop();
            if expected.is_empty() {
                let content_end = content_start + offset;
                let content = &text[content_start..content_end];
                return Some(Bracket { content, end: content_end + found.len_utf8() });
            }
        } else if let Some(close) = closing(found) {
            expected.push(close);
        }
    }
    Some(Bracket { content: &text[content_start..], end: text.len() })
}

fn char_len(text: &str, position: usize) -> usize {
    text[position..].chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chiwari_are_split_from_the_town() {
        #[track_caller]
        fn check(name: &str, kana: &str, town: &str, town_kana: &str, chiwari: &[&str]) {
            let found = Head::parse("", name, kana);
            assert_eq!((found.town, found.town_kana), (town, town_kana), "{name}");
            assert_eq!(found.chiwari, chiwari, "{name}");
        }
        check("穴明２２地割", "アナアケ２２チワリ", "穴明", "アナアケ", &["２２地割"]);
        check(
            "越中畑６４地割～越中畑６６地割",
            "エッチュウハタ６４チワリ－エッチュウハタ６６チワリ",
            "越中畑",
            "エッチュウハタ",
            &["６４地割", "６５地割", "６６地割"],
        );
        check(
            "種市第２２地割～第２３地割",
            "タネイチダイ２２チワリ－ダイ２３チワリ",
            "種市",
            "タネイチ",
            &["第２２地割", "第２３地割"],
        );
        check(
            "大泉町西井出８２４０－１",
            "オオイズミチョウニシイデ８２４０－１",
            "大泉町西井出",
            "オオイズミチョウニシイデ",
            &[],
        );
        // Numbers that are part of the name.
        check("浦臼第１", "ウラウスダイ１", "浦臼第１", "ウラウスダイ１", &[]);
        check("南１番通", "ミナミ１バンドオリ", "南１番通", "ミナミ１バンドオリ", &[]);
        check("十二丁目", "ジュウニチョウメ", "十二丁目", "ジュウニチョウメ", &[]);
        // No town before the 地割, or name and reading do not correspond: kept as written.
        check("第１地割", "ダイ１チワリ", "第１地割", "ダイ１チワリ", &[]);
        check("地割", "チワリ", "地割", "チワリ", &[]);
        check("甲１地割", "コウ", "甲", "コウ", &["１地割"]);
        check("１－１", "１－１", "１－１", "１－１", &[]);
        check("", "", "", "", &[]);
    }

    #[test]
    fn sentences_are_distinguished_from_names() {
        #[track_caller]
        fn check(city: &str, name: &str, kana: &str, expected: Option<(&str, &str)>) {
            let found = read_sentence(city, name, kana);
            assert_eq!(found, expected, "{city} {name}");
        }
        let whole = Some(("", ""));
        check("札幌市中央区", "以下に掲載がない場合", "イカニケイサイガナイバアイ", whole);
        check(
            "猿島郡境町",
            "境町の次に番地がくる場合",
            "サカイマチノツギニバンチガクルバアイ",
            whole,
        );
        check(
            "北都留郡小菅村",
            "小菅村の次に１～６６３番地がくる場合",
            "コスゲムラノツギニ",
            whole,
        );
        check(
            "北都留郡小菅村",
            "小菅村の次に６６４番地以降がくる場合",
            "コスゲムラノツギニ",
            whole,
        );
        check(
            "仲多度郡琴平町",
            "琴平町の次に４２７番地以降がくる場合",
            "コトヒラチョウノツギニ",
            whole,
        );
        check(
            "西海市",
            "大島町の次に番地がくる場合",
            "オオシマチョウノツギニバンチガクルバアイ",
            Some(("大島町", "オオシマチョウ")),
        );
        check("利島村", "利島村一円", "トシマムライチエン", whole);
        check("岩船郡粟島浦村", "粟島浦村一円", "アワシマウラムライチエン", whole);
        check("犬上郡多賀町", "一円", "イチエン", None);
        check("犬上郡多賀町", "甲一円", "コウイチエン", None);
        check("千代田区", "大手町", "オオテマチ", None);
        check("千代田区", "", "", None);
    }
}

#[cfg(test)]
mod brackets_tests {
    use super::*;

    #[test]
    fn a_name_is_split_from_its_brackets() {
        #[track_caller]
        fn check(text: &str, head: &str, outside: &str, inside: &[&str]) {
            let found = Outline::parse(text);
            assert_eq!((found.head, found.outside.as_str()), (head, outside), "{text}");
            assert_eq!(found.inside, inside, "{text}");
        }
        check("八重洲", "八重洲", "八重洲", &[]);
        check("八重洲（１丁目）", "八重洲", "八重洲", &["１丁目"]);
        check("名駅Ｍ（高層棟）（１階）", "名駅Ｍ", "名駅Ｍ", &["高層棟", "１階"]);
        check("２丁目「６５１番地」以外", "２丁目", "２丁目以外", &["６５１番地"]);
        check(
            "箱石（第２地割「７０」～第４地割）",
            "箱石",
            "箱石",
            &["第２地割「７０」～第４地割"],
        );
        // Unpaired brackets.
        check("", "", "", &[]);
        check("町（", "町", "町", &[""]);
        check("町（甲「乙）", "町", "町", &["甲「乙）"]);
        check("町）甲", "町）甲", "町）甲", &[]);
    }

    #[test]
    fn the_end_of_nested_brackets_is_found() {
        assert_eq!(bracket_end("山「１」長"), Some("山「１」".len()));
        assert_eq!(bracket_end("１「２」「古町」、３"), Some("１「２」「古町」".len()));
        assert_eq!(bracket_end("山「１"), Some("山「１".len()));
        assert_eq!(bracket_end("山"), None);
        assert_eq!(bracket_end(""), None);
    }

    #[test]
    fn splits_outside_brackets_only() {
        #[track_caller]
        fn check(text: &str, expected: &[&str]) {
            assert_eq!(split_outside(text, &["、", "及び"]), expected, "{text}");
        }
        check("井道、奥井道", &["井道", "奥井道"]);
        check("甲、乙（丙、丁）、戊", &["甲", "乙（丙、丁）", "戊"]);
        check("１及び下平", &["１", "下平"]);
        check("、", &["", ""]);
        check("", &[""]);
    }
}
