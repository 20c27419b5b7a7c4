//! Towns by the first digits of a postal code.

use std::collections::HashSet;

use crate::address::normalize::Reference;
use crate::address::suggest::{ArchivedSuggestions, Place};
use crate::record::postal::PostalView;
use crate::text::fold::{Level, folded};
use crate::text::hyphen::is_hyphen;

const DIGITS: usize = 7;
/// With fewer digits half a region is meant.
const DIGITS_MIN: usize = 2;

/// The digits of a text that is the beginning of a postal code: two to seven, in any width, with 〒 and a hyphen where
/// people write them.
pub fn digits(q: &str) -> Option<String> {
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

/// The places that have codes with these digits, the heaviest first; a code of no town is its municipality's.
pub(super) fn find(
    reference: Reference<'_>,
    suggestions: &ArchivedSuggestions,
    digits: &str,
    limit: usize,
) -> Vec<Place> {
    let Reference { gazetteer, tables, strings, codes } = reference;
    let scale = 10u32.pow((DIGITS - digits.len().min(DIGITS)) as u32);
    let Ok(number) = digits.parse::<u32>() else { return Vec::new() };
    let first = number * scale;
    let record = |row: u32| PostalView::of(tables, strings, row as usize);
    let mut rows: Vec<(u8, u32, u32)> = codes
        .between(first, first + (scale - 1))
        .filter_map(|row| Some((row, record(row)?)))
        .filter(|(_, record)| record.corporation().is_none())
        .map(|(row, record)| (suggestions.weight_of_row(row), record.postal_code(), row))
        .collect();
    rows.sort_by_key(|(weight, code, row)| (std::cmp::Reverse(*weight), *code, *row));
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (_, _, row) in rows {
        let Some(record) = record(row) else { continue };
        let town = record.town().name.text;
        if !seen.insert((record.city_number(), town)) {
            continue;
        }
        let place = match town.is_empty() {
            true => suggestions.municipality(record.city_number()),
            false => gazetteer.town_named(record.city_number(), town).map(Place::Town),
        };
        found.extend(place);
        if found.len() == limit {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn the_beginning_of_a_code_is_read_in_any_writing() {
        #[track_caller]
        fn check(q: &str, expected: Option<&str>) {
            assert_eq!(digits(q).as_deref(), expected, "{q:?}");
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
