//! A postal search as clients ask for it: an address, a query, or both, which is a search among the
//! records of the address.

use std::sync::Arc;

use super::postal::PostalData;
use super::postal_search::{PostalFound, PostalSearch};
use super::syntax::{Expression, FacetPath};
use crate::address::{Address, AddressScratch};
use crate::snapshot::OpenError;

#[derive(Debug, Clone, Copy, Default)]
pub struct AddressSearch<'q> {
    /// An address as somebody wrote it.
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
    /// Answers a search and leaves its address in the scratch. Fails only on a damaged snapshot.
    pub fn search_address(
        &self,
        search: &AddressSearch<'_>,
        scratch: &mut SearchScratch,
    ) -> Result<PostalFound, Arc<OpenError>> {
        let mut among = None;
        if let Some(text) = search.t {
            self.normalize(text, &mut scratch.normalizing, &mut scratch.address)?;
            self.address_rows(&scratch.address, &mut scratch.normalizing, &mut scratch.rows)?;
            among = Some(scratch.rows.as_slice());
        }
        let AddressSearch { q, facet, offset, limit, .. } = *search;
        self.search(&PostalSearch { q, among, facet, offset, limit })
    }
}
