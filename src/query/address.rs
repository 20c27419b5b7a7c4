//! From a text to an address, and from an address to its records.

use std::sync::Arc;

use super::postal::PostalData;
use crate::address::{Address, AddressScratch, Component, MatchLevel, normalize, rows};
use crate::snapshot::OpenError;

impl PostalData {
    /// Splits a text into the components of an address. Total: a text without address gives none.
    pub fn normalize(
        &self,
        text: &str,
        scratch: &mut AddressScratch,
        address: &mut Address,
    ) -> Result<(), Arc<OpenError>> {
        normalize::normalize(self.reference()?, text, &mut scratch.normalize, address);
        Ok(())
    }

    /// The rows of the deepest level resolved, the one for the envelope first (docs/rules.md#addresses).
    pub fn address_rows(
        &self,
        address: &Address,
        scratch: &mut AddressScratch,
        rows: &mut Vec<u32>,
    ) -> Result<(), Arc<OpenError>> {
        rows::rows(self.reference()?, address, &mut scratch.rows, rows);
        Ok(())
    }

    /// The code for the envelope; `None` where no town is named, unless lots follow the city. `rows` is a buffer.
    pub fn postal_code(
        &self,
        address: &Address,
        scratch: &mut AddressScratch,
        rows: &mut Vec<u32>,
    ) -> Result<Option<u32>, Arc<OpenError>> {
        let placed = match address.level() {
            MatchLevel::Town(_) => true,
            MatchLevel::City(_) | MatchLevel::Cities => {
                address.get(Component::BlockLotNum).is_some()
            }
            MatchLevel::None | MatchLevel::Prefecture(_) => false,
        };
        if !placed {
            return Ok(None);
        }
        self.address_rows(address, scratch, rows)?;
        let first = &rows[..rows.len().min(1)];
        Ok(self.rows(first)?.next().map(|row| row.postal_code()))
    }
}
