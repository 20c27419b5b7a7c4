//! Suggestions for a typed address: the places that the beginning of a name, a reading or a postal code may mean, as
//! rows with everything that an address form fills in.
//!
//! `crate::address::suggest` finds places by names; `codes` by digits; `parts` lists the records of one town. Does not
//! know JSON.

mod codes;
mod parts;
mod row;

use std::sync::Arc;

use crate::address::suggest::{self, Asked, How};
use crate::query::postal::PostalData;
use crate::snapshot::OpenError;

pub use crate::address::suggest::Near;
pub use codes::digits;
pub use parts::TownName;
pub use row::{Level, Suggestion};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct SuggestQuery<'q> {
    pub q: &'q str,
    pub limit: usize,
    /// What stands first among equals.
    pub near: Option<Near>,
}

impl PostalData {
    /// The places that a typed text may mean, the likeliest first. Fails only on a damaged snapshot.
    pub fn suggest(&self, query: SuggestQuery<'_>) -> Result<Vec<Suggestion<'_>>, Arc<OpenError>> {
        let (reference, suggestions) = (self.reference()?, self.suggestions()?);
        let SuggestQuery { q, limit, near } = query;
        let rows = row::Rows { reference, suggestions };
        if let Some(digits) = digits(q) {
            let found = codes::find(reference, suggestions, &digits, limit);
            return Ok(found
                .into_iter()
                .filter_map(|place| rows.of(place, How::Prefix, None))
                .collect());
        }
        let found = suggest::find(reference, suggestions, Asked { q, limit, near });
        let row = |it: &suggest::Candidate| rows.of(it.place, it.how, Some(&it.marks));
        Ok(found.iter().filter_map(row).collect())
    }

    /// The parts of a town of several codes that a text is in, in the order of the source; none where there is no such
    /// town.
    pub fn suggest_parts(
        &self,
        parent: &TownName<'_>,
        q: &str,
        limit: usize,
    ) -> Result<Vec<Suggestion<'_>>, Arc<OpenError>> {
        let (reference, suggestions) = (self.reference()?, self.suggestions()?);
        Ok(parts::list(&row::Rows { reference, suggestions }, parent, q, limit))
    }
}
