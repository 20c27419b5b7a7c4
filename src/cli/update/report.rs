//! The result of an update, as text and as JSON.

use serde_json::{Value, json};

use crate::update::{Outcome, Report};

pub struct PublishReport {
    pub text: String,
    pub json: Value,
}

pub fn as_text(reports: &[Report], with_files: bool) -> String {
    let mut out = String::new();
    for report in reports {
        let Ok(outcome) = &report.result else { continue };
        let line = match outcome {
            Outcome::Current { offered, installed } => {
                format!("{}, nothing new", installed.unwrap_or(*offered))
            }
            Outcome::Available { offered, installed, .. } => {
                let installed = installed.map_or("none".to_owned(), |version| version.to_string());
                format!("{offered} is new; {installed} is installed")
            }
            Outcome::Updated { edition, before, path, summary } => {
                let before = before.map(|before| format!(" after {before}")).unwrap_or_default();
                format!("{edition}{before}: {summary}; {}", path.display())
            }
        };
        out.push_str(&format!("{:<10} {line}\n", report.subject.name()));
        if let (true, Outcome::Available { files, .. }) = (with_files, outcome) {
            for file in files {
                out.push_str(&format!("{:<10} would fetch {file}\n", ""));
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
