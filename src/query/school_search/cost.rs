//! The cost of a search for schools, from the lengths of its lists.

use std::sync::Arc;

use super::units::{self, UNITS_PER_SCHOOL, UNITS_PER_TEXT};
use super::{Evaluation, SchoolSearch, ordering_keywords};
use crate::index::folding;
use crate::index::school_texts::SchoolText;
use crate::query::cost::{self, Cost, CostModel, CostPart, Estimate};
use crate::query::evaluate::SearchTable;
use crate::query::rows::units_of_list;
use crate::query::syntax::{SchoolField, SchoolFilter, SchoolVocabulary};
use crate::snapshot::OpenError;

/// Of the rows in the rarest list of a keyword, one in this many remains after intersecting the other lists.
const REMAINING_ONE_IN: u64 = 4;

impl Evaluation<'_> {
    /// The cost of the whole search.
    pub fn cost(&self, search: &SchoolSearch<'_>) -> Result<Cost, Arc<OpenError>> {
        let (mut cost, found) = cost::estimate_query(self, search.q)?;
        let facets = search.facets.codes.len();
        cost.add(CostPart::Facets, units::of_facets(found, facets));
        cost.units += units::of_order(found, ordering_keywords(search.q).len());
        Ok(cost)
    }
}

impl CostModel for Evaluation<'_> {
    type Vocabulary = SchoolVocabulary;

    fn row_count(&self) -> u64 {
        SearchTable::row_count(self) as u64
    }

    fn keyword(&self, field: Option<SchoolField>, text: &str) -> Result<Estimate, Arc<OpenError>> {
        let all = CostModel::row_count(self);
        let of_text = |part: SchoolText| {
            let letters: Vec<char> = folding::key(text, SchoolText::LEVEL).chars().collect();
            let bound = self.search_index.texts[part as usize].reader().bound(&letters);
            let bound = bound.map_err(|fault| self.refuse(fault))?;
            let rows = bound.rows as u64;
            let read = if bound.is_exact { 0 } else { rows / REMAINING_ONE_IN * UNITS_PER_TEXT };
            Ok(Estimate { rows, units: rows + read })
        };
        match field {
            Some(SchoolField::Name) => of_text(SchoolText::Name),
            Some(SchoolField::Address) => of_text(SchoolText::Address),
            Some(SchoolField::Code) => Ok(Estimate { rows: all / 4, units: all / 4 }),
            Some(SchoolField::SurveyNumber) => {
                Ok(Estimate { rows: 1, units: all * UNITS_PER_SCHOOL })
            }
            None => {
                let (name, address) = (of_text(SchoolText::Name)?, of_text(SchoolText::Address)?);
                let joined = units_of_list(name.rows, all) + units_of_list(address.rows, all);
                let rows = (name.rows + address.rows).min(all);
                Ok(Estimate { rows, units: name.units + address.units + joined })
            }
        }
    }

    fn filter(&self, _filter: &SchoolFilter) -> Estimate {
        let all = CostModel::row_count(self);
        Estimate { rows: all, units: all * UNITS_PER_SCHOOL }
    }
}
