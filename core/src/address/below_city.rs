//! What a text names below the municipality: town or Kyoto street, koaza, chome or 地割 numbers.

use std::ops::Range;

use super::name_match::{Hit, OTHER_NAME, section_mark};
use super::result::CorrectionKind;
use super::town::{CityText, TownMatch, after_counter};
use super::units::{code_at, unit};

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
            // 本郷町西甲 for 本郷甲: without a 字, the letters between may be an error.
            let is_koaza = section_mark(self.text, found.end).is_some();
            let letters = Some((CorrectionKind::Letters, None)).filter(|_| !is_koaza);
            found.corrected = self.alias_correction(&found).or(letters);
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

    /// The match for a town whose name begins at `start`.
    fn below_town(self, start: usize, hit: Hit) -> TownMatch {
        let end = after_counter(self.text, hit);
        self.with_koaza(TownMatch { end, ..TownMatch::of(start, hit) })
    }

    /// Adds the koaza that follows the town in the text, if the gazetteer has it.
    pub fn with_koaza(self, mut found: TownMatch) -> TownMatch {
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
