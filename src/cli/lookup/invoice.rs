//! `daicho lookup invoice`.

use std::fmt::Write as _;
use std::io::Write;

use clap::Args;
use serde_json::Value;

use super::parts::{heading, parsed, parts, path, push_address, push_line};
use crate::cli::data::AnswerArg;
use crate::cli::error::CommandError;
use crate::cli::get::{ShortForm, text};
use crate::dataset::Catalog;
use crate::dataset::invoice::record::Period;
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

pub fn run(args: &InvoiceArgs, stdout: &mut dyn Write) -> Result<Value, CommandError> {
    let number = parsed(&args.number, InvoiceNumber::parse)?;
    let date = args.date.as_deref().map(DataVersion::parse).transpose().map_err(|error| {
        CommandError::Failed(format!("--date: expected YYYY-MM-DD, found {}", error.found))
    })?;
    let form = ShortForm::open(&args.answer, Catalog::invoice)?;
    let target = path("/v1/invoice", number);
    let target = date.into_iter().fold(target, |target, date| target.with("date", date));
    // The answer of the API has no earlier registrations.
    let data = form.data();
    let register = data.catalog.invoice().get(form.version);
    let view = register.map(|register| register.lookup(number)).transpose()?.flatten();
    let earlier: Vec<_> = view.iter().flat_map(|view| view.earlier()).collect();
    let missing = |_| format!("no qualified invoice issuer {number}");
    form.print(target, stdout, missing, |answer| issuer_text(answer, date, &earlier))
}

/// An invoice issuer. `date` is the day for which the answer says whether the issuer was registered.
fn issuer_text(answer: &Value, date: Option<DataVersion>, earlier: &[Period]) -> String {
    let record = &answer["data"];
    let get = |name| text(record, name);
    let mut out = heading(&get("qualified_invoice_issuer_number"), answer);
    let names = [get("name"), get("kana")].join("  ");
    let others = [get("trade_name"), get("popular_name_previous_name")].join("  ");
    for line in [names, others] {
        if !line.trim().is_empty() {
            push_line(&mut out, "  ", line.trim());
        }
    }
    for name in ["address", "address_request", "address_inside"] {
        let address = &record[name];
        if ["prefecture", "city", "street_number"].iter().all(|part| text(address, part).is_empty())
        {
            continue;
        }
        push_address(&mut out, address);
        let parts = parts(address);
        if !parts.is_empty() {
            push_line(&mut out, "      ", &parts);
        }
    }
    let _ = writeln!(out, "  {}", dates_line(record));
    let day = |date| DataVersion::from_number(date).map(|day| day.to_string()).unwrap_or_default();
    for period in earlier {
        let (start, end) = (day(period.start), day(period.end));
        let _ = writeln!(out, "  earlier: {start} until {end}");
    }
    if let (Some(date), Some(registered)) = (date, answer["registered_on_date"].as_bool()) {
        let _ = match registered {
            true => writeln!(out, "  registered on {date}"),
            false => writeln!(out, "  not registered on {date}"),
        };
    } else if let Some(date) = date {
        let version = text(answer, "version");
        let _ = writeln!(out, "  unknown on {date}: the data are of {version}");
    }
    out
}

/// The process of an invoice issuer, and the dates of its registration.
fn dates_line(record: &Value) -> String {
    let mut line = format!("process {}", text(record, "process"));
    for name in ["registration_date", "disposal_date", "expire_date", "update_date"] {
        let date = text(record, name);
        line = match name {
            _ if date.is_empty() => line,
            "registration_date" => format!("{line}, registered {date}"),
            "disposal_date" => format!("{line}, revoked {date}"),
            "expire_date" => format!("{line}, lapsed {date}"),
            _ => format!("{line}, updated {date}"),
        };
    }
    line
}
