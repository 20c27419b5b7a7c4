//! Postal data: from a text to an address, and from an address to its records.

use std::sync::Arc;

use super::postal::PostalData;
use crate::address::normalize::{self, ReferenceData};
use crate::address::places::{self, PossiblePlace};
use crate::address::{Address, AddressScratch, Component, MatchLevel, Point, rows};
use crate::record::postal::{CityView, PostalView};
use crate::snapshot::OpenError;

/// The records that name the places of an address.
#[derive(Clone, Copy, Default)]
pub struct AddressNames<'s> {
    /// A municipality that the address names, or one of several that it may mean.
    pub city: Option<CityView<'s>>,
    /// Whether the address means exactly this municipality.
    pub is_only_city: bool,
    /// A record of its town.
    pub town: Option<PostalView<'s>>,
}

#[derive(Clone, Copy)]
pub struct Candidate<'s> {
    pub city: CityView<'s>,
    /// A record of its town, if the candidate has a town.
    pub town: Option<PostalView<'s>>,
}

/// How a text was read as an address.
#[derive(Clone)]
pub struct Explanation<'s> {
    /// The candidates if the text is ambiguous, the most likely first.
    pub candidates: Vec<Candidate<'s>>,
    pub point: Option<Point>,
}

impl PostalData {
    /// Splits a text into the components of an address. Never fails because of the text: a text without an address
    /// gives an empty one.
    pub fn normalize(
        &self,
        text: &str,
        scratch: &mut AddressScratch,
        address: &mut Address,
    ) -> Result<(), Arc<OpenError>> {
        normalize::normalize(self.reference()?, text, &mut scratch.normalize, address);
        Ok(())
    }

    /// The rows of the deepest level resolved: first the row whose postal code belongs on mail to this address, then
    /// alternative readings of the text in the same municipality (docs/rules.md#addresses).
    pub fn address_rows(
        &self,
        address: &Address,
        scratch: &mut AddressScratch,
        rows: &mut Vec<u32>,
    ) -> Result<(), Arc<OpenError>> {
        rows::rows(self.reference()?, address, &mut scratch.rows, rows);
        Ok(())
    }

    /// The postal code that belongs on mail to this address; `None` if no town is named, unless lots follow the city.
    /// `rows` is a scratch buffer.
    pub fn postal_code(
        &self,
        address: &Address,
        scratch: &mut AddressScratch,
        rows: &mut Vec<u32>,
    ) -> Result<Option<u32>, Arc<OpenError>> {
        let has_place = match address.level() {
            MatchLevel::Town(_) => true,
            MatchLevel::City(_) | MatchLevel::Cities => {
                address.get(Component::BlockLotNum).is_some()
            }
            MatchLevel::None | MatchLevel::Prefecture(_) => false,
        };
        if !has_place {
            return Ok(None);
        }
        rows::best_first(self.reference()?, address, &mut scratch.rows, rows);
        let first = &rows[..rows.len().min(1)];
        Ok(self.rows(first)?.next().map(|row| row.postal_code()))
    }

    pub fn names(&self, address: &Address) -> Result<AddressNames<'_>, Arc<OpenError>> {
        let ReferenceData { gazetteer, tables, strings, .. } = self.reference()?;
        let city = |number: u32| CityView::read(tables, strings, number as usize);
        Ok(match address.level() {
            MatchLevel::None => AddressNames::default(),
            MatchLevel::Prefecture(code) => {
                let mut cities = self.all_cities()?;
                let city = cities.find(|city| city.jisx0402() / 1_000 == code);
                AddressNames { city, ..AddressNames::default() }
            }
            MatchLevel::Cities => {
                let city = address.cities().first().and_then(|&first| city(first));
                AddressNames { city, ..AddressNames::default() }
            }
            MatchLevel::City(number) => {
                AddressNames { city: city(number), is_only_city: true, town: None }
            }
            MatchLevel::Town(town) => {
                let row = gazetteer.first_row(town as usize);
                let town = row.and_then(|row| PostalView::read(tables, strings, row as usize));
                AddressNames { city: town.map(PostalView::city), is_only_city: true, town }
            }
        })
    }

    /// The coordinates of the place that an address names; `None` if it names no municipality or several, or if the
    /// snapshot has no coordinates.
    pub fn point(&self, address: &Address) -> Result<Option<Point>, Arc<OpenError>> {
        let Some(points) = self.points()? else { return Ok(None) };
        Ok(points.of_address(self.reference()?.gazetteer, address))
    }

    pub fn explain(
        &self,
        text: &str,
        address: &Address,
    ) -> Result<Explanation<'_>, Arc<OpenError>> {
        let reference = self.reference()?;
        let ReferenceData { gazetteer, tables, strings, .. } = reference;
        let candidate = |place: PossiblePlace| {
            let row = place.town.and_then(|town| gazetteer.first_row(town));
            let town = row.and_then(|row| PostalView::read(tables, strings, row as usize));
            Some(Candidate { city: CityView::read(tables, strings, place.city)?, town })
        };
        let candidates = places::places(reference, text, address).into_iter();
        let candidates = candidates.filter_map(candidate).collect();
        Ok(Explanation { candidates, point: self.point(address)? })
    }
}
