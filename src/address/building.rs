//! Finds buildings of the gazetteer after a town. `サンシャイン６０12階` can be split only if the building's name is known.

use super::building_key::is_dropped;
use super::gazetteer::{ArchivedGazetteer, DetailKind};
use super::units::{Unit, key, unit};

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
            let name = gazetteer.detail_names.units(building);
            let first = name.first()?.to_native();
            if first != text[start].code {
                return None;
            }
            Some((end(text, start, name.iter().map(|unit| unit.to_native()))?, building))
        });
        if let Some((end, building)) = ends.max() {
            let row = gazetteer.details[building].row.to_native();
            let end = after_bracket(text, after_long_form(text, end), raw(row));
            return Some((text[start].first as usize, text[end - 1].last as usize));
        }
    }
    None
}

/// The position after a name that begins at `start`. Characters that keys leave out may occur in it.
fn end(text: &[Unit], start: usize, mut name: impl Iterator<Item = u16>) -> Option<usize> {
    let mut position = start;
    let mut wanted = name.next();
    while let Some(code) = wanted {
        let found = text.get(position)?;
        position += 1;
        if found.code == code {
            wanted = name.next();
        } else if position == start + 1 || !is_dropped(found.code) {
            // Keys also leave out the ディング of ビルディング.
            position = after_long_form(text, position - 1);
            if text.get(position)?.code != code {
                return None;
            }
            position += 1;
            wanted = name.next();
        }
    }
    // サンシャイン６０２Ｆ is cut where the floor begins; サンシャイン602 is another name.
    let number = text[position..].iter().take_while(|unit| unit.is_digit()).count();
    let mark = text.get(position + number).map(|unit| unit.code);
    let floor = mark == Some(unit('階')) || mark == Some(unit('f'));
    let cut = position.checked_sub(1).is_some_and(|last| text[last].is_inner_digit) && !floor;
    (!cut && position > start).then_some(position)
}

/// The position after ディング or ヂング, if it continues ビル.
fn after_long_form(text: &[Unit], position: usize) -> usize {
    let bill = position >= 2
        && text[position - 2].code == unit('ビ')
        && text[position - 1].code == unit('ル');
    let long = ["デイング", "ヂング"].into_iter().find(|long| {
        let codes = text[position..].iter().map(|unit| unit.code).take(long.encode_utf16().count());
        bill && codes.eq(long.encode_utf16())
    });
    position + long.map_or(0, |long| long.encode_utf16().count())
}

/// The position after the bracket with which the name ends in the data, if the text has that bracket too.
fn after_bracket(text: &[Unit], position: usize, raw: &str) -> usize {
    let Some(bracket) = raw.find(['（', '(']) else { return position };
    let bracket = key(&raw[bracket..]);
    let codes = text[position..].iter().map(|unit| unit.code).take(bracket.len());
    if codes.eq(bracket.iter().copied()) { position + bracket.len() } else { position }
}
