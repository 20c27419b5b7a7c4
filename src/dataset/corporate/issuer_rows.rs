//! The rows of a version of the corporate data whose numbers are registered on the day of a version of the register of
//! invoice issuers, as far as they were found. Finding them takes one to three seconds for the whole country: a reload
//! does so for the newest register, the first search for an older one.

use std::sync::{Arc, Mutex, PoisonError};

use crate::query::RowSet;
use crate::snapshot::Result;
use crate::text::codes::DataVersion;

/// A version of the register, and the fingerprint of its file.
pub type Register = (DataVersion, u32);

/// The most versions of the register that are kept, of 0.7 MB each for the whole country.
const REGISTERS_MAX: usize = 8;

#[derive(Debug, Default)]
pub struct IssuerRows {
    /// The most recent last.
    entries: Mutex<Vec<(Register, Arc<RowSet>)>>,
}

impl IssuerRows {
    /// The rows if they are known. Never waits.
    pub fn known(&self, register: Register) -> Option<Arc<RowSet>> {
        // If it is locked, the rows of a register are being found, perhaps of another register.
        find(&self.entries.try_lock().ok()?, register)
    }

    /// The rows, which `find_rows` finds unless they are known.
    pub fn get(
        &self,
        register: Register,
        find_rows: impl FnOnce() -> Result<RowSet>,
    ) -> Result<Arc<RowSet>> {
        // Locked while the rows are found, so that others wait instead of finding the same rows.
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rows) = find(&entries, register) {
            return Ok(rows);
        }
        let rows = Arc::new(find_rows()?);
        if entries.len() == REGISTERS_MAX {
            entries.remove(0);
        }
        entries.push((register, Arc::clone(&rows)));
        Ok(rows)
    }
}

fn find(entries: &[(Register, Arc<RowSet>)], register: Register) -> Option<Arc<RowSet>> {
    let found = entries.iter().find(|(known, _)| *known == register);
    found.map(|(_, rows)| Arc::clone(rows))
}
