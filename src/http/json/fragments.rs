//! The municipality's part of a record's JSON, written once for each municipality of a version.
//!
//! Fifteen of a record's thirty-five members are its municipality's, two thirds of its bytes: an
//! answer from the version that most requests ask for copies them as one.

use std::ops::Range;
use std::sync::Arc;

use super::postal::write_city_members;
use crate::query::PostalData;
use crate::snapshot::OpenError;

/// The members of every municipality of one version, from API version 2022-11-01 on.
#[derive(Debug, Default)]
pub struct CityFragments {
    bytes: Vec<u8>,
    /// Where the members of the n-th municipality of the tables lie.
    spans: Vec<Range<usize>>,
}

impl CityFragments {
    /// Of no municipality: each record's members are written anew.
    pub const NONE: &'static CityFragments =
        &CityFragments { bytes: Vec::new(), spans: Vec::new() };

    /// Writes the members of every municipality; some 1,900 of 700 bytes each.
    pub fn of(data: &PostalData) -> Result<CityFragments, Arc<OpenError>> {
        let mut fragments = CityFragments::default();
        for city in data.all_cities()? {
            let start = fragments.bytes.len();
            write_city_members(&mut fragments.bytes, city);
            fragments.spans.push(start..fragments.bytes.len());
        }
        Ok(fragments)
    }

    /// The members of the municipality of this number.
    pub fn get(&self, number: usize) -> Option<&[u8]> {
        self.bytes.get(self.spans.get(number)?.clone())
    }
}
