//! The result of an update, as text and as JSON.

use serde_json::{Value, json};

use crate::cli::print::{own, said};
use crate::update::{Outcome, Report};

pub struct PublishReport {
    /// Lines for people.
    pub text: String,
    pub json: Value,
}

/// Lines for people.
pub fn as_text(reports: &[Report], with_files: bool) -> String {
    let mut out = String::new();
    for report in reports {
        let Ok(outcome) = &report.result else { continue };
        let line = match outcome {
            Outcome::Current { offered, installed } => {
                format!("{}, nothing new", installed.unwrap_or(*offered))
            }
            Outcome::Available { offered, installed, .. } => match installed {
                Some(installed) => format!("{offered} is new; {installed} is installed"),
                None => format!("{offered} is new; none is installed"),
            },
            Outcome::Updated { edition, before, path, summary } => {
                let (summary, path) = (said(summary), own(path.display()));
                match before {
                    Some(before) => format!("{edition} after {before}: {summary}; {path}"),
                    None => format!("{edition}: {summary}; {path}"),
                }
            }
        };
        out.push_str(&format!("{:<10} {}\n", report.subject.name(), said(&line)));
        if let (true, Outcome::Available { files, .. }) = (with_files, outcome) {
            for file in files {
                let file = said(&format!("would fetch {}", own(file)));
                out.push_str(&format!("{:<11}{file}\n", ""));
            }
        }
    }
    out
}

pub fn as_json(report: &Report) -> Value {
    let mut value = match &report.result {
        Ok(Outcome::Current { offered, installed }) => json!({
            "result": "current",
            "offered": offered.to_string(),
            "installed": installed.map(|installed| installed.to_string()),
        }),
        Ok(Outcome::Available { offered, installed, files }) => json!({
            "result": "available",
            "offered": offered.to_string(),
            "installed": installed.map(|installed| installed.to_string()),
            "files": files,
        }),
        Ok(Outcome::Updated { edition, before, path, summary }) => json!({
            "result": "updated",
            "installed": edition.to_string(),
            "before": before.map(|before| before.to_string()),
            "path": path.display().to_string(),
            "summary": summary,
        }),
        Err(error) => json!({ "result": "failed", "error": error.to_string() }),
    };
    value["source"] = report.subject.name().into();
    value["warnings"] = report.warnings.clone().into();
    value
}
