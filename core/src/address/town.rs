//! Finds the town at a position of a text: the longest name of the municipality.
//!
//! If another town differs from the text by one letter, the text may be a typing error for that one, so no town is
//! returned: none is better than a wrong one.

use std::ops::Range;

use super::counter::{after_chome, is_lot_start, is_name_in_numerals, number_length};
use super::gazetteer::{ArchivedGazetteer, DetailKind};
use super::name_match::{
    Hit, Hits, MISSING_COUNTER, OTHER_NAME, Tolerance, is_name, match_names, match_rest_of_names,
    name_end, section_mark,
};
use super::result::CorrectionKind;
use super::units::{Unit, codes, is_dash_at, is_digit, is_digit_at, unit};

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

impl TownMatch {
    /// The town whose name begins at `start`.
    pub fn of(start: usize, hit: Hit) -> TownMatch {
        TownMatch {
            town: Some(hit.name),
            name: start..hit.end,
            end: hit.end,
            cost: hit.cost,
            ..TownMatch::default()
        }
    }
}

/// A text, and the municipality of which it names a town.
#[derive(Clone, Copy)]
pub struct CityText<'a> {
    pub gazetteer: &'a ArchivedGazetteer,
    pub city: usize,
    pub text: &'a [Unit],
}

impl CityText<'_> {
    pub fn towns(self) -> Range<usize> {
        self.gazetteer.towns_of(self.city)
    }

    /// The longest town that begins at `start`, unless it is doubtful.
    pub fn town(self, start: usize) -> Option<Hit> {
        let CityText { gazetteer, city, text } = self;
        let keys = &gazetteer.towns;
        let hits = match_names(keys, self.towns(), text, start, Tolerance::Town);
        let hit = hits.longest().map(|hit| self.with_longer_koaza(&hits, hit).unwrap_or(hit));
        let hit = hit.map(|hit| self.across_section_mark(hit).unwrap_or(hit));
        let known = hit.filter(|hit| !self.is_doubtful(start, *hit));
        if gazetteer.cities[city].has_chome_towns
            && let Some(chome) = self.by_chome(start)
        {
            return Some(chome);
        }
        match known {
            // More letters after a whole name may still belong to a name: 新川西1 is not in 新川.
            Some(hit) if text.get(hit.end).is_none_or(|next| !is_name(next.code)) => known,
            _ => self
                .without_counter(start)
                .or_else(|| self.by_numbers(start))
                .or_else(|| self.by_alias(start, known))
                .or(known)
                .or_else(|| self.by_lot_letter(start)),
        }
    }

    /// A shorter town of which a koaza explains more of the text than the longest town: 三里塚 with 御料牧場, not 三里塚御料.
    fn with_longer_koaza(self, hits: &Hits, longest: Hit) -> Option<Hit> {
        let text = self.text;
        if !unknown_name_follows(text, longest.end) {
            return None;
        }
        let shorter = hits.iter().filter(|hit| hit.cost == 0 && hit.end < longest.end);
        shorter.into_iter().find(|hit| {
            let koaza = self.koaza(hit.name, hit.end);
            koaza.is_some_and(|koaza| {
                koaza.end > longest.end && !unknown_name_follows(text, koaza.end)
            })
        })
    }

    /// The longest town that begins at `start` and is followed by a name, even if another town is similar to both.
    pub fn town_with_tail(self, start: usize) -> Option<Hit> {
        let CityText { gazetteer, text, .. } = self;
        let hits = match_names(&gazetteer.towns, self.towns(), text, start, Tolerance::Literal);
        let is_named = |hit: &Hit| gazetteer.towns.length(hit.name) > 1;
        hits.longest().filter(|hit| is_named(hit) && unknown_name_follows(text, hit.end))
    }

    /// A town whose name continues after a 字 and ends with the name in the text: 羽根町字小豆坂117 is 羽根町小豆坂 if that is
    /// a town of its own, and 船岡字東原町 is not 船岡東.
    fn across_section_mark(self, hit: Hit) -> Option<Hit> {
        let CityText { gazetteer, text, .. } = self;
        let mark = section_mark(text, hit.end).filter(|_| hit.cost == 0)?;
        let keys = &gazetteer.towns;
        let longer = keys.narrow_by(self.towns(), 0, keys.codes(hit.name));
        let (depth, start) = (keys.length(hit.name), hit.end + mark);
        let found = match_rest_of_names(keys, longer, depth, text, start).longest()?;
        let whole = found.cost == 0 && found.end > start && !name_continues(text, found.end);
        // 外旭川字八幡田12 is in 外旭川: the town with the longer name is counted in 丁目.
        let counted = !gazetteer.with_chome[found.name] || after_chome(text, found.end).is_some();
        (whole && counted).then_some(found)
    }

    /// The town by a former name or a name in another register, if that name is longer than the text of `known`.
    fn by_alias(self, start: usize, known: Option<Hit>) -> Option<Hit> {
        let CityText { gazetteer, text, .. } = self;
        if known.is_some_and(|known| self.has_detail_at(known.name, known.end)) {
            return None;
        }
        let hit = self.alias(start)?;
        let ends = !name_continues(text, hit.end) && !hit.is_loose();
        let longer = known.is_none_or(|known| known.end < hit.end);
        let town = gazetteer.alias_of[hit.name].to_native() as usize;
        (ends && longer && gazetteer.aliases.length(hit.name) > 1).then_some(Hit {
            name: town,
            count: 1,
            cost: OTHER_NAME,
            ..hit
        })
    }

    fn alias(self, start: usize) -> Option<Hit> {
        let CityText { gazetteer, city, text } = self;
        let names = gazetteer.aliases_of(city);
        match_names(&gazetteer.aliases, names, text, start, Tolerance::Town).longest()
    }

    /// Why the name in the text is not the town's own: it is a former name, or a name in another register.
    pub fn alias_correction(self, found: &TownMatch) -> Option<(CorrectionKind, Option<u16>)> {
        let hit = self.alias(found.name.start)?;
        let town = self.gazetteer.alias_of[hit.name].to_native() as usize;
        if hit.end != found.name.end || found.town != Some(town) {
            return None;
        }
        Some(match self.gazetteer.alias_since[hit.name].to_native() {
            0 => (CorrectionKind::OtherRegister, None),
            year => (CorrectionKind::OldName, Some(year)),
        })
    }

    /// The town whose name begins with the name of a former municipality without its 市, 町 or 村. `former` are the units
    /// of the municipality's name.
    pub fn after_stem(self, former: Range<usize>) -> Option<Hit> {
        let CityText { gazetteer, text, .. } = self;
        let stem = text.get(former.start..former.end.checked_sub(1)?)?;
        let keys = &gazetteer.towns;
        let towns = keys.narrow_by(self.towns(), 0, codes(stem));
        if stem.len() < 2 || towns.is_empty() {
            return None;
        }
        let hit = match_rest_of_names(keys, towns, stem.len(), text, former.end).longest()?;
        (hit.end > former.end && !name_continues(text, hit.end)).then_some(hit)
    }

    /// The towns that `named` finds at the first number before a lot. It gets the towns that begin with the text up to
    /// the number, the length of that text, and the number.
    fn at_number(
        self,
        start: usize,
        named: impl Fn(&Range<usize>, usize, &[Unit]) -> Range<usize>,
    ) -> Option<Hit> {
        let CityText { gazetteer, text, .. } = self;
        let mut names = self.towns();
        for position in start..text.len() {
            let depth = position - start;
            let end = position + number_length(text, position);
            let begins = end > position && (depth == 0 || !text[position - 1].is_inner_digit);
            if begins && is_lot_start(text, end) {
                let found = named(&names, depth, &text[position..end]);
                if let Some(hit) = Hit::of(found, end, MISSING_COUNTER) {
                    return Some(hit);
                }
            }
            names = gazetteer.towns.narrow(&names, depth, text[position].code);
            if names.is_empty() {
                return None;
            }
        }
        None
    }

    /// The town whose counter the text omits: 月寒東3-18 is 月寒東三条18; 月寒東 has no chome of its own.
    fn without_counter(self, start: usize) -> Option<Hit> {
        let keys = &self.gazetteer.towns;
        self.at_number(start, |names, depth, number| {
            let chome = |town| {
                let rest = keys.codes(town).skip(depth);
                rest.skip_while(|code| is_digit(*code)).eq("丁目".encode_utf16())
            };
            let is_town =
                |rest: &&str| !keys.with_rest(names.clone(), depth, rest.encode_utf16()).is_empty();
            if depth == 0 || ["", "町"].iter().any(is_town) || names.clone().any(chome) {
                return 0..0;
            }
            let numbered = keys.narrow_by(names.clone(), depth, codes(number));
            let depth = depth + number.len();
            let counted = COUNTERS
                .iter()
                .map(|counter| keys.with_rest(numbered.clone(), depth, counter.encode_utf16()));
            counted.into_iter().find(|towns| !towns.is_empty()).unwrap_or_default()
        })
    }

    /// The town with a chome in its name whose 丁目 the text omits: 本町4-22 is 本町四丁目22, and 下田市1-18-20 is 一丁目.
    fn by_chome(self, start: usize) -> Option<Hit> {
        let keys = &self.gazetteer.towns;
        self.at_number(start, |names, depth, number| {
            // If only one town is numbered, the number is part of its name and not a count: 六丁目 in 仙台市.
            let is_counted = ["1丁目", "2丁目"].iter().all(|first| {
                !keys.narrow_by(names.clone(), depth, first.encode_utf16()).is_empty()
            });
            if !is_counted {
                return 0..0;
            }
            let chome = keys.narrow_by(names.clone(), depth, codes(number));
            keys.with_rest(chome, depth + number.len(), "丁目".encode_utf16())
        })
    }

    /// The town whose name is two numbers with their counters, of which the text has only the numbers: 24-2-2-3-3 is
    /// 二十四軒二条2-3-3.
    fn by_numbers(self, start: usize) -> Option<Hit> {
        let CityText { gazetteer, text, .. } = self;
        let keys = &gazetteer.towns;
        let depth = number_length(text, start);
        if depth == 0 || !is_dash_at(text, start + depth) {
            return None;
        }
        let second = start + depth + 1;
        let end = second + number_length(text, second);
        if end == second || !is_lot_start(text, end) {
            return None;
        }
        let names = keys.narrow_by(self.towns(), 0, codes(&text[start..start + depth]));
        let counter = keys.unit(names.clone().next()?, depth).filter(|code| !is_digit(*code))?;
        if keys.narrow(&names, depth, counter).len() < names.len() {
            return None;
        }
        let rest = codes(&text[second..end]).chain(COUNTERS[0].encode_utf16());
        Hit::of(keys.with_rest(names, depth + 1, rest), end, MISSING_COUNTER)
    }

    /// The town that ends with the letter of the lot, with a koaza in between: 福武字蔵尾甲158 is in 福武甲.
    fn by_lot_letter(self, start: usize) -> Option<Hit> {
        let CityText { gazetteer, text, .. } = self;
        // 八街字七本松ろ: numerals in kanji belong to the name.
        let in_name = |unit: &&Unit| is_name(unit.code) || unit.is_kanji;
        let end = start + text[start..].iter().take_while(in_name).count();
        let (letter, before) = text[start..end].split_last()?;
        // A direction ends the names of many towns.
        let is_direction = "東西南北上下第".encode_utf16().any(|other| other == letter.code);
        if is_direction || !is_lot_letter(letter.code) || !is_digit_at(text, end) {
            return None;
        }
        let keys = &gazetteer.towns;
        let (mut names, mut found) = (self.towns(), None);
        for (unit, depth) in before.iter().zip(1..) {
            names = keys.narrow(&names, depth - 1, unit.code);
            let whole = keys.with_rest(names.clone(), depth, [letter.code].into_iter());
            found = Hit::of(whole, start + depth, OTHER_NAME).filter(|_| depth > 1).or(found);
        }
        found
    }

    /// The longest koaza of the town at a position.
    pub fn koaza(self, town: usize, position: usize) -> Option<Hit> {
        self.detail_at(town, DetailKind::Koaza, position, Tolerance::Town)
    }

    fn detail_at(
        self,
        town: usize,
        kind: DetailKind,
        position: usize,
        tolerance: Tolerance,
    ) -> Option<Hit> {
        let CityText { gazetteer, text, .. } = self;
        let names = gazetteer.details_of(town, kind);
        if names.is_empty() {
            return None;
        }
        match_names(&gazetteer.detail_names, names, text, position, tolerance).longest()
    }

    /// Whether a koaza or a building of the town begins at a position.
    fn has_detail_at(self, town: usize, position: usize) -> bool {
        self.koaza(town, position).is_some()
            || self.detail_at(town, DetailKind::Building, position, Tolerance::Literal).is_some()
    }

    /// Whether the text may as well be a typing error for another town.
    fn is_doubtful(self, start: usize, hit: Hit) -> bool {
        let CityText { gazetteer, text, .. } = self;
        // If the text has a form such as 一三丁目 after the town too, all its numbers are in that form.
        let (name, after) = (&text[start..hit.end], &text[hit.end..]);
        let digits = has_digits_for_number(name) && !has_digits_for_number(after);
        if (hit.is_loose() || digits) && self.is_one_letter_from_another(hit.name, name) {
            return true;
        }
        if !name_continues(text, hit.end) || self.has_detail_at(hit.name, hit.end) {
            return false;
        }
        // An unknown aza, or the beginning of a longer name. The 子 in 小林町王子560 is not a letter of the lot.
        let end = name_end(text, hit.end);
        gazetteer.towns.length(hit.name) == 1 && end - hit.end < 2
            || self.is_one_letter_from_another(hit.name, &text[start..end])
    }

    /// Whether another town of the municipality differs from `name` in one letter at most: `中ノ町` is 中町, or a typing
    /// error for 中ノ目.
    pub fn is_one_letter_from_another(self, found: usize, name: &[Unit]) -> bool {
        let keys = &self.gazetteer.towns;
        let same_length =
            self.towns().filter(|town| *town != found && keys.length(*town) == name.len());
        same_length.into_iter().any(|town| {
            let pairs = keys.codes(town).zip(codes(name));
            pairs.filter(|(one, other)| one != other).count() <= 1
        })
    }
}

/// Counters of a town that people omit before a lot.
const COUNTERS: [&str; 3] = ["条", "番町", "番丁"];

/// The position after a town. A hyphen in place of its counter belongs neither to the town nor to the lot.
pub fn after_counter(text: &[Unit], hit: Hit) -> usize {
    let number = hit.cost == MISSING_COUNTER && text[hit.end - 1].is_digit();
    hit.end + usize::from(number && is_dash_at(text, hit.end))
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

/// Whether a name continues at a position: with an adjacent letter that begins neither an aza nor a lot.
pub fn name_continues(text: &[Unit], position: usize) -> bool {
    let Some(next) = text.get(position).filter(|next| is_name(next.code)) else { return false };
    let set_off = position > 0 && text[position - 1].last < next.first;
    let lot_letter = is_lot_letter(next.code) && is_digit_at(text, position + 1);
    !set_off && section_mark(text, position).is_none() && !lot_letter
}

/// Whether a name that the data lack follows a town: adjacent letters, or a name that begins with a numeral (八幡町).
pub fn unknown_name_follows(text: &[Unit], position: usize) -> bool {
    name_continues(text, position) || is_name_in_numerals(text, position)
}

/// Letters before the number of a lot: 甲12番地, 第3地割, イ5.
fn is_lot_letter(code: u16) -> bool {
    const LETTERS: &str = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥第東西南北上下";
    let katakana = (unit('ァ')..=unit('ヺ')).contains(&code);
    let hiragana = (unit('ぁ')..=unit('ん')).contains(&code);
    katakana || hiragana || LETTERS.encode_utf16().any(|letter| letter == code)
}
