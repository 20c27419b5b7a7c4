//! What answers with postal records share: the prepared members of municipalities, the list of all records, and the
//! answer of an address search: the records, how the query was understood, and the numbers.

use super::address_search::Explanation;
use super::explain::ExplainedAddress;
use super::members::{CityNames, CityParts, CityReadings, PostalRecord, PreparedCity};
use super::search::PostalResults;
use crate::address::{Address, Component};
use crate::dataset::address::Parts;
use crate::dataset::member::shape::{TEXT_OR_NULL, unchanged_since};
use crate::dataset::member::{Fragments, MemberValue, Members, Prepared, members};
use crate::dataset::postal::PostalData;
use crate::json::{close_data, eight_digits, open_data, write_facets, write_list, write_numbers};
use crate::record::parts::Part;
use crate::record::postal::{CityView, PostalView};
use crate::snapshot::Result;
use crate::text::codes::{ApiVersion, DataVersion};

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
    pub fn new(data: &PostalData) -> Result<CityFragments> {
        Ok(CityFragments(Fragments::new(data.all_cities()?, write_fragment)))
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

/// What an address search has beside the records.
#[derive(Clone, Copy)]
pub struct AddressOutcome<'a> {
    /// The query as the client sent it.
    pub q: Option<&'a str>,
    /// The address as the client sent it, and its components.
    pub t: Option<(&'a str, &'a Address)>,
    pub found: &'a PostalResults,
    pub offset: u64,
    pub limit: usize,
    /// If the client asked for `explain`.
    pub explain: Option<&'a Explanation<'a>>,
}

/// The answer to an address search: `records` are those of the requested page.
pub fn write_search<V: MemberValue>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    records: impl Iterator<Item = V>,
    outcome: &AddressOutcome<'_>,
) {
    open_data(out, version);
    write_list(out, records, |out, record| record.write(out, api));
    out.push(b',');
    write_address_outcome(out, api, outcome);
}

/// Appends the members after `data`, and the closing brace.
pub fn write_address_outcome(out: &mut Vec<u8>, api: ApiVersion, outcome: &AddressOutcome<'_>) {
    out.extend_from_slice(b"\"query\":");
    outcome.write(out, api);
    write_numbers(out, outcome.found.count, outcome.offset, outcome.limit);
    match &outcome.found.facets {
        None => out.extend_from_slice(b"null"),
        Some(facets) => write_facets(out, facets),
    }
    if let Some(explained) = outcome.explain {
        out.extend_from_slice(b",\"explain\":");
        let read = |(text, address)| ExplainedAddress { text, address, explained };
        outcome.t.map(read).write(out, api);
    }
    out.push(b'}');
}

members! {
    /// The parameters of an address search, and the parts of the address.
    pub const UNDERSTOOD: "AddressQuery" of it: &AddressOutcome<'_>;
    "q": TEXT_OR_NULL => it.q, "The q that was sent", "送られたq";
    "t": TEXT_OR_NULL => it.t.map(|(text, _)| text), "The t that was sent", "送られたt";
    "prefecture": TEXT_OR_NULL => it.part(Component::Prefecture), "Prefecture", "都道府県";
    "county": TEXT_OR_NULL => it.part(Component::County), "County", "郡";
    "city": TEXT_OR_NULL => it.part(Component::City), "City", "市区町村";
    "city_ward": TEXT_OR_NULL => it.part(Component::CityWard), "Ward of a designated city", "政令指定都市の区";
    ..Parts { it.parts() };
}

impl<'a> AddressOutcome<'a> {
    fn part(&self, component: Component) -> Option<&'a str> {
        self.t.and_then(|(_, address)| address.get(component))
    }

    /// What the address has below the municipality.
    fn parts(&self) -> Parts<'a> {
        use Component::{BlockLotNum, Building, FloorRoom, KyotoStreet, Town};
        let below = [Town, KyotoStreet, BlockLotNum, Building, FloorRoom];
        Parts(below.map(|component| self.part(component).map(Part::Text)))
    }
}
