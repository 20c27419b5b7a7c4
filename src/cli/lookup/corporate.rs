//! `daicho lookup corporate`: looks up a corporation by number; prints text or the JSON of the API.

use std::{fmt::Write as _, io::Write};

use clap::Args;

use crate::cli::print::{print, print_response};
use crate::cli::{data::AnswerArg, error::CommandError};
use crate::dataset::catalog::Catalog;
use crate::dataset::corporate::history::{Change, history};
use crate::dataset::corporate::record::CorporateView;
use crate::json::{self, CorporateForm};
use crate::query::budget::{QueryError, WorkBudget};
use crate::record::parts::Part;
use crate::text::codes::{CorporateNumber, DataVersion};

#[derive(Debug, Args)]
pub struct CorporateArgs {
    /// Thirteen digits
    number: String,
    /// Show the changes between the versions in the folder instead of the record
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: CorporateArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let number = CorporateNumber::parse(&args.number).map_err(CommandError::failed)?;
    if !number.is_sound() {
        let message = format!(
            "expected a number with a valid check digit; found {number}; check it for typing errors"
        );
        return Err(CommandError::Failed(message));
    }
    let data = args.answer.data.choose(args.answer.data.version()?, Catalog::corporate)?;
    let version = data.version();
    let unknown = || CommandError::Failed(format!("no corporation {number} in version {version}"));
    if args.history {
        let catalog = args.answer.data.catalog()?;
        let versions = catalog.corporate().iter().map(|(_, data)| &**data);
        let versions = versions.take_while(|data| data.version() <= version);
        let changes = history(versions, number, &WorkBudget::unlimited());
        let changes = changes.map_err(QueryError::expect_damage)?.ok_or_else(unknown)?;
        return match args.answer.json {
            true => print_response(stdout, |out| {
                json::write_history(out, version, number, &changes);
            }),
            false => print(stdout, history_as_text(number, version, &changes)),
        };
    }
    let view = data.lookup(number)?.ok_or_else(unknown)?;
    if !args.answer.json {
        return print(stdout, as_text(view, version));
    }
    let mut out = Vec::new();
    let register = args.answer.data.invoice_register()?;
    let form = CorporateForm { register: register.as_deref(), ..CorporateForm::newest(version) };
    json::write_corporation(&mut out, &form, &view)?;
    out.push(b'\n');
    print(stdout, out)
}

/// One line per change: day, kind, values, and the version with the change.
fn history_as_text(number: CorporateNumber, version: DataVersion, changes: &[Change]) -> String {
    let mut out = format!("{number}  (data versions to {version})\n");
    for change in changes {
        let date = DataVersion::from_number(change.date).map(|day| day.to_string());
        let date = date.unwrap_or_else(|| "unknown date".to_owned());
        let _ = write!(out, "  {date:<11}  {:<8}", change.kind.word());
        if let Some(before) = &change.before {
            let _ = write!(out, "  {before} ->");
        }
        let cause = change.close_cause.map(|cause| format!("cause {cause}"));
        let successor = change.successor.map(|number| format!("successor {number}"));
        let details = [change.after.clone(), cause, successor, change.cause.clone()];
        for detail in details.into_iter().flatten() {
            let _ = write!(out, "  {detail}");
        }
        let _ = writeln!(out, "  (version {})", change.version);
    }
    out
}

fn as_text(view: CorporateView<'_>, version: DataVersion) -> String {
    let mut out = format!("{}  (data version {version})\n", view.number());
    let _ = writeln!(out, "  {}  {}", view.name().text, view.furigana());
    let place = view.place();
    let code = view.post_code().map(|code| format!("  {code:07}")).unwrap_or_default();
    let _ = writeln!(out, "  {}{}{}{code}", place.prefecture(), place.city(), view.street().text);
    let parts: Vec<String> = view.parts().iter().flatten().map(Part::to_string).collect();
    for line in [
        parts.join(" / "),
        view.outside().text.to_owned(),
        view.en_name().text.to_owned(),
        view.change_cause().text.to_owned(),
    ] {
        if !line.is_empty() {
            let _ = writeln!(out, "      {line}");
        }
    }
    let day = |date| DataVersion::from_number(date).map(|day| day.to_string()).unwrap_or_default();
    let _ = writeln!(
        out,
        "  kind {}, process {}, assigned {}, updated {}",
        view.kind(),
        view.process(),
        day(view.assignment_date()),
        day(view.update_date())
    );
    if let Some(date) = view.close_date() {
        let cause = view.close_cause().unwrap_or_default();
        let _ = writeln!(out, "  closed {} (cause {cause})", day(date));
    }
    out
}
