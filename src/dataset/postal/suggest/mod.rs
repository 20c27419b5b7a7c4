//! Suggestions for a typed address: the places that match the beginning of a name, a reading or a postal code,
//! each with every field of an address form.
//!
//! `crate::address::suggest` finds places by name, `codes` by digits. Does not know JSON.

mod codes;
mod row;

use std::sync::Arc;

use self::row::SuggestionBuilder;
use super::PostalData;
use crate::address::suggest::{self, PlaceQuery, SuggestedPlace};
use crate::index::folding::key;
use crate::record::postal::PostalView;
use crate::snapshot::OpenError;
use crate::text::fold;
use crate::text::match_info::MatchKind;

pub use crate::address::suggest::NearArea;
pub use codes::postal_code_digits;
pub use row::{PlaceLevel, Suggestion};

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
    pub fn suggest(&self, query: SuggestQuery<'_>) -> Result<Vec<Suggestion<'_>>, Arc<OpenError>> {
        let (reference, suggestions) = (self.reference()?, self.suggestions()?);
        let SuggestQuery { q, limit, near } = query;
        let builder = SuggestionBuilder { reference, suggestions };
        if let Some(digits) = postal_code_digits(q) {
            let found = codes::find(reference, suggestions, &digits, limit);
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
    ) -> Result<Vec<Suggestion<'s>>, Arc<OpenError>> {
        let (reference, suggestions) = (self.reference()?, self.suggestions()?);
        let builder = SuggestionBuilder { reference, suggestions };
        let town = suggestions.town_named(reference.gazetteer, parent.jisx0402, parent.town);
        let Some(town) = town else { return Ok(Vec::new()) };
        let whole = builder.suggestion(SuggestedPlace::Town(town), MatchKind::Prefix, None);
        let Some(whole) = whole.filter(|whole| whole.codes > 1) else { return Ok(Vec::new()) };
        let digits = postal_code_digits(q);
        let wanted = key(q, fold::Level::Address);
        let records = builder.records(town).filter(|record| {
            let part = text_after_town(*record);
            match &digits {
                Some(digits) if format!("{:07}", record.postal_code()).starts_with(digits) => true,
                // The typed text may be the whole text so far.
                _ => key(&[&whole.text, part.as_str()].concat(), fold::Level::Address)
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
