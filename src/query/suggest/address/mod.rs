//! Suggestions for a typed address: the places that match the beginning of a name, a reading or a postal code,
//! each with every field of an address form.
//!
//! `crate::address::suggest` finds places by name, `codes` by digits; `parts` lists the records of one town. Does
//! not know JSON.

mod codes;
mod parts;
mod row;

use std::sync::Arc;

use self::row::SuggestionBuilder;
use crate::address::suggest::{self, PlaceQuery};
use crate::query::postal::PostalData;
use crate::snapshot::OpenError;
use crate::text::match_info::MatchKind;

pub use crate::address::suggest::NearArea;
pub use codes::postal_code_digits;
pub use parts::TownName;
pub use row::{PlaceLevel, Suggestion};

/// The parameters of a request for suggestions.
#[derive(Debug, Clone, Copy)]
pub struct SuggestQuery<'q> {
    pub q: &'q str,
    pub limit: usize,
    /// Preferred among equally good places.
    pub near: Option<NearArea>,
}

impl PostalData {
    /// The places that match a typed text, the likeliest first. Fails only on a damaged snapshot.
    pub fn suggest(&self, query: SuggestQuery<'_>) -> Result<Vec<Suggestion<'_>>, Arc<OpenError>> {
        let (reference, suggestions) = (self.reference()?, self.suggestions()?);
        let SuggestQuery { q, limit, near } = query;
        let builder = SuggestionBuilder { reference, suggestions };
        if let Some(digits) = postal_code_digits(q) {
            let found = codes::find(reference, suggestions, &digits, limit);
            return Ok(found
                .into_iter()
                .filter_map(|place| builder.suggestion(place, MatchKind::Prefix, None))
                .collect());
        }
        let found = suggest::find(reference, suggestions, PlaceQuery { q, limit, near });
        let suggestion =
            |it: &suggest::Candidate| builder.suggestion(it.place, it.match_kind, Some(&it.marks));
        Ok(found.iter().filter_map(suggestion).collect())
    }

    /// The parts of a town with several codes that match a text, in the order of the source; empty if there is no
    /// such town.
    pub fn suggest_parts(
        &self,
        parent: &TownName<'_>,
        q: &str,
        limit: usize,
    ) -> Result<Vec<Suggestion<'_>>, Arc<OpenError>> {
        let (reference, suggestions) = (self.reference()?, self.suggestions()?);
        Ok(parts::list_parts(&SuggestionBuilder { reference, suggestions }, parent, q, limit))
    }
}
