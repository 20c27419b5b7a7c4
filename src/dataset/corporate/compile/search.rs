//! The sections of the search (n-grams of five fields, the order of names, attributes, postal codes), of suggestions
//! (the order of readings, the prominence of each name) and of loose names.
//!
//! Corporations hidden from searches (検索対象除外) have no entry here.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{iter, thread};

use super::records::Records;
use super::rows::RenewableBase;
use crate::compile::{CompileError, Result};
use crate::dataset::corporate::record::{CorporateView, OfficePlace, tag};
use crate::dataset::corporate::search::search_index::loose_key_of;
use crate::dataset::corporate::syntax::{FieldFolder, POST_CODES, TextField};
use crate::index::attributes::{self, AttributeValues};
use crate::index::grams::{self, BuildFault, Dictionary, Listing, RenewFault};
use crate::index::key_order::KeyRows;
use crate::index::loose_names::{self, LooseOrder};
use crate::index::name_order::{self, Family};
use crate::index::post_codes::PostCodeIndex;
use crate::index::prominence;
use crate::index::standing::{Standing, is_named_after_employer};
use crate::snapshot::{OpenError, SnapshotFileWriter};
use crate::text::roman_key::roman_key;

pub const SECTION_COUNT: usize = 1 + 3 + 3 + 3 + 3 + 3 * TextField::ALL.len();

/// Makes the indexes of texts, in the order of [`TextField::ALL`]. `beside` appends the sections before them: meanwhile if
/// the indexes are renewed; before they are built, which takes more memory.
pub fn text_indexes(
    records: &Records<'_>,
    renewable: Option<&RenewableBase<'_>>,
    beside: impl FnOnce() -> Result<()>,
) -> Result<Vec<TextIndex>> {
    let Some(base) = renewable else {
        beside()?;
        return build_text_indexes(records);
    };
    let renewal = TextRenewal { records, base, next: AtomicUsize::new(0) };
    let renewed = thread::scope(|scope| {
        let first = scope.spawn(|| renewal.take_fields());
        beside()?;
        let second = renewal.take_fields();
        Ok::<_, CompileError>([first.join().expect("renewed without panic"), second])
    })?;
    // If one cannot be renewed, build all: the base may come from another release of the program.
    match renewed.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(made) => Ok(in_order(made)),
        Err(_) => build_text_indexes(records),
    }
}

/// Appends the sections of the indexes of texts.
pub fn append_text_indexes(
    snapshot: &mut SnapshotFileWriter,
    indexes: Vec<TextIndex>,
) -> Result<()> {
    for (field, (dictionary, lists)) in TextField::ALL.into_iter().zip(indexes) {
        let sections = field.sections();
        snapshot.archive(sections.grams, &dictionary)?;
        snapshot.blocks(sections.lists, sections.sums, &lists)?;
    }
    Ok(())
}

/// Appends the other sections. Each is in the file before the next is made. Returns all rows in the order of names; hidden
/// rows come last.
pub fn append_sections(
    snapshot: &mut SnapshotFileWriter,
    records: &Records<'_>,
    renewable: Option<&RenewableBase<'_>>,
    places: &[OfficePlace],
) -> Result<Vec<u32>> {
    let mut facts = records.collect(RowFacts::from_record)?;
    let visible = (0..).zip(&facts).filter_map(|(row, facts)| Some((row, facts.as_ref()?)));
    let codes = visible.filter_map(|(row, facts)| facts.post_code.map(|code| (row, code)));
    snapshot.archive(POST_CODES, &PostCodeIndex::build(codes))?;
    let names = name_order(records, renewable, places);
    snapshot.archive(tag::NAME_DIRECTORY, &names.directory)?;
    snapshot.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS, &names.bytes)?;
    drop((names.directory, names.bytes));
    for (row, family) in &names.families {
        if let Some(RowFacts { values, .. }) = &mut facts[*row as usize]
            && values.standing == Standing::Open
            && family.is_beside_employees
        {
            values.standing = Standing::Employer;
        }
    }
    let hidden = (0..).zip(&facts).filter_map(|(row, facts)| facts.is_none().then_some(row));
    let by_name: Vec<u32> = names.families.iter().map(|(row, _)| *row).chain(hidden).collect();
    let row_weights = row_weights(&facts, &names.families);
    append_suggestions(snapshot, records, renewable, &row_weights, names.families)?;
    append_loose_names(snapshot, records, renewable, row_weights)?;
    let values = facts.iter().map(|facts| facts.as_ref().map(|facts| facts.values));
    let (attributes, values) = attributes::build(values);
    drop(facts);
    snapshot.archive(tag::ATTRIBUTES, &attributes)?;
    snapshot.blocks(tag::VALUES, tag::VALUES_SUMS, &values)?;
    Ok(by_name)
}

/// The order of names: renewed from the order of the base if most rows are kept, else built from all names. Both ways
/// give the same bytes.
fn name_order(
    records: &Records<'_>,
    renewable: Option<&RenewableBase<'_>>,
    places: &[OfficePlace],
) -> name_order::BuiltOrder {
    fn name(view: CorporateView<'_>) -> Option<String> {
        (!view.hihyoji()).then(|| view.name().to_string())
    }
    let place_of =
        |row| places.partition_point(|place| place.first <= row).saturating_sub(1) as u16;
    // If it cannot be renewed, build it: the base may come from another release of the program.
    let at_random = records.at_random();
    let name_at_random = |row| at_random.view(row).and_then(name);
    if let Some(base) = renewable
        && let Ok(order) = base.data.name_order()
        && let Ok(renewed) = name_order::renew(order, &base.renumbering, name_at_random, place_of)
    {
        return renewed;
    }
    name_order::build(records.rows() as usize, |row| records.view(row).and_then(name), place_of)
}

fn reading_order(records: &Records<'_>, renewable: Option<&RenewableBase<'_>>) -> KeyRows {
    fn reading(view: CorporateView<'_>) -> Option<String> {
        (!view.hihyoji()).then(|| roman_key(&view.furigana().to_string()))
    }
    let at_random = records.at_random();
    let reading_at_random = |row| at_random.view(row).and_then(reading);
    let position = |row| records.position(row);
    if let Some(base) = renewable
        && let Ok(order) = base.data.reading_order()
        && let Ok(renewed) = KeyRows::renew(order, &base.renumbering, reading_at_random, position)
    {
        return renewed;
    }
    KeyRows::build(records.rows(), |row| records.view(row).and_then(reading))
}

/// The values of a row that the small indexes need.
struct RowFacts {
    values: AttributeValues,
    post_code: Option<u32>,
    has_english_name: bool,
}

/// The kinds of companies: no organisation of employees is one.
const COMPANIES: RangeInclusive<u16> = 301..=305;

impl RowFacts {
    /// The facts of a record; `None` if it is hidden.
    fn from_record(view: CorporateView<'_>) -> Option<RowFacts> {
        let standing = match view.is_closed() {
            true => Standing::Closed,
            false if COMPANIES.contains(&view.kind()) => Standing::Open,
            false if is_named_after_employer(&view.name().to_string()) => Standing::Organisation,
            false => Standing::Open,
        };
        let values = AttributeValues {
            standing,
            kind: view.kind(),
            process: view.process(),
            close_cause: view.close_cause().unwrap_or_default(),
        };
        let has_english_name = !view.en_name().text.is_empty();
        let post_code = view.post_code();
        (!view.hihyoji()).then_some(RowFacts { values, post_code, has_english_name })
    }
}

/// The prominence of each row.
fn row_weights(facts: &[Option<RowFacts>], names: &[(u32, Family)]) -> Vec<u8> {
    let mut row_weights = vec![prominence::CLOSED; facts.len()];
    for (row, family) in names {
        if let Some(RowFacts { has_english_name, values, .. }) = &facts[*row as usize] {
            let weight = prominence::weight(*family, values.standing, *has_english_name);
            row_weights[*row as usize] = weight;
        }
    }
    row_weights
}

/// Appends the sections of suggestions: the prominence of names, and the order of readings.
fn append_suggestions(
    snapshot: &mut SnapshotFileWriter,
    records: &Records<'_>,
    renewable: Option<&RenewableBase<'_>>,
    row_weights: &[u8],
    names: Vec<(u32, Family)>,
) -> Result<()> {
    let weight = |row: u32| row_weights[row as usize];
    let name_weights = names.iter().map(|(row, _)| weight(*row)).collect();
    drop(names);
    let (directory, bytes) =
        prominence::build_suggested_names(name_weights, reading_order(records, renewable), weight);
    snapshot.archive(tag::SUGGESTED_DIRECTORY, &directory)?;
    snapshot.blocks(tag::SUGGESTED, tag::SUGGESTED_SUMS, &bytes)?;
    Ok(())
}

/// Appends the sections of loose names.
fn append_loose_names(
    snapshot: &mut SnapshotFileWriter,
    records: &Records<'_>,
    renewable: Option<&RenewableBase<'_>>,
    row_weights: Vec<u8>,
) -> Result<()> {
    let orders = LooseOrder::ALL.map(|order| loose_order(order, records, renewable));
    let (directory, bytes) = loose_names::build(row_weights, orders);
    snapshot.archive(tag::LOOSE_DIRECTORY, &directory)?;
    snapshot.blocks(tag::LOOSE, tag::LOOSE_SUMS, &bytes)?;
    Ok(())
}

/// An order of loose names: renewed from the order of the base if most rows are kept, else built.
fn loose_order(
    order: LooseOrder,
    records: &Records<'_>,
    renewable: Option<&RenewableBase<'_>>,
) -> KeyRows {
    let key = |view: CorporateView<'_>| (!view.hihyoji()).then(|| loose_key_of(order, view));
    let at_random = records.at_random();
    let key_at_random = |row| at_random.view(row).and_then(key);
    let position = |row| records.position(row);
    if let Some(base) = renewable
        && let Ok(names) = base.data.loose_names()
        && let Ok(renewed) =
            KeyRows::renew(names.order(order), &base.renumbering, key_at_random, position)
    {
        return renewed;
    }
    KeyRows::build(records.rows(), |row| records.view(row).and_then(key))
}

/// The dictionary of grams, and their posting lists.
type TextIndex = (Dictionary, Vec<u8>);

/// The fields that each of two threads builds. One builds the two large indexes, names and streets: both at once would need
/// more memory than a build may take.
const BUILD_THREADS: [&[TextField]; 2] = [
    &[TextField::StreetNumber, TextField::Name],
    &[TextField::Furigana, TextField::EnName, TextField::AddressOutside],
];

/// The fields in the order in which they are renewed: the most work first. No field needs much memory.
const RENEW_ORDER: [TextField; 5] = [
    TextField::StreetNumber,
    TextField::Name,
    TextField::Furigana,
    TextField::EnName,
    TextField::AddressOutside,
];

const _: () = assert!(RENEW_ORDER.len() == TextField::ALL.len());

/// The n-gram index of each field, in the order of [`TextField::ALL`], built from all texts. A renewed one has the same
/// bytes.
fn build_text_indexes(records: &Records<'_>) -> Result<Vec<TextIndex>> {
    let build = |field: TextField| {
        let mut letters = FieldFolder::default();
        let text = |row, out: &mut Vec<char>| {
            if let Some(view) = records.view(row) {
                letters.fold_field(view, field, out);
            }
        };
        let listing = Listing::Rows(field.lists());
        Ok((field, grams::build(records.rows(), listing, text)?))
    };
    let build_each = |fields: &[TextField]| {
        fields.iter().map(|field| build(*field)).collect::<Result<Vec<_>, BuildFault>>()
    };
    let built: Result<Vec<_>, BuildFault> = thread::scope(|scope| {
        let threads = BUILD_THREADS.map(|fields| scope.spawn(move || build_each(fields)));
        threads.into_iter().map(|thread| thread.join().expect("built without panic")).collect()
    });
    let built = built.map_err(|fault| CompileError::Index(fault.to_string()))?;
    Ok(in_order(built))
}

/// The indexes that the threads made, in the order of [`TextField::ALL`].
fn in_order(made: impl IntoIterator<Item = Vec<(TextField, TextIndex)>>) -> Vec<TextIndex> {
    let mut indexes: Vec<(TextField, TextIndex)> = made.into_iter().flatten().collect();
    indexes.sort_by_key(|(field, _)| *field as usize);
    indexes.into_iter().map(|(_, index)| index).collect()
}

/// Renews the indexes of texts from those of a base. Several threads take the fields, one after the other.
struct TextRenewal<'r> {
    records: &'r Records<'r>,
    base: &'r RenewableBase<'r>,
    /// The next field of [`RENEW_ORDER`].
    next: AtomicUsize,
}

impl TextRenewal<'_> {
    /// Takes fields until none is left, and returns their indexes.
    fn take_fields(&self) -> Result<Vec<(TextField, TextIndex)>, RenewFault> {
        let next = || RENEW_ORDER.get(self.next.fetch_add(1, Ordering::Relaxed));
        iter::from_fn(next).map(|field| Ok((*field, self.renew(*field)?))).collect()
    }

    fn renew(&self, field: TextField) -> Result<TextIndex, RenewFault> {
        let TextRenewal { records, base, .. } = self;
        let index = base.data.text_index(field)?;
        let [mut letters, mut base_letters] = [FieldFolder::default(), FieldFolder::default()];
        let at_random = records.at_random();
        let text = |row, out: &mut Vec<char>| {
            if let Some(view) = at_random.view(row) {
                letters.fold_field(view, field, out);
            }
        };
        let removed = |row, out: &mut Vec<char>| -> Result<(), Arc<OpenError>> {
            base_letters.fold_field(base.data.record_at_random(row)?, field, out);
            Ok(())
        };
        grams::renew(index, &base.renumbering, field.lists(), text, removed)
    }
}
