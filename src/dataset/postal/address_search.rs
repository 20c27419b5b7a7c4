//! Postal data: from a text to an address, from an address to its records, and the postal search of the API: an
//! address, a query, or both.

use std::sync::Arc;

use super::PostalData;
use super::search::{PostalResults, PostalSearch};
use super::syntax::PostalQuery;
use crate::address::places::{self, PossiblePlace};
use crate::address::points::ArchivedPoints;
use crate::address::points::location::{Location, metres_key};
use crate::address::reference::ReferenceData;
use crate::address::{self, Address, AddressScratch, Component, MatchLevel, Point, rows};
use crate::query::budget::QueryError;
use crate::query::cost::{Cost, CostPart};
use crate::query::syntax::FacetPath;
use crate::record::postal::{CityView, PostalView};
use crate::snapshot::OpenError;
use crate::text::codes::PostalCode;
use crate::work::WorkBudget;

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

/// A place that an address may mean.
#[derive(Clone, Copy)]
pub struct Candidate<'s> {
    pub city: CityView<'s>,
    /// A record of its town, if the candidate has a town.
    pub town: Option<PostalView<'s>>,
    /// Whether the candidate is only the part of the town that this record is for.
    pub is_part: bool,
}

impl<'s> Candidate<'s> {
    /// The koaza, chome or street that distinguishes the candidate from other parts of its town.
    pub fn part(&self) -> Option<&'s str> {
        let record = self.town.filter(|_| self.is_part)?;
        let parts = [record.koaza().text, record.kyoto_street().text];
        parts.into_iter().find(|part| !part.is_empty())
    }

    /// The postal code of the town, or of its part.
    pub fn postal_code(&self) -> Option<u32> {
        self.town.map(PostalView::postal_code)
    }
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
        self.normalize_beside(text, None, scratch, address)
    }

    /// [`normalize`](Self::normalize) for a text that has a postal code beside it, in another column of a file. The code
    /// decides where the text does not, and gives the place of a text that is only a lot or a business.
    pub fn normalize_beside(
        &self,
        text: &str,
        code: Option<PostalCode>,
        scratch: &mut AddressScratch,
        address: &mut Address,
    ) -> Result<(), Arc<OpenError>> {
        address::read(self.reference()?, text, code, scratch, address);
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

    /// The postal code that belongs on mail to this address; `None` if several places fit, or if no town is named, unless
    /// lots follow the city. `rows` is a scratch buffer.
    pub fn postal_code(
        &self,
        address: &Address,
        scratch: &mut AddressScratch,
        rows: &mut Vec<u32>,
    ) -> Result<Option<u32>, Arc<OpenError>> {
        let has_place = match address.level() {
            MatchLevel::Town(_) => true,
            MatchLevel::City(_) => {
                address.has_certain_code() || address.get(Component::BlockLotNum).is_some()
            }
            MatchLevel::Cities => address.has_certain_code(),
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

    /// Explains how a text was read. With `near`, the candidates are in the order of their distance from it.
    pub fn explain(
        &self,
        text: &str,
        address: &Address,
        near: Option<Location>,
    ) -> Result<Explanation<'_>, Arc<OpenError>> {
        let reference = self.reference()?;
        let ReferenceData { gazetteer, tables, strings, .. } = reference;
        let candidate = |place: PossiblePlace| {
            let row = place.row.or_else(|| gazetteer.first_row(place.town?));
            let town = row.and_then(|row| PostalView::read(tables, strings, row as usize));
            let is_part = place.row.is_some();
            Some(Candidate { city: CityView::read(tables, strings, place.city)?, town, is_part })
        };
        let points = near.zip(self.points()?);
        let metres = points.map(|(near, points)| {
            move |place: &PossiblePlace| distance_of_place(points, near, place)
        });
        let metres = metres.as_ref().map(|metres| metres as places::Distance<'_>);
        let possible = places::places(reference, text, address, metres);
        let candidates = possible.into_iter().filter_map(candidate).collect();
        Ok(Explanation { candidates, point: self.point(address)? })
    }
}

/// Metres from a location to the point of a place that an address may mean; infinite if it has none.
fn distance_of_place(points: &ArchivedPoints, near: Location, place: &PossiblePlace) -> f64 {
    let of_row = place.row.and_then(|row| points.of_row(row as usize, place.city));
    let of_town = || points.of_parts(place.town?).whole;
    let point = of_row.or_else(of_town).or_else(|| points.of_city(place.city));
    point.map_or(f64::INFINITY, |point| near.metres_to(point.into()))
}

/// Units of work to read a byte of an address.
const UNITS_PER_ADDRESS_BYTE: u64 = 600;

/// Units to explain how an address was read: a town without its municipality is looked up in all municipalities.
const UNITS_PER_EXPLANATION: u64 = 600_000;
const UNITS_PER_EXPLAINED_BYTE: u64 = 2_000;

/// A search; with an address and a query, it searches among the records of the address.
#[derive(Debug, Clone, Copy, Default)]
pub struct AddressSearch<'q> {
    /// An address as free text.
    pub t: Option<&'q str>,
    pub q: Option<&'q PostalQuery>,
    pub facet: Option<&'q FacetPath>,
    pub offset: u64,
    pub limit: usize,
    /// Orders the records of an address that may be in several municipalities by their distance from here.
    pub near: Option<Location>,
}

/// Buffers that searches reuse.
#[derive(Debug, Default)]
pub struct SearchScratch {
    normalize: AddressScratch,
    address: Address,
    rows: Vec<u32>,
}

impl SearchScratch {
    /// The address of the last search.
    pub fn address(&self) -> &Address {
        &self.address
    }
}

impl PostalData {
    /// Runs a search; the address is left in the scratch.
    pub fn search_address_within_budget(
        &self,
        search: &AddressSearch<'_>,
        scratch: &mut SearchScratch,
        budget: &WorkBudget<'_>,
    ) -> Result<PostalResults, QueryError> {
        let mut restrict_to = None;
        if let Some(text) = search.t {
            let SearchScratch { normalize, address, rows, .. } = scratch;
            address::read_within(self.reference()?, text, None, normalize, address, budget)?;
            self.address_rows(address, normalize, rows)?;
            if let Some(near) = search.near.filter(|_| address.level() == MatchLevel::Cities) {
                self.sort_by_distance(near, rows)?;
            }
            restrict_to = Some(scratch.rows.as_slice());
        }
        let AddressSearch { q, facet, offset, limit, .. } = *search;
        self.search_within_budget(&PostalSearch { q, restrict_to, facet, offset, limit }, budget)
    }

    /// Sorts rows by the distance of their points; those without one come last, in their order.
    fn sort_by_distance(&self, near: Location, rows: &mut [u32]) -> Result<(), Arc<OpenError>> {
        let (Some(points), reference) = (self.points()?, self.reference()?) else { return Ok(()) };
        let metres = |row: u32| {
            let record = PostalView::read(reference.tables, reference.strings, row as usize)?;
            let point = points.of_row(row as usize, record.city_number())?;
            Some(near.metres_to(point.into()))
        };
        rows.sort_by_cached_key(|row| metres_key(metres(*row).unwrap_or(f64::INFINITY)));
        Ok(())
    }

    /// The cost of the search; `explain` if it also explains how the address was read.
    pub fn search_address_cost(
        &self,
        search: &AddressSearch<'_>,
        explain: bool,
    ) -> Result<Cost, Arc<OpenError>> {
        let AddressSearch { t, q, facet, offset, limit, near: _ } = *search;
        let restrict_to: Option<&[u32]> = t.map(|_| [].as_slice());
        let mut cost = self.search_cost(&PostalSearch { q, restrict_to, facet, offset, limit })?;
        let Some(t) = t else { return Ok(cost) };
        cost.add(CostPart::Terms(1), t.len() as u64 * UNITS_PER_ADDRESS_BYTE);
        if explain {
            cost.add(
                CostPart::Explain,
                UNITS_PER_EXPLANATION + t.len() as u64 * UNITS_PER_EXPLAINED_BYTE,
            );
        }
        Ok(cost)
    }
}
