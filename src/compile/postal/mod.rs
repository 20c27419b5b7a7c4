//! `daicho build postal`: Japan Post's files of one month into one snapshot.

mod block_lot;
mod changes;
mod cities;
mod download;
mod readings;
mod rows;

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use build_tools::postal::{
    AddressingRow, AreaRow, BusinessRow, RomanRow, Update, read_addressing, read_area,
    read_business, read_roman, read_update,
};
use build_tools::{Kind, Source};
use clap::Args;

use self::changes::Differences;
use self::rows::Assembly;
use super::progress::Steps;
use super::rejects::{SHARE_MAX, Tally, parse_share};
use super::{OutArg, bad_source, unwritten};
use crate::address::gazetteer::Gazetteer;
use crate::cli::{CommandError, print};
use crate::index::exact::CodeIndex;
use crate::index::grams::GramIndex;
use crate::query::PostalData;
use crate::record::StringPool;
use crate::record::postal::{PostalRow, PostalTables, Provenance, Source as Origin, tag};
use crate::snapshot::{Dataset, DatasetKind, SnapshotWriter, Versions, WriteError, companion};
use crate::text::codes::DataVersion;
use crate::text::romaji_agreement::{Agreement, GeneratedTown, PrintedTown, town_agreement};

/// Roman fields exist from this data version on.
const ROMAN_SINCE: &str = "2022-11-01";

/// Arguments of `daicho build postal`.
#[derive(Debug, Args)]
pub struct PostalArgs {
    /// Data version: the date of the update, YYYY-MM-DD
    #[arg(long, value_name = "DATE", env = "DAICHO_VERSION")]
    version: String,
    /// KEN_ALL.CSV or utf_ken_all.csv; plain, packed, or ARCHIVE#MEMBER
    #[arg(long, value_name = "FILE")]
    area: PathBuf,
    /// KEN_ALL_ROME.CSV, to compare the generated roman names with
    #[arg(long, value_name = "FILE")]
    roman: Option<PathBuf>,
    /// JIGYOSYO.CSV
    #[arg(long, value_name = "FILE")]
    business: Option<PathBuf>,
    /// Town master of the address base registry, for town_jukyohyoji
    #[arg(long, value_name = "FILE")]
    addressing: Option<PathBuf>,
    /// The month's differences: ADD, DEL, utf_add, utf_del, JADD, JDEL
    #[arg(long, value_name = "FILE", num_args = 1..)]
    updates: Vec<PathBuf>,
    /// Share of rows that may be rejected before the build fails
    #[arg(long, value_name = "SHARE", env = "DAICHO_REJECTS_MAX", default_value_t = SHARE_MAX,
          value_parser = parse_share)]
    rejects_max: f64,
    /// Leave out the file for /v1/download
    #[arg(long, env = "DAICHO_NO_DOWNLOAD")]
    no_download: bool,
    #[command(flatten)]
    out: OutArg,
}

/// Runs `daicho build postal`.
pub fn run(args: PostalArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let version = DataVersion::parse(&args.version)
        .map_err(|error| CommandError::BadInput(error.to_string()))?;
    let month = version.month();
    let open = |path: &Path, kind| Source::open(path, kind, Some(&month)).map_err(bad_source);
    let optional =
        |path: &Option<PathBuf>, kind| path.as_deref().map(|path| open(path, kind)).transpose();
    let sources = Sources {
        area: open(&args.area, Kind::Area)?,
        roman: optional(&args.roman, Kind::Roman)?,
        business: optional(&args.business, Kind::Business)?,
        addressing: optional(&args.addressing, Kind::Addressing)?,
        updates: args
            .updates
            .iter()
            .map(|path| open(path, Kind::Update))
            .collect::<Result<_, _>>()?,
    };
    let options = Options { rejects_max: args.rejects_max, download: !args.no_download };
    let built = build(version, sources, options, &args.out.out)?;
    print(stdout, built.summary()?.as_bytes())
}

/// The opened files of one build.
pub struct Sources {
    /// KEN_ALL or utf_ken_all.
    pub area: Source,
    /// KEN_ALL_ROME.
    pub roman: Option<Source>,
    /// JIGYOSYO.
    pub business: Option<Source>,
    /// The town master.
    pub addressing: Option<Source>,
    /// Difference files.
    pub updates: Vec<Source>,
}

/// The rows of one build.
struct Read {
    area: Vec<AreaRow>,
    roman: Vec<RomanRow>,
    business: Vec<BusinessRow>,
    addressing: Vec<AddressingRow>,
    area_differences: Option<Differences<AreaRow>>,
    business_differences: Option<Differences<BusinessRow>>,
    origins: Vec<Origin>,
}

/// A snapshot that was written.
pub struct Built {
    data: PostalData,
    /// Bytes of the download, where it was written.
    download: Option<u64>,
    /// How the roman names agree with KEN_ALL_ROME, where that was given.
    agreement: Option<Agreement>,
}

/// What a build is told beside its sources.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Share of rows that may be rejected.
    pub rejects_max: f64,
    /// Whether to write the whole data for download.
    pub download: bool,
}

/// Builds and writes the snapshot of one version, and its download.
pub fn build(
    version: DataVersion,
    sources: Sources,
    options: Options,
    out: &Path,
) -> Result<Built, CommandError> {
    let steps = Steps::begin();
    let mut tally = Tally::default();
    let addressing = sources.addressing.is_some();
    let read = read(sources, &mut tally, &steps)?;
    tally.report(options.rejects_max)?;
    steps.step("compiling");
    let before = version_before(version, out)?;
    if let Some(before) = &before {
        warn_of_shrinking(&read.origins, before)?;
    }
    let (snapshot, agreement) = compile(version, read, addressing, before.as_deref())?;
    steps.step("writing");
    let file = snapshot.write(out).map_err(unwritten)?;
    drop(snapshot);
    // What lies there is of the data that was replaced.
    companion::remove(file.path())
        .map_err(|cause| CommandError::BadInput(format!("{}: {cause}", file.path().display())))?;
    let data = PostalData::attach(file);
    let download = match options.download {
        true => {
            steps.step("compressing for download");
            Some(download::write(&data)?)
        }
        false => None,
    };
    Ok(Built { data, agreement, download })
}

/// A file that was cut at a line's end reads as a shorter file: only the version before can tell.
fn warn_of_shrinking(origins: &[Origin], before: &PostalData) -> Result<(), CommandError> {
    let provenance =
        before.provenance().map_err(|error| CommandError::Damaged(error.to_string()))?;
    for then in provenance.root().sources.iter() {
        let role = then.role.as_str();
        if let Some(now) =
            origins.iter().find(|now| matches!(role, "area" | "business") && now.role == role)
            && u64::from(now.rows) * 10 < u64::from(then.rows.to_native()) * 9
        {
            eprintln!(
                "warning: the {role} file has {} rows, version {} had {}; is the file whole?",
                now.rows,
                before.version(),
                then.rows
            );
        }
    }
    Ok(())
}

/// The newest version before this one. A damaged file is no reason to compare with an older one.
fn version_before(
    version: DataVersion,
    out: &Path,
) -> Result<Option<Arc<PostalData>>, CommandError> {
    let versions = Versions::<PostalData>::scan(out, None)
        .map_err(|cause| CommandError::BadInput(format!("{}: {cause}", out.display())))?;
    Ok(versions.before(version).cloned())
}

fn read(sources: Sources, tally: &mut Tally, steps: &Steps) -> Result<Read, CommandError> {
    let mut origins = Vec::new();
    let mut read = Reading { tally, steps, origins: &mut origins };
    let area = read.source("area", sources.area, read_area)?;
    let business = read.optional("business", sources.business, read_business)?;
    let roman = read.optional("roman", sources.roman, read_roman)?;
    let addressing = read.optional("addressing", sources.addressing, read_addressing)?;
    let (area_differences, business_differences) = read.updates(sources.updates)?;
    Ok(Read { area, roman, business, addressing, area_differences, business_differences, origins })
}

/// Reads sources, keeping count.
struct Reading<'a> {
    tally: &'a mut Tally,
    steps: &'a Steps,
    origins: &'a mut Vec<Origin>,
}

type Reader<T> = fn(
    Source,
    build_tools::Progress<'_>,
) -> Result<build_tools::Batch<T>, build_tools::SourceError>;

impl Reading<'_> {
    fn source<T>(
        &mut self,
        role: &str,
        source: Source,
        reader: Reader<T>,
    ) -> Result<Vec<T>, CommandError> {
        self.steps.step(&format!("reading {role}"));
        let batch = reader(source, &mut self.steps.advance()).map_err(bad_source)?;
        Ok(self.take(role, batch))
    }

    fn optional<T>(
        &mut self,
        role: &str,
        source: Option<Source>,
        reader: Reader<T>,
    ) -> Result<Vec<T>, CommandError> {
        source.map_or_else(|| Ok(Vec::new()), |source| self.source(role, source, reader))
    }

    fn take<T>(&mut self, role: &str, batch: build_tools::Batch<T>) -> Vec<T> {
        let count = |rows: usize| u32::try_from(rows).unwrap_or(u32::MAX);
        let (rows, rejects) = (count(batch.rows.len()), count(batch.rejects.len()));
        self.origins.push(Origin { role: role.to_owned(), rows, rejects });
        self.tally.take(batch)
    }

    fn updates(&mut self, sources: Vec<Source>) -> Result<Updates, CommandError> {
        let (mut area, mut business) = (None, None);
        for source in sources {
            self.steps.step("reading differences");
            let name = source.name().to_owned();
            let update = read_update(source, &mut self.steps.advance()).map_err(bad_source)?;
            match update {
                Update::AreaAdded(batch) => {
                    empty(&mut area).added.extend(self.take("area added", batch));
                }
                Update::AreaRemoved(batch) => {
                    empty(&mut area).removed.extend(self.take("area removed", batch));
                }
                Update::BusinessAdded(batch) => {
                    empty(&mut business).added.extend(self.take("business added", batch));
                }
                Update::BusinessRemoved(batch) => {
                    empty(&mut business).removed.extend(self.take("business removed", batch));
                }
                Update::Empty => eprintln!("note: {name} has no content, and its name no meaning"),
            }
        }
        Ok((area, business))
    }
}

type Updates = (Option<Differences<AreaRow>>, Option<Differences<BusinessRow>>);

fn empty<R>(differences: &mut Option<Differences<R>>) -> &mut Differences<R> {
    differences.get_or_insert_with(|| Differences { added: Vec::new(), removed: Vec::new() })
}

fn compile(
    version: DataVersion,
    read: Read,
    addressing: bool,
    before: Option<&PostalData>,
) -> Result<(SnapshotWriter, Option<Agreement>), CommandError> {
    let roman_since = DataVersion::parse(ROMAN_SINCE).expect("a constant date");
    let roman = version >= roman_since;
    let compares = read.area_differences.is_none() || read.business_differences.is_none();
    let provenance = Provenance {
        sources: read.origins,
        roman,
        addressing,
        compared_with: before
            .filter(|_| compares)
            .map(|before| before.version().to_string())
            .unwrap_or_default(),
    };
    let mut assembly = Assembly::begin(roman, read.addressing, before)?;
    {
        let changes = changes::find(&read.area, read.area_differences.as_ref(), before)?;
        assembly.add_area(&read.area, &changes)?;
    }
    drop(read.area);
    let changes = changes::find(&read.business, read.business_differences.as_ref(), before)?;
    assembly.add_business(&read.business, &changes)?;
    assembly.sort();
    let printed = read.roman;
    let agreement = (roman && !printed.is_empty()).then(|| agreement(&assembly.current, &printed));
    let mut snapshot = SnapshotWriter::begin(DatasetKind::Postal, version);
    let codes: Vec<u32> = assembly.current.iter().map(|row| row.postal_code).collect();
    let cities = assembly.cities.rows();
    // The pool comes last: with its index of every text it is as large as what these two need on their way.
    let gazetteer = Gazetteer::build(cities, &assembly.current);
    let grams = GramIndex::build(cities, &assembly.current)
        .map_err(|fault| CommandError::BadInput(format!("the search index: {fault}")))?;
    let mut pool = StringPool::default();
    let tables = PostalTables::build(cities, &assembly.current, &assembly.abolished, &mut pool);
    drop(assembly);
    let sections = || -> Result<(), WriteError> {
        snapshot.archive(tag::PROVENANCE, &provenance)?;
        snapshot.archive(tag::TABLES, &tables)?;
        snapshot.archive(tag::TOWNS, &gazetteer)?;
        snapshot.archive(tag::CODES, &CodeIndex::build(&codes))?;
        snapshot.archive(tag::STRINGS, &pool.into_table())?;
        snapshot.archive(tag::GRAMS, &grams)
    };
    sections().map_err(unwritten)?;
    Ok((snapshot, agreement))
}

fn agreement(records: &[PostalRow], printed: &[RomanRow]) -> Agreement {
    let generated = records.iter().filter(|row| row.corporation.is_none());
    let generated = generated.map(|row| GeneratedTown {
        postal_code: row.postal_code,
        town: &row.town.name,
        town_kana: &row.town.kana,
        town_roman: &row.town.roman,
    });
    let printed = printed.iter().map(|row| PrintedTown {
        postal_code: row.postal_code,
        town: &row.town,
        town_roman: &row.town_roman,
    });
    town_agreement(generated, printed)
}

impl Built {
    /// What was built, in a few lines.
    pub fn summary(self) -> Result<String, CommandError> {
        let data = &self.data;
        let counts = data.counts()?;
        let mut summary = format!(
            "{}: {} records, {} codes, {} municipalities, {} businesses; {} changed, {} abolished; \
             {} bytes\n",
            data.file().path().display(),
            counts.records,
            counts.codes,
            counts.cities,
            counts.corporations,
            counts.changed,
            counts.abolished,
            data.file().length()
        );
        if let Some(length) = self.download {
            let path = companion::path_of(data.file().path());
            let _ = writeln!(summary, "{}: {length} bytes", path.display());
        }
        if let Some(agreement) = &self.agreement {
            let _ = writeln!(summary, "roman town names beside KEN_ALL_ROME: {agreement}");
        }
        Ok(summary)
    }
}
