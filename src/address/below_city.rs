//! What a text names below the municipality: town or Kyoto street, koaza, chome or 地割 numbers.

use std::ops::Range;

use super::near::{self, Near};
use super::result::CorrectionKind;
use super::town::{self, TownMatch};
use super::units::{Unit, unit};
use super::walk::{Hit, OTHERWISE, section_mark};
use super::{gazetteer::ArchivedGazetteer, kyoto};

/// Reads the text at `at`, after the municipality. If it finds no town and street, `end` is `at`.
pub fn resolve(gazetteer: &ArchivedGazetteer, city: usize, text: &[Unit], at: usize) -> TownMatch {
    let found = if gazetteer.cities[city].streets {
        kyoto::resolve(gazetteer, city, text, at)
    } else {
        None
    };
    let found = found.unwrap_or_else(|| match town::town(gazetteer, city, text, at) {
        Some(hit) => of_hit(text, at, hit),
        None => TownMatch { end: at, name: at..at, ..TownMatch::default() },
    });
    let mut found = with_koaza(gazetteer, text, found);
    if found.edits == OTHERWISE && found.corrected.is_none() {
        found.corrected = town::otherwise(gazetteer, city, text, &found);
    }
    found
}

/// Reads the text after a former municipality whose own name is `own..at`. Present towns may have kept its name:
/// 大和町尼寺 is in 佐賀市, 江刺岩谷堂 in 奥州市.
pub fn resolve_former(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    own: usize,
    at: usize,
) -> TownMatch {
    let kept = town::town(gazetteer, city, text, own).filter(|hit| hit.end > at);
    let kept = kept.or_else(|| town::behind_stem(gazetteer, city, text, own..at));
    match kept {
        Some(hit) => with_koaza(gazetteer, text, of_hit(text, own, hit)),
        None => resolve(gazetteer, city, text, at),
    }
}

/// The meaning of a misspelt or shortened name, if exactly one of `cities` has such a town.
pub fn resolve_near(
    gazetteer: &ArchivedGazetteer,
    cities: impl Iterator<Item = usize> + Clone,
    text: &[Unit],
    at: usize,
) -> Option<(usize, TownMatch)> {
    type Find = fn(&ArchivedGazetteer, usize, &[Unit], usize) -> Near;
    let ways: [(Find, CorrectionKind); 4] = [
        (near::misspelt, CorrectionKind::Letters),
        (near::with_rare_kanji, CorrectionKind::Letters),
        (near::without_beginning, CorrectionKind::Completed),
        (near::with_one_letter, CorrectionKind::Letters),
    ];
    for (find, kind) in ways {
        let mut found = None;
        for city in cities.clone() {
            match find(gazetteer, city, text, at) {
                Near::None => {}
                Near::One(hit) if found.is_none() => found = Some((city, hit)),
                Near::One(_) | Near::Several => return None,
            }
        }
        if let Some((city, hit)) = found {
            let found = with_koaza(gazetteer, text, of_hit(text, at, hit));
            return Some((city, TownMatch { corrected: Some((kind, None)), ..found }));
        }
    }
    None
}

/// The town after the name of the municipality without its 市, 町 or 村: 長野市大字長野元善町. A lot must follow.
pub fn behind_own_stem(
    gazetteer: &ArchivedGazetteer,
    cities: impl Iterator<Item = usize>,
    text: &[Unit],
    area: Range<usize>,
) -> Option<(usize, TownMatch)> {
    let stem = &text[area.start..area.end.checked_sub(1)?];
    let at = area.end + section_mark(text, area.end).unwrap_or(0);
    let again = text.get(at..at + stem.len())?;
    if stem.len() < 2 || !stem.iter().zip(again).all(|(one, other)| one.code == other.code) {
        return None;
    }
    let start = at + stem.len();
    let hit = |city| {
        let hit = town::town(gazetteer, city, text, start)?;
        let lot = text.get(hit.end).is_some_and(|next| next.is_figure());
        let whole = hit.edits == 0 && hit.end > start + 1 && lot;
        whole.then(|| (city, with_koaza(gazetteer, text, of_hit(text, at, hit))))
    };
    let mut found = cities.filter_map(hit);
    let (city, below) = found.next().filter(|_| found.next().is_none())?;
    Some((city, TownMatch { corrected: Some((CorrectionKind::Repeated, None)), ..below }))
}

fn of_hit(text: &[Unit], at: usize, hit: Hit) -> TownMatch {
    TownMatch {
        town: Some(hit.name),
        name: at..hit.end,
        end: town::behind_counter(text, hit),
        edits: hit.edits,
        ..TownMatch::default()
    }
}

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
