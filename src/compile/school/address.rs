//! Splits the published address of a school into its municipality, the rest, and the parts of that.
//!
//! The normaliser finds the municipality and its end; without postal data only the prefecture is split off.

use crate::compile::error::CompileError;
use crate::compile::municipalities::{Municipalities, Split};
use crate::query::PostalData;
use crate::record::address::Place;
use crate::record::corporate::Parts;
use crate::text::fold::{Level, folded};

use super::super::address::Normaliser;

pub struct Addresses<'a> {
    municipalities: Municipalities,
    normaliser: Option<Normaliser<'a>>,
}

pub struct Placed<'a> {
    pub place: Place,
    /// The text after the municipality, in half width.
    pub street: String,
    /// `None` without postal data.
    pub parts: Option<Parts<'a>>,
    pub postal_code: Option<u32>,
}

impl<'a> Addresses<'a> {
    pub fn of(postal: Option<&'a PostalData>) -> Result<Addresses<'a>, CompileError> {
        let municipalities = Municipalities::of(postal)?;
        Ok(Addresses { municipalities, normaliser: postal.map(Normaliser::of) })
    }

    /// `prefecture` is responsible for the school; an address that names none is read as being in it.
    pub fn place(&mut self, text: &str, prefecture: u8) -> Result<Placed<'_>, CompileError> {
        let narrow = |street: &str| folded(street, Level::Width);
        let fallback = u32::from(prefecture) * 1_000;
        let Some(normaliser) = &mut self.normaliser else {
            let split = self.municipalities.split(text, fallback);
            let place = self.municipalities.place(&split);
            return Ok(Placed {
                place,
                street: narrow(split.street),
                parts: None,
                postal_code: None,
            });
        };
        normaliser.normalise(text, "")?;
        let municipality = normaliser.municipality()?;
        let split = match municipality {
            Some((code, end)) => {
                let [prefecture, city] = self.municipalities.names(code);
                Split { code, prefecture, city, street: text.get(end..).unwrap_or_default() }
            }
            None => self.municipalities.split(text, fallback),
        };
        let place = self.municipalities.place(&split);
        let street = narrow(split.street);
        let postal_code = normaliser.postal_code()?;
        Ok(Placed { place, street, parts: Some(normaliser.parts()), postal_code })
    }
}
