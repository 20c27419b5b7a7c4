//! `daicho lookup`: short forms of `daicho get` for codes. Prints the JSON of the API, or the record in a few lines for
//! people, in which the data are the same in every language (`own`).

use std::fmt::{Display, Write as _};
use std::io::Write;

use clap::Subcommand;
use serde_json::Value;

use super::get::{ShortForm, elements, text};
use super::print::{counted, own};
use crate::api::RequestTarget;
use crate::api::error::Code;
use crate::cli::data::AnswerArg;
use crate::cli::error::CommandError;
use crate::dataset::Catalog;
use crate::dataset::invoice::record::Period;
use crate::text::codes::school_code::{BRANCHES, ESTABLISHMENTS, TYPES};
use crate::text::codes::{
    BankCode, BranchCode, CorporateNumber, DataVersion, InvoiceNumber, PostalCode, SchoolCode,
    plain_code,
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
            form.print(path("/v1/postalcode", code), stdout, missing, postal_text)?;
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
            form.print(path("/v1/school", code), stdout, missing, school_text)?;
        }
    }
    Ok(())
}

fn parsed<T, E: Display>(
    code: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, CommandError> {
    parse(&plain_code(code)).map_err(CommandError::failed)
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
            form.print(target, stdout, missing, branches_text)
        }
        None if form.is_json => form.print(target, stdout, missing, |_json| String::new()),
        // The text has the number of branches.
        None => form.print(branches, stdout, missing, bank_text),
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
    let data = form.data();
    let data = data.catalog.corporate().get(form.version);
    let coverage = data.and_then(|data| data.coverage().ok().flatten());
    let missing = |_| match coverage {
        Some(coverage) => {
            format!("no corporation {number} (the data are of {} only)", coverage.roman())
        }
        None => format!("no corporation {number}"),
    };
    let target = path("/v1/houjinbangou", number);
    match history {
        true => form.print(target.with_segment("history"), stdout, missing, history_text),
        false => form.print(target, stdout, missing, corporation_text),
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
    form.print(target, stdout, missing, |answer| issuer_text(answer, date, &earlier))
}

/// The first line of a text: what was looked up, and the data version.
fn heading(what: &str, answer: &Value) -> String {
    format!("{}  (data version {})\n", own(what), text(answer, "version"))
}

/// Appends a line of the data, indented by spaces.
fn push_line(out: &mut String, indent: &str, line: &str) {
    let _ = writeln!(out, "{indent}{}", own(line));
}

pub fn postal_text(answer: &Value) -> String {
    let records = elements(&answer["data"]);
    let code = records.first().map(|record| text(record, "postal_code")).unwrap_or_default();
    let mut out = heading(&code, answer);
    for record in records {
        out.push_str("  ");
        push_postal(&mut out, record);
    }
    out
}

/// Appends a postal record: a line in kanji, and below it the readings.
pub fn push_postal(out: &mut String, record: &Value) {
    let join = |names: &[&str]| names.iter().map(|name| text(record, name)).collect::<String>();
    let place = join(&["prefecture", "city"]);
    let inside = match &record["corporation"] {
        Value::Null => join(&["kyoto_street", "town", "koaza", "building", "floor"]),
        // As published: the parsed town, street, building and floor may come from the lot.
        office => {
            let [lot, name] = ["block_lot", "name"].map(|name| text(office, name));
            format!("{}{lot}  {name}", text(record, "town_raw"))
        }
    };
    push_line(out, "", &format!("{place}{inside}"));
    let kana = join(&["prefecture_kana", "city_kana", "town_kana"]);
    let roman = ["town_roman", "city_roman", "prefecture_roman"].map(|name| text(record, name));
    let roman: Vec<_> = roman.into_iter().filter(|part| !part.is_empty()).collect();
    push_line(out, "      ", &format!("{kana}  {}", roman.join(", ")));
}

/// An institution, from the list of its branches.
pub fn bank_text(answer: &Value) -> String {
    let bank = &answer["data"]["bank"];
    let branches = answer["data"]["branches"].as_object();
    let branches = branches.iter().flat_map(|by_code| by_code.values());
    let count: usize = branches.map(|of_code| elements(of_code).len()).sum();
    let branches = counted(count as u64, "branch");
    format!("{}{}  {branches}\n", heading(&text(bank, "code"), answer), entry(bank))
}

pub fn branches_text(answer: &Value) -> String {
    let (bank, rows) = (&answer["data"]["bank"], elements(&answer["data"]["branch"]));
    let branch = rows.first().map(|row| text(row, "code")).unwrap_or_default();
    let mut out = heading(&format!("{}-{branch}", text(bank, "code")), answer);
    out.push_str(&entry(bank));
    out.extend(rows.iter().map(entry));
    out
}

/// An institution or branch: its name, and below it the readings.
fn entry(entry: &Value) -> String {
    let readings = ["katakana", "hiragana", "romaji"].map(|name| text(entry, name));
    let mut out = String::new();
    push_line(&mut out, "  ", &text(entry, "name"));
    push_line(&mut out, "      ", &readings.join("  "));
    out
}

pub fn corporation_text(answer: &Value) -> String {
    let record = &answer["data"];
    let get = |name| text(record, name);
    let mut out = heading(&get("corporate_number"), answer);
    push_line(&mut out, "  ", &format!("{}  {}", get("name"), get("furigana")));
    push_address(&mut out, &record["address"]);
    let parts = parts(&record["address"]);
    for line in [parts.into(), get("address_outside"), get("en_name"), get("change_cause")] {
        if !line.is_empty() {
            push_line(&mut out, "      ", &line);
        }
    }
    let [kind, process] = ["kind", "process"].map(get);
    let [assigned, updated] = ["assignment_date", "update_date"].map(get);
    let _ =
        writeln!(out, "  kind {kind}, process {process}, assigned {assigned}, updated {updated}");
    if !record["close_date"].is_null() {
        let cause = &record["close_cause"].as_u64().unwrap_or_default();
        let _ = writeln!(out, "  closed {} (cause {cause})", get("close_date"));
    }
    out
}

/// One line per change: day, kind, values, and the version with the change.
pub fn history_text(answer: &Value) -> String {
    let number = text(answer, "corporate_number");
    let mut out = format!("{number}  (data versions to {})\n", text(answer, "version"));
    for change in elements(&answer["data"]) {
        let _ = writeln!(out, "  {}", change_line(change));
    }
    out
}

fn change_line(change: &Value) -> String {
    let get = |name| Some(text(change, name)).filter(|_text| !change[name].is_null());
    let mut what = format!("{:<8}", text(change, "kind"));
    if let Some(before) = get("before") {
        let _ = write!(what, "  {before} ->");
    }
    if let Some(after) = get("after") {
        let _ = write!(what, "  {after}");
    }
    let what = own(what);
    let mut line = match get("date") {
        Some(date) => format!("{date:<11}  {what}"),
        None => format!("unknown date  {what}"),
    };
    if let Some(cause) = get("close_cause") {
        line = format!("{line}  cause {cause}");
    }
    if let Some(number) = get("successor_corporate_number") {
        line = format!("{line}  successor {number}");
    }
    if let Some(cause) = get("change_cause") {
        line = format!("{line}  {}", own(cause));
    }
    let version = text(change, "version");
    format!("{line}  (version {version})")
}

/// An invoice issuer. `date` is the day for which the answer says whether the issuer was registered.
pub fn issuer_text(answer: &Value, date: Option<DataVersion>, earlier: &[Period]) -> String {
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

pub fn school_text(answer: &Value) -> String {
    let record = &answer["data"];
    let get = |name| text(record, name);
    let what = format!("{}  {}", get("code"), get("name"));
    let mut out = heading(&what, answer);
    let kinds = [
        word(&TYPES, school_type(&get("type"))),
        word(&ESTABLISHMENTS, record["establishment_type"].as_u64()),
        word(&BRANCHES, record["branch"].as_u64()),
    ];
    push_line(&mut out, "  ", &kinds.join(", "));
    for address in elements(&record["addresses"]) {
        push_line(&mut out, "  ", &format!("{}{}", get("address_raw"), postal_code(address)));
        let parts = parts(address);
        if !parts.is_empty() {
            push_line(&mut out, "      ", &parts);
        }
    }
    if let Some(date) = record["established_date"].as_str() {
        let _ = writeln!(out, "  established {date}");
    }
    if let Some(date) = record["abolished_date"].as_str() {
        let _ = writeln!(out, "  abolished {date}");
    }
    for code in elements(&record["new_code"]) {
        let code = code.as_str().unwrap_or_default();
        let _ = writeln!(out, "  now {code}");
    }
    out
}

/// The number of a school type: 61 for `F1`.
fn school_type(text: &str) -> Option<u64> {
    let [letter, digit] = text.as_bytes() else { return None };
    Some(u64::from(letter.checked_sub(b'A' - 1)?) * 10 + u64::from(digit.checked_sub(b'0')?))
}

fn word(words: &[(u16, &'static str)], code: Option<u64>) -> &'static str {
    let found = words.iter().find(|(known, _)| Some(u64::from(*known)) == code);
    found.map_or("", |(_, word)| *word)
}

/// Appends an address as published, and its postal code.
fn push_address(out: &mut String, address: &Value) {
    let names = ["prefecture", "city", "street_number"].map(|name| text(address, name));
    push_line(out, "  ", &format!("{}{}", names.concat(), postal_code(address)));
}

/// The postal code after two spaces, if there is one.
fn postal_code(address: &Value) -> String {
    let code = text(address, "postal_code");
    if code.is_empty() { String::new() } else { format!("  {code}") }
}

fn parts(address: &Value) -> String {
    let names = ["town", "kyoto_street", "block_lot_num", "building", "floor_room"];
    let parts = names.iter().filter(|name| !address[**name].is_null());
    let parts: Vec<_> = parts.map(|name| text(address, name)).collect();
    parts.join(" / ")
}
