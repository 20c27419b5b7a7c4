//! The parts of addresses of corporations and invoice issuers, from the normaliser over a postal snapshot.

use crate::address::{Address, AddressScratch, Component};
use crate::compile::error::CompileError;
use crate::query::PostalData;
use crate::record::corporate::Parts;
use crate::snapshot::Dataset;

const COMPONENTS: [Component; 5] = [
    Component::Town,
    Component::KyotoStreet,
    Component::BlockLotNum,
    Component::Building,
    Component::FloorRoom,
];

pub struct Normaliser<'a> {
    postal: &'a PostalData,
    text: String,
    scratch: AddressScratch,
    address: Address,
    rows: Vec<u32>,
}

/// Version and fingerprint of the postal snapshot that addresses are normalised with; 0 for none.
pub fn version(postal: Option<&PostalData>) -> (u32, u32) {
    postal.map(Dataset::file).map_or((0, 0), |file| (file.version().number(), file.fingerprint()))
}

impl<'a> Normaliser<'a> {
    pub fn of(postal: &'a PostalData) -> Normaliser<'a> {
        let (scratch, address) = (AddressScratch::default(), Address::default());
        Normaliser { postal, text: String::new(), scratch, address, rows: Vec::new() }
    }

    /// The parts of the address with this prefecture and city and what stands behind them.
    pub fn parts(&mut self, place: &str, street: &str) -> Result<Parts<'_>, CompileError> {
        self.text.clear();
        self.text.push_str(place);
        self.text.push_str(street);
        self.postal.normalize(&self.text, &mut self.scratch, &mut self.address)?;
        Ok(self.last())
    }

    /// The parts of the address that was normalised last.
    pub fn last(&self) -> Parts<'_> {
        Parts { values: COMPONENTS.map(|component| self.address.get(component)) }
    }

    /// The postal code of the address that was normalised last.
    pub fn postal_code(&mut self) -> Result<Option<u32>, CompileError> {
        Ok(self.postal.postal_code(&self.address, &mut self.scratch, &mut self.rows)?)
    }
}
