//! The postal search of the API: an address, a query, or both. With both, it searches among the records of the
//! address.

use std::sync::Arc;

use super::cost::{Cost, Part};
use super::postal::PostalData;
use super::postal_search::{PostalFound, PostalSearch};
use super::syntax::{Expression, FacetPath};
use super::work::{Unanswered, Work};
use crate::address::{Address, AddressScratch};
use crate::snapshot::OpenError;

/// Units of work to read a byte of an address.
const ADDRESS_BYTE: u64 = 200;

/// Units to explain how an address was read: a town without its municipality is looked up in all municipalities.
const EXPLAINED: u64 = 600_000;
const EXPLAINED_BYTE: u64 = 2_000;

#[derive(Debug, Clone, Copy, Default)]
pub struct AddressSearch<'q> {
    /// An address as free text.
    pub t: Option<&'q str>,
    pub q: Option<&'q Expression>,
    pub facet: Option<&'q FacetPath>,
    pub offset: u64,
    pub limit: usize,
}

#[derive(Debug, Default)]
pub struct SearchScratch {
    normalizing: AddressScratch,
    address: Address,
    rows: Vec<u32>,
}

impl SearchScratch {
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
    ) -> Result<PostalFound, Arc<OpenError>> {
        let found = self.search_address_within(search, scratch, &Work::unbounded());
        found.map_err(Unanswered::expect_damage)
    }

    /// The same, within a limit of work.
    pub fn search_address_within(
        &self,
        search: &AddressSearch<'_>,
        scratch: &mut SearchScratch,
        work: &Work<'_>,
    ) -> Result<PostalFound, Unanswered> {
        let mut among = None;
        if let Some(text) = search.t {
            self.normalize(text, &mut scratch.normalizing, &mut scratch.address)?;
            self.address_rows(&scratch.address, &mut scratch.normalizing, &mut scratch.rows)?;
            among = Some(scratch.rows.as_slice());
        }
        let AddressSearch { q, facet, offset, limit, .. } = *search;
        self.search_within(&PostalSearch { q, among, facet, offset, limit }, work)
    }

    /// The cost of the search; `explain` if it also explains how the address was read.
    pub fn search_address_cost(
        &self,
        search: &AddressSearch<'_>,
        explain: bool,
    ) -> Result<Cost, Arc<OpenError>> {
        let AddressSearch { t, q, facet, offset, limit } = *search;
        let among: Option<&[u32]> = t.map(|_| [].as_slice());
        let mut cost = self.search_cost(&PostalSearch { q, among, facet, offset, limit })?;
        let Some(t) = t else { return Ok(cost) };
        cost.add(Part::Terms(1), t.len() as u64 * ADDRESS_BYTE);
        if explain {
            cost.add(Part::Explain, EXPLAINED + t.len() as u64 * EXPLAINED_BYTE);
        }
        Ok(cost)
    }
}
