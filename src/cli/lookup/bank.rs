//! `daicho lookup bank`: looks up an institution, or its branches with a code.

use std::{fmt::Write as _, io::Write};

use clap::Args;

use crate::cli::print::{counted, print, print_response};
use crate::cli::{data::AnswerArg, error::CommandError};
use crate::dataset::bank::record::EntryView;
use crate::dataset::catalog::Catalog;
use crate::json;
use crate::text::codes::{ApiVersion, BankCode, BranchCode};

#[derive(Debug, Args)]
pub struct BankArgs {
    /// Institution code, four digits
    code: String,
    /// Branch code, three digits
    branch: Option<String>,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: BankArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let code = BankCode::parse(&args.code).map_err(CommandError::failed)?;
    let branch = args.branch.as_deref().map(BranchCode::parse).transpose();
    let branch = branch.map_err(CommandError::failed)?;
    let data = args.answer.data.choose(args.answer.data.version()?, Catalog::bank)?;
    let version = data.version();
    let bank = data.bank(code)?.ok_or_else(|| {
        CommandError::Failed(format!("no institution {code} in version {version}"))
    })?;
    let Some(branch) = branch else {
        if args.answer.json {
            return print_response(stdout, |out| json::write_bank(out, version, bank.entry()));
        }
        let text = format!(
            "{code}  (data version {version})\n{}  {}\n",
            as_text(bank.entry()),
            counted(bank.branches().len() as u64, "branch")
        );
        return print(stdout, text);
    };
    let rows = data.branch(code, branch)?;
    if rows.len() == 0 {
        let message = format!("institution {code} has no branch {branch} in version {version}");
        return Err(CommandError::Failed(message));
    }
    if args.answer.json {
        let api = ApiVersion::NEWEST;
        return print_response(stdout, |out| {
            json::write_branch(out, api, version, bank.entry(), rows)
        });
    }
    let mut text = format!("{code}-{branch}  (data version {version})\n");
    text.push_str(&as_text(bank.entry()));
    text.extend(rows.map(as_text));
    print(stdout, text)
}

fn as_text(entry: EntryView<'_>) -> String {
    let mut out = format!("  {}\n", entry.name().text);
    let readings = [entry.katakana(), entry.hiragana(), entry.romaji()];
    let _ = writeln!(out, "      {}", readings.map(|reading| reading.text).join("  "));
    out
}
