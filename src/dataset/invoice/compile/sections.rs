//! Compiles the effective entries to the sections of a snapshot.
//!
//! Normalising addresses is most of the work, so threads share the entries. The result does not depend on the number
//! of threads.

use std::ops::Range;

use build_tools::invoice::Holder;

use super::state::{Entry, NO_PLACE, State};
use crate::compile::{CompileError, Result};
use crate::dataset::invoice::InvoiceData;
use crate::dataset::invoice::record::{
    InvoiceProvenance, InvoiceTables, InvoiceView, append_address, append_tail, tag,
};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::municipalities::Normaliser;
use crate::index::chunks_by_core;
use crate::index::numbers::NumberIndex;
use crate::record::codec::push_bytes;
use crate::record::parts::Parts;
use crate::snapshot::{Dataset, SnapshotWriter};
use crate::text::codes::DataVersion;

/// The snapshot of a state that keeps only effective entries.
pub fn compile(
    version: DataVersion,
    state: &State,
    provenance: &InvoiceProvenance,
    postal: Option<&PostalData>,
) -> Result<SnapshotWriter> {
    if state.entries.is_empty() {
        return Err(CompileError::NoIssuer);
    }
    let too_many = |what, limit: usize| CompileError::TooMany { what, limit: limit as u64 };
    if state.has_too_many_places() {
        return Err(too_many("municipalities", usize::from(NO_PLACE)));
    }
    let make = |rows: Range<u32>| {
        let entries = &state.entries[rows.start as usize..rows.end as usize];
        make_chunk(state, entries, postal, version)
    };
    let (chunks, _) = chunks_by_core(state.entries.len() as u32, make);
    let chunks: Vec<Chunk> = chunks.into_iter().collect::<Result<_>>()?;
    let mut tables =
        InvoiceTables { places: state.places.list.clone(), ..InvoiceTables::default() };
    let mut records = Vec::with_capacity(chunks.iter().map(|chunk| chunk.records.len()).sum());
    let mut numbers = Vec::new();
    let lengths = chunks.iter().flat_map(|chunk| &chunk.lengths);
    let mut offset = 0u32;
    for (entry, length) in state.entries.iter().zip(lengths) {
        if entry.holder == Some(Holder::Other) {
            numbers.push((entry.number.corporate(), offset));
        } else {
            tables.individuals.push(entry.number.digits());
            tables.individual_offsets.push(offset);
        }
        let end = offset.checked_add(*length);
        offset = end.ok_or_else(|| too_many("bytes of records", u32::MAX as usize))?;
    }
    tables.others = numbers.len() as u32;
    for chunk in chunks {
        tables.registered += chunk.registered;
        records.extend_from_slice(&chunk.records);
    }
    let mut snapshot = SnapshotWriter::new(InvoiceData::KIND, version);
    snapshot.archive(tag::PROVENANCE, provenance)?;
    snapshot.archive(tag::TABLES, &tables)?;
    snapshot.archive(tag::NUMBERS, &NumberIndex::build(numbers))?;
    snapshot.blocks(tag::RECORDS, tag::SUMS, &records)?;
    Ok(snapshot)
}

/// The records of some entries, with the length of each.
#[derive(Default)]
struct Chunk {
    records: Vec<u8>,
    lengths: Vec<u32>,
    /// How many of them are registered on the date of the version.
    registered: u32,
}

fn make_chunk(
    state: &State,
    entries: &[Entry],
    postal: Option<&PostalData>,
    version: DataVersion,
) -> Result<Chunk> {
    let mut chunk = Chunk::default();
    let mut normaliser = postal.map(Normaliser::new);
    let (mut bytes, mut normalised) = (Vec::new(), Vec::new());
    for entry in entries {
        let places: Vec<u16> =
            entry.places.into_iter().filter(|place| *place != NO_PLACE).collect();
        bytes.clear();
        bytes.extend_from_slice(state.record_head(entry));
        let base_addresses = state.normalised(entry);
        normalised.clear();
        if let Some(normaliser) = normaliser.as_mut().filter(|_| base_addresses.is_none()) {
            append_normalised(state, entry, normaliser, &mut normalised)?;
        }
        let addresses = (postal.is_some() && !places.is_empty()).then_some(&normalised[..]);
        let earlier = state.periods(entry);
        append_tail(&mut bytes, 0, earlier, &places, base_addresses.or(addresses));
        let registration = head_view(state, entry).registration;
        let date = version.number();
        let registered = registration.is_in_force_on(date)
            || earlier.iter().any(|period| period.is_in_force_on(date));
        chunk.registered += u32::from(registered);
        let start = chunk.records.len();
        push_bytes(&mut chunk.records, &bytes);
        chunk.lengths.push((chunk.records.len() - start) as u32);
    }
    Ok(chunk)
}

/// The record of an entry up to its streets.
fn head_view<'s>(state: &'s State, entry: &Entry) -> InvoiceView<'s> {
    InvoiceView::read(state.record_head(entry), None).expect("just packed")
}

/// Appends postal code and parts of each used address. One without a prefecture is abroad.
fn append_normalised(
    state: &State,
    entry: &Entry,
    normaliser: &mut Normaliser<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    for (street, place) in head_view(state, entry).streets.into_iter().zip(entry.places) {
        let Some(street) = street else { continue };
        let place = state
            .places
            .list
            .get(usize::from(place))
            .filter(|place| !place.prefecture[0].is_empty());
        let Some(place) = place else {
            append_address(out, 0, street.text, &Parts::default());
            continue;
        };
        let place_text = [place.prefecture[0].as_str(), &place.city[0]].concat();
        normaliser.normalise(&place_text, street.text)?;
        let postal_code = normaliser.postal_code()?.unwrap_or_default();
        append_address(out, postal_code, street.text, &normaliser.parts());
    }
    Ok(())
}
