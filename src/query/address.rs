//! From a text to an address, and from an address to its records.

use std::sync::Arc;

use super::postal::PostalData;
use crate::address::{Address, normalize, rows};
use crate::snapshot::OpenError;

impl PostalData {
    /// Splits a text into the components of an address. Total: a text without address gives none.
    pub fn normalize(&self, text: &str, address: &mut Address) -> Result<(), Arc<OpenError>> {
        normalize::normalize(self.reference()?, text, address);
        Ok(())
    }

    /// The records of the deepest level that was resolved, as rows of the tables. The first is the
    /// one whose code is to be written on the envelope; see the contract's section 8.
    pub fn address_rows(
        &self,
        address: &Address,
        rows: &mut Vec<u32>,
    ) -> Result<(), Arc<OpenError>> {
        rows::rows(self.reference()?, address, rows);
        Ok(())
    }
}
