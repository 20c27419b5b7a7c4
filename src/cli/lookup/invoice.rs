//! `daicho lookup invoice`: looks up an issuer by registration number; prints text or the JSON of the API.

use std::{fmt::Write as _, io::Write};

use clap::Args;

use crate::cli::{
    data::AnswerArg,
    error::CommandError,
    print::{print, print_response},
};
use crate::dataset::catalog::Catalog;
use crate::dataset::invoice::record::InvoiceView;
use crate::json;
use crate::record::parts::Part;
use crate::text::codes::{DataVersion, InvoiceNumber};

#[derive(Debug, Args)]
pub struct InvoiceArgs {
    /// T and thirteen digits
    number: String,
    /// Also show whether the issuer was registered on this day, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: InvoiceArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let number = InvoiceNumber::parse(&args.number).map_err(CommandError::failed)?;
    let date = args.date.as_deref().map(DataVersion::parse).transpose();
    let date = date.map_err(|error| {
        CommandError::Failed(format!("--date: expected YYYY-MM-DD, found {}", error.found))
    })?;
    let data = args.answer.data.choose(args.answer.data.version()?, Catalog::invoice)?;
    let version = data.version();
    let Some(view) = data.lookup(number)? else {
        let message = format!("no qualified invoice issuer {number} in version {version}");
        return Err(CommandError::Failed(message));
    };
    let registered = date.map(|date| view.is_registered_on(date.number()));
    if !args.answer.json {
        let mut text = as_text(&view, version);
        if let (Some(date), Some(registered)) = (date, registered) {
            let not = if registered { "" } else { "not " };
            let _ = writeln!(text, "  {not}registered on {date}");
        }
        return print(stdout, text);
    }
    print_response(stdout, |out| json::write_invoice(out, version, &view, registered))
}

fn as_text(view: &InvoiceView<'_>, version: DataVersion) -> String {
    let mut out = format!("{}  (data version {version})\n", view.number());
    let names = [view.name().text, &view.kana().to_string()].join("  ");
    let others = [view.trade_name().text, view.popular_name().text].join("  ");
    for line in [names, others] {
        if !line.trim().is_empty() {
            let _ = writeln!(out, "  {}", line.trim());
        }
    }
    for address in view.addresses.into_iter().flatten() {
        let ([prefecture, ..], [city, ..]) = (address.place.prefecture(), address.place.city());
        let code = address.postal_code().map(|code| format!("  {code:07}")).unwrap_or_default();
        let _ = writeln!(out, "  {prefecture}{city}{}{code}", address.street.text);
        let parts: Vec<String> = address.parts().iter().flatten().map(Part::to_string).collect();
        if !parts.is_empty() {
            let _ = writeln!(out, "      {}", parts.join(" / "));
        }
    }
    let day = |date| DataVersion::from_number(date).map(|day| day.to_string()).unwrap_or_default();
    let registration = view.registration;
    let _ = write!(out, "  process {}", registration.process);
    for (what, date) in [
        ("registered", registration.registration_date),
        ("revoked", registration.disposal_date),
        ("lapsed", registration.expire_date),
        ("updated", view.update_date()),
    ] {
        if date != 0 {
            let _ = write!(out, ", {what} {}", day(date));
        }
    }
    out.push('\n');
    for period in view.earlier() {
        let _ = writeln!(out, "  earlier: {} until {}", day(period.start), day(period.end));
    }
    out
}
