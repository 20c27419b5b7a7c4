//! Suggestions for a typed address: the places that match the beginning of a name, a reading or a postal code, each
//! with every field of an address form.
//!
//! `crate::address::suggest` finds places by name. Does not know JSON.

mod row;

use self::row::SuggestionBuilder;
use super::PostalData;
use crate::address::reference::ReferenceData;
use crate::address::suggest::{self, ArchivedSuggestions, PlaceQuery, SuggestedPlace};
use crate::record::postal::PostalView;
use crate::snapshot::Result;
use crate::text::fold;
use crate::text::fold::search_key;
use crate::text::fold::{Level, folded};
use crate::text::numerals::is_hyphen;
use crate::text::typed_keys::MatchKind;

pub use crate::address::suggest::NearArea;
pub use row::{PlaceLevel, SUGGESTED_PLACE, Suggestion};

#[derive(Debug, Clone, Copy)]
pub struct SuggestQuery<'q> {
    pub q: &'q str,
    pub limit: usize,
    /// Preferred among equally good places.
    pub near: Option<NearArea>,
}

/// A town, as in the `parent` of a suggestion: the code of the municipality, then the town.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TownName<'n> {
    pub jisx0402: u32,
    pub town: &'n str,
}

impl<'n> TownName<'n> {
    pub fn parse(text: &'n str) -> Option<TownName<'n>> {
        let (code, town) = text.split_at_checked(5)?;
        let is_code = code.bytes().all(|byte| byte.is_ascii_digit());
        let jisx0402 = code.parse().ok().filter(|_| is_code && !town.is_empty())?;
        Some(TownName { jisx0402, town })
    }
}

impl PostalData {
    /// The places that match a typed text, the likeliest first. Fails only on a damaged snapshot.
    pub fn suggest(&self, query: SuggestQuery<'_>) -> Result<Vec<Suggestion<'_>>> {
        let (reference, suggestions) = (self.reference()?, self.suggestions()?);
        let SuggestQuery { q, limit, near } = query;
        let builder = SuggestionBuilder { reference, suggestions };
        if let Some(digits) = postal_code_digits(q) {
            let found = find(reference, suggestions, &digits, limit);
            let suggestion = |place| builder.suggestion(place, MatchKind::Prefix, None);
            return Ok(found.into_iter().filter_map(suggestion).collect());
        }
        let found = suggest::find(reference, suggestions, PlaceQuery { q, limit, near });
        let suggestion =
            |it: &suggest::Candidate| builder.suggestion(it.place, it.match_kind, Some(&it.marks));
        Ok(found.iter().filter_map(suggestion).collect())
    }

    /// The parts of a town with several codes that match a text, in the order of the source; empty if there is no
    /// such town or it has one code.
    pub fn suggest_parts<'s>(
        &'s self,
        parent: &TownName<'_>,
        q: &str,
        limit: usize,
    ) -> Result<Vec<Suggestion<'s>>> {
        let (reference, suggestions) = (self.reference()?, self.suggestions()?);
        let builder = SuggestionBuilder { reference, suggestions };
        let town = suggestions.town_named(reference.gazetteer, parent.jisx0402, parent.town);
        let Some(town) = town else { return Ok(Vec::new()) };
        let whole = builder.suggestion(SuggestedPlace::Town(town), MatchKind::Prefix, None);
        let Some(whole) = whole.filter(|whole| whole.codes > 1) else { return Ok(Vec::new()) };
        let digits = postal_code_digits(q);
        let wanted = search_key(q, fold::Level::Address);
        let records = builder.records(town).filter(|record| {
            let part = text_after_town(*record);
            match &digits {
                Some(digits) if format!("{:07}", record.postal_code()).starts_with(digits) => true,
                // The typed text may be the whole text so far.
                _ => search_key(&[&whole.text, part.as_str()].concat(), fold::Level::Address)
                    .contains(&wanted),
            }
        });
        let part = |record: PostalView<'s>| Suggestion {
            text: [whole.text.as_str(), &text_after_town(record)].concat(),
            postal_code: Some(record.postal_code()),
            level: PlaceLevel::Part,
            codes: 1,
            parent: None,
            ..whole.clone()
        };
        Ok(records.take(limit).map(part).collect())
    }
}

fn text_after_town(record: PostalView<'_>) -> String {
    let [koaza, street, building, floor] =
        [record.koaza(), record.kyoto_street(), record.building(), record.floor()]
            .map(|it| it.text);
    let floor = if floor.is_empty() { String::new() } else { format!("（{floor}）") };
    [koaza, street, building, floor.as_str()].concat()
}

/// Digits of a postal code.
const DIGITS: usize = 7;

/// Fewer digits would match half a region.
const DIGITS_MIN: usize = 2;

/// The digits of a text that is the beginning of a postal code: two to seven, in any width, optionally with 〒 and a
/// hyphen in the usual places.
fn postal_code_digits(q: &str) -> Option<String> {
    let text = q.trim();
    let text = text.strip_prefix('〒').unwrap_or(text);
    let (mut digits, mut hyphens) = (String::new(), 0);
    for character in text.chars().filter(|it| !it.is_whitespace()) {
        match folded(character.encode_utf8(&mut [0; 4]), Level::Width).chars().next() {
            Some(digit) if digit.is_ascii_digit() => digits.push(digit),
            _ if is_hyphen(character) && digits.len() == 3 && hyphens == 0 => hyphens = 1,
            _ => return None,
        }
    }
    (DIGITS_MIN..=DIGITS).contains(&digits.len()).then_some(digits)
}

/// The places that have codes with these digits, the heaviest first. A code without a town belongs to its
/// municipality.
pub(super) fn find(
    reference: ReferenceData<'_>,
    suggestions: &ArchivedSuggestions,
    digits: &str,
    limit: usize,
) -> Vec<SuggestedPlace> {
    let ReferenceData { gazetteer, tables, strings, codes } = reference;
    let scale = 10u32.pow((DIGITS - digits.len().min(DIGITS)) as u32);
    let Ok(number) = digits.parse::<u32>() else { return Vec::new() };
    let first = number * scale;
    let rows: Vec<u32> = codes.rows_between(first, first + (scale - 1)).collect();
    let rows = heaviest_first(&rows, |row| suggestions.weight_of_row(row));
    let records = rows.iter().filter_map(|row| PostalView::read(tables, strings, *row as usize));
    // Rows of one town are mostly adjacent, so the last ones are compared first.
    let mut found: Vec<(usize, &str)> = Vec::new();
    let places = records.filter(|record| record.corporation().is_none()).filter_map(|record| {
        let town = record.town().name.text;
        let place = (record.city_number(), town);
        if found.iter().rev().any(|known| *known == place) {
            return None;
        }
        found.push(place);
        match town.is_empty() {
            true => suggestions.municipality(record.city_number()),
            false => gazetteer.town_named(record.city_number(), town).map(SuggestedPlace::Town),
        }
    });
    places.take(limit).collect()
}

/// Sorts rows by weight, equal weights in the given order. Two digits have thousands of rows, so this is a counting
/// sort.
fn heaviest_first(rows: &[u32], weight: impl Fn(u32) -> u8) -> Vec<u32> {
    // By weight: first the number of its rows, then the index of its next row.
    let mut next_index = [0; 256];
    for row in rows {
        next_index[usize::from(weight(*row))] += 1;
    }
    let mut heavier = 0;
    for count in next_index.iter_mut().rev() {
        heavier += std::mem::replace(count, heavier);
    }
    let mut ordered = vec![0; rows.len()];
    for row in rows {
        let index = &mut next_index[usize::from(weight(*row))];
        ordered[*index] = *row;
        *index += 1;
    }
    ordered
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use proptest::prelude::*;

    use super::{heaviest_first, postal_code_digits};

    proptest! {
        #[test]
        fn rows_are_ordered_by_weight_alone(weights in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut rows: Vec<u32> = (0..weights.len() as u32).rev().collect();
            let found = heaviest_first(&rows, |row| weights[row as usize]);
            rows.sort_by_key(|row| Reverse(weights[*row as usize]));
            prop_assert_eq!(found, rows);
        }
    }

    #[test]
    fn beginnings_of_codes_are_read_in_any_form() {
        #[track_caller]
        fn check(q: &str, expected: Option<&str>) {
            assert_eq!(postal_code_digits(q).as_deref(), expected, "{q:?}");
        }
        check("10", Some("10"));
        check("1000013", Some("1000013"));
        check("100-0013", Some("1000013"));
        check("１００ー００１３", Some("1000013"));
        check(" 〒100-", Some("100"));
        check("106-003", Some("106003"));
        check("1", None);
        check("", None);
        check("〒", None);
        check("10000130", None);
        check("10-00013", None);
        check("100--0013", None);
        check("1000-013", None);
        check("100a", None);
        check("千代田100", None);
    }
}
