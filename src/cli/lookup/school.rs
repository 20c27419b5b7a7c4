//! `daicho lookup school`: looks up a school by code; prints text or the JSON of the API.

use std::{fmt::Write as _, io::Write};

use clap::Args;

use crate::cli::{
    data::AnswerArg,
    error::CommandError,
    print::{print, print_response},
};
use crate::dataset::catalog::Catalog;
use crate::dataset::school::record::SchoolView;
use crate::json;
use crate::record::parts::Part;
use crate::text::codes::school::{BRANCHES, ESTABLISHMENTS, TYPES};
use crate::text::codes::{DataVersion, SchoolCode};

#[derive(Debug, Args)]
pub struct SchoolArgs {
    /// A letter and twelve digits
    code: String,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: SchoolArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let code = SchoolCode::parse(&args.code).map_err(CommandError::failed)?;
    let data = args.answer.data.choose(args.answer.data.version()?, Catalog::school)?;
    let version = data.version();
    let Some(view) = data.lookup(code)? else {
        return Err(CommandError::Failed(format!("no school {code} in version {version}")));
    };
    if !args.answer.json {
        return print(stdout, as_text(view, version));
    }
    print_response(stdout, |out| json::write_school(out, version, view))
}

fn as_text(view: SchoolView<'_>, version: DataVersion) -> String {
    let word = |words: &[(u16, &'static str)], code: u8| {
        let found = words.iter().find(|(known, _)| *known == u16::from(code));
        found.map_or("", |(_, word)| *word)
    };
    let mut out = format!("{}  {}  (data version {version})\n", view.code(), view.name());
    let _ = writeln!(
        out,
        "  {}, {}, {}",
        word(&TYPES, view.school_type()),
        word(&ESTABLISHMENTS, view.establishment()),
        word(&BRANCHES, view.branch())
    );
    if let Some(address) = view.address() {
        let code = address.postal_code().map(|code| format!("  {code:07}")).unwrap_or_default();
        let _ = writeln!(out, "  {}{code}", view.address_raw());
        let parts: Vec<String> = address.parts().iter().flatten().map(Part::to_string).collect();
        if !parts.is_empty() {
            let _ = writeln!(out, "      {}", parts.join(" / "));
        }
    }
    for (what, date) in [("established", view.established()), ("abolished", view.abolished())] {
        if let Some(day) = date.and_then(DataVersion::from_number) {
            let _ = writeln!(out, "  {what} {day}");
        }
    }
    for code in view.new_codes() {
        let _ = writeln!(out, "  now {code}");
    }
    out
}
