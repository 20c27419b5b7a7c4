//! Parses the published address of a school: its municipality, the text after that, and the parts of that text.
//!
//! The normaliser finds the municipality and its end; without postal data only the prefecture is split off.

use crate::compile::error::CompileError;
use crate::compile::municipalities::{Municipalities, SplitAddress};
use crate::query::PostalData;
use crate::record::address::AddressPlace;
use crate::record::corporate::Parts;
use crate::text::fold::{Level, folded};

use super::super::address::Normaliser;

/// Parses one address after the other.
pub struct Addresses<'a> {
    municipalities: Municipalities,
    normaliser: Option<Normaliser<'a>>,
}

pub struct ParsedAddress<'a> {
    pub place: AddressPlace,
    /// The text after the municipality, in half width.
    pub street: String,
    /// `None` without postal data.
    pub parts: Option<Parts<'a>>,
    pub postal_code: Option<u32>,
}

impl<'a> Addresses<'a> {
    pub fn new(postal: Option<&'a PostalData>) -> Result<Addresses<'a>, CompileError> {
        let municipalities = Municipalities::from_postal(postal)?;
        Ok(Addresses { municipalities, normaliser: postal.map(Normaliser::new) })
    }

    /// `prefecture` is responsible for the school; an address that names none is read as being in it.
    pub fn parse(&mut self, text: &str, prefecture: u8) -> Result<ParsedAddress<'_>, CompileError> {
        let half_width = |street: &str| folded(street, Level::Width);
        let fallback = u32::from(prefecture) * 1_000;
        let Some(normaliser) = &mut self.normaliser else {
            let split = self.municipalities.split(text, fallback);
            let place = self.municipalities.place(&split);
            return Ok(ParsedAddress {
                place,
                street: half_width(split.street),
                parts: None,
                postal_code: None,
            });
        };
        normaliser.normalise(text, "")?;
        let municipality = normaliser.municipality()?;
        let split = match municipality {
            Some((code, end)) => {
                let [prefecture, city] = self.municipalities.names(code);
                SplitAddress { code, prefecture, city, street: text.get(end..).unwrap_or_default() }
            }
            None => self.municipalities.split(text, fallback),
        };
        let place = self.municipalities.place(&split);
        let street = half_width(split.street);
        let postal_code = normaliser.postal_code()?;
        Ok(ParsedAddress { place, street, parts: Some(normaliser.parts()), postal_code })
    }
}
