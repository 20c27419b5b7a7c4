//! The cost of a postal search, from the lengths of its lists.

use std::sync::Arc;

use super::PostalSearch;
use super::evaluate::{UNITS_PER_MATCH, UNITS_PER_SCORED_ROW};
use super::points::fields;
use super::search_index::SearchIndex;
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
    pub fn search_cost(&self, search: &PostalSearch<'_>) -> Result<Cost, Arc<OpenError>> {
        let search_index = self.search_index()?;
        let all = search_index.row_count as u64;
        let (mut cost, found) = match search.q {
            Some(q) => cost::estimate_query(search_index, all, q)
                .map_err(|fault| Arc::new(self.file().refuse(fault)))?,
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

impl CostModel for SearchIndex {
    type Vocabulary = PostalVocabulary;

    fn keyword(&self, field: Option<PostalField>, text: &str) -> Result<Estimate, Fault> {
        let (index, all) = (self.index.root(), self.row_count as u64);
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

    fn filter(&self, _filter: &PostalFilter) -> Estimate {
        let all = self.row_count as u64;
        Estimate { rows: all, units: units_of_set(all) }
    }
}
