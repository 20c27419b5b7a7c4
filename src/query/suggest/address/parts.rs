//! The records of a town with several codes: chome, koaza, streets, buildings and floors.

use super::codes::digits;
use super::row::{Level, Rows, Suggestion};
use crate::address::suggest::Place;
use crate::index::folding::key;
use crate::record::postal::PostalView;
use crate::text::fold;
use crate::text::match_info::MatchKind;

/// A town as in a row's `parent`: the code of the municipality, then the town.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TownName<'n> {
    pub jisx0402: u32,
    pub town: &'n str,
}

impl<'n> TownName<'n> {
    pub fn parse(text: &'n str) -> Option<TownName<'n>> {
        let (code, town) = text.split_at_checked(5)?;
        let digits = code.bytes().all(|byte| byte.is_ascii_digit());
        let jisx0402 = code.parse().ok().filter(|_| digits && !town.is_empty())?;
        Some(TownName { jisx0402, town })
    }
}

pub(super) fn list<'s>(
    rows: &Rows<'s>,
    parent: &TownName<'_>,
    q: &str,
    limit: usize,
) -> Vec<Suggestion<'s>> {
    let town = rows.suggestions.town_named(rows.reference.gazetteer, parent.jisx0402, parent.town);
    let Some(town) = town else { return Vec::new() };
    let whole = rows.of(Place::Town(town), MatchKind::Prefix, None);
    let Some(whole) = whole.filter(|whole| whole.codes > 1) else { return Vec::new() };
    let code = digits(q);
    let wanted = key(q, fold::Level::Address);
    let records = rows.records(town).filter(|record| {
        let behind = behind(*record);
        match &code {
            Some(digits) if format!("{:07}", record.postal_code()).starts_with(digits) => true,
            // The typed text may be the whole text so far.
            _ => key(&[&whole.text, behind.as_str()].concat(), fold::Level::Address)
                .contains(&wanted),
        }
    });
    let part = |record: PostalView<'s>| Suggestion {
        text: [whole.text.as_str(), &behind(record)].concat(),
        postal_code: Some(record.postal_code()),
        level: Level::Part,
        codes: 1,
        parent: None,
        ..whole.clone()
    };
    records.take(limit).map(part).collect()
}

/// The text of a part after the town.
fn behind(record: PostalView<'_>) -> String {
    let [koaza, street, building, floor] =
        [record.koaza(), record.kyoto_street(), record.building(), record.floor()]
            .map(|it| it.text);
    let floor = if floor.is_empty() { String::new() } else { format!("（{floor}）") };
    [koaza, street, building, floor.as_str()].concat()
}
