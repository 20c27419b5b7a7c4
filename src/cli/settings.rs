//! The settings file: `--config FILE` or `DAICHO_CONFIG`, in TOML, with a key for every option that has a variable.
//!
//! The keys come from the declarations of the options: `DAICHO_AGE_DAYS` is the key `age-days`, in every command that
//! reads the variable. The values become the defaults of these options, so the command line and the environment
//! override them, and clap checks them like any other value. A file with a fault is refused as a whole: every fault is
//! named with its line.
//!
//! Knows neither what an option means nor which command runs.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::beginning::Beginning;
use super::error::CommandError;

/// The variable that names the file.
pub const VARIABLE: &str = "DAICHO_CONFIG";

/// What the variables of options begin with.
const PREFIX: &str = "DAICHO_";

/// Longer than any sensible file; a mistyped path may name a large one.
const BYTES_MAX: u64 = 1 << 20;

/// An option that has a variable, and therefore a key.
#[derive(Debug, Clone)]
pub struct Setting {
    pub key: String,
    pub variable: String,
    /// Its first declaration.
    pub option: Arg,
}

/// Every setting of these commands, by its key. The declaration of the first command counts.
pub fn declared(command: &Command) -> BTreeMap<String, Setting> {
    let mut found = BTreeMap::new();
    collect(command, &mut found);
    found.remove(&key_of(VARIABLE.as_ref()).unwrap_or_default());
    found
}

fn collect(command: &Command, found: &mut BTreeMap<String, Setting>) {
    for option in command.get_arguments() {
        if let Some((variable, key)) = option.get_env().and_then(|name| Some((name, key_of(name)?)))
        {
            let variable = variable.to_string_lossy().into_owned();
            let setting = Setting { key: key.clone(), variable, option: option.clone() };
            found.entry(key).or_insert(setting);
        }
    }
    command.get_subcommands().for_each(|inner| collect(inner, found));
}

/// `age-days` for `DAICHO_AGE_DAYS`.
fn key_of(variable: &OsStr) -> Option<String> {
    let name = variable.to_str()?.strip_prefix(PREFIX)?;
    Some(name.to_ascii_lowercase().replace('_', "-"))
}

/// The value of a variable that is set; an empty one counts as not set.
pub fn variable_value(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The settings file of the command line, or else of the variable.
pub fn file_of(beginning: &Beginning) -> Option<PathBuf> {
    beginning.config.clone().or_else(|| variable_value(VARIABLE)).map(PathBuf::from)
}

/// A settings file whose keys and values are all valid.
#[derive(Debug, Clone)]
pub struct SettingsFile {
    pub path: PathBuf,
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub line: usize,
    pub values: Vec<String>,
}

/// The settings file cannot be used. Lists every fault.
#[derive(Debug, thiserror::Error)]
#[error("{}", .faults.iter().map(|fault| fault.at(.path)).collect::<Vec<_>>().join("\ndaicho: "))]
pub struct SettingsError {
    path: PathBuf,
    faults: Vec<Fault>,
}

/// A fault of a settings file, and its line; `None` if the fault is one of the whole file.
#[derive(Debug)]
struct Fault {
    line: Option<usize>,
    kind: FaultKind,
}

#[derive(Debug, thiserror::Error)]
enum FaultKind {
    #[error(
        "expected a settings file that can be read; found: {0}; correct --config or {VARIABLE}"
    )]
    Unreadable(io::Error),
    #[error(
        "expected a settings file of at most {BYTES_MAX} bytes; found more; correct --config or {VARIABLE}"
    )]
    TooLong,
    #[error("expected text in UTF-8; found other bytes; save the file as UTF-8")]
    NotText,
    #[error("expected lines such as listen = \"127.0.0.1:8080\"; found: {0}; correct the line")]
    Syntax(String),
    #[error(
        "expected the name of a setting; found {}; 'daicho config show' lists them",
        with_nearest(.found, .nearest.as_deref())
    )]
    UnknownKey { found: String, nearest: Option<String> },
    #[error("{key}: expected {expected}; found {found}; correct the value")]
    WrongType { key: String, expected: String, found: &'static str },
    #[error("{key}: {message}; correct the value")]
    Refused { key: String, message: String },
}

impl Fault {
    fn at(&self, path: &Path) -> String {
        let path = path.display();
        match self.line {
            Some(line) => format!("{path}:{line}: {}", self.kind),
            None => format!("{path}: {}", self.kind),
        }
    }
}

impl From<SettingsError> for CommandError {
    fn from(error: SettingsError) -> CommandError {
        CommandError::usage(error)
    }
}

impl SettingsFile {
    /// Reads the file for the settings of these commands.
    pub fn read(path: &Path, command: &Command) -> Result<SettingsFile, SettingsError> {
        let whole = |kind| SettingsError {
            path: path.to_owned(),
            faults: vec![Fault { line: None, kind }],
        };
        let mut bytes = Vec::new();
        let read =
            File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut bytes));
        read.map_err(|error| whole(FaultKind::Unreadable(error)))?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(whole(FaultKind::TooLong));
        }
        let text = String::from_utf8(bytes).map_err(|_bytes| whole(FaultKind::NotText))?;
        let entries = parse(&text, &declared(command));
        let entries = entries.map_err(|faults| SettingsError { path: path.to_owned(), faults })?;
        Ok(SettingsFile { path: path.to_owned(), entries })
    }

    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The commands with the values of the file as defaults.
    pub fn applied(&self, command: Command) -> Command {
        let command = command.mut_args(|option| {
            let key = option.get_env().and_then(key_of);
            match key.and_then(|key| self.get(&key)) {
                Some(entry) => with_default(option, &entry.values),
                None => option,
            }
        });
        command.mut_subcommands(|inner| self.applied(inner))
    }
}

fn with_default(option: Arg, values: &[String]) -> Arg {
    let option = option.required(false);
    match takes_several(&option) {
        true => option.default_values(values.to_vec()),
        false => option.default_value(values.join(",")),
    }
}

/// The entries of a file by their key.
fn parse(
    text: &str,
    settings: &BTreeMap<String, Setting>,
) -> Result<BTreeMap<String, Entry>, Vec<Fault>> {
    let line_of = |position: usize| text[..position.min(text.len())].matches('\n').count() + 1;
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map(|span| line_of(span.start));
        vec![Fault { line, kind: FaultKind::Syntax(error.message().replace('\n', " ")) }]
    })?;
    let (mut entries, mut faults) = (BTreeMap::new(), Vec::new());
    for (key, value) in table.get_ref() {
        let line = line_of(key.span().start);
        match entry(key.get_ref(), value, settings) {
            Ok(values) => drop(entries.insert(key.get_ref().to_string(), Entry { line, values })),
            Err(kind) => faults.push(Fault { line: Some(line), kind }),
        }
    }
    faults.sort_by_key(|fault| fault.line);
    if faults.is_empty() { Ok(entries) } else { Err(faults) }
}

/// The checked values of a key.
fn entry(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    settings: &BTreeMap<String, Setting>,
) -> Result<Vec<String>, FaultKind> {
    let Some(setting) = settings.get(key) else {
        let nearest = nearest(key, settings.keys());
        return Err(FaultKind::UnknownKey { found: key.to_owned(), nearest });
    };
    let values = values(setting, value.get_ref())?;
    let checked = Command::new("daicho")
        .no_binary_name(true)
        .arg(with_default(setting.option.clone().env(None::<&'static str>), &values));
    match checked.try_get_matches_from(None::<OsString>) {
        Ok(_valid) => Ok(values),
        Err(error) => {
            Err(FaultKind::Refused { key: key.to_owned(), message: first_paragraph(&error) })
        }
    }
}

/// The values of the options as the command line would have them.
fn values(setting: &Setting, value: &DeValue<'_>) -> Result<Vec<String>, FaultKind> {
    let kind = ValueKind::of(&setting.option);
    let wrong = |found| FaultKind::WrongType {
        key: setting.key.clone(),
        expected: kind.described(&setting.option),
        found,
    };
    let one = |value: &DeValue<'_>| match (kind, value) {
        (ValueKind::Switch, DeValue::Boolean(value)) => Ok(value.to_string()),
        (ValueKind::Text | ValueKind::Either, DeValue::String(text)) => Ok(text.to_string()),
        (ValueKind::Number | ValueKind::Either, DeValue::Integer(number))
            if number.radix() == 10 =>
        {
            Ok(number.as_str().to_owned())
        }
        (ValueKind::Fraction, DeValue::Integer(number)) if number.radix() == 10 => {
            Ok(number.as_str().to_owned())
        }
        (ValueKind::Fraction, DeValue::Float(number)) => Ok(number.as_str().to_owned()),
        (_, other) => Err(wrong(described(other))),
    };
    match value {
        DeValue::Array(list) if takes_several(&setting.option) => {
            if list.is_empty() {
                return Err(wrong("an empty list; leave out the line for the default"));
            }
            list.iter().map(|value| one(value.get_ref())).collect()
        }
        value => one(value).map(|value| vec![value]),
    }
}

/// The type that the value of a setting has in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Switch,
    Number,
    Fraction,
    Text,
    /// An option with a parser of its own, such as a size or a number of connections.
    Either,
}

impl ValueKind {
    fn of(option: &Arg) -> ValueKind {
        let is = |kind: TypeId| option.get_value_parser().type_id() == kind;
        if !option.get_action().takes_values() {
            ValueKind::Switch
        } else if [TypeId::of::<u32>(), TypeId::of::<u64>()].into_iter().any(is) {
            ValueKind::Number
        } else if is(TypeId::of::<f64>()) {
            ValueKind::Fraction
        } else if [TypeId::of::<String>(), TypeId::of::<PathBuf>()].into_iter().any(is)
            || !option.get_possible_values().is_empty()
        {
            ValueKind::Text
        } else {
            ValueKind::Either
        }
    }

    fn described(self, option: &Arg) -> String {
        let one = match self {
            ValueKind::Switch => "true or false",
            ValueKind::Number => "a whole number",
            ValueKind::Fraction => "a number",
            ValueKind::Text => "a text between quotes",
            ValueKind::Either => "a text between quotes or a whole number",
        };
        match takes_several(option) {
            true => format!("{one}, or a list of them"),
            false => one.to_owned(),
        }
    }
}

/// An unknown key, and the known one that was probably meant.
fn with_nearest(found: &str, nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("{found:?}; did you mean {name}?"),
        None => format!("{found:?}"),
    }
}

fn takes_several(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Append)
}

fn described(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a section",
    }
}

/// The known key that is nearest to an unknown one; `None` if none resembles it.
fn nearest<'k>(found: &str, known: impl Iterator<Item = &'k String>) -> Option<String> {
    let found = found.to_lowercase().replace('_', "-");
    let similar = |known: &&String| strsim::jaro_winkler(&found, known);
    let best = known.max_by(|one, other| similar(one).total_cmp(&similar(other)))?;
    (similar(&best) > 0.7).then(|| best.clone())
}

/// What clap says about a value, without its hints about the help.
fn first_paragraph(error: &clap::Error) -> String {
    let text = error.to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let paragraph = paragraph.strip_prefix("error: ").unwrap_or(paragraph);
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How similar a name must be to be taken for a misspelt one.
const MISSPELT: f64 = 0.9;

/// Variables of the environment that no option reads and that resemble one that an option reads: each with that one.
pub fn misspelt_variables(command: &Command) -> Vec<(String, String)> {
    let known: Vec<String> =
        declared(command).into_values().map(|setting| setting.variable).collect();
    let names = std::env::vars_os().filter_map(|(name, _value)| name.into_string().ok());
    let unknown =
        names.filter(|name| name.starts_with(PREFIX) && name != VARIABLE && !known.contains(name));
    let nearest = |name: String| {
        let similar = |known: &&String| strsim::normalized_levenshtein(&name, known);
        let best = known.iter().max_by(|one, other| similar(one).total_cmp(&similar(other)))?;
        (similar(&best) >= MISSPELT).then(|| (name.clone(), best.clone()))
    };
    unknown.filter_map(nearest).collect()
}

/// A value without the password that a URL may contain.
pub struct Masked<'v>(pub &'v str);

impl fmt::Display for Masked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((scheme, rest)) = self.0.split_once("://") else { return f.write_str(self.0) };
        write!(f, "{scheme}://")?;
        let (place, query) = match rest.split_once('?') {
            Some((place, query)) => (place, Some(query)),
            None => (rest, None),
        };
        // Up to the last @: a password may contain one, too.
        match place.rsplit_once('@').map(|(user, host)| (user.split_once(':'), host)) {
            Some((Some((user, _password)), host)) => write!(f, "{user}:***@{host}")?,
            _ => f.write_str(place)?,
        }
        for (index, pair) in query.iter().flat_map(|query| query.split('&')).enumerate() {
            let name = pair.split('=').next().unwrap_or_default();
            let is_secret = ["password", "secret", "token"].iter().any(|word| name.contains(word));
            f.write_str(if index == 0 { "?" } else { "&" })?;
            if is_secret { write!(f, "{name}=***")? } else { f.write_str(pair)? }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
