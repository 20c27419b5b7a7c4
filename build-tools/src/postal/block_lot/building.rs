//! What stands behind the lot: a building, its floor, a room, a tenant or a remark.
//!
//! The building stays as printed but for surrounding brackets; floors go to half-width with `-` for a
//! range and `,` for a list (`15F-17F`, `3,4F`). A room (…号室) and what follows a floor belong to neither.

use super::number::{half_width, is_digit, is_floor, numeral};

/// A building and its floor; empty where there is none.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) building: String,
    pub(super) floor: String,
}

/// The highest floor that is believed: the tallest building of the country has 70 by this source.
/// `４－２８１１Ｆ` runs lot and floor together, and nothing tells where to cut.
const HIGHEST_FLOOR: u32 = 99;

/// Remarks behind a lot that are no building.
const REMARKS: [&str; 9] = ["外", "他", "内", "先", "地先", "番外地", "官有地", "国有地", "無番地"];

/// Reads the text behind a lot.
pub(super) fn read(text: &str) -> Place {
    let text = text.trim_start_matches(['－', 'ー']);
    if is_lot_remainder(text) || REMARKS.contains(&text) {
        return Place::default();
    }
    let Brackets { outside, inside } = Brackets::of(text);
    let outer = Floors::split(outside);
    let inner = Floors::split(inside);
    let floor = if outer.floor.is_empty() { inner.floor } else { outer.floor };
    let building = if outer.building.is_empty() { named(inner.building) } else { outer.building };
    let building = if is_block(building) { "" } else { without_room(building) };
    Place { building: building.to_owned(), floor }
}

/// A text outside and inside its one pair of parentheses; `（株）` and the like count as letters.
struct Brackets<'a> {
    outside: &'a str,
    inside: &'a str,
}

impl<'a> Brackets<'a> {
    fn of(text: &'a str) -> Brackets<'a> {
        let mut opening = None;
        for (at, _) in text.match_indices('（') {
            let is_mark = text[at + "（".len()..].chars().nth(1) == Some('）');
            if !is_mark {
                opening = Some(at);
                break;
            }
        }
        let Some(at) = opening else { return Brackets { outside: text, inside: "" } };
        let content = &text[at + "（".len()..];
        let (inside, after) = content.rsplit_once('）').unwrap_or((content, ""));
        // 偕楽ビル（東上野２）２階: the floor behind the bracket, the name before it.
        let has_floor = inside_out(after);
        let outside = if has_floor { after } else { &text[..at] };
        if has_floor && at > 0 {
            return Brackets { outside: &text[..at], inside: after };
        }
        Brackets { outside, inside }
    }
}

/// Whether the text behind a bracket holds the floor.
fn inside_out(after: &str) -> bool {
    numeral(after).is_some_and(|read| is_floor(read.behind))
}

/// The name in parentheses, if it names a building: not a street, a place of the kind `…前`, an
/// address of its own or a hot spring.
fn named(inside: &str) -> &str {
    let is_remark = ["前", "温泉", "高原", "局留"].iter().any(|end| inside.ends_with(end))
        || ["丁目", "番地"].iter().any(|part| inside.contains(part));
    if is_remark { "" } else { inside }
}

/// Drops a room at the end: 大発ビル３０１号室. A plain 号 stays, being also the name of a wing.
fn without_room(building: &str) -> &str {
    let Some(before) = building.strip_suffix("号室") else { return building };
    before.trim_end_matches(is_digit)
}

/// Whether nothing but the rest of a lot stands here: `丙の１`, `ロ`, `，３`, `・１７番地`, `及び９５－７`, or the
/// number of a room without its building: `Ａ１０２`.
fn is_lot_remainder(text: &str) -> bool {
    let rest = text.strip_prefix("及び").unwrap_or(text);
    let rest = rest.trim_start_matches(['、', '，', '・', '～']);
    let mut chars = rest.chars();
    let letter = chars
        .next()
        .is_some_and(|c| "甲乙丙丁イロハニホヘト".contains(c) || ('Ａ'..='Ｚ').contains(&c));
    let digits = if letter { chars.as_str().trim_start_matches(['の', '－']) } else { rest };
    let alone = letter && digits.is_empty() && rest.starts_with(|c| ('Ａ'..='Ｚ').contains(&c));
    !alone && digits.chars().all(|c| is_digit(c) || "－、，番地号".contains(c))
}

/// Whether the text is another lot, in a land readjustment: 柏の葉キャンパス１４８街区２.
fn is_block(building: &str) -> bool {
    building.find("街区").is_some_and(|at| building[..at].ends_with(is_digit))
}

/// A text cut at its floors.
struct Floors<'a> {
    building: &'a str,
    floor: String,
}

impl<'a> Floors<'a> {
    fn split(text: &'a str) -> Floors<'a> {
        let Some((start, end)) = last_floors(text) else {
            return Floors { building: text, floor: String::new() };
        };
        let before = text[..start].trim_end_matches(['－', '・', '　', '（']);
        let after = &text[end..];
        let Some(floor) = written(&text[start..end]) else {
            return Floors { building: before, floor: String::new() };
        };
        // ５階マロニエゲート銀座３: the floor came first; otherwise a tenant or a room follows it.
        let is_word = !after.starts_with(is_digit);
        let building = if before.is_empty() && is_word { after } else { before };
        Floors { building, floor }
    }
}

/// The bytes of the last floor expression: `１５Ｆ～１７Ｆ`, `３・４Ｆ`, `地下１階`, `二階` at the end.
fn last_floors(text: &str) -> Option<(usize, usize)> {
    let (unit_at, unit) = text.char_indices().rev().find(|(at, c)| {
        let before = text[..*at].chars().next_back();
        let counted = before.is_some_and(is_digit)
            || (*c == '階'
                && *at + c.len_utf8() == text.len()
                && before.is_some_and(is_kanji_digit));
        matches!(c, '階' | 'Ｆ') && counted && is_floor(&text[*at..])
    })?;
    let end = unit_at + unit.len_utf8();
    let mut start = unit_at;
    loop {
        let before = &text[..start];
        let number = before.trim_end_matches(is_digit);
        let number = if number.len() == before.len() {
            before.trim_end_matches(is_kanji_digit)
        } else {
            number
        };
        if number.len() == before.len() {
            break;
        }
        // A mezzanine is told from a building's last letter only where there is no building.
        let number = if number == "Ｍ" { "" } else { number };
        start = number.strip_suffix("地下").unwrap_or(number).len();
        // Another floor before this one, joined by a sign or by its own unit.
        let joined = text[..start].trim_end_matches(['～', '・', '、', '，', '＆', '／']);
        let counted = joined.trim_end_matches(['階', 'Ｆ']);
        let continues =
            (joined.len() < start || counted.len() < joined.len()) && counted.ends_with(is_digit);
        if !continues {
            break;
        }
        start = counted.len();
    }
    Some((start, end))
}

fn is_kanji_digit(c: char) -> bool {
    "一二三四五六七八九十".contains(c)
}

/// Floors in half-width, or `None` where a number is too high to be one.
fn written(floors: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = floors;
    while let Some(c) = rest.chars().next() {
        if let Some(read) = numeral(rest) {
            let value: u32 = read.digits.parse().ok()?;
            if value > HIGHEST_FLOOR {
                return None;
            }
            if out.ends_with(['階', 'F']) {
                out.push(',');
            }
            out.push_str(&read.digits);
            rest = read.behind;
            continue;
        }
        match c {
            '～' => out.push('-'),
            '・' | '、' | '，' | '＆' | '／' => out.push(','),
            _ => out.push(half_width(c)),
        }
        rest = &rest[c.len_utf8()..];
    }
    Some(out)
}
