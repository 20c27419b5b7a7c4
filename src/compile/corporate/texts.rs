//! The indexes of the five searched fields: renewed from those of the previous version if most rows are kept, else built
//! from all texts. Both ways give the same bytes.

use std::sync::Arc;
use std::thread;

use super::records::Records;
use super::rows::Previous;
use crate::compile::error::CompileError;
use crate::index::corporate_texts::{Letters, TextField};
use crate::index::grams::{self, Dictionary, Listing, RenewFault};
use crate::snapshot::OpenError;

pub type Made = (Dictionary, Vec<u8>);

/// The fields of each of two threads.
type Shares = [&'static [TextField]; 2];

/// One thread builds the two large indexes, names and streets: both at once would need more memory than a build may take.
const BUILT: Shares = [
    &[TextField::StreetNumber, TextField::Name],
    &[TextField::Furigana, TextField::EnName, TextField::AddressOutside],
];

/// Streets are as much work as all other fields together, and no field needs much memory.
const RENEWED: Shares = [
    &[TextField::StreetNumber],
    &[TextField::Name, TextField::Furigana, TextField::EnName, TextField::AddressOutside],
];

/// The index of each field, in the order of [`TextField::ALL`].
pub fn make(records: &Records, previous: Option<&Previous<'_>>) -> Result<Vec<Made>, CompileError> {
    // If one cannot be renewed, build all: the previous ones may come from another release of the program.
    if let Some(previous) = previous
        && let Ok(made) = each(RENEWED, |field| renewed(records, previous, field))
    {
        return Ok(made);
    }
    let made = each(BUILT, |field| {
        let mut letters = Letters::default();
        let text = |row, out: &mut Vec<char>| letters.of_field(records.view(row), field, out);
        let listing = Listing::Rows { threshold: field.threshold() };
        grams::build(records.rows(), listing, text)
    });
    made.map_err(|fault| CompileError::Index(fault.to_string()))
}

fn renewed(
    records: &Records,
    previous: &Previous<'_>,
    field: TextField,
) -> Result<Made, RenewFault> {
    let index = previous.data.text_index(field)?;
    let [mut now, mut before] = [Letters::default(), Letters::default()];
    let text = |row, out: &mut Vec<char>| now.of_field(records.view_at_random(row), field, out);
    let removed = |row, out: &mut Vec<char>| -> Result<(), Arc<OpenError>> {
        before.of_field(previous.data.record_at_random(row)?, field, out);
        Ok(())
    };
    grams::renew(index, &previous.order, field.threshold(), text, removed)
}

fn each<E: Send>(
    shares: Shares,
    make: impl Fn(TextField) -> Result<Made, E> + Sync,
) -> Result<Vec<Made>, E> {
    let make = &make;
    let share = move |fields: &[TextField]| -> Result<Vec<(TextField, Made)>, E> {
        fields.iter().map(|field| Ok((*field, make(*field)?))).collect()
    };
    let mut made: Vec<(TextField, Made)> = thread::scope(|scope| {
        let shares = shares.map(|fields| scope.spawn(move || share(fields)));
        let join = |share: thread::ScopedJoinHandle<'_, _>| {
            share.join().expect("a share of fields is indexed without panic")
        };
        shares.into_iter().map(join).collect::<Result<Vec<_>, E>>()
    })?
    .into_iter()
    .flatten()
    .collect();
    made.sort_by_key(|(field, _)| *field as usize);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}
