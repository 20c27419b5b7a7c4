//! Finds the town at a position of a text: the longest name of the municipality.
//!
//! If another town differs from the text by one letter, the text may be a typing error for that one, so no town is
//! returned: none is better than a wrong one.

use std::ops::Range;

use super::counter;
use super::gazetteer::{ArchivedGazetteer, DetailKind, keys::ArchivedKeys};
use super::name_match::{
    Hit, MISSING_COUNTER, OTHER_NAME, Tolerance, is_name, match_names, match_rest_of_names,
    section_mark,
};
use super::result::CorrectionKind;
use super::units::{Unit, is_dash, is_digit, unit};

/// What a text names below the municipality.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TownMatch {
    pub town: Option<usize>,
    /// The units of its name; empty if only the street identifies the town.
    pub name: Range<usize>,
    /// The units of a Kyoto street.
    pub street: Option<Range<usize>>,
    /// A koaza in the gazetteer: its detail, and its units.
    pub koaza: Option<(usize, Range<usize>)>,
    /// The position after all of these.
    pub end: usize,
    /// How far the text differs from the town's name, as in [`Hit`].
    pub cost: u8,
    /// If the text has another name than the town's own: the reason, and the year since which it is old.
    pub corrected: Option<(CorrectionKind, Option<u16>)>,
}

/// The longest town that begins at `start`, unless it is doubtful.
pub fn town(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    start: usize,
) -> Option<Hit> {
    let towns = gazetteer.towns_of(city);
    let hit = match_names(&gazetteer.towns, towns.clone(), text, start, Tolerance::Town).longest();
    let hit = hit.map(|hit| across_section_mark(gazetteer, &towns, text, hit).unwrap_or(hit));
    let known = hit.filter(|hit| !is_doubtful(gazetteer, towns.clone(), text, start, *hit));
    if gazetteer.cities[city].has_chome_towns
        && let Some(chome) = by_chome(gazetteer, towns.clone(), text, start)
    {
        return Some(chome);
    }
    match known {
        // More letters after a whole name may still belong to a name: 新川西1 is not in 新川.
        Some(hit) if text.get(hit.end).is_none_or(|next| !is_name(next.code)) => known,
        _ => without_counter(gazetteer, towns.clone(), text, start)
            .or_else(|| by_numbers(gazetteer, towns, text, start))
            .or_else(|| by_alias(gazetteer, city, text, start, known))
            .or(known)
            .or_else(|| by_lot_letter(gazetteer, gazetteer.towns_of(city), text, start)),
    }
}

/// A town whose name continues after a 字 and ends with the name in the text: 羽根町字小豆坂117 is 羽根町小豆坂 if that is a town
/// of its own, and 船岡字東原町 is not 船岡東.
fn across_section_mark(
    gazetteer: &ArchivedGazetteer,
    towns: &Range<usize>,
    text: &[Unit],
    hit: Hit,
) -> Option<Hit> {
    let mark = section_mark(text, hit.end).filter(|_| hit.cost == 0)?;
    let keys = &gazetteer.towns;
    let name = keys.units(hit.name).iter().map(|unit| unit.to_native());
    let longer = keys.narrow_by(towns.clone(), 0, name);
    let depth = keys.length(hit.name);
    let found = match_rest_of_names(keys, longer, depth, text, hit.end + mark).longest()?;
    let whole = found.cost == 0 && found.end > hit.end + mark && !name_continues(text, found.end);
    // 外旭川字八幡田12 is in 外旭川: the town with the longer name is counted in 丁目.
    let counted =
        !gazetteer.with_chome[found.name] || counter::after_chome(text, found.end).is_some();
    (whole && counted).then_some(found)
}

/// The town by a former name or a name in another register, if that name is longer than the text of `known`.
fn by_alias(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    start: usize,
    known: Option<Hit>,
) -> Option<Hit> {
    if known.is_some_and(|known| has_detail_at(gazetteer, known.name, text, known.end)) {
        return None;
    }
    let aliases = gazetteer.aliases_of(city);
    let hit = match_names(&gazetteer.aliases, aliases, text, start, Tolerance::Town).longest()?;
    let ends = !name_continues(text, hit.end) && !hit.is_loose();
    let longer = known.is_none_or(|known| known.end < hit.end);
    (ends && longer && gazetteer.aliases.length(hit.name) > 1).then(|| Hit {
        name: gazetteer.alias_of[hit.name].to_native() as usize,
        count: 1,
        cost: OTHER_NAME,
        ..hit
    })
}

/// Why the name in the text is not the town's own: it is a former name, or a name in another register.
pub fn alias_correction(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    found: &TownMatch,
) -> Option<(CorrectionKind, Option<u16>)> {
    let start = found.name.start;
    let aliases = gazetteer.aliases_of(city);
    let hit = match_names(&gazetteer.aliases, aliases, text, start, Tolerance::Town).longest()?;
    let town = gazetteer.alias_of[hit.name].to_native() as usize;
    if hit.end != found.name.end || found.town != Some(town) {
        return None;
    }
    Some(match gazetteer.alias_since[hit.name].to_native() {
        0 => (CorrectionKind::OtherRegister, None),
        year => (CorrectionKind::OldName, Some(year)),
    })
}

/// The town whose name begins with that of a former municipality without its 市, 町 or 村. `former` are the units of
/// the municipality's name.
pub fn after_stem(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    former: Range<usize>,
) -> Option<Hit> {
    let stem = text.get(former.start..former.end.checked_sub(1)?)?;
    let keys = &gazetteer.towns;
    let towns = keys.narrow_by(gazetteer.towns_of(city), 0, stem.iter().map(|unit| unit.code));
    if stem.len() < 2 || towns.is_empty() {
        return None;
    }
    let hit = match_rest_of_names(keys, towns, stem.len(), text, former.end).longest()?;
    (hit.end > former.end && !name_continues(text, hit.end)).then_some(hit)
}

/// Counters of a town that people omit before a lot.
const COUNTERS: [&str; 2] = ["条", "番町"];

/// The town whose counter the text omits: 月寒東3-18 is 月寒東三条18; 月寒東 has no chome of its own.
fn without_counter(
    gazetteer: &ArchivedGazetteer,
    towns: Range<usize>,
    text: &[Unit],
    start: usize,
) -> Option<Hit> {
    let mut names = towns;
    for position in start..text.len() {
        let end = position + number_length(text, position);
        let begins = end > position && position > start && !text[position - 1].is_inner_digit;
        if begins
            && is_lot_start(text, end)
            && let Some(counted) =
                numbered_towns(gazetteer, &names, position - start, &text[position..end])
        {
            return Some(Hit {
                name: counted.start,
                count: counted.len(),
                end,
                cost: MISSING_COUNTER,
            });
        }
        names = gazetteer.towns.narrow(&names, position - start, text[position].code);
        if names.is_empty() {
            return None;
        }
    }
    None
}

/// The towns that consist of the first `base` units of `names`, a number and a counter.
fn numbered_towns(
    gazetteer: &ArchivedGazetteer,
    names: &Range<usize>,
    base: usize,
    number: &[Unit],
) -> Option<Range<usize>> {
    let keys = &gazetteer.towns;
    let chome = |town: usize| {
        let rest = keys.units(town)[base..].iter().map(|unit| unit.to_native());
        rest.skip_while(|code| is_digit(*code)).eq("丁目".encode_utf16())
    };
    let endings = ["", "町"];
    let is_town_itself =
        endings.iter().any(|more| !with_ending(keys, names.clone(), base, more).is_empty());
    if is_town_itself || names.clone().any(chome) {
        return None;
    }
    let numbered = keys.narrow_by(names.clone(), base, number.iter().map(|digit| digit.code));
    let depth = base + number.len();
    let counted =
        COUNTERS.iter().map(|counter| with_ending(keys, numbered.clone(), depth, counter));
    counted.into_iter().find(|towns| !towns.is_empty())
}

/// The town whose name is two numbers with their counters, of which the text has only the numbers: 24-2-2-3-3 is
/// 二十四軒二条2-3-3.
fn by_numbers(
    gazetteer: &ArchivedGazetteer,
    towns: Range<usize>,
    text: &[Unit],
    start: usize,
) -> Option<Hit> {
    let keys = &gazetteer.towns;
    let end = start + number_length(text, start);
    let second = end + 1;
    if second > text.len() {
        return None;
    }
    let end_of_second = second + number_length(text, second);
    let has_dash = text.get(end).is_some_and(|next| is_dash(next.code));
    if end == start || !has_dash || end_of_second == second || !is_lot_start(text, end_of_second) {
        return None;
    }
    let digits = |range: Range<usize>| text[range].iter().map(|digit| digit.code);
    let names = keys.narrow_by(towns, 0, digits(start..end));
    let depth = end - start;
    let counter = keys.unit(names.clone().next()?, depth).filter(|code| !is_digit(*code))?;
    if keys.narrow(&names, depth, counter).len() < names.len() {
        return None;
    }
    let names = keys.narrow_by(names, depth + 1, digits(second..end_of_second));
    let found = with_ending(keys, names, depth + 1 + end_of_second - second, COUNTERS[0]);
    let (name, count) = (found.start, found.len());
    (count > 0).then_some(Hit { name, count, end: end_of_second, cost: MISSING_COUNTER })
}

/// The town with a chome in its name whose 丁目 the text omits: 本町4-22 is 本町四丁目22, and 下田市1-18-20 is 一丁目.
fn by_chome(
    gazetteer: &ArchivedGazetteer,
    towns: Range<usize>,
    text: &[Unit],
    start: usize,
) -> Option<Hit> {
    let keys = &gazetteer.towns;
    let mut names = towns;
    for position in start..text.len() {
        let end = position + number_length(text, position);
        if end > position
            && (position == start || !text[position - 1].is_inner_digit)
            && is_lot_start(text, end)
        {
            // If only one town is numbered, the number is part of its name and not a count: 六丁目 in 仙台市.
            let depth = position - start;
            let continued =
                |first: &str| keys.narrow_by(names.clone(), depth, first.encode_utf16());
            let counted = ["1丁目", "2丁目"].map(continued);
            let digits = text[position..end].iter().map(|digit| digit.code);
            let chome = keys.narrow_by(names.clone(), depth, digits);
            let chome = with_ending(keys, chome, end - start, "丁目");
            if counted.iter().all(|names| !names.is_empty()) && !chome.is_empty() {
                return Some(Hit {
                    name: chome.start,
                    count: chome.len(),
                    end,
                    cost: MISSING_COUNTER,
                });
            }
        }
        names = keys.narrow(&names, position - start, text[position].code);
        if names.is_empty() {
            return None;
        }
    }
    None
}

/// The town that ends with the letter of the lot, with a koaza in between: 福武字蔵尾甲158 is in 福武甲.
fn by_lot_letter(
    gazetteer: &ArchivedGazetteer,
    towns: Range<usize>,
    text: &[Unit],
    start: usize,
) -> Option<Hit> {
    let length = text[start..].iter().take_while(|unit| is_name(unit.code)).count();
    let last = start + length.checked_sub(1)?;
    let letter = text[last].code;
    if !is_lot_letter(letter) || !text.get(last + 1).is_some_and(|next| next.is_digit()) {
        return None;
    }
    let keys = &gazetteer.towns;
    let (mut names, mut found) = (towns, None);
    for (depth, unit) in text[start..last].iter().enumerate() {
        names = keys.narrow(&names, depth, unit.code);
        let lettered = keys.narrow(&names, depth + 1, letter);
        let whole = with_ending(keys, lettered, depth + 2, "");
        if !whole.is_empty() && depth > 0 {
            let (name, count, end) = (whole.start, whole.len(), start + depth + 1);
            found = Some(Hit { name, count, end, cost: OTHER_NAME });
        }
    }
    found
}

/// Among names with a common beginning of `depth` units, those whose rest is exactly `more`.
fn with_ending(keys: &ArchivedKeys, names: Range<usize>, depth: usize, more: &str) -> Range<usize> {
    let longer = keys.narrow_by(names, depth, more.encode_utf16());
    keys.with_length(&longer, depth + more.encode_utf16().count())
}

/// The number of digits of the number at a position; 0 if there is none.
fn number_length(text: &[Unit], position: usize) -> usize {
    let before_last =
        text[position..].iter().take_while(|unit| unit.is_digit() && unit.is_inner_digit).count();
    before_last + usize::from(text.get(position + before_last).is_some_and(|unit| unit.is_digit()))
}

/// Whether a number is at a position, possibly after a hyphen or の.
fn is_lot_start(text: &[Unit], position: usize) -> bool {
    let dash = text.get(position).is_some_and(|next| is_dash(next.code) || next.code == unit('ノ'));
    text.get(position + usize::from(dash)).is_some_and(|unit| unit.is_digit())
}

/// The position after a town. A hyphen in place of its counter belongs neither to the town nor to the lot.
pub fn after_counter(text: &[Unit], hit: Hit) -> usize {
    let number = hit.cost == MISSING_COUNTER && text[hit.end - 1].is_digit();
    hit.end + usize::from(number && text.get(hit.end).is_some_and(|unit| is_dash(unit.code)))
}

/// The longest koaza of the town at a position.
pub fn koaza(
    gazetteer: &ArchivedGazetteer,
    town: usize,
    text: &[Unit],
    position: usize,
) -> Option<Hit> {
    let koaza = gazetteer.details_of(town, DetailKind::Koaza);
    if koaza.is_empty() {
        return None;
    }
    match_names(&gazetteer.detail_names, koaza, text, position, Tolerance::Town).longest()
}

/// Whether the text may as well be a typing error for another town.
fn is_doubtful(
    gazetteer: &ArchivedGazetteer,
    towns: Range<usize>,
    text: &[Unit],
    start: usize,
    hit: Hit,
) -> bool {
    // If the text has a form such as 一三丁目 after the town too, all its numbers are in that form.
    let (name, after) = (&text[start..hit.end], &text[hit.end..]);
    let digits = has_digits_for_number(name) && !has_digits_for_number(after);
    let loose = hit.is_loose() || digits;
    if loose
        && is_one_letter_from_another(gazetteer, towns.clone(), hit.name, &text[start..hit.end])
    {
        return true;
    }
    if !name_continues(text, hit.end) || has_detail_at(gazetteer, hit.name, text, hit.end) {
        return false;
    }
    // An unknown aza, or the beginning of a longer name. The 子 in 小林町王子560 is not a letter of the lot.
    let aza = text[hit.end..].iter().take_while(|unit| is_name(unit.code)).count();
    let end = hit.end + aza;
    gazetteer.towns.length(hit.name) == 1 && aza < 2
        || is_one_letter_from_another(gazetteer, towns, hit.name, &text[start..end])
}

/// Whether kanji digits without 十 are the number of a street: 三五条 is 35条, or a typing error for 三十条.
fn has_digits_for_number(name: &[Unit]) -> bool {
    let counted = name.iter().any(|found| found.code == unit('条') || found.code == unit('丁'));
    counted
        && name.windows(2).any(|pair| {
            let apart = pair[0].first != pair[1].first;
            pair[0].is_kanji
                && pair[0].is_inner_digit
                && apart
                && pair.iter().all(|it| it.code != unit('0'))
        })
}

/// Whether another town of the municipality differs from `name` in one letter at most: `中ノ町` is 中町, or a typing
/// error for 中ノ目.
pub fn is_one_letter_from_another(
    gazetteer: &ArchivedGazetteer,
    city: Range<usize>,
    found: usize,
    name: &[Unit],
) -> bool {
    let keys = &gazetteer.towns;
    let same_length = city.filter(|town| *town != found && keys.length(*town) == name.len());
    same_length.into_iter().any(|town| {
        let pairs = keys.units(town).iter().zip(name);
        pairs.filter(|(unit, found)| unit.to_native() != found.code).count() <= 1
    })
}

/// Whether a koaza or a building of the town begins at a position.
fn has_detail_at(
    gazetteer: &ArchivedGazetteer,
    town: usize,
    text: &[Unit],
    position: usize,
) -> bool {
    koaza(gazetteer, town, text, position).is_some() || {
        let buildings = gazetteer.details_of(town, DetailKind::Building);
        match_names(&gazetteer.detail_names, buildings, text, position, Tolerance::Literal)
            .longest()
            .is_some()
    }
}

/// Whether a name continues at a position: with an adjacent letter that begins neither an aza nor a lot.
pub fn name_continues(text: &[Unit], position: usize) -> bool {
    let Some(next) = text.get(position).filter(|next| is_name(next.code)) else { return false };
    let set_off = position > 0 && text[position - 1].last < next.first;
    if set_off || section_mark(text, position).is_some() {
        return false;
    }
    let lot_letter =
        is_lot_letter(next.code) && text.get(position + 1).is_some_and(|unit| unit.is_digit());
    !lot_letter
}

/// Letters before the number of a lot: 甲12番地, 第3地割, イ5.
fn is_lot_letter(code: u16) -> bool {
    const LETTERS: &str = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥第東西南北上下";
    let katakana = (unit('ァ')..=unit('ヺ')).contains(&code);
    let hiragana = (unit('ぁ')..=unit('ん')).contains(&code);
    katakana || hiragana || LETTERS.encode_utf16().any(|letter| letter == code)
}
