//! What a text names below the municipality: town or street of Kyoto, koaza, chome or 地割 numbers.

use super::town::{self, TownMatch};
use super::units::{Unit, unit};
use super::{gazetteer::ArchivedGazetteer, kyoto};

/// What the text names at `at`, behind the municipality. Without town and street, `end` is `at`.
pub fn resolve(gazetteer: &ArchivedGazetteer, city: usize, text: &[Unit], at: usize) -> TownMatch {
    let found = if gazetteer.cities[city].streets {
        kyoto::resolve(gazetteer, city, text, at)
    } else {
        None
    };
    let mut found = found.unwrap_or_else(|| match town::town(gazetteer, city, text, at) {
        Some(hit) => TownMatch {
            town: Some(hit.name),
            name: at..hit.end,
            end: town::behind_counter(text, hit),
            edits: hit.edits,
            ..TownMatch::default()
        },
        None => TownMatch { end: at, name: at..at, ..TownMatch::default() },
    });
    if let Some(town) = found.town
        && let Some(hit) = town::koaza(gazetteer, town, text, found.end)
    {
        found.koaza = Some((hit.name, found.end..hit.end));
        found.end = hit.end;
    }
    found
}

pub fn behind_chome(units: &[Unit], at: usize) -> Option<usize> {
    let digits = units.get(at..)?.iter().take_while(|unit| unit.is_digit()).count();
    let mark = units.get(at + digits..at + digits + 2)?;
    let chome = mark.iter().map(|unit| unit.code).eq("丁目".encode_utf16());
    (digits > 0 && chome).then_some(at + digits + 2)
}

/// The number of a 地割 right behind the town: 第11地割.
pub fn jiwari(behind: &[Unit]) -> Option<u32> {
    let digits = &behind[usize::from(behind.first()?.code == unit('第'))..];
    let count = digits.iter().take_while(|unit| unit.is_digit()).take(4).count();
    let mark = digits.get(count..count + 2)?;
    let is_mark = mark.iter().map(|unit| unit.code).eq("地割".encode_utf16());
    let value = digits[..count].iter();
    let value = value.fold(0, |value, digit| value * 10 + u32::from(digit.code - unit('0')));
    (is_mark && count > 0).then_some(value)
}
