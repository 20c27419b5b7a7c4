//! What many records of an answer have alike, written once for each municipality of a version.
//!
//! Fifteen of a postal record's thirty-five members are its municipality's, two thirds of its bytes; of a
//! corporation's it is seven, of which two lie elsewhere in memory. An answer from the version that most
//! requests ask for copies them as one.

use std::sync::Arc;

use super::corporate::write_place_members;
use super::postal::write_city_members;
use crate::query::{CorporateData, PostalData};
use crate::record::corporate::PlaceView;
use crate::record::strings::Text;
use crate::snapshot::OpenError;

/// Pieces of JSON by number.
#[derive(Debug, Default)]
struct Fragments {
    bytes: Vec<u8>,
    /// Where the n-th begins, and where the last ends.
    starts: Vec<u32>,
}

impl Fragments {
    const NONE: Fragments = Fragments { bytes: Vec::new(), starts: Vec::new() };

    /// What `write` writes of each of these, in their order.
    fn of<T>(items: impl Iterator<Item = T>, write: impl Fn(&mut Vec<u8>, T)) -> Fragments {
        let mut fragments = Fragments { bytes: Vec::new(), starts: vec![0] };
        for item in items {
            write(&mut fragments.bytes, item);
            // Names that no municipality has would make so much: those behind are written anew.
            let Ok(end) = u32::try_from(fragments.bytes.len()) else { break };
            fragments.starts.push(end);
        }
        fragments
    }

    fn get(&self, number: usize) -> Option<&[u8]> {
        let [start, end] = *self.starts.get(number..)?.first_chunk()?;
        self.bytes.get(start as usize..end as usize)
    }
}

/// The members of every municipality of one version of the postal data, from API version 2022-11-01 on.
#[derive(Debug, Default)]
pub struct CityFragments(Fragments);

impl CityFragments {
    /// Of no municipality: each record's members are written anew.
    pub const NONE: &'static CityFragments = &CityFragments(Fragments::NONE);

    /// Writes the members of every municipality; some 1,900 of 700 bytes each.
    pub fn of(data: &PostalData) -> Result<CityFragments, Arc<OpenError>> {
        Ok(CityFragments(Fragments::of(data.all_cities()?, write_city_members)))
    }

    /// The members of the municipality of this number.
    pub fn get(&self, number: usize) -> Option<&[u8]> {
        self.0.get(number)
    }
}

/// The members of every place of one version of the corporate data, from API version 2024-01-01 on.
#[derive(Debug, Default)]
pub struct PlaceFragments(Fragments);

impl PlaceFragments {
    /// Of no place: each record's members are written anew.
    pub const NONE: &'static PlaceFragments = &PlaceFragments(Fragments::NONE);

    /// Writes the members of every place; some 1,900 of 200 bytes each.
    pub fn of(data: &CorporateData) -> Result<PlaceFragments, Arc<OpenError>> {
        let places = data.places()?.map(|(place, _rows)| place);
        let write = |out: &mut Vec<u8>, place| write_place_members(out, place, Text::EMPTY);
        Ok(PlaceFragments(Fragments::of(places, write)))
    }

    /// The members of this place, unless the record has a name of the prefecture of its own.
    pub fn get(&self, place: PlaceView<'_>, en_prefecture: Text<'_>) -> Option<&[u8]> {
        self.0.get(place.number()?).filter(|_| en_prefecture.text.is_empty())
    }
}
