//! A question as clients put it: an address, a query, or both, which is a search among the records
//! of the address.

use std::sync::Arc;

use super::postal::PostalData;
use super::search::{Found, Search};
use super::syntax::{Expression, FacetPath};
use crate::address::{Address, AddressScratch};
use crate::snapshot::OpenError;

/// What is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'q> {
    /// An address as somebody wrote it.
    pub t: Option<&'q str>,
    /// A query.
    pub q: Option<&'q Expression>,
    /// The parent whose children are counted.
    pub facet: Option<&'q FacetPath>,
    /// Records of the answer that are passed over.
    pub offset: u64,
    /// Records that are wanted at most.
    pub limit: usize,
}

/// What answering needs, kept from one question to the next.
#[derive(Debug, Default)]
pub struct Desk {
    scratch: AddressScratch,
    address: Address,
    rows: Vec<u32>,
}

impl Desk {
    /// The components of the last question's address.
    pub fn address(&self) -> &Address {
        &self.address
    }
}

impl PostalData {
    /// Answers a question; with an address the desk has its components then. Fails only where the
    /// snapshot is damaged.
    pub fn ask(&self, question: &Question<'_>, desk: &mut Desk) -> Result<Found, Arc<OpenError>> {
        let mut among = None;
        if let Some(text) = question.t {
            self.normalize(text, &mut desk.scratch, &mut desk.address)?;
            self.address_rows(&desk.address, &mut desk.scratch, &mut desk.rows)?;
            among = Some(desk.rows.as_slice());
        }
        let Question { q, facet, offset, limit, .. } = *question;
        self.search(&Search { q, among, facet, offset, limit })
    }
}
