//! The postal search of the API: an address, a query, or both. With both, it searches among the records of the
//! address.

use std::sync::Arc;

use super::budget::{QueryError, WorkBudget};
use super::cost::{Cost, CostPart};
use super::postal::PostalData;
use super::postal_search::{PostalResults, PostalSearch};
use super::syntax::{FacetPath, PostalQuery};
use crate::address::{Address, AddressScratch};
use crate::snapshot::OpenError;

/// Units of work to read a byte of an address.
const UNITS_PER_ADDRESS_BYTE: u64 = 200;

/// Units to explain how an address was read: a town without its municipality is looked up in all municipalities.
const UNITS_PER_EXPLANATION: u64 = 600_000;
const UNITS_PER_EXPLAINED_BYTE: u64 = 2_000;

#[derive(Debug, Clone, Copy, Default)]
pub struct AddressSearch<'q> {
    /// An address as free text.
    pub t: Option<&'q str>,
    pub q: Option<&'q PostalQuery>,
    pub facet: Option<&'q FacetPath>,
    pub offset: u64,
    pub limit: usize,
}

/// Buffers that searches reuse.
#[derive(Debug, Default)]
pub struct SearchScratch {
    normalize: AddressScratch,
    address: Address,
    rows: Vec<u32>,
}

impl SearchScratch {
    /// The address of the last search.
    pub fn address(&self) -> &Address {
        &self.address
    }
}

impl PostalData {
    /// Runs a search; the address is left in the scratch. Fails only on a damaged snapshot.
    pub fn search_address(
        &self,
        search: &AddressSearch<'_>,
        scratch: &mut SearchScratch,
    ) -> Result<PostalResults, Arc<OpenError>> {
        let found = self.search_address_within_budget(search, scratch, &WorkBudget::unlimited());
        found.map_err(QueryError::expect_damage)
    }

    /// The same, within a budget.
    pub fn search_address_within_budget(
        &self,
        search: &AddressSearch<'_>,
        scratch: &mut SearchScratch,
        budget: &WorkBudget<'_>,
    ) -> Result<PostalResults, QueryError> {
        let mut restrict_to = None;
        if let Some(text) = search.t {
            self.normalize(text, &mut scratch.normalize, &mut scratch.address)?;
            self.address_rows(&scratch.address, &mut scratch.normalize, &mut scratch.rows)?;
            restrict_to = Some(scratch.rows.as_slice());
        }
        let AddressSearch { q, facet, offset, limit, .. } = *search;
        self.search_within_budget(&PostalSearch { q, restrict_to, facet, offset, limit }, budget)
    }

    /// The cost of the search; `explain` if it also explains how the address was read.
    pub fn search_address_cost(
        &self,
        search: &AddressSearch<'_>,
        explain: bool,
    ) -> Result<Cost, Arc<OpenError>> {
        let AddressSearch { t, q, facet, offset, limit } = *search;
        let restrict_to: Option<&[u32]> = t.map(|_| [].as_slice());
        let mut cost = self.search_cost(&PostalSearch { q, restrict_to, facet, offset, limit })?;
        let Some(t) = t else { return Ok(cost) };
        cost.add(CostPart::Terms(1), t.len() as u64 * UNITS_PER_ADDRESS_BYTE);
        if explain {
            cost.add(
                CostPart::Explain,
                UNITS_PER_EXPLANATION + t.len() as u64 * UNITS_PER_EXPLAINED_BYTE,
            );
        }
        Ok(cost)
    }
}
