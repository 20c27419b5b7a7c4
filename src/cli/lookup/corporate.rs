//! `daicho lookup corporate`: a number to its corporation, for people or in the API's own JSON.

use std::{fmt::Write as _, io::Write};

use clap::Args;

use crate::cli::{data::AnswerArg, error::CommandError, print::print};
use crate::json::{self, CorporateForm};
use crate::query::Catalog;
use crate::record::corporate::{CorporateView, Part};
use crate::text::codes::{CorporateNumber, DataVersion};

#[derive(Debug, Args)]
pub struct CorporateArgs {
    /// Thirteen digits
    number: String,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: CorporateArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let number = CorporateNumber::parse(&args.number).map_err(CommandError::bad_input)?;
    if !number.is_sound() {
        let message = format!(
            "expected a number with a correct check digit, found {number}; check it for typing errors"
        );
        return Err(CommandError::BadInput(message));
    }
    let data = args.answer.data.choose(args.answer.data.version()?, Catalog::corporate)?;
    let version = data.version();
    let found = data.lookup(number)?;
    let Some(view) = found else {
        let message = format!("no corporation {number} in version {version}");
        return Err(CommandError::BadInput(message));
    };
    if !args.answer.json {
        return print(stdout, as_text(view, version).as_bytes());
    }
    let mut out = Vec::new();
    let register = args.answer.data.register()?;
    let form = CorporateForm { register: register.as_deref(), ..CorporateForm::plain(version) };
    json::write_corporation(&mut out, &form, &view)?;
    out.push(b'\n');
    print(stdout, &out)
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
