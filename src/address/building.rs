//! Finds buildings of the gazetteer after a town. `サンシャイン６０12階` can be split only if the building's name is known.

use super::building_key::is_dropped;
use super::gazetteer::{ArchivedGazetteer, Kind};
use super::units::{Unit, key, unit};

/// Buildings are searched within this many units after the town.
const REACH: usize = 80;

/// Buildings of a town that are compared once instead of once per floor; no town has as many.
const DISTINCT: usize = 64;

/// The range of the first building of the town in the text; `raw` returns a row's building as written.
pub fn find<'s>(
    gazetteer: &ArchivedGazetteer,
    town: usize,
    text: &[Unit],
    raw: impl Fn(u32) -> &'s str,
) -> Option<(usize, usize)> {
    let buildings = gazetteer.details_of(town, Kind::Building);
    if buildings.is_empty() {
        return None;
    }
    // A building has a row for each of its floors; one of them is enough.
    let mut distinct = [0; DISTINCT];
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
        if count == DISTINCT {
            break;
        }
    }
    for start in 0..text.len().min(REACH) {
        if start > 0 && text[start - 1].within {
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
            let end = behind_bracket(text, behind_long_form(text, end), raw(row));
            return Some((text[start].first as usize, text[end - 1].last as usize));
        }
    }
    None
}

/// The unit after a name that begins at `start`. Characters that keys leave out may occur in it.
fn end(text: &[Unit], start: usize, mut name: impl Iterator<Item = u16>) -> Option<usize> {
    let mut at = start;
    let mut wanted = name.next();
    while let Some(code) = wanted {
        let found = text.get(at)?;
        at += 1;
        if found.code == code {
            wanted = name.next();
        } else if at == start + 1 || !is_dropped(found.code) {
            // Keys also leave out the ディング of ビルディング.
            at = behind_long_form(text, at - 1);
            if text.get(at)?.code != code {
                return None;
            }
            at += 1;
            wanted = name.next();
        }
    }
    // サンシャイン６０２Ｆ is cut where the floor begins; サンシャイン602 is another name.
    let number = text[at..].iter().take_while(|unit| unit.is_digit()).count();
    let mark = text.get(at + number).map(|unit| unit.code);
    let floor = mark == Some(unit('階')) || mark == Some(unit('f'));
    let cut = at.checked_sub(1).is_some_and(|last| text[last].within) && !floor;
    (!cut && at > start).then_some(at)
}

/// The unit after ディング or ヂング, if it continues ビル.
fn behind_long_form(text: &[Unit], at: usize) -> usize {
    let bill = at >= 2 && text[at - 2].code == unit('ビ') && text[at - 1].code == unit('ル');
    let long = ["デイング", "ヂング"].into_iter().find(|long| {
        let codes = text[at..].iter().map(|unit| unit.code).take(long.encode_utf16().count());
        bill && codes.eq(long.encode_utf16())
    });
    at + long.map_or(0, |long| long.encode_utf16().count())
}

/// The unit after the bracket that ends the name in the data, if the text has it.
fn behind_bracket(text: &[Unit], at: usize, raw: &str) -> usize {
    let Some(bracket) = raw.find(['（', '(']) else { return at };
    let bracket = key(&raw[bracket..]);
    let codes = text[at..].iter().map(|unit| unit.code).take(bracket.len());
    if codes.eq(bracket.iter().copied()) { at + bracket.len() } else { at }
}
