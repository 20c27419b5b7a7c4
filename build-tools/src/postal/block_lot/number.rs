//! The lot number in a block-lot text: chome, block, lot and branch numbers, in full-width digits or
//! kanji, joined in a dozen ways.
//!
//! Numbers that belong to a name are not part of it: 地割, 線, 条, 区, 字 and 割 behind a number (`第１地割１２５`
//! is lot 125), 号 before another number (`第５８号１６番地１`, the 字 of Fukui), 番町, ordinals with 第.

/// A lot found in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found<'a> {
    /// Half-width digits, from the largest unit to the smallest; at least one.
    pub(super) numbers: Vec<String>,
    /// What follows the lot.
    pub(super) behind: &'a str,
}

/// A number at the start of a text.
pub(super) struct Numeral<'a> {
    /// Half-width digits.
    pub(super) digits: String,
    pub(super) in_kanji: bool,
    pub(super) behind: &'a str,
}

/// Units a number of the lot may have; the longer before its beginning.
const UNITS: [&str; 9] = ["丁目", "丁", "街区", "画地", "番地", "番号", "番", "号", "地"];

/// Behind a number, these make it part of a name. The longest of their kind that the files have:
/// `２番耕地`, `二番丁`, `７番町`, `１号館`, `第２７号地`, `３１１林班`.
const NAMES: [&str; 28] = [
    "地割",
    "線",
    "条",
    "区",
    "字",
    "割",
    "町",
    "反",
    "坪",
    "部",
    "歩",
    "組",
    "林班",
    "耕地",
    "番町",
    "番丁",
    "番耕地",
    "番館",
    "番街",
    "番通",
    "番外",
    "番割",
    "号館",
    "号棟",
    "号室",
    "号地",
    "号線",
    "号字",
];

/// Words of building names: a number behind one is not the lot.
const BUILDINGS: [&str; 6] = ["ビル", "タワー", "センター", "ホテル", "庁舎", "マンション"];

/// Finds the first lot of `text`. `names_in_kanji` says that 丁目 in kanji is part of a town's name here,
/// as in Kyoto (三本木五丁目４９３番地).
pub(super) fn find(text: &str, names_in_kanji: bool) -> Option<Found<'_>> {
    let mut before = None;
    for (at, c) in text.char_indices() {
        // 本郷十一４番地: digits begin a number behind a numeral in kanji, and not the reverse.
        let goes_on = |b| is_digit(b) || b == '第' || b == '拾' || (is_numeral(b) && !is_digit(c));
        let starts = is_numeral(c) && !before.is_some_and(goes_on);
        before = Some(c);
        if !starts {
            continue;
        }
        if BUILDINGS.iter().any(|word| text[..at].contains(word)) {
            return None;
        }
        let Some(first) = numeral(&text[at..]) else { continue };
        let opens = ["丁目", "番地"].iter().any(|unit| first.behind.starts_with(unit))
            || (at == 0 && first.behind.strip_prefix('丁').is_some_and(is_lot_start));
        if first.in_kanji && (names_in_kanji || !opens) {
            continue;
        }
        if let Some(found) = sequence(&text[at..]) {
            return Some(found);
        }
    }
    None
}

/// Reads numbers with their units and joints from the start of `text`.
fn sequence(text: &str) -> Option<Found<'_>> {
    let mut numbers: Vec<String> = Vec::new();
    let mut behind = text;
    let mut next = text;
    // Whether a unit, rather than a bare digit, ended the number before.
    let mut after_unit = false;
    while let Some(read) = numeral(next) {
        if is_floor(read.behind) || is_name(read.behind) {
            break;
        }
        let unit = UNITS.iter().copied().find(|unit| read.behind.starts_with(unit));
        let unit = unit.filter(|unit| is_unit_here(unit, read.behind, after_unit));
        let stray = read.in_kanji
            && unit.is_none()
            && !(after_unit && read.behind.is_empty() && !numbers.is_empty());
        if stray {
            break;
        }
        behind = &read.behind[unit.map_or(0, str::len)..];
        let joint = without_joint(behind);
        let area = unit == Some("号") && numbers.is_empty() && is_lot_start(joint);
        if !area {
            numbers.push(read.digits);
        }
        let ends = unit == Some("号") && !area;
        let bare_end = unit.is_none() && joint.len() == behind.len();
        if ends && joint.len() == behind.len() || bare_end {
            break;
        }
        after_unit = unit.is_some();
        next = if unit == Some("丁目") { without_side(joint) } else { joint };
    }
    (!numbers.is_empty()).then_some(Found { numbers, behind })
}

/// Whether `unit` is one where `text` starts with it. 丁 counts chome only before a number, and 地 is
/// one only in `１番１地`.
fn is_unit_here(unit: &str, text: &str, after_unit: bool) -> bool {
    let behind = &text[unit.len()..];
    match unit {
        "丁" => numeral(behind).is_some(),
        "地" => after_unit && behind.is_empty(),
        _ => true,
    }
}

/// Whether a number with a lot's unit or without unit follows: `１６番地１`, not `７階`.
fn is_lot_start(text: &str) -> bool {
    numeral(text).is_some_and(|read| {
        let opens = ["番地", "番"].iter().any(|unit| read.behind.starts_with(unit));
        !is_floor(read.behind) && !is_name(read.behind) && (opens || !read.in_kanji)
    })
}

/// Drops what may join a number to the next: `－`, a long-vowel mark used for it, の or ノ.
fn without_joint(text: &str) -> &str {
    ["－", "ー", "の", "ノ"]
        .iter()
        .filter_map(|joint| text.strip_prefix(joint))
        .find(|after| numeral(after).is_some())
        .unwrap_or(text)
}

/// Drops a side of the street or a block letter between chome and number: `２１丁目南１番`, `４丁目ヌ８５`.
fn without_side(text: &str) -> &str {
    let mut chars = text.chars();
    let is_side = chars
        .next()
        .is_some_and(|c| "右左東西南北上下甲乙丙丁".contains(c) || ('ア'..='ン').contains(&c));
    let after = chars.as_str();
    if is_side && after.starts_with(is_digit) { after } else { text }
}

/// Whether what follows a number makes it part of a name; a block letter before another number does
/// too (`２甲３６－１`).
fn is_name(behind: &str) -> bool {
    let lettered = behind.strip_prefix(['甲', '乙', '丙']).is_some_and(|b| b.starts_with(is_digit));
    lettered || NAMES.iter().any(|name| behind.starts_with(name))
}

/// Whether what follows a number makes it a floor: `階`, `Ｆ` that begins no word, `～３階`.
pub(super) fn is_floor(behind: &str) -> bool {
    let is_letter = |c: char| ('Ａ'..='Ｚ').contains(&c) || ('ａ'..='ｚ').contains(&c);
    if behind.starts_with('階') {
        return true;
    }
    if let Some(after) = behind.strip_prefix('Ｆ') {
        return !after.starts_with(is_letter) && !after.starts_with("タワー");
    }
    let range = behind.strip_prefix('～').and_then(numeral);
    range.is_some_and(|read| read.behind.starts_with(['階', 'Ｆ']))
}

/// Whether `c` is a full-width digit.
pub(super) fn is_digit(c: char) -> bool {
    ('０'..='９').contains(&c)
}

fn is_numeral(c: char) -> bool {
    is_digit(c) || kanji_digit(c).is_some()
}

fn kanji_digit(c: char) -> Option<u32> {
    let digits = ['一', '二', '三', '四', '五', '六', '七', '八', '九', '十'];
    digits.iter().position(|digit| *digit == c).and_then(|at| u32::try_from(at + 1).ok())
}

/// The number that `text` starts with: full-width digits, or kanji up to 九十九.
pub(super) fn numeral(text: &str) -> Option<Numeral<'_>> {
    let digits = text.find(|c| !is_digit(c)).unwrap_or(text.len());
    if digits > 0 {
        let ascii = text[..digits].chars().map(half_width).collect();
        return Some(Numeral { digits: ascii, in_kanji: false, behind: &text[digits..] });
    }
    let length = text.find(|c| kanji_digit(c).is_none()).unwrap_or(text.len());
    let kanji: Vec<u32> = text[..length].chars().filter_map(kanji_digit).collect();
    let value = match kanji.as_slice() {
        [one] => *one,
        [10, ones] if *ones < 10 => 10 + ones,
        [tens, 10] if *tens < 10 => tens * 10,
        [tens, 10, ones] if *tens < 10 && *ones < 10 => tens * 10 + ones,
        _ => return None,
    };
    Some(Numeral { digits: value.to_string(), in_kanji: true, behind: &text[length..] })
}

/// Full-width ASCII as ASCII, anything else as it is.
pub(super) fn half_width(c: char) -> char {
    match c {
        '！'..='～' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}
