//! Compiles corporations of the country or some prefectures to one snapshot, from the tax agency's full files or the
//! previous snapshot, and the differences since.

mod base;
mod compile;
mod issuers;
mod prefectures;
mod records;
mod rows;
mod search;
mod state;
mod texts;

use std::path::Path;

use build_tools::corporate::{CorporateFile, CorporateRow, PrefectureSet, Role, read_corporate};
use build_tools::stream::Input;

use self::base::Base;
use self::rows::Rows;
use self::state::{LeftOut, State};
use super::log::{BuildLog, Warning};
use super::{Target, address, days::Days, error::CompileError, origin::Origin, progress::Progress};
use crate::query::{CorporateData, PostalData};
use crate::record::corporate::CorporateProvenance;
use crate::snapshot::{Dataset, SnapshotFile};

pub use self::prefectures::{OtherPrefectures, Prefectures};

pub struct CorporateSources<'a> {
    pub full: Vec<Input<'a>>,
    /// The previous snapshot, to which the differences are applied.
    pub base: Option<CorporateData>,
    pub diff: Vec<Input<'a>>,
    /// The register of qualified invoice issuers; if empty, that of the base is kept.
    pub invoice: Vec<Input<'a>>,
    pub postal: Option<PostalData>,
    pub prefectures: Prefectures,
}

pub struct CorporateReport {
    pub data: CorporateData,
    pub days: usize,
    pub changed: usize,
    pub withdrawn: usize,
    pub others: OtherPrefectures,
    pub log: BuildLog,
}

/// Opens a snapshot and checks all of it, since a build would copy its damage.
pub fn open<D: Dataset>(path: &Path) -> Result<D, CompileError> {
    let (path_buf, expected) = (path.to_owned(), D::KIND);
    if !path.is_file() {
        return Err(CompileError::NoSnapshot { path: path_buf, expected });
    }
    let file = SnapshotFile::open(path)?;
    let found = file.dataset();
    if found != expected {
        return Err(CompileError::WrongDataset { path: path_buf, expected, found });
    }
    file.verify()?;
    Ok(D::attach(file))
}

pub fn build(
    target: &Target<'_>,
    sources: CorporateSources<'_>,
    progress: &dyn Progress,
) -> Result<CorporateReport, CompileError> {
    let mut log = target.begin::<CorporateData>()?;
    let mut state = State::default();
    let (postal_version, postal_fingerprint) = address::version(sources.postal.as_ref());
    let mut provenance = CorporateProvenance {
        prefectures: Vec::new(),
        postal_version,
        postal_fingerprint,
        issuers_date: 0,
    };
    let mut days = Days::until(target);
    let mut issuers = None;
    let mut covered = PrefectureSet::default();
    let base = sources.base.map(|data| Base::of(data, &provenance)).transpose()?;
    if let Some(base) = &base {
        days.begin(base.data.version())?;
        (covered, provenance.issuers_date) = (base.prefectures, base.issuers_date);
    }
    progress.step("reading full files");
    for input in &sources.full {
        let take = &mut |row: &CorporateRow<'_>| state.take_row(row, Origin::Full);
        let files = read(input, Role::Full, take, &mut log, progress)?;
        state.publish(files.iter().map(|file| (file.rows, file.date)));
        for file in files {
            days.full(&file.name, file.date, &mut log)?;
            covered = covered.union(file.prefectures);
        }
    }
    progress.step("reading differences");
    for input in &sources.diff {
        let take = &mut |row: &CorporateRow<'_>| {
            days.note(row.update_date, row.number);
            state.take_row(row, Origin::Difference);
        };
        let files = read(input, Role::Difference, take, &mut log, progress)?;
        state.publish(files.iter().map(|file| (file.rows, file.date)));
        for file in files {
            days.difference(&file.name, file.date, &mut log)?;
        }
    }
    if !sources.invoice.is_empty() {
        progress.step("reading the register of invoice issuers");
        let register = issuers::read(&sources.invoice, target, &mut log, progress)?;
        provenance.issuers_date = register.date();
        issuers = Some(register);
    }
    target.check_rejects(&mut log)?;
    days.check_missing(&mut log)?;
    progress.step("ordering");
    let kept = sources.prefectures.keep(covered)?;
    provenance.prefectures = prefectures::listed(kept);
    let (rows, LeftOut { withdrawn, others }) = Rows::of(state, kept, base.as_ref())?;
    progress.step("normalising addresses");
    let (postal, issuers) = (sources.postal.as_ref(), issuers.as_ref());
    let sources = records::Sources { provenance: &provenance, postal, issuers };
    let written = compile::compile(target, rows, sources, progress)?;
    let data = target.publish(written, &mut log, |_data, _place| days.lists())?;
    let (count, changed) = (days.count(), days.numbers());
    Ok(CorporateReport { data, days: count, changed, withdrawn, others, log })
}

fn read(
    input: &Input<'_>,
    role: Role,
    take: &mut dyn FnMut(&CorporateRow<'_>),
    log: &mut BuildLog,
    progress: &dyn Progress,
) -> Result<Vec<CorporateFile>, CompileError> {
    let advance = &mut |done, total| progress.advance(done, total);
    let mut files = read_corporate(*input, role, &mut |row| take(&row), advance)?;
    for CorporateFile { name, missing, rows, rejects, .. } in &mut files {
        if *missing > 0 {
            log.warnings.push(Warning::MissingRows { file: name.clone(), missing: *missing });
        }
        log.add(*rows, std::mem::take(rejects));
    }
    Ok(files)
}
