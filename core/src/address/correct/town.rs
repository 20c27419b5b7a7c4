//! The towns of a municipality that a misspelt name may mean, with what the misspelling costs.

use super::align::{self, Accepted, Alignment, align, ends_name, letter_bit};
use super::cost::COST_MAX;
use super::rare::with_rare_kanji;
use crate::address::name_match::{Hit, OTHER_NAME, Tolerance, match_names, name_end, section_mark};
use crate::address::result::CorrectionKind;
use crate::address::town::CityText;
use crate::address::units::{Unit, code_at, codes, is_digit, is_figure_at, unit};
use crate::text::kana::is_hiragana;

/// A town that the text may mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearTown {
    pub(super) hit: Hit,
    /// The position in the text at which its name begins.
    pub(super) start: usize,
    pub(super) cost: u16,
    pub(super) kind: CorrectionKind,
}

/// The greatest cost that a name with this many equal letters may have: a short name is soon another one.
const LIMITS: [u16; 7] = [0, 4, 5, 7, 8, 8, 8];
const LIMIT_MAX: u16 = 9;
/// Behind a 字 the name may be a koaza that is only similar to a town, of which three letters may be equal.
const LIMIT_OF_KOAZA: u16 = 2;
const LIMIT_OF_LONG_KOAZA: u16 = 4;
/// Above this cost, and for a short name, a number or the end of the text must follow.
const LIMIT_INSIDE_TEXT: u16 = 3;
const LIMIT_WITHOUT_LOT: u16 = 4;
/// The cost of a kanji that Japan Post writes in kana.
const RARE_KANJI: u16 = 2;
/// The cost of a name that lacks its beginning: 北烏丸町 for 東九条北烏丸町.
const WITHOUT_BEGINNING: u16 = 4;
/// Shorter texts end the names of many towns.
const BEGINNING_MIN: usize = 4;
const MACHI: u16 = unit('町');
/// The cost of the municipality's name in front of a town: 長野市大字長野元善町.
const OWN_STEM: u16 = 2;

/// Calls `found` for each town that the text from `start` on may mean at a cost of at most `highest`.
pub(super) fn near_towns(
    inside: CityText<'_>,
    start: usize,
    highest: u16,
    mut found: impl FnMut(NearTown),
) {
    let CityText { gazetteer, text, .. } = inside;
    let mark = section_mark(text, start).unwrap_or(0);
    let begin = start + mark;
    if begin >= text.len() {
        return;
    }
    let window = &text[begin..text.len().min(begin + align::NAME_MAX + 2)];
    let written = codes(window).fold(0_u64, |letters, code| letters | letter_bit(code));
    let keys = &gazetteer.towns;
    let limit = if mark == 1 { LIMIT_OF_LONG_KOAZA } else { LIMIT_MAX }.min(highest);
    let mut name = Vec::new();
    for town in inside.towns() {
        let units = keys.units(town);
        let shared =
            units.iter().filter(|letter| written & letter_bit(letter.to_native()) != 0).count();
        // At most two letters may differ, in a short name one.
        let differing = units.len() - shared;
        let has_kana = || {
            units
                .iter()
                .any(|unit| char::from_u32(unit.to_native().into()).is_some_and(is_hiragana))
        };
        let is_far = shared == 0 || differing > if shared > 2 { 2 } else { 1 };
        if is_far && !has_kana() || units.len() > align::NAME_MAX {
            continue;
        }
        name.clear();
        // A 字 in front of the text's name was skipped, so skip the one of 字滝ノ上市街地三条通 too.
        let letters = units.iter().map(|unit| unit.to_native());
        name.extend(letters.skip_while(|letter| *letter == unit('字')));
        let ends = |end: usize| ends_name(text, end);
        let accepted = Accepted { limit, other_lengths: differing == 1 || has_kana() };
        let Some(near) = align(&name, text, begin, accepted, ends) else { continue };
        if near.cost == 0 || !may_be_meant(&name, near, text, begin, mark == 1) {
            continue;
        }
        let written = &text[begin..near.end];
        let cost = match begins_several(inside, &name, written) {
            true => near.cost.max(COST_MAX + 1),
            false => near.cost,
        };
        found(NearTown {
            hit: Hit { name: town, count: 1, end: near.end, cost: OTHER_NAME },
            start: begin,
            cost,
            kind: kind_of(&name, written),
        });
    }
    if let Ok(Some(hit)) = with_rare_kanji(inside, start) {
        found(NearTown { hit, start: begin, cost: RARE_KANJI, kind: CorrectionKind::Letters });
    }
    if mark != 1 {
        without_beginning(inside, begin, &mut found);
    }
}

/// Whether a text that begins so with the name of a town may mean it. `is_aza`: a 字 stands in front.
fn may_be_meant(name: &[u16], near: Alignment, text: &[Unit], begin: usize, is_aza: bool) -> bool {
    let is_followed = match text.get(near.end) {
        Some(next) => next.is_digit() || section_mark(text, near.end).is_some() && near.equal > 3,
        // Without a lot, a name must be longer or nearer.
        None => near.cost <= LIMIT_WITHOUT_LOT || near.equal > 3,
    };
    let limit = match (is_aza, near.equal) {
        (true, 0..3) => LIMIT_OF_KOAZA,
        (_, 7..) => LIMIT_MAX,
        (_, equal) => LIMITS[usize::from(equal)],
    };
    // 字若葉 is a koaza, and not 若葉通; 字滝上市街地3条通り is 滝ノ上市街地三条通.
    let is_longer = is_aza && near.end - begin != name.len() && near.equal < 5;
    let is_sure = is_followed || near.cost <= LIMIT_INSIDE_TEXT && near.equal > 2;
    // 月寒東3 may be lot 3 of 月寒東, and not 月寒東三条.
    let takes_lot =
        text[near.end - 1].is_figure() && name.last().is_some_and(|letter| !is_digit(*letter));
    near.cost <= limit && is_sure && !is_longer && !takes_lot
}

/// Whether a text has only the beginning of a name, with which another town begins too, and lacks more than 町: 修学院 is
/// not 修学院室町, because it is 修学院大林町 just as well.
fn begins_several(inside: CityText<'_>, name: &[u16], written: &[Unit]) -> bool {
    let Some((beginning, missing)) = name.split_at_checked(written.len()) else { return false };
    let lacks_more = !matches!(missing, [] | [MACHI]);
    lacks_more
        && codes(written).eq(beginning.iter().copied())
        && inside.gazetteer.towns.narrow_by(inside.towns(), 0, codes(written)).len() > 1
}

/// What is wrong with a text for a name: whether it lacks letters, writes one twice, or has other letters.
fn kind_of(name: &[u16], text: &[Unit]) -> CorrectionKind {
    let mut rest = name.iter();
    let is_part = codes(text).all(|code| rest.any(|letter| *letter == code));
    if is_part && text.len() < name.len() {
        return CorrectionKind::Completed;
    }
    let mut whole = codes(text);
    let holds = name.iter().all(|letter| whole.any(|code| code == *letter));
    let is_doubled = holds && codes(text).zip(codes(text).skip(1)).any(|(one, other)| one == other);
    if is_doubled { CorrectionKind::Repeated } else { CorrectionKind::Letters }
}

/// The towns whose names end with the name in the text: 北烏丸町 is 東九条北烏丸町.
fn without_beginning(inside: CityText<'_>, start: usize, found: &mut impl FnMut(NearTown)) {
    let CityText { gazetteer, text, .. } = inside;
    let end = name_end(text, start);
    let name = &text[start..end];
    if name.len() < BEGINNING_MIN || !is_figure_at(text, end) {
        return;
    }
    let keys = &gazetteer.towns;
    let ends = |town: &usize| {
        let before = keys.length(*town).checked_sub(name.len());
        before.is_some_and(|before| before > 1 && keys.codes(*town).skip(before).eq(codes(name)))
    };
    for town in inside.towns().filter(ends) {
        let hit = Hit { name: town, count: 1, end, cost: OTHER_NAME };
        let kind = CorrectionKind::Completed;
        found(NearTown { hit, start, cost: WITHOUT_BEGINNING, kind });
    }
}

/// The town after a repetition of the municipality's name without its 市, 町 or 村: 長野市大字長野元善町. A lot must follow.
/// `area` are the units of the municipality's name.
pub(super) fn after_own_stem(
    inside: CityText<'_>,
    area: &std::ops::Range<usize>,
) -> Option<NearTown> {
    let text = inside.text;
    let stem = text.get(area.start..area.end.checked_sub(1)?)?;
    let start = area.end + section_mark(text, area.end).unwrap_or(0);
    let after = start + stem.len();
    if stem.len() < 2 || !codes(stem).eq(codes(text.get(start..after)?)) {
        return None;
    }
    let hit = inside.town(after)?;
    let whole = hit.cost == 0 && hit.end > after + 1 && is_figure_at(text, hit.end);
    let kind = CorrectionKind::Repeated;
    whole.then_some(NearTown { hit, start, cost: OWN_STEM, kind })
}

/// The town behind the name of a district that the data lack: 荒川地区坂町. It must end where a number begins.
pub(super) fn behind_district(inside: CityText<'_>, start: usize) -> Option<NearTown> {
    let text = inside.text;
    let end = name_end(text, start);
    let district = (start + 1..end).find(|position| text[*position].code == unit('区'))?;
    let hit = town_to_the_letter(inside, district + 1)?;
    Some(NearTown { hit, start, cost: OWN_STEM, kind: CorrectionKind::Repeated })
}

/// The town in brackets behind another name: 字裏ノ(南栄町)8.
pub(super) fn in_brackets(inside: CityText<'_>, start: usize) -> Option<NearTown> {
    let text = inside.text;
    let open = name_end(text, start);
    let after = open + 1;
    if open == start || code_at(text, open) != Some(unit('(')) {
        return None;
    }
    let hit = inside.town(after)?;
    let whole = hit.cost == 0 && code_at(text, hit.end) == Some(unit(')'));
    let kind = CorrectionKind::Repeated;
    let hit = Hit { end: hit.end + 1, ..hit };
    whole.then_some(NearTown { hit, start, cost: OWN_STEM, kind })
}

/// The town behind a municipality that was merged into this one: 岡山市灘崎町彦崎.
pub(super) fn behind_former(inside: CityText<'_>, start: usize) -> Option<NearTown> {
    let CityText { gazetteer, city, text } = inside;
    let keys = &gazetteer.former;
    let former = match_names(keys, 0..keys.count(), text, start, Tolerance::Literal);
    let ends = former
        .names()
        .filter(|(name, _)| usize::from(gazetteer.former_of[*name].city.to_native()) == city);
    let hit = town_to_the_letter(inside, ends.map(|(_, end)| end).max()?)?;
    Some(NearTown { hit, start, cost: OWN_STEM, kind: CorrectionKind::OldName })
}

/// The town of two letters or more that the text names literally from `start` on, if its name ends there.
fn town_to_the_letter(inside: CityText<'_>, start: usize) -> Option<Hit> {
    let hit = inside.town(start)?;
    let is_whole = hit.cost == 0 && hit.end > start + 1 && ends_name(inside.text, hit.end);
    is_whole.then_some(hit)
}
