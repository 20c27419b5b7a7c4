//! What a text names below the municipality: town or Kyoto street, koaza, chome or 地割 numbers.

use std::ops::Range;

use super::name_match::{Hit, OTHER_NAME, section_mark};
use super::near::{self, FuzzyMatch};
use super::result::CorrectionKind;
use super::town::{CityText, TownMatch, after_counter};
use super::units::{code_at, codes, is_figure_at, unit};

impl CityText<'_> {
    /// Reads the text from `start` on, after the municipality. If it names neither town nor street, `end` is `start`.
    pub fn below(self, start: usize) -> TownMatch {
        let has_streets = self.gazetteer.cities[self.city].has_streets;
        let in_street = if has_streets { self.street_and_town(start) } else { None };
        let mut found = match in_street {
            Some(found) => self.with_koaza(found),
            None => match self.town(start) {
                Some(hit) => self.below_town(start, hit),
                None => TownMatch { end: start, name: start..start, ..TownMatch::default() },
            },
        };
        if found.cost == OTHER_NAME && found.corrected.is_none() {
            found.corrected = self.alias_correction(&found);
        }
        found
    }

    /// Reads the text after a former municipality. `former` are the units of its name without the county. Present
    /// towns may have kept the name: 大和町尼寺 is in 佐賀市, 江刺岩谷堂 in 奥州市.
    pub fn below_former(self, former: Range<usize>) -> TownMatch {
        let Range { start, end } = former;
        let with_name = self.town(start).filter(|hit| hit.end > end);
        match with_name.or_else(|| self.after_stem(former)) {
            Some(hit) => self.below_town(start, hit),
            None => self.below(end),
        }
    }

    /// The town after a repetition of the municipality's name without its 市, 町 or 村: 長野市大字長野元善町. A lot must
    /// follow.
    fn after_own_stem(self, area: &Range<usize>) -> Option<TownMatch> {
        let text = self.text;
        let stem = &text[area.start..area.end.checked_sub(1)?];
        let start = area.end + section_mark(text, area.end).unwrap_or(0);
        let after = start + stem.len();
        if stem.len() < 2 || !codes(stem).eq(codes(text.get(start..after)?)) {
            return None;
        }
        let hit = self.town(after)?;
        let whole = hit.cost == 0 && hit.end > after + 1 && is_figure_at(text, hit.end);
        whole.then(|| self.below_town(start, hit))
    }

    /// The match for a town whose name begins at `start`.
    fn below_town(self, start: usize, hit: Hit) -> TownMatch {
        let end = after_counter(self.text, hit);
        self.with_koaza(TownMatch { end, ..TownMatch::of(start, hit) })
    }

    /// Adds the koaza that follows the town in the text, if the gazetteer has it.
    fn with_koaza(self, mut found: TownMatch) -> TownMatch {
        let Some(town) = found.town else { return found };
        // 山代温泉（幸町）: the koaza may be in brackets.
        let bracket = code_at(self.text, found.end) == Some(unit('('));
        let start = found.end + usize::from(bracket);
        if let Some(hit) = self.koaza(town, start)
            && (!bracket || code_at(self.text, hit.end) == Some(unit(')')))
        {
            found.koaza = Some((hit.name, start..hit.end));
            found.end = hit.end + usize::from(bracket);
        }
        found
    }
}

/// Finds the town that a misspelt or shortened name means, or one after the repeated name of the municipality, if
/// exactly one of these municipalities has such a town. `area` are the units of the municipality's name.
pub fn corrected<'a>(
    cities: impl Iterator<Item = CityText<'a>> + Clone,
    area: &Range<usize>,
) -> Option<(usize, TownMatch)> {
    misspelt(cities.clone(), area.end).or_else(|| {
        let mut found = cities.filter_map(|city| Some((city.city, city.after_own_stem(area)?)));
        let (city, below) = found.next().filter(|_| found.next().is_none())?;
        Some((city, TownMatch { corrected: Some((CorrectionKind::Repeated, None)), ..below }))
    })
}

fn misspelt<'a>(
    cities: impl Iterator<Item = CityText<'a>> + Clone,
    start: usize,
) -> Option<(usize, TownMatch)> {
    /// A method to find a town despite an error.
    type Find = fn(CityText<'_>, usize) -> FuzzyMatch;
    let methods: [(Find, CorrectionKind); 4] = [
        (near::misspelt, CorrectionKind::Letters),
        (near::with_rare_kanji, CorrectionKind::Letters),
        (near::without_beginning, CorrectionKind::Completed),
        (near::with_one_letter, CorrectionKind::Letters),
    ];
    for (find, kind) in methods {
        let mut found = None;
        for city in cities.clone() {
            if let Some(hit) = find(city, start).ok()?
                && found.replace((city, hit)).is_some()
            {
                return None;
            }
        }
        if let Some((city, hit)) = found {
            let corrected = Some((kind, None));
            return Some((city.city, TownMatch { corrected, ..city.below_town(start, hit) }));
        }
    }
    None
}
