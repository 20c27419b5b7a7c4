//! `daicho watch`: the watch lists of an account, a whole file at a time.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::error::CommandError;
use super::named_value::one_of;
use super::normalize::source::Source;
use super::print::{counted, own, print, print_json_text, print_lines};
use super::store::{StoreArgs, StoreCommand, record_operation};
use crate::account::store::Store;
use crate::account::{Account, AccountName, authorize_radar};
use crate::normalize::{Column, ColumnOptions, ColumnValue, HeaderPlace, column_values};
use crate::radar::number_list::{self, LeftOut, NumberList, Reason};
use crate::radar::{RadarError, registration, watch_list};
use crate::text::codes::Register;

pub type WatchArgs = StoreCommand<Verb>;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Watch every number of a file: all of them, or none if the list would get too long
    ///
    /// A number is 13 digits, with or without a T. Rows without a valid number are left out, and listed with the reason.
    Add {
        #[command(flatten)]
        file: NumberFile,
        /// Maximum length of the list; name the same as for the server
        #[arg(long, value_name = "COUNT", env = "DAICHO_WATCH_LIMIT")]
        #[arg(default_value_t = watch_list::WATCHED_MAX)]
        watch_limit: u64,
    },
    /// Stop watching every number of a file
    Remove {
        #[command(flatten)]
        file: NumberFile,
    },
    /// Print the watched numbers, one per line
    List {
        #[command(flatten)]
        account: AccountArg,
        /// Register of the list
        #[arg(long, default_value_t = Register::Corporate)]
        #[arg(value_parser = one_of(Register::ALL, Register::as_str))]
        register: Register,
    },
}

#[derive(Debug, Args)]
pub struct AccountArg {
    /// Name of the account [default: the only one with a webhook]
    #[arg(long, value_name = "NAME", value_parser = AccountName::parse)]
    account: Option<AccountName>,
}

#[derive(Debug, Args)]
pub struct NumberFile {
    /// A CSV, a TSV, a list with one number per line, or an .xlsx; - for standard input
    file: PathBuf,
    /// Column of the numbers: its name in the header, or its number from 1 [default: the one with most numbers]
    #[arg(long, short, value_name = "NAME|N", value_parser = Column::parse)]
    column: Option<Column>,
    /// Sheet of the .xlsx [default: the first]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    #[command(flatten)]
    account: AccountArg,
    /// Register of the numbers [default: invoice if all are written with T, corporate if none is]
    #[arg(long, value_parser = one_of(Register::ALL, Register::as_str))]
    register: Option<Register>,
}

pub fn run(args: &WatchArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    let json = args.store.json;
    match &args.verb {
        Verb::Add { file, watch_limit } => {
            let (register, list) = file.read()?;
            let (mut store, account) = file.account.open(&args.store)?;
            let (id, now) = (account.id, Timestamp::now());
            let numbers = &list.numbers;
            let added = watch_list::add(&mut store, id, register, numbers, *watch_limit, now)?;
            record_operation(&mut store, "watch add", Some(&account.name), Some(added.to_string()));
            let watched = watch_list::count(&mut store, id, register)?;
            let change = Change::Added(added);
            let changed = Changed { account: &account, register, change, watched };
            changed.print(&list, json, out)
        }
        Verb::Remove { file } => {
            let (register, list) = file.read()?;
            let (mut store, account) = file.account.open(&args.store)?;
            let removed = watch_list::remove(&mut store, account.id, register, &list.numbers)?;
            let subject = Some(removed.to_string());
            record_operation(&mut store, "watch remove", Some(&account.name), subject);
            let watched = watch_list::count(&mut store, account.id, register)?;
            let change = Change::Removed(removed);
            let changed = Changed { account: &account, register, change, watched };
            changed.print(&list, json, out)
        }
        Verb::List { account, register } => {
            let (mut store, account) = account.open(&args.store)?;
            let numbers = watch_list::numbers(&mut store, account.id, *register)?;
            let texts = numbers.into_iter().map(|number| register.number_text(number));
            let text = match json {
                true => format!("{}\n", texts.map(Value::from).collect::<Value>()),
                false => texts.map(|text| text + "\n").collect(),
            };
            print(out, text)
        }
    }
}

impl AccountArg {
    /// Opens the store and finds the account, which must be entitled to the radar and have a webhook.
    fn open(&self, args: &StoreArgs) -> Result<(Store, Account), CommandError> {
        let (mut store, account) = match &self.account {
            Some(name) => args.open_account(name)?,
            None => only_account(args.open()?)?,
        };
        authorize_radar(&account).map_err(CommandError::failed)?;
        match registration::find(&mut store, account.id)? {
            Some(_) => Ok((store, account)),
            None => Err(RadarError::NoWebhook.into()),
        }
    }
}

/// The only account with a webhook.
fn only_account(mut store: Store) -> Result<(Store, Account), CommandError> {
    let mut with_webhook = Vec::new();
    for account in store.accounts()? {
        if registration::find(&mut store, account.id)?.is_some() {
            with_webhook.push(account);
        }
    }
    match <[Account; 1]>::try_from(with_webhook) {
        Ok([account]) => Ok((store, account)),
        Err(found) if found.is_empty() => Err(RadarError::NoWebhook.into()),
        Err(found) => Err(CommandError::Usage(format!(
            "--account is missing: expected one account with a webhook; found {}; name the one that watches",
            found.len()
        ))),
    }
}

impl NumberFile {
    /// Reads the file; fails if it has no valid number.
    fn read(&self) -> Result<(Register, NumberList), CommandError> {
        let path = Some(self.file.as_path()).filter(|path| *path != Path::new("-"));
        let source = Source::open(path, self.sheet.as_deref(), None, None)?;
        let is_of_register =
            |text: &str| self.register.is_some_and(|it| number_list::is_number_of(it, text));
        let options = ColumnOptions {
            path,
            delimiter: source.delimiter,
            column: self.column.as_ref(),
            header: HeaderPlace::Detected,
            is_value: &[&is_of_register, &number_list::is_number],
            is_like_value: &number_list::is_like_number,
        };
        let values = column_values(&options, source.input)?;
        let register = match self.register {
            Some(register) => register,
            None => register_of(&values)?,
        };
        let entries = values.iter().map(|value| (value.line, value.text.as_str()));
        let list = NumberList::read(register, entries);
        if list.numbers.is_empty() {
            let message = format!(
                "{}: expected numbers of 13 digits, with or without T, in a column (--column); found {}",
                self.file.display(),
                list.left_out
                    .first()
                    .map_or("none".to_owned(), |entry| left_out_text(entry, |text| text)),
            );
            return Err(CommandError::Failed(message));
        }
        Ok((register, list))
    }
}

/// The register that numbers are of, by their `T`.
fn register_of(values: &[ColumnValue]) -> Result<Register, CommandError> {
    let numbers = values.iter().filter(|value| number_list::is_number(&value.text));
    let (with_t, without): (Vec<&ColumnValue>, Vec<_>) =
        numbers.partition(|value| !value.text.starts_with(|letter: char| letter.is_numeric()));
    match (with_t.first(), without.first()) {
        (Some(_), None) => Ok(Register::Invoice),
        (None, _) => Ok(Register::Corporate),
        (Some(with), Some(without)) => Err(CommandError::Usage(format!(
            "--register is missing: expected numbers that all have a T, or none; found {} in line {} and {} \
             in line {}; say which register is meant",
            with.text, with.line, without.text, without.line
        ))),
    }
}

/// How many numbers a command added or removed.
#[derive(Clone, Copy)]
enum Change {
    Added(u64),
    Removed(u64),
}

/// What a command changed.
struct Changed<'a> {
    account: &'a Account,
    register: Register,
    change: Change,
    /// How many numbers are on the list now.
    watched: u64,
}

/// Entries that a text lists.
const LISTED_MAX: usize = 20;

impl Changed<'_> {
    fn print(
        &self,
        list: &NumberList,
        as_json: bool,
        out: &mut dyn Write,
    ) -> Result<(), CommandError> {
        if as_json {
            print_json_text(out, &format!("{}\n", self.json(list)))
        } else {
            print_lines(out, &self.text(list))
        }
    }

    fn json(&self, list: &NumberList) -> Value {
        let left_out = list.left_out.iter().map(|entry| {
            json!({ "line": entry.line, "text": entry.text, "reason": entry.reason.as_str() })
        });
        let unchecked = list.unchecked.iter().map(
            |(line, number)| json!({ "line": line, "number": self.register.number_text(*number) }),
        );
        let (verb, count) = match self.change {
            Change::Added(count) => ("added", count),
            Change::Removed(count) => ("removed", count),
        };
        json!({
            "account": self.account.name.as_str(),
            "register": self.register.as_str(),
            "numbers": list.numbers.len(),
            verb: count,
            "watched": self.watched,
            "left_out": left_out.collect::<Value>(),
            "blank": list.blank,
            "wrong_check_digit": unchecked.collect::<Value>(),
        })
    }

    fn text(&self, list: &NumberList) -> String {
        let numbers = counted(list.numbers.len() as u64, "number");
        let watched = match self.register {
            Register::Corporate => counted(self.watched, "corporation"),
            Register::Invoice => counted(self.watched, "invoice issuer"),
        };
        let name = own(&self.account.name);
        let mut text = match self.change {
            Change::Added(count) => {
                format!("{numbers} read, {count} added; {name} now watches {watched}.\n")
            }
            Change::Removed(count) => {
                format!("{numbers} read, {count} removed; {name} now watches {watched}.\n")
            }
        };
        let lines: Vec<String> =
            list.left_out.iter().map(|entry| left_out_text(entry, own)).collect();
        push_listed(&mut text, &lines, |count| format!("left out: {count}"));
        let mistyped = |(count, number): &(u64, _)| {
            format!("line {count}: {}", self.register.number_text(*number))
        };
        let lines: Vec<String> = list.unchecked.iter().map(mistyped).collect();
        push_listed(&mut text, &lines, |count| {
            format!(
                "not left out, but with the check digit of no corporation: an individual, or mistyped: {count}"
            )
        });
        if list.blank > 0 {
            let rows = counted(list.blank, "row");
            let _ = writeln!(text, "{rows} without a number");
        }
        text
    }
}

/// Appends the first lines under a title, which gets their count; nothing if there are none.
fn push_listed(text: &mut String, lines: &[String], title: impl FnOnce(usize) -> String) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "{}", title(lines.len()));
    lines.iter().take(LISTED_MAX).for_each(|line| {
        let _ = writeln!(text, "  {line}");
    });
    if lines.len() > LISTED_MAX {
        let _ = writeln!(text, "  and {} more (--json lists all)", lines.len() - LISTED_MAX);
    }
}

/// An entry with its reason. `mark` is `own` for lines for people; an error is no such line.
fn left_out_text(entry: &LeftOut, mark: fn(String) -> String) -> String {
    let reason = match entry.reason {
        Reason::NoNumber => "no number of 13 digits",
        Reason::WrongCheckDigit => "its check digit is wrong",
        Reason::Duplicate => "it is in an earlier line too",
    };
    let text = mark(format!("{:?}", entry.text.replace(char::is_control, " ")));
    format!("line {}: {text}, {reason}", entry.line)
}
