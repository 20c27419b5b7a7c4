//! Finds the town at a position of a text: the longest name of the municipality.
//!
//! If another town differs from the text by one letter, the text may be a typing error for that one, so no town is
//! returned: none is better than a wrong one.

use std::ops::Range;

use super::counter;
use super::gazetteer::{ArchivedGazetteer, Kind, keys::ArchivedKeys};
use super::result::CorrectionKind;
use super::units::{Unit, is_dash, is_digit, unit};
use super::walk::{Hit, JO, OTHERWISE, Style, is_name, section_mark, walk, walk_on};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TownMatch {
    pub town: Option<usize>,
    /// Its units in the text; empty if only the street identifies the town.
    pub name: Range<usize>,
    /// The units of a Kyoto street.
    pub street: Option<Range<usize>>,
    /// A koaza in the gazetteer: its detail, and its units.
    pub koaza: Option<(usize, Range<usize>)>,
    pub end: usize,
    pub edits: u8,
    /// If the text has another name of the town than its spellings: the reason, and since when.
    pub corrected: Option<(CorrectionKind, Option<u16>)>,
}

/// The longest town at `at`, unless it is doubtful.
pub fn town(gazetteer: &ArchivedGazetteer, city: usize, text: &[Unit], at: usize) -> Option<Hit> {
    let towns = gazetteer.towns_of(city);
    let hit = walk(&gazetteer.towns, towns.clone(), text, at, Style::Town).longest();
    let hit = hit.map(|hit| beyond_mark(gazetteer, &towns, text, hit).unwrap_or(hit));
    let known = hit.filter(|hit| !is_doubtful(gazetteer, towns.clone(), text, at, *hit));
    if gazetteer.cities[city].chome_towns
        && let Some(chome) = by_chome(gazetteer, towns.clone(), text, at)
    {
        return Some(chome);
    }
    match known {
        // More letters after a whole name may still belong to a name: 新川西1 is not in 新川.
        Some(hit) if text.get(hit.end).is_none_or(|next| !is_name(next.code)) => known,
        _ => without_counter(gazetteer, towns.clone(), text, at)
            .or_else(|| by_numbers(gazetteer, towns, text, at))
            .or_else(|| known_otherwise(gazetteer, city, text, at, known))
            .or(known)
            .or_else(|| by_lot_letter(gazetteer, gazetteer.towns_of(city), text, at)),
    }
}

/// A town whose name continues after a 字 and ends with the name in the text: 羽根町字小豆坂117 is 羽根町小豆坂 if that is a town
/// of its own, and 船岡字東原町 is not 船岡東.
fn beyond_mark(
    gazetteer: &ArchivedGazetteer,
    towns: &Range<usize>,
    text: &[Unit],
    hit: Hit,
) -> Option<Hit> {
    let mark = section_mark(text, hit.end).filter(|_| hit.edits == 0)?;
    let keys = &gazetteer.towns;
    let name = keys.units(hit.name).iter().map(|unit| unit.to_native());
    let longer = keys.narrow_by(towns.clone(), 0, name);
    let depth = keys.length(hit.name);
    let found = walk_on(keys, longer, depth, text, hit.end + mark).longest()?;
    let whole = found.edits == 0 && found.end > hit.end + mark && !goes_on(text, found.end);
    // 外旭川字八幡田12 is in 外旭川: the town with the longer name is counted in 丁目.
    let counted =
        !gazetteer.with_chome[found.name] || counter::behind_chome(text, found.end).is_some();
    (whole && counted).then_some(found)
}

/// The town by a former name or a name in another register, if that covers more of the text than `known`.
fn known_otherwise(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    at: usize,
    known: Option<Hit>,
) -> Option<Hit> {
    if known.is_some_and(|known| follows_detail(gazetteer, known.name, text, known.end)) {
        return None;
    }
    let aliases = gazetteer.aliases_of(city);
    let hit = walk(&gazetteer.aliases, aliases, text, at, Style::Town).longest()?;
    let ends = !goes_on(text, hit.end) && !hit.is_loose();
    let longer = known.is_none_or(|known| known.end < hit.end);
    (ends && longer && gazetteer.aliases.length(hit.name) > 1).then(|| Hit {
        name: gazetteer.alias_of[hit.name].to_native() as usize,
        count: 1,
        edits: OTHERWISE,
        ..hit
    })
}

/// Why the name at `at` leads to a town with another name: a former name, or a name in another register.
pub fn otherwise(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    found: &TownMatch,
) -> Option<(CorrectionKind, Option<u16>)> {
    let at = found.name.start;
    let aliases = gazetteer.aliases_of(city);
    let hit = walk(&gazetteer.aliases, aliases, text, at, Style::Town).longest()?;
    let town = gazetteer.alias_of[hit.name].to_native() as usize;
    if hit.end != found.name.end || found.town != Some(town) {
        return None;
    }
    Some(match gazetteer.alias_since[hit.name].to_native() {
        0 => (CorrectionKind::OtherRegister, None),
        year => (CorrectionKind::OldName, Some(year)),
    })
}

/// The town whose name begins with that of a former municipality, without its 市, 町 or 村.
pub fn behind_stem(
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
    let hit = walk_on(keys, towns, stem.len(), text, former.end).longest()?;
    (hit.end > former.end && !goes_on(text, hit.end)).then_some(hit)
}

/// Counters of a town that people omit before a lot.
const COUNTERS: [&str; 2] = ["条", "番町"];

/// The town whose counter the text omits: 月寒東3-18 is 月寒東三条18; 月寒東 has no chome of its own.
fn without_counter(
    gazetteer: &ArchivedGazetteer,
    towns: Range<usize>,
    text: &[Unit],
    at: usize,
) -> Option<Hit> {
    let mut names = towns;
    for place in at..text.len() {
        let end = place + number_at(text, place);
        let begins = end > place && place > at && !text[place - 1].within;
        if begins
            && begins_lot(text, end)
            && let Some(counted) = counted(gazetteer, &names, place - at, &text[place..end])
        {
            return Some(Hit { name: counted.start, count: counted.len(), end, edits: JO });
        }
        names = gazetteer.towns.narrow(&names, place - at, text[place].code);
        if names.is_empty() {
            return None;
        }
    }
    None
}

/// The towns that consist of the first `base` units of `names`, a number and a counter.
fn counted(
    gazetteer: &ArchivedGazetteer,
    names: &Range<usize>,
    base: usize,
    number: &[Unit],
) -> Option<Range<usize>> {
    let keys = &gazetteer.towns;
    let chome = |town: usize| {
        let behind = keys.units(town)[base..].iter().map(|unit| unit.to_native());
        behind.skip_while(|code| is_digit(*code)).eq("丁目".encode_utf16())
    };
    let taken = ["", "町"];
    let taken = taken.iter().any(|more| !ending(keys, names.clone(), base, more).is_empty());
    if taken || names.clone().any(chome) {
        return None;
    }
    let numbered = keys.narrow_by(names.clone(), base, number.iter().map(|digit| digit.code));
    let depth = base + number.len();
    let counted = COUNTERS.iter().map(|counter| ending(keys, numbered.clone(), depth, counter));
    counted.into_iter().find(|towns| !towns.is_empty())
}

/// The town with two counted numbers of which the text has only the numbers: 24-2-2-3-3 is 二十四軒二条2-3-3.
fn by_numbers(
    gazetteer: &ArchivedGazetteer,
    towns: Range<usize>,
    text: &[Unit],
    at: usize,
) -> Option<Hit> {
    let keys = &gazetteer.towns;
    let end = at + number_at(text, at);
    let second = end + 1;
    if second > text.len() {
        return None;
    }
    let end_of_second = second + number_at(text, second);
    let has_dash = text.get(end).is_some_and(|next| is_dash(next.code));
    if end == at || !has_dash || end_of_second == second || !begins_lot(text, end_of_second) {
        return None;
    }
    let digits = |range: Range<usize>| text[range].iter().map(|digit| digit.code);
    let names = keys.narrow_by(towns, 0, digits(at..end));
    let depth = end - at;
    let counter = keys.unit(names.clone().next()?, depth).filter(|code| !is_digit(*code))?;
    if keys.narrow(&names, depth, counter).len() < names.len() {
        return None;
    }
    let names = keys.narrow_by(names, depth + 1, digits(second..end_of_second));
    let found = ending(keys, names, depth + 1 + end_of_second - second, COUNTERS[0]);
    let (name, count) = (found.start, found.len());
    (count > 0).then_some(Hit { name, count, end: end_of_second, edits: JO })
}

/// The town with a chome in its name whose 丁目 the text omits: 本町4-22 is 本町四丁目22, and 下田市1-18-20 is 一丁目.
fn by_chome(
    gazetteer: &ArchivedGazetteer,
    towns: Range<usize>,
    text: &[Unit],
    at: usize,
) -> Option<Hit> {
    let keys = &gazetteer.towns;
    let mut names = towns;
    for place in at..text.len() {
        let end = place + number_at(text, place);
        if end > place && (place == at || !text[place - 1].within) && begins_lot(text, end) {
            // If only one town is numbered, the number is part of its name and not a count: 六丁目 in 仙台市.
            let depth = place - at;
            let going_on = |first: &str| keys.narrow_by(names.clone(), depth, first.encode_utf16());
            let counted = ["1丁目", "2丁目"].map(going_on);
            let digits = text[place..end].iter().map(|digit| digit.code);
            let chome = keys.narrow_by(names.clone(), depth, digits);
            let chome = ending(keys, chome, end - at, "丁目");
            if counted.iter().all(|names| !names.is_empty()) && !chome.is_empty() {
                return Some(Hit { name: chome.start, count: chome.len(), end, edits: JO });
            }
        }
        names = keys.narrow(&names, place - at, text[place].code);
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
    at: usize,
) -> Option<Hit> {
    let length = text[at..].iter().take_while(|unit| is_name(unit.code)).count();
    let last = at + length.checked_sub(1)?;
    let letter = text[last].code;
    if !is_lot_letter(letter) || !text.get(last + 1).is_some_and(|next| next.is_digit()) {
        return None;
    }
    let keys = &gazetteer.towns;
    let (mut names, mut found) = (towns, None);
    for (depth, unit) in text[at..last].iter().enumerate() {
        names = keys.narrow(&names, depth, unit.code);
        let lettered = keys.narrow(&names, depth + 1, letter);
        let whole = ending(keys, lettered, depth + 2, "");
        if !whole.is_empty() && depth > 0 {
            let (name, count, end) = (whole.start, whole.len(), at + depth + 1);
            found = Some(Hit { name, count, end, edits: OTHERWISE });
        }
    }
    found
}

/// The names among those with a common beginning of `depth` units that end with `more`.
fn ending(keys: &ArchivedKeys, names: Range<usize>, depth: usize, more: &str) -> Range<usize> {
    let longer = keys.narrow_by(names, depth, more.encode_utf16());
    keys.whole(&longer, depth + more.encode_utf16().count())
}

fn number_at(text: &[Unit], at: usize) -> usize {
    let goes_on = text[at..].iter().take_while(|unit| unit.is_digit() && unit.within).count();
    goes_on + usize::from(text.get(at + goes_on).is_some_and(|unit| unit.is_digit()))
}

/// Whether a number is at `at`, with a hyphen or の before it if it follows another number.
fn begins_lot(text: &[Unit], at: usize) -> bool {
    let dash = text.get(at).is_some_and(|next| is_dash(next.code) || next.code == unit('ノ'));
    text.get(at + usize::from(dash)).is_some_and(|unit| unit.is_digit())
}

/// The unit after a town. A hyphen in place of its counter belongs neither to the town nor to the lot.
pub fn behind_counter(text: &[Unit], hit: Hit) -> usize {
    let number = hit.edits == JO && text[hit.end - 1].is_digit();
    hit.end + usize::from(number && text.get(hit.end).is_some_and(|unit| is_dash(unit.code)))
}

pub fn koaza(gazetteer: &ArchivedGazetteer, town: usize, text: &[Unit], at: usize) -> Option<Hit> {
    let koaza = gazetteer.details_of(town, Kind::Koaza);
    if koaza.is_empty() {
        return None;
    }
    walk(&gazetteer.detail_names, koaza, text, at, Style::Town).longest()
}

/// Whether the text may as well be a typing error for another town.
fn is_doubtful(
    gazetteer: &ArchivedGazetteer,
    towns: Range<usize>,
    text: &[Unit],
    at: usize,
    hit: Hit,
) -> bool {
    // If the text also has a form such as 一三丁目, all its numbers are in that form.
    let (name, behind) = (&text[at..hit.end], &text[hit.end..]);
    let digits = has_digits_for_number(name) && !has_digits_for_number(behind);
    let loose = hit.is_loose() || digits;
    if loose && is_near_another(gazetteer, towns.clone(), hit.name, &text[at..hit.end]) {
        return true;
    }
    if !goes_on(text, hit.end) || follows_detail(gazetteer, hit.name, text, hit.end) {
        return false;
    }
    // An unknown aza, or the beginning of a longer name. The 子 in 小林町王子560 is not a letter of the lot.
    let aza = text[hit.end..].iter().take_while(|unit| is_name(unit.code)).count();
    let end = hit.end + aza;
    gazetteer.towns.length(hit.name) == 1 && aza < 2
        || is_near_another(gazetteer, towns, hit.name, &text[at..end])
}

/// Whether kanji digits without 十 are the number of a street: 三五条 is 35条, or a typing error for 三十条.
fn has_digits_for_number(name: &[Unit]) -> bool {
    let counted = name.iter().any(|found| found.code == unit('条') || found.code == unit('丁'));
    counted
        && name.windows(2).any(|pair| {
            let apart = pair[0].first != pair[1].first;
            pair[0].kanji && pair[0].within && apart && pair.iter().all(|it| it.code != unit('0'))
        })
}

/// Whether another town is one letter away: `中ノ町` is 中町, or a typing error for 中ノ目.
pub fn is_near_another(
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

fn follows_detail(gazetteer: &ArchivedGazetteer, town: usize, text: &[Unit], at: usize) -> bool {
    koaza(gazetteer, town, text, at).is_some() || {
        let buildings = gazetteer.details_of(town, Kind::Building);
        walk(&gazetteer.detail_names, buildings, text, at, Style::Literal).longest().is_some()
    }
}

/// Whether the name continues at `at`: with an adjacent letter that begins no aza and no lot.
pub fn goes_on(text: &[Unit], at: usize) -> bool {
    let Some(next) = text.get(at).filter(|next| is_name(next.code)) else { return false };
    let set_off = at > 0 && text[at - 1].last < next.first;
    if set_off || section_mark(text, at).is_some() {
        return false;
    }
    let lot_letter =
        is_lot_letter(next.code) && text.get(at + 1).is_some_and(|unit| unit.is_digit());
    !lot_letter
}

/// Letters before the number of a lot: 甲12番地, 第3地割, イ5.
fn is_lot_letter(code: u16) -> bool {
    const LETTERS: &str = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥第東西南北上下";
    let katakana = (unit('ァ')..=unit('ヺ')).contains(&code);
    let hiragana = (unit('ぁ')..=unit('ん')).contains(&code);
    katakana || hiragana || LETTERS.encode_utf16().any(|letter| letter == code)
}
