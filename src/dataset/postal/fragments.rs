//! The members that all records of a municipality share, written once for each municipality of a version.

use super::members::{CityNames, CityParts, CityReadings, PostalRecord, PreparedCity};
use crate::dataset::member::shape::unchanged_since;
use crate::dataset::member::{Fragments, Members, Prepared};
use crate::json::eight_digits;
use crate::record::postal::{CityView, PostalView};
use crate::text::codes::ApiVersion;

/// The members of every municipality of one version of the postal data, each as a head of `LEAD` bytes and the JSON of its
/// readings, names and parts.
#[derive(Debug, Default)]
pub struct CityFragments(Fragments);

/// The digits of the code, and the lengths of the JSON of the readings and of the names.
const LEAD: usize = CODE_DIGITS + 2 * size_of::<u16>();
const CODE_DIGITS: usize = 5;

impl CityFragments {
    /// Empty: the members are formatted for each record.
    pub const NONE: &'static CityFragments = &CityFragments(Fragments::NONE);

    /// The API version from which municipalities have the members that are prepared.
    const SINCE: ApiVersion = unchanged_since(<CityParts<'_> as Members>::MEMBERS);

    /// Writes the members of every municipality; some 1,900 of 700 bytes each.
    pub fn new<'s>(cities: impl Iterator<Item = CityView<'s>>) -> CityFragments {
        CityFragments(Fragments::new(cities, write_fragment))
    }

    /// A record with the members of its municipality. `self` is of the record's version, or empty.
    #[inline]
    pub fn record<'s>(&'s self, api: ApiVersion, view: PostalView<'s>) -> PostalRecord<'s> {
        // Town and municipality are far apart in memory: both are read before the record is written, so that the
        // processor waits for both at once.
        let (town, city) = (view.town(), view.city());
        let fragment = match api >= CityFragments::SINCE {
            true => self.0.get(view.city_number()).and_then(split_fragment),
            false => None,
        };
        let (city_code, [readings, names, parts]) = match fragment {
            Some((code, pieces)) => (code, pieces.map(Some)),
            None => (code_digits(city), [None; 3]),
        };
        let city = PreparedCity {
            readings: Prepared { members: CityReadings(city), bytes: readings },
            names: Prepared { members: CityNames(city), bytes: names },
            parts: Prepared { members: CityParts(city), bytes: parts },
        };
        PostalRecord { view, town, city_code, city, point: None }
    }
}

fn write_fragment(out: &mut Vec<u8>, city: CityView<'_>) {
    const API: ApiVersion = ApiVersion::NEWEST;
    out.extend_from_slice(&code_digits(city));
    let lengths = out.len();
    out.extend_from_slice(&[0; LEAD - CODE_DIGITS]);
    let readings = out.len();
    CityReadings(city).write_members(out, API);
    let names = out.len();
    CityNames(city).write_members(out, API);
    let parts = out.len();
    CityParts(city).write_members(out, API);
    // Names of municipalities have some dozens of bytes. With lengths of 0 everything would be in the last piece, and
    // the record would still be valid JSON.
    let length = |from: usize, to: usize| u16::try_from(to - from).unwrap_or_default();
    let written = [length(readings, names), length(names, parts)].map(u16::to_le_bytes);
    out[lengths..readings].copy_from_slice(written.as_flattened());
}

/// The code of a fragment, and its three pieces.
#[inline]
fn split_fragment(fragment: &[u8]) -> Option<([u8; CODE_DIGITS], [&[u8]; 3])> {
    let (code, rest) = fragment.split_first_chunk()?;
    let (readings, rest) = rest.split_first_chunk()?;
    let (names, rest) = rest.split_first_chunk()?;
    let (readings, rest) = rest.split_at_checked(u16::from_le_bytes(*readings).into())?;
    let (names, parts) = rest.split_at_checked(u16::from_le_bytes(*names).into())?;
    Some((*code, [readings, names, parts]))
}

fn code_digits(city: CityView<'_>) -> [u8; CODE_DIGITS] {
    let digits = eight_digits(city.jisx0402());
    *digits.last_chunk().expect("eight digits end in five")
}
