//! `daicho update`: updates the snapshot folder from the official sources, and publishes it if requested.

#[cfg(feature = "object-store")]
mod publish;
mod report;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, builder::PossibleValuesParser};
use serde_json::Value;

#[cfg(feature = "object-store")]
use self::publish::PublishArgs;
use self::report::{PublishReport, as_json, as_text};
use super::data::SnapshotsArg;
use super::error::CommandError;
use super::output::clean_up_on_signals;
use super::print::{StepBar, print, print_json, print_lines, print_notes, said};
use crate::compile::Progress;
use crate::dataset::updates::{self, SUBJECTS};
use crate::system::process::bound_to_parent;
use crate::update::settings::{BUILT_IN, Settings, parse_origin};
use crate::update::{
    AlternativeSource, Event, KEEP_SOURCES, Mode, Observer, Options, Outcome, ProxyChoice, Report,
    Site, Subject, UpdateError,
};

const WITHIN_SERVER_NAME: &str = "within-server";

/// The option with which a server runs an update in a process of its own.
pub const WITHIN_SERVER: &str = "--within-server";

/// Address space of such a process. Building all corporations takes 0.3 GB of memory; the rest is for their mapped
/// snapshots, of some 2 GB each, and for what the allocator reserves.
const ADDRESS_SPACE_MAX: u64 = 16 << 30;

/// Exit code of `--check` if a source has something new.
const SOMETHING_NEW: u8 = 10;

/// Update the data from the official sources: check for new files, download only those, verify them and build
/// snapshots. A second run without new files changes nothing. Postal data are built with the newest corporate
/// snapshot of the folder, so that suggestions list places with more corporations first.
#[derive(Debug, Args)]
pub struct UpdateArgs {
    /// Datasets to update [default: those that the folder has, and postal]
    #[arg(value_name = "DATASET", value_parser = PossibleValuesParser::new(SUBJECTS.map(Subject::name)))]
    datasets: Vec<String>,
    /// Only check for new data: exit code 0 if nothing is new, 10 if something is, 1 if a source failed
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Only check for new data, and print what would be downloaded
    #[arg(long)]
    dry_run: bool,
    /// Read the source files from this folder, under their official names, instead of downloading them; or
    /// download them from a mirror that uses the same paths as the official sites
    #[arg(long, value_name = "DIR|URL", env = "DAICHO_FROM")]
    from: Option<String>,
    /// Accept what is refused otherwise: a file with far fewer or far more rows than the previous edition, working days
    /// without a difference, a shorter list of holidays, and what `build --force` accepts
    #[arg(long)]
    force: bool,
    /// Also load invoice issuers who are individuals: number, dates and status
    #[arg(long)]
    individuals: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[arg(long = WITHIN_SERVER_NAME, hide = true)]
    within_server: bool,
    /// Print the built-in source addresses and settings, then exit
    #[arg(long)]
    print_sources: bool,
    #[command(flatten)]
    snapshots: SnapshotsArg,
    #[command(flatten)]
    sources: SourcesArgs,
    #[cfg(feature = "object-store")]
    #[command(flatten)]
    publish: PublishArgs,
}

/// Addresses and connection settings of the sources, and which files are kept.
#[derive(Debug, Args)]
pub struct SourcesArgs {
    /// Use another origin for a source site; names: japanpost, nta, invoice, zengin, abr, cao, mext
    #[arg(long, value_name = "NAME=ORIGIN", env = "DAICHO_SITE", value_delimiter = ',')]
    site: Vec<String>,
    /// File that overrides source addresses, in the format of --print-sources
    #[arg(long, value_name = "FILE", env = "DAICHO_SOURCES")]
    sources: Option<PathBuf>,
    /// File with the coordinates of towns for postal data, as for `build postal --towns`
    #[arg(long, value_name = "FILE", env = "DAICHO_TOWNS")]
    towns: Option<PathBuf>,
    /// HTTP proxy [default: from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY]
    #[arg(long, value_name = "URL", env = "DAICHO_PROXY")]
    proxy: Option<String>,
    /// Number of newest versions of a dataset to keep when a version is added [default: all]
    #[arg(long, value_name = "N", env = "DAICHO_KEEP", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Number of editions whose downloaded files are kept in SNAPSHOTS/sources
    #[arg(long, value_name = "N", env = "DAICHO_KEEP_SOURCES", default_value_t = KEEP_SOURCES as u32)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    keep_sources: u32,
}

impl SourcesArgs {
    /// The variables that give the same options to another `daicho update`. Its arguments would show everybody on the
    /// machine the password of a proxy.
    pub fn variables(&self, snapshots: &Path) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![
            ("DAICHO_SNAPSHOTS", snapshots.into()),
            ("DAICHO_KEEP_SOURCES", self.keep_sources.to_string().into()),
        ];
        let paths = [("DAICHO_SOURCES", &self.sources), ("DAICHO_TOWNS", &self.towns)];
        variables.extend(
            paths.into_iter().filter_map(|(name, path)| Some((name, path.clone()?.into()))),
        );
        variables.extend(self.proxy.as_ref().map(|proxy| ("DAICHO_PROXY", proxy.into())));
        if !self.site.is_empty() {
            variables.push(("DAICHO_SITE", self.site.join(",").into()));
        }
        variables.extend(self.keep.map(|keep| ("DAICHO_KEEP", keep.to_string().into())));
        variables
    }

    pub fn options(&self, snapshots: PathBuf) -> Result<Options, CommandError> {
        let mut settings = Settings::built_in();
        if let Some(path) = &self.sources {
            settings.read(path).map_err(CommandError::failed)?;
        }
        for text in &self.site {
            let (site, origin) = parse_site(text)?;
            settings.set_origin(site, origin);
        }
        let mut options = Options::new(snapshots);
        options.settings = settings;
        options.towns = self.towns.clone();
        options.proxy = self.proxy.clone().map_or(ProxyChoice::Environment, ProxyChoice::Url);
        options.keep = self.keep.map(|keep| keep as usize);
        options.keep_sources = self.keep_sources as usize;
        Ok(options)
    }
}

fn parse_site(text: &str) -> Result<(Site, url::Url), CommandError> {
    let parts = text.split_once('=');
    let parsed = parts.and_then(|(name, origin)| Some((Site::parse(name)?, parse_origin(origin)?)));
    parsed.ok_or_else(|| {
        CommandError::Usage(format!(
            "--site: expected NAME=ORIGIN, such as japanpost=https://mirror.example, where NAME is one of {}; \
             found {text:?}",
            Site::names()
        ))
    })
}

pub fn run(args: &UpdateArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    if args.print_sources {
        return print(stdout, BUILT_IN);
    }
    clean_up_on_signals()?;
    if args.within_server {
        bound_to_parent(ADDRESS_SPACE_MAX);
    }
    #[cfg(feature = "object-store")]
    let publisher = args.publish.publisher()?;
    let mut options = args.sources.options(args.snapshots.snapshots.clone())?;
    let is_requested = |subject: &Subject| args.datasets.iter().any(|name| name == subject.name());
    options.subjects = SUBJECTS.into_iter().filter(is_requested).collect();
    options.mode = if args.check || args.dry_run { Mode::Check } else { Mode::Update };
    options.from = args.from.as_deref().map(parse_from);
    options.force = args.force;
    options.individuals = args.individuals;
    let command = if args.within_server { "daicho serve --update daily:" } else { "daicho update" };
    options.command =
        [command.to_owned()].into_iter().chain(args.datasets.clone()).collect::<Vec<_>>().join(" ");
    let reports = updates::run(&options, &TerminalProgress::new());
    let reports = reports.map_err(|error| match error {
        UpdateError::Settings { .. } => CommandError::usage(error),
        error => CommandError::failed(error),
    })?;
    let published: Option<Result<PublishReport, CommandError>> = match options.mode {
        #[cfg(feature = "object-store")]
        Mode::Update => publisher.map(|publisher| publisher.publish(&options.snapshots)),
        _ => None,
    };
    print_outcome(args, &reports, published.as_ref(), stdout)?;
    exit_result(&reports, args.check, published)
}

fn print_outcome(
    args: &UpdateArgs,
    reports: &[Report],
    published: Option<&Result<PublishReport, CommandError>>,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let published = published.and_then(|published| published.as_ref().ok());
    if args.json {
        let mut rows: Vec<Value> = reports.iter().map(as_json).collect();
        rows.extend(published.map(|report| report.json.clone()));
        return print_json(stdout, rows);
    }
    let mut text = as_text(reports, args.dry_run);
    text.extend(published.map(|report| report.text.as_str()));
    print_lines(stdout, &text)
}

/// A URL is a mirror, anything else a folder.
fn parse_from(text: &str) -> AlternativeSource {
    match parse_origin(text) {
        Some(url) => AlternativeSource::Mirror(url),
        None => AlternativeSource::Folder(text.into()),
    }
}

/// The result of the command: reports all failures; none of them stopped the other datasets.
fn exit_result(
    reports: &[Report],
    check: bool,
    published: Option<Result<PublishReport, CommandError>>,
) -> Result<(), CommandError> {
    let errors =
        reports.iter().filter_map(|report| Some((report.subject, report.result.as_ref().err()?)));
    let mut errors: Vec<String> =
        errors.map(|(subject, error)| format!("{subject}: {error}")).collect();
    match published {
        Some(Err(error)) if errors.is_empty() => return Err(error),
        Some(Err(error)) => errors.push(error.to_string()),
        Some(Ok(_)) | None => {}
    }
    if !errors.is_empty() {
        return Err(CommandError::Failed(errors.join("\ndaicho: ")));
    }
    let has_new_data = |report: &Report| matches!(report.result, Ok(Outcome::Available { .. }));
    match check && reports.iter().any(has_new_data) {
        true => Err(CommandError::ExitCode(SOMETHING_NEW)),
        false => Ok(()),
    }
}

/// A progress bar on a terminal, otherwise lines.
struct TerminalProgress {
    bar: StepBar,
    is_terminal: bool,
}

impl TerminalProgress {
    fn new() -> TerminalProgress {
        TerminalProgress { bar: StepBar::new(), is_terminal: io::stderr().is_terminal() }
    }

    fn line(&self, line: &str) {
        self.bar.print_above(&mut || print_notes(&format!("{line}\n")));
    }
}

impl Progress for TerminalProgress {
    fn step(&self, name: &str) {
        match self.is_terminal {
            true => self.bar.step(name),
            false => self.line(name),
        }
    }

    fn advance(&self, done: u64, total: u64) {
        if self.is_terminal {
            self.bar.advance(done, total);
        }
    }
}

impl Observer for TerminalProgress {
    fn notify(&self, subject: Subject, event: Event<'_>) {
        match event {
            Event::Step(text) => self.line(&format!("{subject}: {}", said(text))),
            Event::Warning(text) => {
                let text = said(text);
                self.line(&format!("warning: {subject}: {text}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_named_with_their_origin() {
        for (text, is_valid) in [
            ("japanpost=https://mirror.example", true),
            ("nta=http://127.0.0.1:8080/a", true),
            ("post=https://mirror.example", false),
            ("japanpost=mirror.example", false),
            ("japanpost", false),
            ("", false),
        ] {
            assert_eq!(parse_site(text).is_ok(), is_valid, "{text}");
        }
    }

    #[test]
    fn a_url_names_a_mirror_and_everything_else_a_folder() {
        assert_eq!(parse_from("./fetched"), AlternativeSource::Folder("./fetched".into()));
        assert!(matches!(parse_from("https://mirror.example/jp"), AlternativeSource::Mirror(_)));
    }
}
