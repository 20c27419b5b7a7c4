//! The language of help, messages and errors: `--lang`, else `DAICHO_LANG`, else the locale of the system.
//!
//! The option is parsed like any other; errors of the parser need the language before that ([`Beginning`]).

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::{env, process};

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;

use super::beginning::Beginning;
use super::named_value::one_of;
pub use crate::language::own;
use crate::language::{Language, japanese_lines, without_marks};
use crate::text::printable::printable_lines;

/// The variable of the option.
pub const VARIABLE: &str = "DAICHO_LANG";

pub fn parser() -> impl TypedValueParser<Value = Language> {
    one_of(Language::ALL, Language::code)
}

/// The language of the locale.
pub fn of_system() -> Language {
    Language::of_locale(|name| env::var(name).ok())
}

/// The language of this process, as of a locale: set once, when the arguments are parsed.
static OF_PROCESS: OnceLock<Language> = OnceLock::new();

/// Sets the language of this process; the first call counts.
pub fn set(language: Language) {
    let _ = OF_PROCESS.set(language);
}

/// The language of this process; English until the arguments are parsed.
pub fn current() -> Language {
    OF_PROCESS.get().copied().unwrap_or(Language::English)
}

/// Lines for people in the language of this process. What commands print for people goes through here, so that no text
/// from outside reaches the terminal with an escape sequence.
pub fn lines(text: &str) -> Cow<'_, str> {
    let said = match current() {
        Language::Japanese => Cow::Owned(japanese_lines(text)),
        Language::English => without_marks(text),
    };
    match printable_lines(&said) {
        Cow::Borrowed(_) => said,
        Cow::Owned(escaped) => Cow::Owned(escaped),
    }
}

/// A part of a line that is translated by itself, so that the line may put it anywhere.
pub fn said(text: &str) -> String {
    own(lines(text))
}

/// The language that arguments ask for before they are parsed.
pub fn of_beginning(beginning: &Beginning) -> Language {
    let named = beginning.language().and_then(Language::parse);
    let set = || env::var(VARIABLE).ok().and_then(|code| Language::parse(&code));
    named.or_else(set).unwrap_or_else(of_system)
}

/// Ends the process with an error of the parser, or with the help that it was asked for.
pub fn exit_in_japanese(error: &clap::Error) -> ! {
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help || !error.use_stderr() {
        error.exit();
    }
    // Not `eprint!`, which panics where standard error is closed.
    let _ = write!(io::stderr(), "{}", japanese_lines(&error.render().to_string()));
    process::exit(error.exit_code());
}
