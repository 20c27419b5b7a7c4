//! `serve --update daily`: the server updates its own data, by running `daicho update` for each source that is due. The
//! reload then picks up the new versions. Also the metrics of updates.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::{SignedDuration, Timestamp};
use prometheus_client::{collector::Collector, encoding::DescriptorEncoder, metrics::MetricType};
use serde_json::Value;

use super::update_process::{self, Ended};
use crate::cli::{error::CommandError, update::SourcesArgs};
use crate::dataset::updates;
use crate::server::metrics::{counter, counters};
use crate::update::status::{SourceStatus, Status};
use crate::update::{Options, lock_holder};
use crate::worker::{Inbox, Wake, WorkerThread};

/// Interval after a successful check of a source.
const INTERVAL: SignedDuration = SignedDuration::from_hours(24);

const INTERVAL_AFTER_FAILURE: SignedDuration = SignedDuration::from_hours(1);

/// Interval between two checks of what is due; updates by a timer or an operator change that too.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// For the end of a running update when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(next_help_heading = "Updates")]
pub struct UpdateArgs {
    /// Run `daicho update` inside the server: once a day, and one hour after a failure. The other
    /// options of this group configure it
    #[arg(long, value_enum, env = "DAICHO_UPDATE")]
    update: Option<Schedule>,
    #[command(flatten)]
    pub sources: SourcesArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Schedule {
    Daily,
}

impl UpdateArgs {
    /// `None` without `--update`.
    pub fn settings(&self, snapshots: &Path) -> Result<Option<UpdateSettings>, CommandError> {
        if self.update.is_none() {
            return Ok(None);
        }
        let options = self.sources.options(snapshots.to_owned())?;
        Ok(Some(UpdateSettings { options, variables: self.sources.variables(snapshots) }))
    }
}

/// What the updates of a server need.
#[derive(Debug, Clone)]
pub struct UpdateSettings {
    options: Options,
    /// The same for `daicho update`.
    variables: Vec<(&'static str, OsString)>,
}

/// The update thread. A running update ends with the server, and the next update continues it.
#[derive(Debug)]
pub struct Updater {
    _thread: WorkerThread<()>,
}

impl Updater {
    pub fn start(settings: UpdateSettings) -> io::Result<Updater> {
        let thread = WorkerThread::start("update", move |inbox, _events| {
            while let Some(wait) = update_if_due(&settings, inbox)
                && inbox.wait(wait) != Wake::Stop
            {}
        });
        Ok(Updater { _thread: thread?.stop_within(STOP_TIME_MAX) })
    }
}

/// Updates the sources that are due, each in a process of its own. Returns the wait until the next check; `None` if the
/// server stops.
fn update_if_due(settings: &UpdateSettings, inbox: &Inbox<()>) -> Option<Duration> {
    let UpdateSettings { options, variables } = settings;
    let status = Status::read(&options.snapshots);
    let now = Timestamp::now();
    let mut due = updates::subjects(options);
    due.retain(|subject| is_due(status.sources.get(subject.name()), now));
    for subject in due {
        let source = subject.name();
        if let Some(holder) = lock_holder(&options.snapshots) {
            tracing::info!(source, holder, "another update is running");
            continue;
        }
        let death = match update_process::run(subject, variables, inbox) {
            Ok(Ended::Stopped) => return None,
            Ok(Ended::Reported(report)) => {
                log_report(source, &report);
                continue;
            }
            Ok(Ended::Died(why)) => why,
            Err(error) => format!("cannot run the process of the update: {error}"),
        };
        tracing::warn!(source, error = death, "update failed; the loaded data stay in use");
        let mut status = Status::read(&options.snapshots);
        status.record(subject, Timestamp::now(), Err(death));
        if let Err(error) = status.write(&options.snapshots) {
            tracing::warn!(%error, "cannot record the failure of an update");
            // So the update would be due again at once.
            return Some(INTERVAL_AFTER_FAILURE.unsigned_abs());
        }
    }
    Some(CHECK_INTERVAL)
}

fn is_due(status: Option<&SourceStatus>, now: Timestamp) -> bool {
    let Some(checked) = status.and_then(|status| status.last_checked) else { return true };
    let failed = status.is_some_and(|status| status.failure.is_some());
    let interval = if failed { INTERVAL_AFTER_FAILURE } else { INTERVAL };
    // A clock that was set back must not block updates.
    now.duration_since(checked) >= interval || checked > now
}

/// Logs the report of `daicho update --json`.
fn log_report(source: &str, report: &Value) {
    let text = |name: &str| report[name].as_str().unwrap_or_default();
    match text("result") {
        "updated" => {
            tracing::info!(
                source,
                edition = text("installed"),
                summary = text("summary"),
                "updated"
            );
        }
        "failed" => {
            let error = text("error");
            tracing::warn!(source, error, "update failed; the loaded data stay in use");
        }
        _ => tracing::info!(source, offered = text("offered"), "nothing new"),
    }
}

/// Read at each scrape from the status file in the snapshot folder, so that updates by a timer count like updates
/// by this server.
#[derive(Debug)]
pub struct UpdateMetrics {
    pub snapshots: PathBuf,
}

impl Collector for UpdateMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let sources = Status::read(&self.snapshots).sources;
        if sources.is_empty() {
            return Ok(());
        }
        let help = "Time of the last check that left the folder up to date with the source";
        let name = "daicho_update_last_success_timestamp_seconds";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (source, status) in &sources {
            if let Some(seconds) = status.last_success.map(Timestamp::as_second) {
                family.encode_family(&[("source", source.as_str())])?.encode_gauge(&seconds)?;
            }
        }
        let help = "Failed updates of the source";
        let mut family = counters(&mut encoder, "daicho_update_failures", help)?;
        for (source, status) in &sources {
            counter(&mut family, &[("source", source.as_str())], status.failures_total)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;

    use super::*;
    use crate::update::Subject;

    fn subject(name: &str) -> Subject {
        updates::named(name).expect("can be updated")
    }

    #[test]
    fn a_source_is_due_a_day_after_success_and_an_hour_after_a_failure() {
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        let checked = |failure: Option<&str>| SourceStatus {
            last_checked: Some(at("2026-06-01T00:00:00Z")),
            failure: failure.map(str::to_owned),
            ..SourceStatus::default()
        };
        assert!(is_due(None, at("2026-06-01T00:00:00Z")), "never checked");
        for (failure, now, expected) in [
            (None, "2026-06-01T23:59:59Z", false),
            (None, "2026-06-02T00:00:00Z", true),
            (Some("status 503"), "2026-06-01T00:59:59Z", false),
            (Some("status 503"), "2026-06-01T01:00:00Z", true),
            (None, "2026-05-31T00:00:00Z", true),
        ] {
            assert_eq!(is_due(Some(&checked(failure)), at(now)), expected, "{failure:?} {now}");
        }
    }

    #[test]
    fn a_scrape_reports_the_status_of_updates() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut registry = Registry::default();
        registry.register_collector(Box::new(UpdateMetrics { snapshots: folder.path().into() }));
        let scrape = || {
            let mut text = String::new();
            encode(&mut text, &registry).expect("text");
            text
        };
        assert_eq!(scrape(), "# EOF\n", "no update yet");
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        let mut status = Status::default();
        status.record(subject("postal"), at("1970-01-02T00:00:00Z"), Ok(None));
        status.record(subject("bank"), at("1970-01-02T00:00:01Z"), Err("status 503".to_owned()));
        status.write(folder.path()).expect("written");
        let text = scrape();
        for line in [
            "daicho_update_last_success_timestamp_seconds{source=\"postal\"} 86400",
            "daicho_update_failures_total{source=\"postal\"} 0",
            "daicho_update_failures_total{source=\"bank\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("last_success_timestamp_seconds{source=\"bank\"}"), "{text}");
    }
}
