//! Compiles the register of qualified invoice issuers to one snapshot, from the tax agency's full files or an
//! earlier snapshot, and the differences since.

mod sections;
mod state;

use std::sync::Arc;

use build_tools::Kind;
use build_tools::invoice::{InvoiceRow, read_invoice};
use build_tools::stream::Input;
use serde_json::json;

use self::state::State;
use super::InvoiceData;
use super::record::InvoiceProvenance;
use crate::compile::difference_days::DifferenceDays;
use crate::compile::target::Build;
use crate::compile::{BuildLog, CompileError, Progress, Result, RowOrigin, Target};
use crate::dataset::postal::municipalities::Municipalities;
use crate::dataset::postal::{PostalData, municipalities};
use crate::dataset::report::{BuildReport, SnapshotReport, differences_line};
use crate::snapshot::{Dataset, OpenError};
use crate::text::codes::Register;
use crate::text::numerals::counted;

pub use self::state::registration;

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
    /// The numbers that the differences change, each counted once per day.
    pub changed: usize,
    /// The number of withdrawn numbers, which were left out.
    pub withdrawn: usize,
    /// The number of individuals that were left out.
    pub individuals: usize,
    pub log: BuildLog,
}

pub fn build(
    target: &Target<'_>,
    mut sources: InvoiceSources<'_>,
    progress: &dyn Progress,
) -> Result<InvoiceReport> {
    let mut build = Build::start::<InvoiceData>(target, progress)?;
    let postal = sources.postal.as_ref();
    let (postal_version, postal_fingerprint) = municipalities::version_and_fingerprint(postal);
    let provenance =
        InvoiceProvenance { postal_version, postal_fingerprint, individuals: sources.individuals };
    let mut state = State::new(Municipalities::from_postal(postal)?, sources.individuals);
    let mut days = DifferenceDays::default();
    // Taken out, so that its mapping is released as soon as it is read.
    if let Some(base) = sources.base.take() {
        progress.step("reading the base");
        days.set_base(base.version(), &build)?;
        add_base(&base, &provenance, &mut state)?;
    }
    progress.step("reading full files");
    for input in &sources.full {
        let add_row = &mut |row: InvoiceRow<'_>| state.add_row(&row, RowOrigin::Full);
        for (name, date) in read(input, Kind::InvoiceFull, add_row, &mut build)? {
            days.add_full_file(&name, date, &mut build)?;
        }
    }
    progress.step("reading differences");
    for input in &sources.diff {
        let add_row = &mut |row: InvoiceRow<'_>| {
            days.add_change(row.published, row.number);
            state.add_row(&row, RowOrigin::Difference);
        };
        for (name, date) in read(input, Kind::InvoiceDifference, add_row, &mut build)? {
            days.check_difference(&name, date, &mut build)?;
        }
    }
    build.check_rejects()?;
    days.check_missing(&mut build)?;
    progress.step("ordering");
    let state::OmittedCounts { withdrawn, individuals } = state.keep_newest();
    progress.step("normalising addresses");
    let snapshot = sections::compile(target.version, &state, &provenance, postal)?;
    compare_with_previous(&mut build, state.entries.len())?;
    progress.step("writing");
    let write_change_lists =
        |_: &_, _: &_| days.write_change_lists(target.folder, Register::Invoice);
    let data = build.publish_with(
        snapshot.of_sample(target.is_sample).stage(target.folder)?,
        write_change_lists,
    )?;
    let (days, changed) = (days.count(), days.changed_numbers());
    Ok(InvoiceReport { data, days, changed, withdrawn, individuals, log: build.log })
}

/// More rows than a day of differences has.
const DAY_ROWS: usize = 20_000;

/// Adds the records of an earlier snapshot. Keeps the parts of addresses that were normalised with the same postal
/// data.
fn add_base(base: &InvoiceData, provenance: &InvoiceProvenance, state: &mut State) -> Result<()> {
    let section = base.provenance()?;
    let base_provenance = section.root();
    if provenance.individuals && !base_provenance.individuals {
        return Err(CompileError::NoIndividualsInBase { found: base.version() });
    }
    let has_same_postal = base_provenance.postal_version.to_native() == provenance.postal_version
        && base_provenance.postal_fingerprint.to_native() == provenance.postal_fingerprint;
    let counts = base.counts()?;
    state.reserve(counts.others + counts.individuals + DAY_ROWS, counts.record_bytes);
    base.for_each(|view, individual| state.add_record(&view, individual, has_same_postal))?;
    Ok(())
}

fn read(
    input: &Input<'_>,
    kind: Kind,
    add_row: &mut dyn FnMut(InvoiceRow<'_>),
    build: &mut Build<'_>,
) -> Result<Vec<(String, u32)>> {
    let progress = build.progress;
    let advance = &mut |done, total| progress.advance(done, total);
    let files = read_invoice(*input, kind, add_row, advance)?;
    let dated = files.into_iter().map(|file| {
        build.log.add(file.rows, file.rejects);
        (file.name, file.date.max(file.published))
    });
    Ok(dated.collect())
}

/// Warns if a part of the files seems to be missing, which only a comparison with the previous version shows.
fn compare_with_previous(build: &mut Build<'_>, numbers: usize) -> Result<()> {
    if let Some(previous) = build.previous_version::<InvoiceData>()? {
        let counts = previous.counts()?;
        let before = counts.others + counts.individuals;
        build.log.warn_if_shrunk("registrations", numbers, before, previous.version());
    }
    Ok(())
}

impl BuildReport for InvoiceReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, counts) = (self.data.file(), self.data.counts()?);
        let numbers = counts.others + counts.individuals;
        let mut text = format!(
            "{}: {}, {} of them in force; {} of individuals; {} bytes, {} per number\n",
            file.path().display(),
            counted(numbers as u64, "number"),
            counts.registered,
            counts.individuals,
            file.length(),
            file.length() / numbers.max(1) as u64
        );
        text.push_str(&differences_line(self.days, self.changed, self.withdrawn));
        if self.individuals > 0 {
            let left_out = counted(self.individuals as u64, "individual");
            text.push_str(&format!("left out: {left_out} (keep them with --individuals)\n"));
        }
        let counts = json!({
            "numbers": numbers,
            "in_force": counts.registered,
            "individuals": counts.individuals,
            "days": self.days,
            "changed": self.changed,
            "withdrawn": self.withdrawn,
            "left_out_individuals": self.individuals,
        });
        Ok(SnapshotReport { dataset: InvoiceData::KIND, file, log: &self.log, text, counts })
    }
}
