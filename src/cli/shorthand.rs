//! What the command line takes beyond its verbs: `daicho 1000001` and `daicho 東京都…` look up, a word that is no verb is
//! answered with the verbs, and a variable that is set to nothing counts as unset.
//!
//! Options are parsed elsewhere; this only puts the verb before a first argument that is a code or a Japanese text.

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::{Command, Error};

use super::beginning::Beginning;
use crate::dataset::DATASETS;
use crate::text::codes::plain_code;

/// The command without the variables that are set to an empty text, as compose's `${X:-}` sets them.
pub fn without_empty_variables(command: Command) -> Command {
    without_variables(command, &|name| std::env::var_os(name).is_some_and(|value| value.is_empty()))
}

/// The command without the variables whose names fit.
pub fn without_variables(command: Command, fits: &dyn Fn(&OsStr) -> bool) -> Command {
    let command = command.mut_args(|argument| match argument.get_env().is_some_and(fits) {
        true => argument.env(None::<&'static str>),
        false => argument,
    });
    command.mut_subcommands(|inner| without_variables(inner, fits))
}

/// The arguments of the process, with the verb that a code or a Japanese text stands for; an error that lists the verbs
/// for another word that is none.
pub fn with_verb(command: &Command, arguments: Vec<OsString>) -> Result<Vec<OsString>, Error> {
    let options = Beginning::of(&arguments).leading;
    let Some(first) = arguments.get(1 + options).and_then(|argument| argument.to_str()) else {
        return Ok(arguments);
    };
    if first.starts_with('-') || first == "help" || command.find_subcommand(first).is_some() {
        return Ok(arguments);
    }
    let Some(verb) = verb_of(first) else { return Err(unknown_verb(command, first)) };
    let (before, rest) = arguments.split_at(1 + options);
    let verb = verb.into_iter().map(OsString::from);
    Ok(before.iter().cloned().chain(verb).chain(rest.iter().cloned()).collect())
}

/// The verb and the kind of a look-up for this text; `None` for one that is neither a code nor Japanese.
fn verb_of(text: &str) -> Option<[&'static str; 2]> {
    let plain = plain_code(text);
    match DATASETS.iter().find(|dataset| (dataset.is_code)(&plain)) {
        Some(dataset) => Some(["lookup", dataset.kind.name()]),
        None => (!text.is_ascii()).then_some(["search", "address"]),
    }
}

fn unknown_verb(command: &Command, found: &str) -> Error {
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let verbs: Vec<&str> = verbs.map(Command::get_name).collect();
    let message = format!(
        "expected one of the verbs {}, a code such as 1000001, or an address in Japanese; found '{found}'; \
         'daicho help' says what each verb does",
        verbs.join(", ")
    );
    command.clone().error(ErrorKind::InvalidSubcommand, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<String, String> {
        let arguments = ["daicho"].iter().chain(arguments).map(OsString::from).collect();
        let command = super::super::command();
        let found = with_verb(&command, arguments).map_err(|error| error.to_string())?;
        let words: Vec<_> = found.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Ok(words[1..].join(" "))
    }

    #[test]
    fn a_code_or_a_japanese_text_stands_for_its_look_up() {
        for (arguments, expected) in [
            (&["1000001"][..], "lookup postal 1000001"),
            (&["〒100-0001", "--json"], "lookup postal 〒100-0001 --json"),
            (&["１０００００１"], "lookup postal １０００００１"),
            (&["2270001000870"], "lookup corporate 2270001000870"),
            (&["T2270001000870"], "lookup invoice T2270001000870"),
            (&["0001", "010"], "lookup bank 0001 010"),
            (&["F108110009907"], "lookup school F108110009907"),
            (&["東京都千代田区千代田1-1"], "search address 東京都千代田区千代田1-1"),
            (&["lookup", "postal", "1000001"], "lookup postal 1000001"),
            (&["--version"], "--version"),
            (&["--lang", "ja", "1000001"], "--lang ja lookup postal 1000001"),
            (&["--config", "a.toml", "1000001"], "--config a.toml lookup postal 1000001"),
            (&["help"], "help"),
            (&[], ""),
        ] {
            assert_eq!(parsed(arguments).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn an_unknown_verb_is_answered_with_the_verbs() {
        for wrong in ["start", "100000", "serv", ""] {
            let error = parsed(&[wrong]).expect_err(wrong);
            for verb in ["serve", "build", "lookup", "health"] {
                assert!(error.contains(verb), "{error}");
            }
            assert!(error.contains(&format!("found '{wrong}'")), "{error}");
        }
    }
}
