//! The cost of a postal search, from the lengths of its lists.

use std::sync::Arc;

use super::PostalSearch;
use super::fields::fields;
use super::search_index::SearchIndex;
use super::units::{UNITS_PER_MATCH, UNITS_PER_SCORED_ROW};
use crate::index::folding;
use crate::index::postal_texts::Part;
use crate::query::cost::{self, Cost, CostModel, CostPart, Estimate};
use crate::query::postal::PostalData;
use crate::query::rows::units_of_set;
use crate::query::syntax::{PostalField, PostalFilter, PostalVocabulary};
use crate::snapshot::{Dataset, Fault, OpenError};

/// Most areas that one facet counts, with a unit each.
const FACET_AREAS_MAX: u64 = 2_000;

/// Units per letter of a keyword and part of the texts, in which the pairs of letters are looked up.
const UNITS_PER_LETTER: u64 = 100;

impl PostalData {
    /// The cost of the search.
    pub fn search_cost(&self, search: &PostalSearch<'_>) -> Result<Cost, Arc<OpenError>> {
        let search_index = self.search_index()?;
        let all = search_index.row_count as u64;
        let (mut cost, found) = match search.q {
            Some(q) => cost::estimate_query(&TextCost { data: self, search_index }, q)?,
            None => (Cost::none(), all),
        };
        // With an address, the query only filters the rows of the address.
        if search.restrict_to.is_none() {
            cost.units += found.min(all) * UNITS_PER_SCORED_ROW + units_of_set(all);
        }
        if search.facet.is_some() {
            cost.add(CostPart::Facets, FACET_AREAS_MAX + units_of_set(all));
        }
        Ok(cost)
    }
}

/// The tables and the text index, whose lists show the cost.
struct TextCost<'s> {
    data: &'s PostalData,
    search_index: &'s SearchIndex,
}

impl CostModel for TextCost<'_> {
    type Vocabulary = PostalVocabulary;

    fn row_count(&self) -> u64 {
        self.search_index.row_count as u64
    }

    fn keyword(&self, field: Option<PostalField>, text: &str) -> Result<Estimate, Arc<OpenError>> {
        let estimate = of_keyword(self.search_index, field, text);
        estimate.map_err(|fault| Arc::new(self.data.file().refuse(fault)))
    }

    fn filter(&self, _filter: &PostalFilter) -> Estimate {
        Estimate { rows: self.row_count(), units: units_of_set(self.row_count()) }
    }
}

fn of_keyword(
    search_index: &SearchIndex,
    field: Option<PostalField>,
    text: &str,
) -> Result<Estimate, Fault> {
    let (index, all) = (search_index.index.root(), search_index.row_count as u64);
    let mut letters = Vec::new();
    let mut estimate = Estimate { rows: 0, units: units_of_set(all) };
    for part in Part::ALL {
        if field.is_some_and(|field| !fields(part).contains(&field)) {
            continue;
        }
        folding::characters(text, part.level(), &mut letters);
        let found = index.bound(part, &letters)? as u64;
        // A municipality that matches has all its rows.
        estimate.rows += if part == Part::Place && found > 0 { all / 4 } else { found };
        estimate.units += found * UNITS_PER_MATCH + letters.len() as u64 * UNITS_PER_LETTER;
    }
    estimate.rows = estimate.rows.min(all);
    Ok(estimate)
}
