//! Streets of Kyoto: `堺町通松原下る鍛冶屋町`, in every spelling and either order.
//!
//! A street address ends with a direction (上る, 下ル, 西入る, …). It may come before the town, after the town, after the
//! lot, or stand alone. The towns of a street matter only if a ward has two towns of one name, or if the street
//! stands alone; otherwise any street is accepted as written.

use std::ops::Range;

use super::counter::{digits_end, figures_end};
use super::gazetteer::{ArchivedGazetteer, DetailKind};
use super::name_match::is_name;
use super::town::{CityText, TownMatch};
use super::units::{Unit, code_at, codes, is_dash, unit};

/// Upper bound on the length of a street with its cross street, in units.
const STREET_MAX: usize = 40;

impl CityText<'_> {
    /// The street and the town that the text names from `start` on; `None` if it names no street.
    pub fn street_and_town(self, start: usize) -> Option<TownMatch> {
        let text = self.text;
        let first = self.town(start);
        if let Some(hit) = first
            && (is_lot_start(text, hit.end) || code_at(text, hit.end) == Some(unit('(')))
        {
            let street = street_after_town(text, hit.end);
            return Some(TownMatch { street, ..TownMatch::of(start, hit) });
        }
        if let Some(found) = self.town_after_street(start, street_ends(text, start)) {
            return Some(found);
        }
        if let Some(end) = street_ends(text, start).last() {
            let known = |end: usize| {
                let street = street_key(codes(&text[start..end]));
                self.town_of_street(street).map(|town| (end, town))
            };
            let known = known(end + side_length(text, end)).or_else(|| known(end));
            // A street in the data counts as standing alone even if a town begins with its text.
            if known.is_some() || first.is_none() {
                let (end, town) = known.unwrap_or((end, None));
                let street = Some(start..end);
                return Some(TownMatch { town, name: end..end, street, end, ..Default::default() });
            }
        }
        if let Some(hit) = first {
            let end = street_end_after(text, hit.end)?;
            let street = Some(hit.end..end);
            return Some(TownMatch { end, street, ..TownMatch::of(start, hit) });
        }
        self.town_after_street(start, ends_after_dori(text, start))
            .or_else(|| self.after_crossing(start))
    }

    /// The match for a street that begins at `start` and a town directly after it. `ends`: where the street may end;
    /// the first at which a town begins counts.
    fn town_after_street(
        self,
        start: usize,
        mut ends: impl Iterator<Item = usize>,
    ) -> Option<TownMatch> {
        ends.find_map(|end| {
            // 上る東側, 下る西: the side belongs to the street unless a town begins with it.
            // 四条上るより六角下るまで: a stretch of a street.
            let stretch = codes(&self.text[end..]).take(2).eq("まで".encode_utf16());
            [0, side_length(self.text, end), if stretch { 2 } else { 0 }].into_iter().find_map(
                |side| {
                    let end = end + side;
                    let hit = self.town(end)?;
                    Some(TownMatch { street: Some(start..end), ..TownMatch::of(end, hit) })
                },
            )
        })
    }

    /// The town after two streets without a direction: `四条通東洞院 長刀鉾町33`. It must be followed by a lot or the end.
    fn after_crossing(self, start: usize) -> Option<TownMatch> {
        const CROSSING_MIN: usize = 3;
        let text = self.text;
        let limit = text.len().min(start + STREET_MAX);
        let name = text[start..limit].iter().take_while(|it| is_name(it.code) || it.is_kanji);
        let positions = start + CROSSING_MIN..start + name.count();
        positions.filter(|position| !text[position - 1].is_inner_digit).find_map(|position| {
            let hit = self.town(position)?;
            let ends = hit.end == text.len() || is_lot_start(text, hit.end);
            let whole = ends && hit.cost == 0 && hit.end > position + 1;
            let street = Some(start..position);
            (whole && self.is_crossing(&text[start..position]))
                .then(|| TownMatch { street, ..TownMatch::of(position, hit) })
        })
    }

    /// Whether two streets are named: one with 通, or the text begins like a street of the ward without its 通 (四条烏丸).
    fn is_crossing(self, text: &[Unit]) -> bool {
        let CityText { gazetteer, city, .. } = self;
        let is_avenue = |code: &u16| *code == unit('通');
        codes(text).skip(1).any(|code| is_avenue(&code))
            || gazetteer.streets_of(city).any(|street| {
                let mut name = gazetteer.detail_names.codes(street).filter(|it| !is_avenue(it));
                codes(text).all(|code| name.next() == Some(code))
            })
    }

    /// The town of a street: `None` for an unknown street, `Some(None)` for a street of several towns.
    fn town_of_street(self, street: impl Iterator<Item = u16> + Clone) -> Option<Option<usize>> {
        let CityText { gazetteer, city, .. } = self;
        let same = |name: &usize| gazetteer.detail_names.equals(*name, street.clone());
        let towns = gazetteer.streets_of(city).filter(same);
        let towns = towns.map(|name| Some(gazetteer.details[name].town.to_native() as usize));
        towns.reduce(|one, other| one.filter(|_| one == other))
    }
}

/// Whether a number here is the lot, and not the number of a chome or street.
fn is_lot_start(text: &[Unit], position: usize) -> bool {
    let end = figures_end(text, position);
    end > position && !code_at(text, end).is_some_and(is_counted)
}

/// The streets that follow a town, or its lot; possibly in brackets.
fn street_after_town(text: &[Unit], position: usize) -> Option<Range<usize>> {
    const LOT_WORDS: [u16; 4] = [unit('番'), unit('地'), unit('号'), unit('ノ')];
    let in_lot = |it: &&Unit| it.is_figure() || is_dash(it.code) || LOT_WORDS.contains(&it.code);
    let lot_end = position + text[position..].iter().take_while(in_lot).count();
    let bracket = code_at(text, lot_end) == Some(unit('('));
    let start = lot_end + usize::from(bracket);
    let closed = codes(&text[start..]).position(|code| code == unit(')'));
    let limit = closed.filter(|_| bracket).map_or(text.len(), |closed| start + closed);
    let last = street_ends(&text[..limit], start).take_while(|end| *end <= limit).last()?;
    let end = if bracket { limit } else { last + side_length(text, last) };
    codes(&text[start..last]).any(|code| code == unit('通')).then_some(start..end)
}

/// The first of several separated streets: `（大宮通下る、丸太町通上る）`.
pub fn first_street(text: &[Unit], streets: Range<usize>) -> Range<usize> {
    let ends = street_ends(&text[..streets.end], streets.start);
    let mut ends = ends.map(|end| end + side_length(&text[..streets.end], end));
    let first = ends.find(|end| text.get(*end).is_some_and(|next| text[end - 1].last < next.first));
    streets.start..first.unwrap_or(streets.end)
}

/// The length in units of 東側 or 東 at a position.
fn side_length(text: &[Unit], position: usize) -> usize {
    let is_side = code_at(text, position).is_some_and(is_side);
    let is_long = is_side && code_at(text, position + 1) == Some(unit('側'));
    usize::from(is_side) + usize::from(is_long)
}

/// The end of a street that begins directly after a town.
fn street_end_after(text: &[Unit], start: usize) -> Option<usize> {
    let end = street_ends(text, start).last()?;
    // With a lot between the town and the direction, the direction belongs to something else.
    let is_in_lot = |position: usize| {
        text[position].is_figure()
            && !code_at(text, digits_end(text, position)).is_some_and(is_counted)
    };
    (!(start..end).any(is_in_lot)).then(|| end + side_length(text, end))
}

/// Where a street without a direction may end, after 通: `室町通鯉山町`.
fn ends_after_dori(text: &[Unit], start: usize) -> impl Iterator<Item = usize> {
    let limit = text.len().min(start + STREET_MAX / 2);
    let avenues = (start + 1..limit).filter(|position| text[*position].code == unit('通'));
    avenues.map(|avenue| avenue + 1 + usize::from(code_at(text, avenue + 1).is_some_and(is_ri)))
}

/// The rows of a ward with exactly this street, in the order of its towns.
pub fn rows_of_street(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    street: &[u16],
) -> impl Iterator<Item = u32> {
    let is_it = |name: &usize| gazetteer.detail_names.equals(*name, street.iter().copied());
    let same = gazetteer.streets_of(city).filter(is_it);
    same.map(|name| gazetteer.details[name].row.to_native())
}

/// The rows of a ward where the two streets of a text cross, in either order: 河原町三条東入 for 三条通河原町東入.
pub fn rows_of_crossing(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    street: &[u16],
) -> impl Iterator<Item = u32> {
    let is_it = |name: &usize| is_same_crossing(gazetteer.detail_names.codes(*name), street);
    let same = gazetteer.streets_of(city).filter(is_it);
    same.map(|name| gazetteer.details[name].row.to_native())
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
    let similarity = |name: &usize| {
        let name = gazetteer.detail_names.codes(*name);
        let same = name.clone().zip(street).take_while(|(one, other)| one == *other).count();
        (name.eq(street.iter().copied()), same)
    };
    // The first of equals: the order of the names is the same in every build.
    let best = gazetteer.details_of(town, DetailKind::Street).rev().max_by_key(similarity)?;
    let (exact, same) = similarity(&best);
    (exact || same >= 3).then(|| gazetteer.details[best].row.to_native())
}

/// The key of a street, without the differences between spellings: 通り and 通, 上る, 上ル and 上がる, 西入る and 西入.
pub fn street_key(units: impl Iterator<Item = u16> + Clone) -> impl Iterator<Item = u16> + Clone {
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

/// Where a street that begins at `start` may end: after each direction (上る, 西入), and after a number with 丁目 that
/// follows it.
fn street_ends(text: &[Unit], start: usize) -> impl Iterator<Item = usize> {
    let limit = text.len().min(start + STREET_MAX);
    let (mut next, mut number_end) = (start, None);
    std::iter::from_fn(move || {
        if number_end.is_some() {
            return number_end.take();
        }
        next = (next..limit).find_map(|position| direction_end(text, position))?;
        number_end = ordinal_end(text, next);
        Some(next)
    })
}

/// The position after 上る or 西入, if one of them begins here.
fn direction_end(text: &[Unit], position: usize) -> Option<usize> {
    let code = |position| code_at(text, position);
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
    let end = digits_end(text, position);
    let is_ordinal = end > position && code_at(text, end + 1) == Some(unit('目'));
    (is_ordinal && code_at(text, end).is_some_and(is_counted)).then_some(end + 2)
}

/// Whether a number before this unit is the number of a chome or street.
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
