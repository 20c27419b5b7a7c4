//! `daicho config`: shows the settings that `daicho serve` would use, each with its origin, and checks a settings file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use serde_json::{Value, json};

use super::error::CommandError;
use super::print::{counted, own, print, print_json, print_lines, table};
use super::settings::{self, Entry, Masked, Setting, SettingsFile, variable_value};
use super::{serve, webhook_options};

#[derive(Debug, Subcommand)]
pub enum ConfigArgs {
    /// Show every setting of the server and where its value comes from: command line, variable, file or
    /// default. Takes the options of 'daicho serve'; passwords are not shown
    Show(ShowArgs),
    Check(CheckArgs),
}

/// Check a settings file: every key, every value, and whether the server could start with them
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The settings file [default: that of --config]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// The options of `daicho serve`, as texts.
#[derive(Debug)]
pub struct ShowArgs {
    /// By the key of the setting.
    given: BTreeMap<String, Vec<String>>,
    json: bool,
}

const JSON: &str = "print-json";

impl Args for ShowArgs {
    fn augment_args(command: Command) -> Command {
        let json = Arg::new(JSON).long("json").action(ArgAction::SetTrue).help("Print JSON");
        serve::ServeArgs::augment_args(command.arg(json))
    }

    fn augment_args_for_update(command: Command) -> Command {
        ShowArgs::augment_args(command)
    }
}

impl FromArgMatches for ShowArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ShowArgs, clap::Error> {
        let is_given = |setting: &Setting| {
            let id = setting.option.get_id().as_str();
            matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        let values = |setting: &Setting| {
            let raw = matches.get_raw(setting.option.get_id().as_str()).into_iter().flatten();
            raw.map(|value| value.to_string_lossy().into_owned()).collect()
        };
        let settings = of_server();
        let given = settings.into_iter().filter(|(_key, setting)| is_given(setting));
        let given = given.map(|(key, setting)| (key, values(&setting))).collect();
        Ok(ShowArgs { given, json: matches.get_flag(JSON) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ShowArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The settings of the server.
fn of_server() -> BTreeMap<String, Setting> {
    settings::declared(&serve::ServeArgs::augment_args(Command::new("serve")))
}

/// Runs the verb; `file` is the file of `--config`, and `command` the whole command line.
pub fn run(
    args: &ConfigArgs,
    file: Option<&Path>,
    command: Command,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    match args {
        ConfigArgs::Show(args) => show(args, file, &command, stdout),
        ConfigArgs::Check(args) => check(args.file.as_deref().or(file), command, stdout),
    }
}

/// Where the value of a setting comes from.
enum Origin<'f> {
    CommandLine,
    Variable(String),
    File(&'f Path, usize),
    Default,
}

struct Shown<'f> {
    key: String,
    values: Vec<String>,
    origin: Origin<'f>,
}

impl Shown<'_> {
    fn cells(&self) -> [String; 3] {
        let value = if self.values.is_empty() { "-".to_owned() } else { self.values.join(",") };
        let origin = match &self.origin {
            Origin::CommandLine => "command line".to_owned(),
            Origin::Variable(name) => format!("variable {name}"),
            Origin::File(path, line) => format!("{}:{line}", path.display()),
            Origin::Default => "default".to_owned(),
        };
        [self.key.clone(), value, origin]
    }

    fn json(&self) -> Value {
        let value = (!self.values.is_empty()).then(|| self.values.join(","));
        let mut shown = json!({ "setting": self.key, "value": value });
        match &self.origin {
            Origin::CommandLine => shown["from"] = "command line".into(),
            Origin::Variable(name) => {
                shown["from"] = "variable".into();
                shown["variable"] = name.as_str().into();
            }
            Origin::File(path, line) => {
                shown["from"] = "file".into();
                shown["file"] = path.display().to_string().into();
                shown["line"] = (*line).into();
            }
            Origin::Default => shown["from"] = "default".into(),
        }
        shown
    }
}

fn show(
    args: &ShowArgs,
    file: Option<&Path>,
    command: &Command,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let file = file.map(|path| SettingsFile::read(path, command)).transpose()?;
    let of_server = of_server();
    let mut shown = Vec::new();
    for (key, setting) in settings::declared(command) {
        let given = args.given.get(&key);
        let entry = file.as_ref().and_then(|file| Some((&*file.path, file.get(&key)?)));
        let (values, origin) = value_of(&setting, given, entry);
        // The settings of other commands are many, and seldom set.
        if of_server.contains_key(&key) || !matches!(origin, Origin::Default) {
            let values = values.iter().map(|value| Masked(value).to_string()).collect();
            shown.push(Shown { key, values, origin });
        }
    }
    for name in [serve::PASSWORD_VARIABLE, webhook_options::VARIABLE] {
        if variable_value(name).is_some() {
            let (key, values) = (name.to_owned(), vec!["***".to_owned()]);
            shown.push(Shown { key, values, origin: Origin::Variable(name.to_owned()) });
        }
    }
    if args.json {
        return print_json(stdout, shown.iter().map(Shown::json).collect::<Value>());
    }
    let rows: Vec<[String; 3]> = shown.iter().map(Shown::cells).collect();
    print(stdout, table(["SETTING", "VALUE", "FROM"], &rows))
}

/// The value of a setting and its origin: the command line, else the variable, else the file, else the default.
fn value_of<'f>(
    setting: &Setting,
    given: Option<&Vec<String>>,
    entry: Option<(&'f Path, &Entry)>,
) -> (Vec<String>, Origin<'f>) {
    if let Some(values) = given {
        return (values.clone(), Origin::CommandLine);
    }
    if let Some(value) = variable_value(&setting.variable) {
        let values = vec![value.to_string_lossy().into_owned()];
        return (values, Origin::Variable(setting.variable.clone()));
    }
    if let Some((path, entry)) = entry {
        return (entry.values.clone(), Origin::File(path, entry.line));
    }
    let default = setting.option.get_default_values().iter();
    let mut values: Vec<String> =
        default.map(|value| value.to_string_lossy().into_owned()).collect();
    if values.is_empty() && !setting.option.get_action().takes_values() {
        values.push(false.to_string());
    }
    (values, Origin::Default)
}

fn check(
    file: Option<&Path>,
    command: Command,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let Some(path) = file else {
        return Err(CommandError::usage(
            "expected a settings file; found none; name it, as in 'daicho config check daicho.toml', or with --config or \
             DAICHO_CONFIG",
        ));
    };
    let file = SettingsFile::read(path, &command)?;
    let command = super::shorthand::without_empty_variables(file.applied(command));
    let words = ["daicho", "serve"].map(OsString::from);
    let matches = command.try_get_matches_from(words).map_err(CommandError::usage)?;
    let (_verb, matches) = matches.subcommand().expect("given above");
    let args = serve::ServeArgs::from_arg_matches(matches).map_err(CommandError::usage)?;
    serve::check(&args)?;
    let settings = counted(file.len() as u64, "setting");
    print_lines(stdout, &format!("{}: {settings}, all usable\n", own(path.display())))
}
