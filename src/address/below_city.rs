//! What a text names below the municipality: town or Kyoto street, koaza, chome or 地割 numbers.

use std::ops::Range;

use super::name_match::{Hit, OTHER_NAME, section_mark};
use super::near::{self, FuzzyMatch};
use super::result::CorrectionKind;
use super::town::{self, TownMatch};
use super::units::{Unit, unit};
use super::{gazetteer::ArchivedGazetteer, kyoto};

/// Reads the text from `start` on, after the municipality. If it names neither town nor street, `end` is `start`.
pub fn resolve(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    start: usize,
) -> TownMatch {
    let found = if gazetteer.cities[city].has_streets {
        kyoto::resolve(gazetteer, city, text, start)
    } else {
        None
    };
    let found = found.unwrap_or_else(|| match town::town(gazetteer, city, text, start) {
        Some(hit) => town_match(text, start, hit),
        None => TownMatch { end: start, name: start..start, ..TownMatch::default() },
    });
    let mut found = with_koaza(gazetteer, text, found);
    if found.cost == OTHER_NAME && found.corrected.is_none() {
        found.corrected = town::alias_correction(gazetteer, city, text, &found);
    }
    found
}

/// Reads the text after a former municipality. `former` are the units of its name without the county. Present towns
/// may have kept the name: 大和町尼寺 is in 佐賀市, 江刺岩谷堂 in 奥州市.
pub fn resolve_former(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    former: Range<usize>,
) -> TownMatch {
    let Range { start, end } = former;
    let with_name = town::town(gazetteer, city, text, start).filter(|hit| hit.end > end);
    match with_name.or_else(|| town::after_stem(gazetteer, city, text, former)) {
        Some(hit) => with_koaza(gazetteer, text, town_match(text, start, hit)),
        None => resolve(gazetteer, city, text, end),
    }
}

/// Finds the town that a misspelt or shortened name means, if exactly one of `cities` has such a town.
pub fn resolve_near(
    gazetteer: &ArchivedGazetteer,
    cities: impl Iterator<Item = usize> + Clone,
    text: &[Unit],
    start: usize,
) -> Option<(usize, TownMatch)> {
    /// A method to find a town despite an error.
    type Find = fn(&ArchivedGazetteer, usize, &[Unit], usize) -> FuzzyMatch;
    let methods: [(Find, CorrectionKind); 4] = [
        (near::misspelt, CorrectionKind::Letters),
        (near::with_rare_kanji, CorrectionKind::Letters),
        (near::without_beginning, CorrectionKind::Completed),
        (near::with_one_letter, CorrectionKind::Letters),
    ];
    for (find, kind) in methods {
        let mut found = None;
        for city in cities.clone() {
            match find(gazetteer, city, text, start) {
                FuzzyMatch::None => {}
                FuzzyMatch::Unique(hit) if found.is_none() => found = Some((city, hit)),
                FuzzyMatch::Unique(_) | FuzzyMatch::Ambiguous => return None,
            }
        }
        if let Some((city, hit)) = found {
            let found = with_koaza(gazetteer, text, town_match(text, start, hit));
            return Some((city, TownMatch { corrected: Some((kind, None)), ..found }));
        }
    }
    None
}

/// The town after a repetition of the municipality's name without its 市, 町 or 村: 長野市大字長野元善町. A lot must
/// follow.
pub fn after_own_stem(
    gazetteer: &ArchivedGazetteer,
    cities: impl Iterator<Item = usize>,
    text: &[Unit],
    area: Range<usize>,
) -> Option<(usize, TownMatch)> {
    let stem = &text[area.start..area.end.checked_sub(1)?];
    let start = area.end + section_mark(text, area.end).unwrap_or(0);
    let again = text.get(start..start + stem.len())?;
    if stem.len() < 2 || !stem.iter().zip(again).all(|(one, other)| one.code == other.code) {
        return None;
    }
    let after = start + stem.len();
    let hit = |city| {
        let hit = town::town(gazetteer, city, text, after)?;
        let lot = text.get(hit.end).is_some_and(|next| next.is_figure());
        let whole = hit.cost == 0 && hit.end > after + 1 && lot;
        whole.then(|| (city, with_koaza(gazetteer, text, town_match(text, start, hit))))
    };
    let mut found = cities.filter_map(hit);
    let (city, below) = found.next().filter(|_| found.next().is_none())?;
    Some((city, TownMatch { corrected: Some((CorrectionKind::Repeated, None)), ..below }))
}

/// The match for a town whose name begins at `start`.
fn town_match(text: &[Unit], start: usize, hit: Hit) -> TownMatch {
    TownMatch {
        town: Some(hit.name),
        name: start..hit.end,
        end: town::after_counter(text, hit),
        cost: hit.cost,
        ..TownMatch::default()
    }
}

/// Adds the koaza that follows the town in the text, if the gazetteer has it.
fn with_koaza(gazetteer: &ArchivedGazetteer, text: &[Unit], mut found: TownMatch) -> TownMatch {
    let Some(town) = found.town else { return found };
    // 山代温泉（幸町）: the koaza may be in brackets.
    let bracket = text.get(found.end).is_some_and(|next| next.code == unit('('));
    let start = found.end + usize::from(bracket);
    if let Some(hit) = town::koaza(gazetteer, town, text, start) {
        let closed = text.get(hit.end).is_some_and(|next| next.code == unit(')'));
        if !bracket || closed {
            found.koaza = Some((hit.name, start..hit.end));
            found.end = hit.end + usize::from(bracket);
        }
    }
    found
}
