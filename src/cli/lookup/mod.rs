//! `daicho lookup`: short forms of `daicho get` for codes. Prints the record as text, or the JSON of the API.

mod text;

use std::fmt::Display;
use std::io::Write;

use clap::Subcommand;
use serde_json::Value;

pub use self::text::push_postal;
use super::get::short_form::ShortForm;
use crate::api::error::Code;
use crate::api::target::RequestTarget;
use crate::cli::data::AnswerArg;
use crate::cli::error::CommandError;
use crate::dataset::Catalog;
use crate::text::codes::{
    BankCode, BranchCode, CorporateNumber, DataVersion, InvoiceNumber, PostalCode, SchoolCode,
};

#[derive(Debug, Subcommand)]
pub enum LookupArgs {
    /// A postal code or a large-business number
    Postal {
        /// Seven digits, with or without the hyphen
        code: String,
        #[command(flatten)]
        answer: AnswerArg,
    },
    /// An institution, or a branch of it
    Bank {
        /// Institution code, four digits
        code: String,
        /// Branch code, three digits
        branch: Option<String>,
        #[command(flatten)]
        answer: AnswerArg,
    },
    /// A corporation by its number
    Corporate {
        /// Thirteen digits
        number: String,
        /// Show the changes between the versions in the folder instead of the record
        #[arg(long)]
        history: bool,
        #[command(flatten)]
        answer: AnswerArg,
    },
    /// A qualified invoice issuer by its registration number
    Invoice {
        /// T and thirteen digits
        number: String,
        /// Also show whether the issuer was registered on this day, YYYY-MM-DD
        #[arg(long, value_name = "DATE")]
        date: Option<String>,
        #[command(flatten)]
        answer: AnswerArg,
    },
    /// A school by its code
    School {
        /// A letter and twelve digits
        code: String,
        #[command(flatten)]
        answer: AnswerArg,
    },
}

pub fn run(args: LookupArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        LookupArgs::Postal { code, answer } => {
            let code = parsed(&code, PostalCode::parse)?;
            let form = ShortForm::open(&answer, Catalog::postal)?;
            let missing = |_| format!("no postal code {code}");
            form.print(path("/v1/postalcode", code), stdout, missing, text::postal)?;
        }
        LookupArgs::Bank { code, branch, answer } => {
            bank(&code, branch.as_deref(), &answer, stdout)?;
        }
        LookupArgs::Corporate { number, history, answer } => {
            corporate(&number, history, &answer, stdout)?;
        }
        LookupArgs::Invoice { number, date, answer } => {
            invoice(&number, date.as_deref(), &answer, stdout)?;
        }
        LookupArgs::School { code, answer } => {
            let code = parsed(&code, SchoolCode::parse)?;
            let form = ShortForm::open(&answer, Catalog::school)?;
            let missing = |_| format!("no school {code}");
            form.print(path("/v1/school", code), stdout, missing, text::school)?;
        }
    }
    Ok(())
}

fn parsed<T, E: Display>(
    code: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, CommandError> {
    parse(code).map_err(CommandError::failed)
}

/// The path of a code below `parent`.
fn path(parent: &str, code: impl Display) -> RequestTarget {
    RequestTarget::new(parent).with_segment(&code.to_string())
}

fn bank(
    code: &str,
    branch: Option<&str>,
    answer: &AnswerArg,
    stdout: &mut dyn Write,
) -> Result<Value, CommandError> {
    let code = parsed(code, BankCode::parse)?;
    let branch = branch.map(|branch| parsed(branch, BranchCode::parse)).transpose()?;
    let form = ShortForm::open(answer, Catalog::bank)?;
    let missing = |error| match (error, branch) {
        (Code::NoSuchBranch, Some(branch)) => format!("institution {code} has no branch {branch}"),
        _ => format!("no institution {code}"),
    };
    let (target, branches) =
        (path("/v1/bank", code), path("/v1/bank", code).with_segment("branches"));
    match branch {
        Some(branch) => {
            let target = branches.with_segment(&branch.to_string());
            form.print(target, stdout, missing, text::branches)
        }
        None if form.is_json => form.print(target, stdout, missing, |_json| String::new()),
        // The text has the number of branches.
        None => form.print(branches, stdout, missing, text::bank),
    }
}

fn corporate(
    number: &str,
    history: bool,
    answer: &AnswerArg,
    stdout: &mut dyn Write,
) -> Result<Value, CommandError> {
    let number = parsed(number, CorporateNumber::parse)?;
    if !number.is_sound() {
        return Err(CommandError::Failed(format!(
            "expected a number with a valid check digit; found {number}; check it for typing errors"
        )));
    }
    let form = ShortForm::open(answer, Catalog::corporate)?;
    let (target, missing) =
        (path("/v1/houjinbangou", number), |_| format!("no corporation {number}"));
    match history {
        true => form.print(target.with_segment("history"), stdout, missing, text::history),
        false => form.print(target, stdout, missing, text::corporation),
    }
}

fn invoice(
    number: &str,
    date: Option<&str>,
    answer: &AnswerArg,
    stdout: &mut dyn Write,
) -> Result<Value, CommandError> {
    let number = parsed(number, InvoiceNumber::parse)?;
    let date = date.map(DataVersion::parse).transpose().map_err(|error| {
        CommandError::Failed(format!("--date: expected YYYY-MM-DD, found {}", error.found))
    })?;
    let form = ShortForm::open(answer, Catalog::invoice)?;
    let target = path("/v1/invoice", number);
    let target = date.into_iter().fold(target, |target, date| target.with("date", date));
    // The answer of the API has no earlier registrations.
    let data = form.data();
    let register = data.catalog.invoice().get(form.version);
    let view = register.map(|register| register.lookup(number)).transpose()?.flatten();
    let earlier: Vec<_> = view.iter().flat_map(|view| view.earlier()).collect();
    let missing = |_| format!("no qualified invoice issuer {number}");
    form.print(target, stdout, missing, |issuer| text::issuer(issuer, date, &earlier))
}
