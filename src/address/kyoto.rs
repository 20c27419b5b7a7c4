//! Streets of Kyoto: `堺町通松原下る鍛冶屋町`, in every spelling and either order.
//!
//! A street address ends with a direction (上る, 下ル, 西入る, …). It may come before the town, after the town, after the
//! lot, or stand alone. The towns of a street matter only if a ward has two towns of one name, or if the street
//! stands alone; otherwise any street is accepted as written.

use std::ops::Range;

use super::gazetteer::{ArchivedGazetteer, DetailKind};
use super::name_match::is_name;
use super::town::{self, TownMatch};
use super::units::{self, Unit, unit};

/// Upper bound on the length of a street with its cross street, in units.
const STREET_MAX: usize = 40;

/// The street and the town that the text names from `start` on; `None` if it names no street.
pub fn resolve(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    start: usize,
) -> Option<TownMatch> {
    let first = town::town(gazetteer, city, text, start);
    if let Some(hit) = first
        && (is_lot_start(text, hit.end) || is_bracket(text, hit.end))
    {
        return Some(TownMatch {
            town: Some(hit.name),
            name: start..hit.end,
            end: hit.end,
            street: street_after_town(text, hit.end),
            cost: hit.cost,
            ..TownMatch::default()
        });
    }
    if let Some(found) = town_after_street(gazetteer, city, text, start, street_ends(text, start)) {
        return Some(found);
    }
    let last = street_ends(text, start).last();
    if let Some(end) = last {
        let known = |end: usize| {
            let street = canonical(text[start..end].iter().map(|unit| unit.code));
            town_of_street(gazetteer, city, street).map(|town| (end, town))
        };
        let known = known(end + side_length(text, end)).or_else(|| known(end));
        let (end, towns) = known.map_or((end, None), |(end, town)| (end, Some(town)));
        // A street in the data counts as standing alone even if a town begins with its text.
        if towns.is_some() || first.is_none() {
            return Some(TownMatch {
                town: towns.flatten(),
                name: end..end,
                street: Some(start..end),
                end,
                ..TownMatch::default()
            });
        }
    }
    if let Some(hit) = first {
        let street = hit.end..street_end_after(text, hit.end)?;
        return Some(TownMatch {
            town: Some(hit.name),
            name: start..hit.end,
            end: street.end,
            street: Some(street),
            cost: hit.cost,
            corrected: None,
            ..TownMatch::default()
        });
    }
    town_after_street(gazetteer, city, text, start, ends_after_dori(text, start))
        .or_else(|| after_crossing(gazetteer, city, text, start))
}

/// The town after two streets without a direction: `四条通東洞院 長刀鉾町33`. It must be followed by a lot or the end.
fn after_crossing(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    start: usize,
) -> Option<TownMatch> {
    const CROSSING_MIN: usize = 3;
    let limit = text.len().min(start + STREET_MAX);
    let name =
        text[start..limit].iter().take_while(|unit| is_name(unit.code) || unit.is_kanji).count();
    let positions = start + CROSSING_MIN..start + name;
    positions.filter(|position| !text[position - 1].is_inner_digit).find_map(|position| {
        let hit = town::town(gazetteer, city, text, position)?;
        let ends = hit.end == text.len() || is_lot_start(text, hit.end);
        let whole = ends && hit.cost == 0 && hit.end > position + 1;
        (whole && is_crossing(gazetteer, city, &text[start..position])).then(|| TownMatch {
            town: Some(hit.name),
            name: position..hit.end,
            street: Some(start..position),
            end: hit.end,
            ..TownMatch::default()
        })
    })
}

/// Whether two streets are named: one with 通, or the text begins like a street of the ward without its 通 (四条烏丸).
fn is_crossing(gazetteer: &ArchivedGazetteer, city: usize, text: &[Unit]) -> bool {
    let avenue = unit('通');
    if text.iter().skip(1).any(|unit| unit.code == avenue) {
        return true;
    }
    gazetteer.streets_of(city).any(|street| {
        let name = gazetteer.detail_names.units(street).iter().map(|unit| unit.to_native());
        let mut name = name.filter(|code| *code != avenue);
        text.iter().all(|unit| name.next() == Some(unit.code))
    })
}

/// Whether a number here is the lot, and not that of a chome or street.
fn is_lot_start(text: &[Unit], position: usize) -> bool {
    let digits = text[position..].iter().take_while(|unit| unit.is_figure()).count();
    digits > 0 && !text.get(position + digits).is_some_and(|unit| is_counted(unit.code))
}

fn is_bracket(text: &[Unit], position: usize) -> bool {
    text.get(position).is_some_and(|next| next.code == unit('('))
}

/// The streets that follow a town, or its lot; possibly in brackets.
fn street_after_town(text: &[Unit], position: usize) -> Option<Range<usize>> {
    let in_lot =
        |unit: &&Unit| unit.is_figure() || units::is_dash(unit.code) || is_lot_word(unit.code);
    let lot_end = position + text[position..].iter().take_while(in_lot).count();
    let bracket = is_bracket(text, lot_end);
    let start = lot_end + usize::from(bracket);
    let closed = text[start..].iter().position(|unit| unit.code == self::unit(')'));
    let limit = closed.filter(|_| bracket).map_or(text.len(), |closed| start + closed);
    let last = street_ends(&text[..limit], start).take_while(|end| *end <= limit).last()?;
    let end = if bracket { limit } else { last + side_length(text, last) };
    let named = text[start..last].iter().any(|found| found.code == unit('通'));
    named.then_some(start..end)
}

fn is_lot_word(code: u16) -> bool {
    [unit('番'), unit('地'), unit('号'), unit('ノ')].contains(&code)
}

/// The first of several separated streets: `（大宮通下る、丸太町通上る）`.
pub fn first_street(text: &[Unit], streets: Range<usize>) -> Range<usize> {
    let ends = street_ends(&text[..streets.end], streets.start);
    let mut ends = ends.map(|end| end + side_length(&text[..streets.end], end));
    let first = ends.find(|end| text.get(*end).is_some_and(|next| text[end - 1].last < next.first));
    streets.start..first.unwrap_or(streets.end)
}

/// The match for a street that begins at `start` and a town directly after it. `ends`: where the street may end; the
/// first at which a town begins counts.
fn town_after_street(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    start: usize,
    ends: impl Iterator<Item = usize>,
) -> Option<TownMatch> {
    for end in ends {
        // 上る東側, 下る西: the side belongs to the street unless a town begins with it.
        for side in [0, side_length(text, end)] {
            if let Some(hit) = town::town(gazetteer, city, text, end + side) {
                return Some(TownMatch {
                    town: Some(hit.name),
                    name: end + side..hit.end,
                    street: Some(start..end + side),
                    koaza: None,
                    end: hit.end,
                    cost: hit.cost,
                    corrected: None,
                });
            }
        }
    }
    None
}

/// The length in units of 東側 or 東 at a position.
fn side_length(text: &[Unit], position: usize) -> usize {
    let code = |position: usize| text.get(position).map(|unit| unit.code);
    match code(position) {
        Some(here) if is_side(here) => 1 + usize::from(code(position + 1) == Some(unit('側'))),
        _ => 0,
    }
}

/// The end of a street that begins directly after a town.
fn street_end_after(text: &[Unit], start: usize) -> Option<usize> {
    let end = street_ends(text, start).last()?;
    // With a lot between the town and the direction, the direction belongs to something else.
    let lot = text[start..end].iter().enumerate().any(|(offset, unit)| {
        let next = text[start + offset + 1..].iter().find(|unit| !unit.is_digit());
        unit.is_figure() && !next.is_some_and(|unit| is_counted(unit.code))
    });
    (!lot).then(|| end + side_length(text, end))
}

/// Where a street without a direction may end, after 通: `室町通鯉山町`.
fn ends_after_dori(text: &[Unit], start: usize) -> impl Iterator<Item = usize> {
    let limit = text.len().min(start + STREET_MAX / 2);
    let street = (start + 1..limit).filter(|position| text[*position].code == unit('通'));
    street.map(|position| {
        position + 1 + usize::from(text.get(position + 1).is_some_and(|unit| is_ri(unit.code)))
    })
}

/// The town of a street: `None` for an unknown street, `Some(None)` for a street of several towns.
fn town_of_street(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    street: impl Iterator<Item = u16> + Clone,
) -> Option<Option<usize>> {
    let same = |name: &usize| gazetteer.detail_names.equals(*name, street.clone());
    let mut found = None;
    for name in gazetteer.streets_of(city).filter(same) {
        let town = Some(gazetteer.details[name].town.to_native() as usize);
        found = if found.is_none_or(|other| other == town) { Some(town) } else { Some(None) };
    }
    found
}

/// Appends the rows of a ward with exactly this street, in the order of its towns.
pub fn rows_of_street(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    street: &[u16],
    rows: &mut Vec<u32>,
) {
    let is_it = |name: &usize| gazetteer.detail_names.equals(*name, street.iter().copied());
    let same = gazetteer.streets_of(city).filter(is_it);
    rows.extend(same.map(|name| gazetteer.details[name].row.to_native()));
}

/// Appends the rows of a ward where the two streets of a text cross, in either order: 河原町三条東入 for 三条通河原町東入.
pub fn rows_of_crossing(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    street: &[u16],
    rows: &mut Vec<u32>,
) {
    let same = gazetteer.streets_of(city).filter(|name| {
        let name = gazetteer.detail_names.units(*name).iter().map(|unit| unit.to_native());
        is_same_crossing(name, street)
    });
    rows.extend(same.map(|name| gazetteer.details[name].row.to_native()));
}

/// Whether two keys of streets have the same direction at the end, and before it the same letters in any order, apart
/// from 通.
fn is_same_crossing(one: impl DoubleEndedIterator<Item = u16> + Clone, other: &[u16]) -> bool {
    let length = if other.last() == Some(&unit('入')) { 2 } else { 1 };
    let Some(end_of_names) = other.len().checked_sub(length) else { return false };
    let (names, direction) = other.split_at(end_of_names);
    let mut before = one.rev();
    let same = direction.iter().rev().all(|code| before.next() == Some(*code));
    let letter = |code: &u16| *code != unit('通');
    same && has_same_letters(before.filter(letter), names.iter().copied().filter(letter))
}

fn has_same_letters(
    one: impl Iterator<Item = u16> + Clone,
    other: impl Iterator<Item = u16> + Clone,
) -> bool {
    one.clone().count() == other.clone().count()
        && one.clone().all(|code| {
            let is_it = |letter: &u16| *letter == code;
            one.clone().filter(is_it).count() == other.clone().filter(is_it).count()
        })
}

/// The row of a town with the street of a text, or else with the street that shares the longest beginning with it, of
/// at least three units.
pub fn row_of_street(gazetteer: &ArchivedGazetteer, town: usize, street: &[u16]) -> Option<u32> {
    let similarity = |name: usize| {
        let name = gazetteer.detail_names.units(name);
        let same = name.iter().zip(street).take_while(|(a, b)| a.to_native() == **b).count();
        let exact = name.len() == street.len() && same == name.len();
        (exact, same)
    };
    let streets: Range<usize> = gazetteer.details_of(town, DetailKind::Street);
    // The first of equals: the order of the names is the same in every build.
    let best = streets.rev().max_by_key(|name| similarity(*name))?;
    let (exact, same) = similarity(best);
    (exact || same >= 3).then(|| gazetteer.details[best].row.to_native())
}

/// The key of a street of the data.
pub fn street_key(street: &str) -> Vec<u16> {
    canonical(units::key(street).into_iter()).collect()
}

/// The units of a street in a text, in the form of the keys in the data.
pub fn canonical_street(text: &[u16]) -> impl Iterator<Item = u16> + Clone + '_ {
    canonical(text.iter().copied())
}

/// Appends the key of a street in a text.
pub fn write_street_key(street: &[Unit], out: &mut Vec<u16>) {
    out.extend(canonical(street.iter().map(|unit| unit.code)));
}

/// Removes the differences between spellings: 通り and 通, 上る, 上ル and 上がる, 西入る and 西入.
fn canonical(units: impl Iterator<Item = u16> + Clone) -> impl Iterator<Item = u16> + Clone {
    let mut last_kept = None;
    units.filter(move |&code| {
        let ending = match last_kept {
            Some(last) if last == unit('通') => is_ri(code),
            Some(last) if is_up_or_down(last) => is_ru(code) || code == unit('ケ'),
            Some(last) if last == unit('入') => is_ru(code),
            _ => false,
        };
        // 上がる: once が is removed, る follows 上.
        if !ending {
            last_kept = Some(code);
        }
        !ending
    })
}

/// Where a street that begins at a position may end.
fn street_ends(text: &[Unit], position: usize) -> StreetEnds<'_> {
    StreetEnds { text, next: position, limit: text.len().min(position + STREET_MAX), number: None }
}

/// The positions after each direction (上る, 西入), and after a number with 丁目 that follows it.
struct StreetEnds<'a> {
    text: &'a [Unit],
    next: usize,
    limit: usize,
    /// The position after that number, not yet returned.
    number: Option<usize>,
}

impl Iterator for StreetEnds<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if let Some(end) = self.number.take() {
            return Some(end);
        }
        while self.next < self.limit {
            let position = self.next;
            self.next += 1;
            if let Some(end) = direction_end(self.text, position) {
                self.next = end;
                self.number = ordinal_end(self.text, end);
                return Some(end);
            }
        }
        None
    }
}

/// The position after 上る or 西入, if one of them begins here.
fn direction_end(text: &[Unit], position: usize) -> Option<usize> {
    let code = |position: usize| text.get(position).map(|unit| unit.code);
    let here = code(position)?;
    if is_up_or_down(here) {
        let loose = position + 1 + usize::from(code(position + 1) == Some(unit('ケ')));
        return code(loose).filter(|code| is_ru(*code)).map(|_| loose + 1);
    }
    if is_side(here) && code(position + 1) == Some(unit('入')) {
        return Some(position + 2 + usize::from(code(position + 2).is_some_and(is_ru)));
    }
    // 三条大橋東4丁目.
    if is_side(here) { ordinal_end(text, position + 1) } else { None }
}

/// The position after `4丁目` or `2筋目`, if it begins here.
fn ordinal_end(text: &[Unit], position: usize) -> Option<usize> {
    let digits_end = position + text[position..].iter().take_while(|unit| unit.is_digit()).count();
    let counted = text.get(digits_end).is_some_and(|unit| is_counted(unit.code));
    let is_ordinal = text.get(digits_end + 1).is_some_and(|next| next.code == unit('目'));
    (digits_end > position && counted && is_ordinal).then_some(digits_end + 2)
}

/// Whether a number before this unit is that of a chome or street.
fn is_counted(code: u16) -> bool {
    [unit('丁'), unit('筋'), unit('条')].contains(&code)
}

fn is_up_or_down(code: u16) -> bool {
    code == unit('上') || code == unit('下')
}

fn is_side(code: u16) -> bool {
    [unit('東'), unit('西'), unit('南'), unit('北')].contains(&code)
}

fn is_ru(code: u16) -> bool {
    code == unit('る') || code == unit('ル')
}

fn is_ri(code: u16) -> bool {
    code == unit('り') || code == unit('リ')
}
