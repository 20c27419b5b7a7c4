//! The members that all records of a place share, written once for each place of a version.

use super::record::OfficePlaceView;
use crate::dataset::address::Place;
use crate::dataset::member::{Fragments, Members};
use crate::record::Text;
use crate::text::codes::ApiVersion;

/// The place members of every place of one version of the corporate data, from API version 2024-01-01 on.
#[derive(Debug, Default)]
pub struct PlaceFragments(Fragments);

impl PlaceFragments {
    /// Empty: the members are formatted for each record.
    pub const NONE: &'static PlaceFragments = &PlaceFragments(Fragments::NONE);

    /// Writes the members of every place; some 1,900 of 200 bytes each.
    pub fn new<'s>(places: impl Iterator<Item = OfficePlaceView<'s>>) -> PlaceFragments {
        let write = |out: &mut Vec<u8>, place| {
            Place::Office(place, Text::EMPTY).write_members(out, ApiVersion::NEWEST);
        };
        PlaceFragments(Fragments::new(places, write))
    }

    /// The members of this place, unless the record has a name of the prefecture of its own.
    pub fn get(&self, place: OfficePlaceView<'_>, en_prefecture: Text<'_>) -> Option<&[u8]> {
        self.0.get(place.number()?).filter(|_| en_prefecture.text.is_empty())
    }
}
