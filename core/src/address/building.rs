//! Normal forms of buildings and their floors, equal for different spellings of the same one, and the buildings of the
//! gazetteer in a text. `サンシャイン６０12階` can be split only if the building's name is known.

use super::counter::digits_end;
use super::gazetteer::{ArchivedGazetteer, DetailKind};
use super::units::{KeyBuffers, Unit, code_at, codes, is_digit, key, unit};

/// The name of a building without dots, brackets and hyphens, and with ビル for ビルディング.
pub fn building_key(name: &str) -> Vec<u16> {
    let mut found = Vec::new();
    write_building_key(name, &mut KeyBuffers::default(), &mut found);
    found
}

pub fn write_building_key(name: &str, buffers: &mut KeyBuffers, out: &mut Vec<u16>) {
    const LONG: [&[u16]; 2] = [
        &[unit('ビ'), unit('ル'), unit('デ'), unit('イ'), unit('ン'), unit('グ')],
        &[unit('ビ'), unit('ル'), unit('ヂ'), unit('ン'), unit('グ')],
    ];
    let outside = name.split(['（', '(']).next().unwrap_or_default();
    buffers.write(outside, out);
    out.retain(|code| !is_dropped(*code));
    for long in LONG {
        while let Some(position) = out.windows(long.len()).position(|window| window == long) {
            out.drain(position + 2..position + long.len());
        }
    }
}

/// Whether keys of buildings leave this unit out.
fn is_dropped(code: u16) -> bool {
    [unit('・'), unit('-'), unit('ー'), unit('.'), unit('\'')].contains(&code)
}

/// The number of the first floor in a text, negative below ground: `15階`, `8F`, `B1F`, `地下1階`.
pub fn floor_number(text: &[u16]) -> Option<i16> {
    let mut position = 0;
    while position < text.len() {
        let digits = text[position..].iter().take_while(|code| is_digit(**code)).count();
        if digits == 0 {
            position += 1;
            continue;
        }
        let (before, number) = text[..position + digits].split_at(position);
        position += digits;
        let is_basement = before.ends_with(&[unit('b')]) || before.ends_with(&[unit('下')]);
        if digits <= 3 && (is_basement || is_floor_mark(text.get(position).copied())) {
            let digits = number.iter().map(|code| (*code - unit('0')) as i16);
            let value = digits.fold(0, |value, digit| value * 10 + digit);
            return Some(if is_basement { -value } else { value });
        }
    }
    None
}

/// 階 or F.
fn is_floor_mark(code: Option<u16>) -> bool {
    code == Some(unit('階')) || code == Some(unit('f'))
}

/// Buildings are searched within this many units after the town.
const SEARCHED_MAX: usize = 80;

/// Buildings of a town that are compared once instead of once per floor. No town has as many; further ones would be
/// compared per floor.
const DISTINCT_MAX: usize = 64;

/// The range of the first building of the town in the text, in folded characters. `raw` returns the building of a
/// row as the source spells it.
pub fn find<'s>(
    gazetteer: &ArchivedGazetteer,
    town: usize,
    text: &[Unit],
    raw: impl Fn(u32) -> &'s str,
) -> Option<(usize, usize)> {
    let buildings = gazetteer.details_of(town, DetailKind::Building);
    if buildings.is_empty() {
        return None;
    }
    // A building has a row for each of its floors; one of them is enough.
    let mut distinct = [0; DISTINCT_MAX];
    let mut count = 0;
    let mut rest = buildings.clone();
    for building in rest.by_ref() {
        let name = gazetteer.detail_names.units(building);
        let last = distinct[..count].last();
        if last.is_some_and(|last| gazetteer.detail_names.units(*last) == name) {
            continue;
        }
        distinct[count] = building;
        count += 1;
        if count == DISTINCT_MAX {
            break;
        }
    }
    for start in 0..text.len().min(SEARCHED_MAX) {
        if start > 0 && text[start - 1].is_inner_digit {
            continue;
        }
        let candidates = distinct[..count].iter().copied().chain(rest.clone());
        let ends = candidates.filter_map(|building| {
            let name = gazetteer.detail_names.codes(building);
            if name.clone().next()? != text[start].code {
                return None;
            }
            Some((name_end(text, start, name)?, building))
        });
        if let Some((end, building)) = ends.max() {
            let row = gazetteer.details[building].row.to_native();
            let end = after_bracket(text, after_long_form(text, end), raw(row));
            return Some((text[start].first as usize, text[end - 1].last as usize));
        }
    }
    None
}

/// The position after a name whose first unit is at `start`. Characters that keys leave out may occur in it.
fn name_end(text: &[Unit], start: usize, name: impl Iterator<Item = u16>) -> Option<usize> {
    let mut position = start;
    for code in name {
        let rest = codes(&text[position..]);
        position += rest.take_while(|it| *it != code && is_dropped(*it)).count();
        if code_at(text, position)? != code {
            // Keys also leave out the ディング of ビルディング.
            position = after_long_form(text, position);
            if code_at(text, position)? != code {
                return None;
            }
        }
        position += 1;
    }
    // サンシャイン６０２Ｆ is cut where the floor begins; サンシャイン602 is another name.
    let is_floor = is_floor_mark(code_at(text, digits_end(text, position)));
    let cut = position.checked_sub(1).is_some_and(|last| text[last].is_inner_digit) && !is_floor;
    (!cut && position > start).then_some(position)
}

/// The position after ディング or ヂング, if it continues ビル.
fn after_long_form(text: &[Unit], position: usize) -> usize {
    let is_bill = codes(&text[..position]).rev().take(2).eq([unit('ル'), unit('ビ')]);
    let mut long = ["デイング", "ヂング"].into_iter().map(str::encode_utf16);
    let long = long.find(|long| is_bill && begins_with(&text[position..], long.clone()));
    position + long.map_or(0, |long| long.count())
}

fn begins_with(text: &[Unit], mut rest: impl Iterator<Item = u16>) -> bool {
    let mut text = codes(text);
    rest.all(|code| text.next() == Some(code))
}

/// The position after the bracket with which the name ends in the data, if the text has that bracket too.
fn after_bracket(text: &[Unit], position: usize, raw: &str) -> usize {
    let Some(bracket) = raw.find(['（', '(']) else { return position };
    let bracket = key(&raw[bracket..]);
    let is_written = begins_with(&text[position..], bracket.iter().copied());
    if is_written { position + bracket.len() } else { position }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_have_numbers() {
        #[track_caller]
        fn check(text: &str, expected: Option<i16>) {
            assert_eq!(floor_number(&key(text)), expected, "{text}");
        }
        check("１５階", Some(15));
        check("三十階", Some(30));
        check("8F", Some(8));
        check("Ｂ１Ｆ", Some(-1));
        check("地下1階", Some(-1));
        check("B2", Some(-2));
        check("301号室", None);
        check("8階801", Some(8));
        check("99999階", None);
        check("", None);
    }

    #[test]
    fn spellings_of_a_building_have_one_key() {
        #[track_caller]
        fn check(one: &str, other: &str) {
            assert_eq!(building_key(one), building_key(other), "{one} {other}");
        }
        check("新丸の内ビルディング", "新丸ノ内ビル");
        check("大名古屋ビルヂング", "大名古屋ビル");
        check("ミッドタウン・タワー", "ﾐｯﾄﾞﾀｳﾝﾀﾜｰ");
        check("ミッドランドスクエア（高層棟）", "ミッドランドスクエア");
        check("ＪＰタワー", "JPタワー");
        check("ＴｈｉｎｋＰａｒｋＴｏｗｅｒ", "Think Park Tower");
    }
}
