//! What answers with postal records share: the prepared members of municipalities, and the list of all records.

use std::sync::Arc;

use super::members::{PostalRecord, PreparedCity};
use crate::dataset::member::shape::unchanged_since;
use crate::dataset::member::{Fragments, MemberValue, Members};
use crate::dataset::postal::PostalData;
use crate::json::{close_data, eight_digits, open_data};
use crate::record::postal::{CityView, PostalView};
use crate::snapshot::OpenError;
use crate::text::codes::{ApiVersion, DataVersion};

/// The members of every municipality of one version of the postal data, each after the digits of its code.
#[derive(Debug, Default)]
pub struct CityFragments(Fragments);

impl CityFragments {
    /// Empty: the members are formatted for each record.
    pub const NONE: &'static CityFragments = &CityFragments(Fragments::NONE);

    /// The API version from which municipalities have the members that are prepared.
    const SINCE: ApiVersion = unchanged_since(<CityView<'_> as Members>::MEMBERS);

    /// Writes the members of every municipality; some 1,900 of 700 bytes each.
    pub fn new(data: &PostalData) -> Result<CityFragments, Arc<OpenError>> {
        let write = |out: &mut Vec<u8>, city: CityView<'_>| {
            out.extend_from_slice(&code_digits(city));
            city.write_members(out, ApiVersion::NEWEST);
        };
        Ok(CityFragments(Fragments::new(data.all_cities()?, write)))
    }

    /// A record with the members of its municipality. `self` is of the record's version, or empty.
    #[inline]
    pub fn record<'s>(&'s self, api: ApiVersion, view: PostalView<'s>) -> PostalRecord<'s> {
        // Town and municipality are far apart in memory: both are read before the record is written, so that the
        // processor waits for both at once.
        let (town, city) = (view.town(), view.city());
        let fragment = match api >= CityFragments::SINCE {
            true => self.0.get(view.city_number()).and_then(<[u8]>::split_first_chunk),
            false => None,
        };
        let (city_code, bytes) = match fragment {
            Some((code, members)) => (*code, Some(members)),
            None => (code_digits(city), None),
        };
        let city = PreparedCity { members: city, bytes };
        PostalRecord { view, town, city_code, city, point: None }
    }
}

fn code_digits(city: CityView<'_>) -> [u8; 5] {
    let digits = eight_digits(city.jisx0402());
    *digits.last_chunk().expect("eight digits end in five")
}

/// Writes the answer that lists all records. Passes it to `write_piece` piece by piece, because it is too long to be
/// held in memory.
pub fn write_all_postal<'s, E>(
    version: DataVersion,
    records: impl Iterator<Item = PostalView<'s>>,
    cities: &'s CityFragments,
    mut write_piece: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    const PIECE_BYTES: usize = 1 << 16;
    let api = ApiVersion::NEWEST;
    let mut piece = Vec::with_capacity(2 * PIECE_BYTES);
    open_data(&mut piece, version);
    let mut separator = b'[';
    for record in records {
        piece.push(separator);
        separator = b',';
        cities.record(api, record).write(&mut piece, api);
        if piece.len() >= PIECE_BYTES {
            write_piece(&piece)?;
            piece.clear();
        }
    }
    // Without records, the bracket was not opened yet.
    piece.extend_from_slice(if separator == b'[' { b"[]" } else { b"]" });
    close_data(&mut piece);
    write_piece(&piece)
}
