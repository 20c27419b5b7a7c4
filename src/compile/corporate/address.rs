//! The parts of corporations' addresses, from the normaliser over a postal snapshot.

use crate::address::{Address, AddressScratch, Component};
use crate::compile::error::CompileError;
use crate::query::PostalData;
use crate::record::corporate::{CorporateProvenance, Parts};
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
}

pub fn provenance(postal: Option<&PostalData>) -> CorporateProvenance {
    let file = postal.map(Dataset::file);
    CorporateProvenance {
        prefectures: Vec::new(),
        postal_version: file.map_or(0, |file| file.version().number()),
        postal_fingerprint: file.map_or(0, |file| file.fingerprint()),
        issuers_date: 0,
    }
}

impl<'a> Normaliser<'a> {
    pub fn of(postal: &'a PostalData) -> Normaliser<'a> {
        let (scratch, address) = (AddressScratch::default(), Address::default());
        Normaliser { postal, text: String::new(), scratch, address }
    }

    /// The parts of the address with this prefecture and city and what stands behind them.
    pub fn parts(&mut self, place: &str, street: &str) -> Result<Parts<'_>, CompileError> {
        self.text.clear();
        self.text.push_str(place);
        self.text.push_str(street);
        self.postal.normalize(&self.text, &mut self.scratch, &mut self.address)?;
        Ok(Parts { values: COMPONENTS.map(|component| self.address.get(component)) })
    }
}
