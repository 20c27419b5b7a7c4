//! The records of a town with several codes: chome, koaza, streets, buildings and floors.

use super::codes::postal_code_digits;
use super::row::{PlaceLevel, Suggestion, SuggestionBuilder};
use crate::address::suggest::SuggestedPlace;
use crate::index::folding::key;
use crate::record::postal::PostalView;
use crate::text::fold;
use crate::text::match_info::MatchKind;

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

/// The records of a town that match a text; empty if there is no such town or it has one code.
pub(super) fn list_parts<'s>(
    builder: &SuggestionBuilder<'s>,
    parent: &TownName<'_>,
    q: &str,
    limit: usize,
) -> Vec<Suggestion<'s>> {
    let town =
        builder.suggestions.town_named(builder.reference.gazetteer, parent.jisx0402, parent.town);
    let Some(town) = town else { return Vec::new() };
    let whole = builder.suggestion(SuggestedPlace::Town(town), MatchKind::Prefix, None);
    let Some(whole) = whole.filter(|whole| whole.codes > 1) else { return Vec::new() };
    let digits = postal_code_digits(q);
    let wanted = key(q, fold::Level::Address);
    let records = builder.records(town).filter(|record| {
        let part = text_after_town(*record);
        match &digits {
            Some(digits) if format!("{:07}", record.postal_code()).starts_with(digits) => true,
            // The typed text may be the whole text so far.
            _ => {
                key(&[&whole.text, part.as_str()].concat(), fold::Level::Address).contains(&wanted)
            }
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
    records.take(limit).map(part).collect()
}

/// The text of a part after the town.
fn text_after_town(record: PostalView<'_>) -> String {
    let [koaza, street, building, floor] =
        [record.koaza(), record.kyoto_street(), record.building(), record.floor()]
            .map(|it| it.text);
    let floor = if floor.is_empty() { String::new() } else { format!("（{floor}）") };
    [koaza, street, building, floor.as_str()].concat()
}
