//! The cost of a postal search, from the lengths of its lists.

use std::sync::Arc;

use super::PostalSearch;
use super::fields::fields;
use super::searchable::Searchable;
use super::units::{MATCHED, SCORED};
use crate::index::folding;
use crate::index::postal_texts::Part as TextPart;
use crate::query::cost::{self, Cost, CostModel, Estimate, Part};
use crate::query::postal::PostalData;
use crate::query::rows::units_of_set;
use crate::query::syntax::{Field, Filter, Postal};
use crate::snapshot::{Dataset, Fault, OpenError};

/// Most areas with a municipality's or prefecture's name in one facet.
const AREAS: u64 = 2_000;

/// Units per letter of a keyword: its pairs are looked up in five parts of the texts.
const LETTER: u64 = 100;

impl PostalData {
    /// The cost of the search.
    pub fn search_cost(&self, search: &PostalSearch<'_>) -> Result<Cost, Arc<OpenError>> {
        let searchable = self.searchable()?;
        let all = searchable.rows as u64;
        let (mut cost, found) = match search.q {
            Some(q) => cost::of_query(&Texts { data: self, searchable }, q)?,
            None => (Cost::none(), all),
        };
        // With an address, the query only filters the rows of the address.
        if search.among.is_none() {
            cost.units += found.min(all) * SCORED + units_of_set(all);
        }
        if search.facet.is_some() {
            cost.add(Part::Facets, AREAS + units_of_set(all));
        }
        Ok(cost)
    }
}

struct Texts<'s> {
    data: &'s PostalData,
    searchable: &'s Searchable,
}

impl CostModel for Texts<'_> {
    type Words = Postal;

    fn rows(&self) -> u64 {
        self.searchable.rows as u64
    }

    fn keyword(&self, field: Option<Field>, text: &str) -> Result<Estimate, Arc<OpenError>> {
        let estimate = of_keyword(self.searchable, field, text);
        estimate.map_err(|fault| Arc::new(self.data.file().refuse(fault)))
    }

    fn filter(&self, _filter: &Filter) -> Estimate {
        Estimate { rows: self.rows(), units: units_of_set(self.rows()) }
    }
}

fn of_keyword(
    searchable: &Searchable,
    field: Option<Field>,
    text: &str,
) -> Result<Estimate, Fault> {
    let (index, all) = (searchable.index.root(), searchable.rows as u64);
    let mut letters = Vec::new();
    let mut estimate = Estimate { rows: 0, units: units_of_set(all) };
    for part in TextPart::ALL {
        if field.is_some_and(|field| !fields(part).contains(&field)) {
            continue;
        }
        folding::characters(text, part.level(), &mut letters);
        let found = index.bound(part, &letters)? as u64;
        // One match of a place means all its rows.
        estimate.rows += if part == TextPart::Place && found > 0 { all / 4 } else { found };
        estimate.units += found * MATCHED + letters.len() as u64 * LETTER;
    }
    estimate.rows = estimate.rows.min(all);
    Ok(estimate)
}
