//! What answers with postal records share: the list of all records, and the answer of an address search: the
//! records, how the query was understood, and the numbers.

use super::address_search::Explanation;
use super::explain::ExplainedAddress;
use super::fragments::CityFragments;
use super::search::PostalResults;
use crate::address::{Address, Component};
use crate::dataset::address::Parts;
use crate::dataset::member::shape::TEXT_OR_NULL;
use crate::dataset::member::{MemberValue, members};
use crate::json::{close_data, open_data, write_facets, write_list, write_numbers};
use crate::record::parts::Part;
use crate::record::postal::PostalView;
use crate::snapshot::Result;
use crate::text::codes::{ApiVersion, DataVersion};

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
    close_data(out);
}

/// Appends the members after `data`, without the closing brace.
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
