//! Compiles corporations of the country or some prefectures to one snapshot, from the tax agency's full files or the
//! previous snapshot, and the differences since.

mod base;
mod issuers;
mod records;
mod rounds;
mod rows;
mod search;
mod state;

use std::sync::Arc;

use build_tools::corporate::{CorporateFile, CorporateRow, PrefectureSet, Role, read_corporate};
use build_tools::stream::Input;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use self::base::Base;
use self::issuers::Issuers;
use self::records::{MadeRecords, Records, Sources};
use self::rows::Rows;
use self::state::{FormerNameOf, OmittedCounts, State};
use super::CorporateData;
use super::record::former_names::{ArchivedFormerNames, FormerName, FormerNames};
use super::record::{CorporateProvenance, CorporateTables, tag};
use crate::compile::difference_days::DifferenceDays;
use crate::compile::target::Build;
use crate::compile::{BuildLog, Progress, Result, RowOrigin, Target, Warning};
use crate::dataset::postal::{PostalData, municipalities};
use crate::dataset::report::{BuildReport, SnapshotReport, differences_line};
use crate::index::numbers::NumberIndex;
use crate::snapshot::{Dataset, OpenError, SnapshotFileWriter, StagedSnapshot};
use crate::text::codes::{CorporateNumber, Register};
use crate::text::numerals::counted;

pub use base::{OtherPrefectures, Prefectures};

pub struct CorporateSources<'a> {
    pub full: Vec<Input<'a>>,
    /// The previous snapshot, to which the differences are applied.
    pub base: Option<CorporateData>,
    pub diff: Vec<Input<'a>>,
    /// The register of qualified invoice issuers; if empty, the register of the base is kept.
    pub invoice: Vec<Input<'a>>,
    pub postal: Option<PostalData>,
    pub prefectures: Prefectures,
}

pub struct CorporateReport {
    pub data: CorporateData,
    pub days: usize,
    /// The numbers that the differences change, each counted once per day.
    pub changed: usize,
    /// The number of withdrawn numbers, which were left out.
    pub withdrawn: usize,
    pub others: OtherPrefectures,
    pub log: BuildLog,
}

pub fn build(
    target: &Target<'_>,
    sources: CorporateSources<'_>,
    progress: &dyn Progress,
) -> Result<CorporateReport> {
    let mut build = Build::start::<CorporateData>(target, progress)?;
    let postal = sources.postal.as_ref();
    let (postal_version, postal_fingerprint) = municipalities::version_and_fingerprint(postal);
    let mut provenance = CorporateProvenance {
        prefectures: Vec::new(),
        postal_version,
        postal_fingerprint,
        issuers_date: 0,
    };
    let mut read = RowsRead::default();
    let base = sources.base.map(|data| Base::new(data, &provenance)).transpose()?;
    if let Some(base) = &base {
        read.days.set_base(base.data.version(), &build)?;
        (read.covered, provenance.issuers_date) = (base.prefectures, base.issuers_date);
    }
    progress.step("reading full files");
    sources.full.iter().try_for_each(|input| read.add(*input, Role::Full, &mut build))?;
    progress.step("reading differences");
    sources.diff.iter().try_for_each(|input| read.add(*input, Role::Difference, &mut build))?;
    let RowsRead { state, mut days, covered } = read;
    let mut issuers = None;
    if !sources.invoice.is_empty() {
        progress.step("reading the register of invoice issuers");
        let register = Issuers::read(&sources.invoice, &mut build)?;
        provenance.issuers_date = register.date;
        issuers = Some(register);
    }
    build.check_rejects()?;
    days.check_missing(&mut build)?;
    progress.step("ordering");
    let kept = sources.prefectures.kept(covered)?;
    provenance.prefectures = base::provenance_codes(kept);
    let (rows, omitted) = Rows::from_state(state, kept, base.as_ref())?;
    let OmittedCounts { withdrawn, others } = omitted;
    progress.step("normalising addresses");
    let sources = Sources { provenance: &provenance, postal, issuers: issuers.as_ref() };
    let staged = compile(target, rows, sources, progress)?;
    let write_change_lists =
        |_: &_, _: &_| days.write_change_lists(target.folder, Register::Corporate);
    let data = build.publish_with(staged, write_change_lists)?;
    let (days, changed) = (days.count(), days.changed_numbers());
    Ok(CorporateReport { data, days, changed, withdrawn, others, log: build.log })
}

/// What was read of the tax agency's files so far.
#[derive(Default)]
struct RowsRead {
    state: State,
    days: DifferenceDays,
    /// The prefectures of the base and the full files.
    covered: PrefectureSet,
}

impl RowsRead {
    fn add(&mut self, input: Input<'_>, role: Role, build: &mut Build<'_>) -> Result<()> {
        let RowsRead { state, days, covered } = self;
        let add_row = &mut |row: CorporateRow<'_>| match role {
            Role::Full => state.add_row(&row, RowOrigin::Full),
            Role::Difference => {
                days.add_change(row.update_date, row.number);
                state.add_row(&row, RowOrigin::Difference);
            }
        };
        let progress = build.progress;
        let advance = &mut |done, total| progress.advance(done, total);
        let files = read_corporate(input, role, add_row, advance)?;
        state.set_published(files.iter().map(|file| (file.rows, file.date)));
        for CorporateFile { name, date, prefectures, missing, rows, rejects, .. } in files {
            match role {
                Role::Full => {
                    days.add_full_file(&name, date, build)?;
                    *covered = covered.union(prefectures);
                }
                Role::Difference => days.check_difference(&name, date, build)?,
            }
            if missing > 0 {
                build.log.warnings.push(Warning::MissingRows { file: name, missing });
            }
            build.log.add(rows, rejects);
        }
        Ok(())
    }
}

/// Sections of records and their checksums; of provenance, tables and numbers; and of the search.
const SECTION_COUNT: usize = 2 + 3 + search::SECTION_COUNT;

/// Writes the snapshot to an unfinished file beside its final path. To save memory, each section is in the file before
/// the next is made. Only the n-gram indexes are all made before they are written, by two threads: together, or from
/// those of a base while the other sections are made. The records come last, because their order is that of the names.
fn compile(
    target: &Target<'_>,
    mut rows: Rows<'_>,
    sources: Sources<'_>,
    progress: &dyn Progress,
) -> Result<StagedSnapshot> {
    rows.check_limits()?;
    let former_names = rows.take_former_names();
    let section_count = SECTION_COUNT + usize::from(former_names.is_some());
    let (folder, kind) = (target.folder, CorporateData::KIND);
    let mut snapshot = SnapshotFileWriter::create(folder, kind, target.version, section_count)?;
    let made = MadeRecords::make(&rows, sources, folder)?;
    progress.step("indexing and writing");
    let places = rows.places()?;
    let renewable = rows.into_renewable_base(sources.issuers);
    let mut records = Records::new(made, renewable.as_ref());
    let made_numbers = records.take_made_numbers();
    let mut by_name = Vec::new();
    let indexes = search::text_indexes(&records, renewable.as_ref(), || {
        snapshot.archive(tag::PROVENANCE, sources.provenance)?;
        if let Some((since, names)) = former_names {
            let names = former_names_by_row(since, names, records.numbers(&made_numbers)?);
            snapshot.archive(tag::FORMER_NAMES, &names)?;
        }
        snapshot.archive(tag::NUMBERS, &NumberIndex::build(records.numbers(&made_numbers)?))?;
        drop(made_numbers);
        by_name = search::append_sections(&mut snapshot, &records, renewable.as_ref(), &places)?;
        Ok(())
    })?;
    search::append_text_indexes(&mut snapshot, indexes)?;
    let closed = records.closed()?;
    let starts = records.append_sections(&by_name, &mut snapshot)?;
    snapshot.archive(tag::TABLES, &CorporateTables { places, starts, closed })?;
    Ok(snapshot.of_sample(target.is_sample).stage()?)
}

/// The section of former names. `numbers` has every number with its row.
fn former_names_by_row(
    since: u32,
    names: Vec<FormerNameOf>,
    numbers: impl Iterator<Item = (CorporateNumber, u32)>,
) -> FormerNames {
    let wanted: FxHashSet<CorporateNumber> = names.iter().map(|it| it.number).collect();
    let rows: FxHashMap<CorporateNumber, u32> =
        numbers.filter(|(number, _)| wanted.contains(number)).collect();
    let entries = names.into_iter().filter_map(|FormerNameOf { number, last_day, name }| {
        let row = *rows.get(&number)?;
        Some(FormerName { row, last_day, name })
    });
    FormerNames::new(since, entries.collect())
}

impl BuildReport for CorporateReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, counts) = (self.data.file(), self.data.counts()?);
        let mut text = format!(
            "{}: {}, {} of them closed, in {}; {} bytes, {} per corporation\n",
            file.path().display(),
            counted(counts.corporations as u64, "corporation"),
            counts.closed,
            counted(counts.places as u64, "place"),
            file.length(),
            file.length() / counts.corporations.max(1) as u64
        );
        text.push_str(&differences_line(self.days, self.changed, self.withdrawn));
        text.push_str(&left_out_line(self.others));
        text.push_str(&former_names_line(self.data.former_names()?));
        let provenance = self.data.provenance()?;
        let prefectures: Vec<Value> =
            provenance.root().prefectures.iter().map(|code| format!("{code:02}").into()).collect();
        let counts = json!({
            "corporations": counts.corporations,
            "closed": counts.closed,
            "places": counts.places,
            // An empty set means all prefectures.
            "prefectures": if prefectures.is_empty() { Value::Null } else { prefectures.into() },
            "days": self.days,
            "changed": self.changed,
            "withdrawn": self.withdrawn,
            "left_out_rows": self.others.rows,
            "left_out_corporations": self.others.corporations,
            "moved_away": self.others.moved_away,
            // Null if no differences were read: full files have no former names.
            "former_names": self.data.former_names()?.map(|names| names.count()),
        });
        Ok(SnapshotReport { dataset: CorporateData::KIND, file, log: &self.log, text, counts })
    }
}

/// The line of the report about rows of other prefectures; empty if none were left out.
fn left_out_line(others: OtherPrefectures) -> String {
    let OtherPrefectures { rows, corporations, moved_away } = others;
    if rows == 0 {
        return String::new();
    }
    let (rows, corporations) =
        (counted(rows as u64, "row"), counted(corporations as u64, "corporation"));
    format!(
        "left out: {rows} of {corporations} in other prefectures; {moved_away} of these moved away\n"
    )
}

/// The line of the report about former names, or that none can be known.
fn former_names_line(names: Option<&ArchivedFormerNames>) -> String {
    match names {
        Some(names) => format!("{}\n", names.describe()),
        None => String::new(),
    }
}
