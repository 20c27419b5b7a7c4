//! The language of help, messages and errors: `--lang`, else `DAICHO_LANG`, else the locale of the system.
//!
//! The option is parsed like any other; errors of the parser need the language before that, so it is also looked for in
//! the arguments as they are.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::{env, process};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;

use crate::language::{Language, UnknownLanguage, japanese_lines};

/// The variable of the option.
pub const VARIABLE: &str = "DAICHO_LANG";

const OPTION: &str = "--lang";

pub fn parser() -> impl TypedValueParser<Value = Language> {
    let codes = Language::ALL.map(Language::code);
    PossibleValuesParser::new(codes)
        .try_map(|code| code.parse().map_err(|UnknownLanguage| "no language"))
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

/// Lines for people in the language of this process.
pub fn lines(text: &str) -> Cow<'_, str> {
    match current() {
        Language::Japanese => Cow::Owned(japanese_lines(text)),
        Language::English => Cow::Borrowed(text),
    }
}

/// The language that arguments ask for before they are parsed.
pub fn of_arguments(arguments: &[OsString]) -> Language {
    let named = named(arguments).and_then(|code| code.parse().ok());
    let set = || env::var(VARIABLE).ok().and_then(|code| code.parse().ok());
    named.or_else(set).unwrap_or_else(of_system)
}

/// The value of the option.
fn named(arguments: &[OsString]) -> Option<&str> {
    let options = arguments.iter().take_while(|argument| *argument != "--");
    let texts: Vec<&str> = options.map(|argument| argument.to_str().unwrap_or_default()).collect();
    texts.iter().enumerate().find_map(|(index, text)| match text.strip_prefix(OPTION)? {
        "" => texts.get(index + 1).copied(),
        rest => rest.strip_prefix('='),
    })
}

/// How many of the first arguments are the option and its value.
pub fn leading(arguments: &[OsString]) -> usize {
    match arguments.first().and_then(|first| first.to_str()?.strip_prefix(OPTION)) {
        Some("") => arguments.len().min(2),
        Some(rest) if rest.starts_with('=') => 1,
        _ => 0,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_found_before_it_is_parsed() {
        for (arguments, expected, first) in [
            (&["--lang", "ja", "serve"][..], Some("ja"), 2),
            (&["--lang=en"], Some("en"), 1),
            (&["--lang"], None, 1),
            (&["serve", "--lang", "ja"], Some("ja"), 0),
            (&["serve", "--language", "ja"], None, 0),
            (&["search", "--", "--lang", "ja"], None, 0),
            (&[], None, 0),
        ] {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            assert_eq!(named(&arguments), expected, "{arguments:?}");
            assert_eq!(leading(&arguments), first, "{arguments:?}");
        }
    }
}
