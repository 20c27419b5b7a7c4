//! The n-gram indexes of the five searched fields: renewed from those of the base if most rows are kept, else built
//! from all texts. Both ways give the same bytes.

use std::sync::Arc;
use std::thread;

use super::records::Records;
use super::rows::RenewableBase;
use crate::compile::error::CompileError;
use crate::index::corporate_texts::{FieldFolder, TextField};
use crate::index::grams::{self, Dictionary, Listing, RenewFault};
use crate::snapshot::OpenError;

/// The dictionary of grams, and their posting lists.
pub type TextIndex = (Dictionary, Vec<u8>);

/// The fields that each of two threads indexes.
type ThreadFields = [&'static [TextField]; 2];

/// One thread builds the two large indexes, names and streets: both at once would need more memory than a build may
/// take.
const BUILD_THREADS: ThreadFields = [
    &[TextField::StreetNumber, TextField::Name],
    &[TextField::Furigana, TextField::EnName, TextField::AddressOutside],
];

/// Streets are as much work as all other fields together, and no field needs much memory.
const RENEW_THREADS: ThreadFields = [
    &[TextField::StreetNumber],
    &[TextField::Name, TextField::Furigana, TextField::EnName, TextField::AddressOutside],
];

/// The index of each field, in the order of [`TextField::ALL`].
pub fn build_or_renew(
    records: &Records,
    renewable: Option<&RenewableBase<'_>>,
) -> Result<Vec<TextIndex>, CompileError> {
    // If one cannot be renewed, build all: the base may come from another release of the program.
    if let Some(base) = renewable
        && let Ok(indexes) = index_fields(RENEW_THREADS, |field| renew(records, base, field))
    {
        return Ok(indexes);
    }
    let indexes = index_fields(BUILD_THREADS, |field| {
        let mut letters = FieldFolder::default();
        let text = |row, out: &mut Vec<char>| letters.fold_field(records.view(row), field, out);
        let listing = Listing::Rows { threshold: field.threshold() };
        grams::build(records.rows(), listing, text)
    });
    indexes.map_err(|fault| CompileError::Index(fault.to_string()))
}

fn renew(
    records: &Records,
    base: &RenewableBase<'_>,
    field: TextField,
) -> Result<TextIndex, RenewFault> {
    let index = base.data.text_index(field)?;
    let [mut letters, mut base_letters] = [FieldFolder::default(), FieldFolder::default()];
    let text =
        |row, out: &mut Vec<char>| letters.fold_field(records.view_at_random(row), field, out);
    let removed = |row, out: &mut Vec<char>| -> Result<(), Arc<OpenError>> {
        base_letters.fold_field(base.data.record_at_random(row)?, field, out);
        Ok(())
    };
    grams::renew(index, &base.renumbering, field.threshold(), text, removed)
}

/// Indexes every field, on two threads. Returns the indexes in the order of [`TextField::ALL`].
fn index_fields<E: Send>(
    threads: ThreadFields,
    index: impl Fn(TextField) -> Result<TextIndex, E> + Sync,
) -> Result<Vec<TextIndex>, E> {
    let index = &index;
    let index_each = move |fields: &[TextField]| -> Result<Vec<(TextField, TextIndex)>, E> {
        fields.iter().map(|field| Ok((*field, index(*field)?))).collect()
    };
    let mut indexes = Vec::with_capacity(TextField::ALL.len());
    thread::scope(|scope| {
        for handle in threads.map(|fields| scope.spawn(move || index_each(fields))) {
            indexes.extend(handle.join().expect("fields are indexed without panic")?);
        }
        Ok(())
    })?;
    indexes.sort_by_key(|(field, _)| *field as usize);
    Ok(indexes.into_iter().map(|(_, index)| index).collect())
}
