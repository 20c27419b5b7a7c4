//! One update of `serve --update daily`, as `daicho update SOURCE` in a process of its own: what a site hands over may
//! take that process's memory and time, but not the server's. Its death is a failure of the update.
//!
//! The process prints its report as JSON on standard output. Its steps and warnings, on standard error, go to the log.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, ChildStdout, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cli::update::WITHIN_SERVER;
use crate::system::process::own_command;
use crate::update::Subject;
use crate::worker::{Inbox, Wake};

/// Enough for a slow site, which has two hours for each file. The next update continues.
const TIME_MAX: Duration = Duration::from_secs(6 * 3600);

/// Between two looks at the process.
const INTERVAL: Duration = Duration::from_millis(100);

/// How much of a report is read, and of a line.
const REPORT_BYTES_MAX: u64 = 16 << 20;
const LINE_BYTES_MAX: usize = 64 << 10;

/// Variables of what the updates of a server do not do. What the server was given, also by a settings file, is passed on.
const OTHER_SETTINGS: [&str; 5] = [
    "DAICHO_CONFIG",
    "DAICHO_FROM",
    "DAICHO_PUBLISH",
    "DAICHO_PUBLISH_LABEL",
    "DAICHO_SIGNING_KEY",
];

/// How an update ended.
#[derive(Debug, PartialEq)]
pub enum Ended {
    /// With a report, of success or of failure.
    Reported(Value),
    /// Without a report; the text says why.
    Died(String),
    /// It was ended because the server stops.
    Stopped,
}

/// Updates a source. `variables` are the options of the update.
pub fn run(
    subject: Subject,
    variables: &[(&'static str, OsString)],
    inbox: &Inbox<()>,
) -> io::Result<Ended> {
    let mut command = own_command()?;
    command.arg("update").arg(subject.name());
    command.args(["--json", "--lang", "en", WITHIN_SERVER]);
    for variable in OTHER_SETTINGS {
        command.env_remove(variable);
    }
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let report = thread::spawn(move || stdout.map(read_report));
    let last_line = thread::spawn(move || stderr.map(|stderr| log_lines(subject, stderr)));
    let waited = wait(&mut child, inbox);
    if !matches!(waited, Ok(Waited::Exited(_))) {
        // It may have ended by itself meanwhile.
        let _ = child.kill();
        let _ = child.wait();
    }
    let report = report.join().ok().flatten().unwrap_or_default();
    let last_line = last_line.join().ok().flatten().unwrap_or_default();
    Ok(match waited? {
        Waited::Stop => Ended::Stopped,
        Waited::TooLong => {
            Ended::Died(format!("ended after {} hours, the most", TIME_MAX.as_secs() / 3600))
        }
        Waited::Exited(status) => ended(subject, &report, status, &last_line),
    })
}

enum Waited {
    Exited(ExitStatus),
    TooLong,
    Stop,
}

fn wait(child: &mut Child, inbox: &Inbox<()>) -> io::Result<Waited> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Waited::Exited(status));
        }
        if started.elapsed() > TIME_MAX {
            return Ok(Waited::TooLong);
        }
        if inbox.wait(INTERVAL) == Wake::Stop {
            return Ok(Waited::Stop);
        }
    }
}

fn ended(subject: Subject, report: &str, status: ExitStatus, last_line: &str) -> Ended {
    let reports: Vec<Value> = serde_json::from_str(report).unwrap_or_default();
    match reports.into_iter().find(|report| report["source"] == subject.name()) {
        Some(report) => Ended::Reported(report),
        None => Ended::Died(format!("ended without a report ({status}); {last_line}")),
    }
}

fn read_report(stdout: ChildStdout) -> String {
    let mut text = String::new();
    // What is not text is no report.
    let _ = stdout.take(REPORT_BYTES_MAX).read_to_string(&mut text);
    text
}

/// Logs the steps and the warnings of an update, and returns the last line.
fn log_lines(subject: Subject, stderr: ChildStderr) -> String {
    let source = subject.name();
    let mut reader = BufReader::new(stderr);
    let (mut line, mut last) = (Vec::new(), String::new());
    loop {
        line.clear();
        let mut limited = (&mut reader).take(LINE_BYTES_MAX as u64);
        if limited.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
            return last;
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        match message(source, &text) {
            Some(Message::Step(doing)) => tracing::info!(source, doing, "update"),
            Some(Message::Warning(warning)) => tracing::warn!(source, warning, "update"),
            // The progress of a step, which is for terminals.
            None => {}
        }
        last = text;
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Message<'a> {
    Step(&'a str),
    Warning(&'a str),
}

/// The meaning of a line: `warning: postal: …` or `postal: …`.
fn message<'a>(source: &str, line: &'a str) -> Option<Message<'a>> {
    let of_source = |line: &'a str| line.strip_prefix(source)?.strip_prefix(": ");
    match line.strip_prefix("warning: ") {
        Some(warning) => of_source(warning).map(Message::Warning),
        None => of_source(line).map(Message::Step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTAL: Subject = Subject::without_snapshots("postal");

    #[test]
    fn steps_and_warnings_are_told_apart() {
        for (line, expected) in [
            ("postal: removed a", Some(Message::Step("removed a"))),
            ("warning: postal: b", Some(Message::Warning("b"))),
            ("warning: bank: b", None),
            ("utf_ken_all.zip", None),
            ("postal", None),
            ("", None),
        ] {
            assert_eq!(message("postal", line), expected, "{line}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_process_without_a_report_has_died() {
        use std::os::unix::process::ExitStatusExt;
        let killed = ExitStatus::from_raw(9);
        let report = r#"[{"source": "postal", "result": "current"}]"#;
        let found = ended(POSTAL, report, ExitStatus::from_raw(0), "");
        assert!(matches!(found, Ended::Reported(report) if report["result"] == "current"));
        for report in ["", "[]", r#"[{"source": "bank"}]"#, &report[..20]] {
            let Ended::Died(why) = ended(POSTAL, report, killed, "memory allocation failed") else {
                panic!("{report}");
            };
            assert!(why.contains("signal: 9") && why.contains("memory allocation failed"), "{why}");
        }
    }
}
