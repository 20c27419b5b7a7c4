//! Compiles the register of qualified invoice issuers to one snapshot, from the tax agency's full files or an
//! earlier snapshot, and the differences since.

mod compile;
mod state;

use build_tools::Kind;
use build_tools::invoice::{InvoiceRow, read_invoice};
use build_tools::stream::Input;

use self::state::State;
use super::log::BuildLog;
use super::municipalities::Municipalities;
use super::{Target, address, days::Days, error::CompileError, origin::Origin, progress::Progress};
use crate::query::{InvoiceData, PostalData};
use crate::record::invoice::InvoiceProvenance;

pub struct InvoiceSources<'a> {
    pub full: Vec<Input<'a>>,
    /// An earlier snapshot to which the differences are applied.
    pub base: Option<InvoiceData>,
    pub diff: Vec<Input<'a>>,
    pub postal: Option<PostalData>,
    /// Whether individuals are kept: their numbers, dates and status.
    pub individuals: bool,
}

pub struct InvoiceReport {
    pub data: InvoiceData,
    pub days: usize,
    pub changed: usize,
    pub withdrawn: usize,
    /// Number of individuals that were left out.
    pub individuals: usize,
    pub log: BuildLog,
}

pub fn build(
    target: &Target<'_>,
    mut sources: InvoiceSources<'_>,
    progress: &dyn Progress,
) -> Result<InvoiceReport, CompileError> {
    let mut log = target.begin::<InvoiceData>()?;
    let postal = sources.postal.as_ref();
    let (postal_version, postal_fingerprint) = address::version(postal);
    let provenance =
        InvoiceProvenance { postal_version, postal_fingerprint, individuals: sources.individuals };
    let mut state = State::over(Municipalities::of(postal)?, sources.individuals);
    let mut days = Days::until(target);
    // Release its mapping as soon as it is read.
    if let Some(base) = sources.base.take() {
        progress.step("reading the base");
        days.begin(base.version())?;
        take_base(&base, &provenance, &mut state)?;
    }
    progress.step("reading full files");
    for input in &sources.full {
        let take = &mut |row: InvoiceRow<'_>| state.take_row(&row, Origin::Full);
        for (name, date) in read(input, Kind::InvoiceFull, take, &mut log, progress)? {
            days.full(&name, date, &mut log)?;
        }
    }
    progress.step("reading differences");
    for input in &sources.diff {
        let take = &mut |row: InvoiceRow<'_>| {
            days.note(row.published, row.number);
            state.take_row(&row, Origin::Difference);
        };
        for (name, date) in read(input, Kind::InvoiceDifference, take, &mut log, progress)? {
            days.difference(&name, date, &mut log)?;
        }
    }
    target.check_rejects(&mut log)?;
    days.check_missing(&mut log)?;
    progress.step("ordering");
    let left_out = state.keep_newest();
    progress.step("normalising addresses");
    let snapshot = compile::compile(target.version, &state, &provenance, postal)?;
    compare_with_version_before(target, state.entries.len(), &mut log)?;
    progress.step("writing");
    let data =
        target.publish(snapshot.write_beside(target.folder)?, &mut log, |_data, _place| {
            Ok(Vec::new())
        })?;
    let state::LeftOut { withdrawn, individuals } = left_out;
    let (days, changed) = (days.count(), days.numbers());
    Ok(InvoiceReport { data, days, changed, withdrawn, individuals, log })
}

/// More rows than a day of differences has.
const DAY_ROWS: usize = 20_000;

/// Takes an earlier snapshot's records. Addresses that were normalised by the same postal data are kept.
fn take_base(
    base: &InvoiceData,
    provenance: &InvoiceProvenance,
    state: &mut State,
) -> Result<(), CompileError> {
    let before = base.provenance()?;
    let before = before.root();
    if provenance.individuals && !before.individuals {
        return Err(CompileError::NoIndividualsInBase { found: base.version() });
    }
    let same = before.postal_version.to_native() == provenance.postal_version
        && before.postal_fingerprint.to_native() == provenance.postal_fingerprint;
    let counts = base.counts()?;
    state.reserve(counts.others + counts.individuals + DAY_ROWS, counts.record_bytes);
    base.each(|view, individual| state.take_view(&view, individual, same))?;
    Ok(())
}

/// Reads files and returns the name and the date of each.
fn read(
    input: &Input<'_>,
    kind: Kind,
    take: &mut dyn FnMut(InvoiceRow<'_>),
    log: &mut BuildLog,
    progress: &dyn Progress,
) -> Result<Vec<(String, u32)>, CompileError> {
    let advance = &mut |done, total| progress.advance(done, total);
    let files = read_invoice(*input, kind, take, advance)?;
    let dated = files.into_iter().map(|file| {
        log.add(file.rows, file.rejects);
        (file.name, file.date.max(file.published))
    });
    Ok(dated.collect())
}

/// A missing part of the files shows only by comparison with the version before.
fn compare_with_version_before(
    target: &Target<'_>,
    numbers: usize,
    log: &mut BuildLog,
) -> Result<(), CompileError> {
    if let Some(before) = target.version_before::<InvoiceData>()? {
        let counts = before.counts()?;
        let known = counts.others + counts.individuals;
        log.compare("registrations", numbers as u64, known as u64, before.version());
    }
    Ok(())
}
