//! `daicho build corporate`: the tax agency's files of the country or some prefectures, or yesterday's
//! snapshot and the differences since, into one snapshot.

mod address;
mod compile;
mod days;
mod issuers;
mod search;
mod state;

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use build_tools::Batch;
use build_tools::corporate::{CorporateFile, Role, read_corporate};
use build_tools::stream::Input;
use clap::Args;

use self::days::Days;
use self::issuers::Issuers;
use self::state::{Origin, State};
use super::progress::Steps;
use super::rejects::{SHARE_MAX, Tally, parse_share};
use super::{OutArg, bad_source, unwritten};
use crate::cli::{CommandError, print};
use crate::query::{CorporateData, PostalData};
use crate::record::corporate::{CorporateProvenance, CorporateView};
use crate::snapshot::{Dataset, DatasetKind, SnapshotFile};
use crate::text::codes::DataVersion;

/// Arguments of `daicho build corporate`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("state").required(true).args(["full", "base"]))]
pub struct CorporateArgs {
    /// Data version: the date of the newest file, YYYY-MM-DD
    #[arg(long, value_name = "DATE", env = "DAICHO_VERSION")]
    version: String,
    /// All corporations of the country or of prefectures; plain or packed
    #[arg(long, value_name = "FILE", num_args = 1..)]
    full: Vec<PathBuf>,
    /// An earlier snapshot that the differences are applied to
    #[arg(long, value_name = "SNAPSHOT")]
    base: Option<PathBuf>,
    /// Daily differences, in any order; plain, packed, or archives of many
    #[arg(long, value_name = "FILE", num_args = 1..)]
    diff: Vec<PathBuf>,
    /// Postal snapshot to normalise the addresses with
    #[arg(long, value_name = "SNAPSHOT")]
    postal: Option<PathBuf>,
    /// The register of qualified invoice issuers, whole and its differences; without it each
    /// corporation gets the number that it would have
    #[arg(long, value_name = "FILE", num_args = 1..)]
    invoice: Vec<PathBuf>,
    /// Keep only corporations of this prefecture (two digits; 99: abroad); may be repeated
    #[arg(long, value_name = "CODE", value_parser = parse_prefecture)]
    prefecture: Vec<u8>,
    /// Share of rows that may be rejected before the build fails
    #[arg(long, value_name = "SHARE", env = "DAICHO_REJECTS_MAX", default_value_t = SHARE_MAX,
          value_parser = parse_share)]
    rejects_max: f64,
    #[command(flatten)]
    out: OutArg,
}

fn parse_prefecture(text: &str) -> Result<u8, String> {
    let code = Some(text).filter(|text| text.len() == 2).and_then(|text| text.parse().ok());
    let code = code.filter(|code| (1..=47).contains(code) || *code == 99);
    code.ok_or_else(|| format!("expected two digits, 01 to 47, or 99 for abroad; found {text:?}"))
}

/// Runs `daicho build corporate`.
pub fn run(args: CorporateArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let version = DataVersion::parse(&args.version)
        .map_err(|error| CommandError::BadInput(error.to_string()))?;
    let inputs = |paths: &'_ [PathBuf]| -> Vec<PathBuf> { paths.to_vec() };
    let (full, diff) = (inputs(&args.full), inputs(&args.diff));
    let invoice = inputs(&args.invoice);
    let sources = Sources {
        full: full.iter().map(|path| Input::Path(path)).collect(),
        base: args.base.as_deref().map(open_base).transpose()?,
        diff: diff.iter().map(|path| Input::Path(path)).collect(),
        invoice: invoice.iter().map(|path| Input::Path(path)).collect(),
        postal: args.postal.as_deref().map(open_postal).transpose()?,
        prefectures: args.prefecture,
    };
    let built = build(version, sources, args.rejects_max, &args.out.out)?;
    print(stdout, built.summary()?.as_bytes())
}

fn open_base(path: &Path) -> Result<CorporateData, CommandError> {
    Ok(CorporateData::attach(open_as(path, DatasetKind::Corporate)?))
}

/// Opens the postal snapshot that addresses are normalised with.
pub fn open_postal(path: &Path) -> Result<PostalData, CommandError> {
    Ok(PostalData::attach(open_as(path, DatasetKind::Postal)?))
}

/// Opens a snapshot, checked whole: a build must not carry damage on.
fn open_as(path: &Path, kind: DatasetKind) -> Result<SnapshotFile, CommandError> {
    if !path.is_file() {
        let expected = "expected a snapshot file such as snapshots/corporate/2026-07-31.daicho";
        let message = format!("{}: no such file; {expected}", path.display());
        return Err(CommandError::BadInput(message));
    }
    let file = SnapshotFile::open(path)?;
    if file.dataset() != kind {
        let (expected, found) = (kind.name(), file.dataset().name());
        let message = format!("{}: expected a {expected} snapshot, found {found}", path.display());
        return Err(CommandError::BadInput(message));
    }
    file.verify()?;
    Ok(file)
}

/// What one build is made from.
pub struct Sources<'a> {
    /// Full files.
    pub full: Vec<Input<'a>>,
    /// An earlier snapshot.
    pub base: Option<CorporateData>,
    /// Differences.
    pub diff: Vec<Input<'a>>,
    /// The register of qualified invoice issuers; where there is none, the base's is kept.
    pub invoice: Vec<Input<'a>>,
    /// Postal data for the addresses.
    pub postal: Option<PostalData>,
    /// Prefectures to keep; all where there is none.
    pub prefectures: Vec<u8>,
}

/// A snapshot that was written.
pub struct Built {
    file: SnapshotFile,
    days: Days,
    withdrawn: usize,
}

/// Builds and writes the snapshot of one version, and the lists of numbers of its differences.
pub fn build(
    version: DataVersion,
    sources: Sources<'_>,
    rejects_max: f64,
    out: &Path,
) -> Result<Built, CommandError> {
    let steps = Steps::begin();
    let mut state = State::default();
    let mut provenance = address::provenance(sources.postal.as_ref());
    provenance.prefectures = sources.prefectures.clone();
    let mut days = Days::until(version);
    let mut issuers = None;
    if let Some(base) = &sources.base {
        steps.step("reading the base");
        days.begin(base.version(), "the base")?;
        issuers = take_base(base, &mut provenance, &mut state)?;
    }
    provenance.prefectures.sort_unstable();
    provenance.prefectures.dedup();
    let mut tally = Tally::default();
    for input in &sources.full {
        let files = read(input, Role::Full, &mut state, &mut days, &mut tally, &steps)?;
        for file in &files {
            days.full(&file.name, file.date)?;
        }
    }
    for input in &sources.diff {
        let files = read(input, Role::Difference, &mut state, &mut days, &mut tally, &steps)?;
        for file in &files {
            days.difference(&file.name, file.date)?;
        }
    }
    if !sources.invoice.is_empty() {
        steps.step("reading the register of invoice issuers");
        let read = issuers::read(&sources.invoice, version, &mut tally, &steps)?;
        provenance.issuers_date = read.date();
        issuers = Some(read);
    }
    tally.report(rejects_max)?;
    days.warn_of_gaps();
    steps.step("ordering");
    let withdrawn = state.settle(&provenance.prefectures);
    steps.step("normalising addresses");
    let (postal, issuers) = (sources.postal.as_ref(), issuers.as_ref());
    let snapshot = compile::compile(version, state, &provenance, postal, issuers)?;
    steps.step("writing");
    let file = snapshot.write(out).map_err(unwritten)?;
    days.write(out)?;
    Ok(Built { file, days, withdrawn })
}

/// More rows than a day of differences has.
const DAY_ROWS: usize = 20_000;

/// Takes the rows of an earlier snapshot, and its invoice issuers where it knows them. Addresses that
/// the same postal data normalised are kept.
fn take_base(
    base: &CorporateData,
    provenance: &mut CorporateProvenance,
    state: &mut State,
) -> Result<Option<Issuers>, CommandError> {
    let before = base.provenance()?;
    let before = before.root();
    let same = before.postal_version.to_native() == provenance.postal_version
        && before.postal_fingerprint.to_native() == provenance.postal_fingerprint;
    if provenance.prefectures.is_empty() {
        provenance.prefectures.extend(before.prefectures.iter());
    }
    let counts = base.counts()?;
    // A day of differences has some thousand rows; beyond the room for them it grows.
    state.reserve(counts.corporations + DAY_ROWS, counts.record_bytes + DAY_ROWS * 128);
    provenance.issuers_date = before.issuers_date.to_native();
    let mut issuers = Vec::new();
    let take = |view: CorporateView<'_>| {
        state.take_view(view, same);
        if view.is_issuer() {
            issuers.push(view.number());
        }
    };
    base.each(take)?;
    let known = provenance.issuers_date != 0;
    Ok(known.then(|| Issuers::of(issuers, provenance.issuers_date)))
}

/// Reads one source into the state.
fn read(
    input: &Input<'_>,
    role: Role,
    state: &mut State,
    days: &mut Days,
    tally: &mut Tally,
    steps: &Steps,
) -> Result<Vec<CorporateFile>, CommandError> {
    steps.step(if role == Role::Full { "reading full files" } else { "reading differences" });
    let origin = if role == Role::Full { Origin::Full } else { Origin::Difference };
    let mut sink = |row: build_tools::corporate::CorporateRow<'_>| {
        if role == Role::Difference {
            days.note(row.update_date, row.number);
        }
        state.take_row(&row, origin);
    };
    let files =
        read_corporate(*input, role, &mut sink, &mut steps.advance()).map_err(bad_source)?;
    for file in &files {
        if file.missing > 0 {
            let CorporateFile { name, missing, .. } = file;
            eprintln!("warning: {name}: {missing} sequence numbers do not occur; is it whole?");
        }
        let rows = vec![(); usize::try_from(file.rows).unwrap_or(usize::MAX)];
        tally.take(Batch { rows, rejects: file.rejects.clone(), lines: file.rows });
    }
    Ok(files)
}

impl Built {
    /// What was built, in a few lines.
    pub fn summary(self) -> Result<String, CommandError> {
        let data = CorporateData::attach(self.file);
        let counts = data.counts()?;
        let mut summary = format!(
            "{}: {} corporations, {} of them closed, in {} places; {} bytes, {} a corporation\n",
            data.file().path().display(),
            counts.corporations,
            counts.closed,
            counts.places,
            data.file().length(),
            data.file().length() / counts.corporations.max(1) as u64
        );
        let days = self.days.count();
        if days > 0 {
            let _ = writeln!(
                summary,
                "differences of {days} days; {} numbers changed, {} withdrawn",
                self.days.numbers(),
                self.withdrawn
            );
        }
        Ok(summary)
    }
}
