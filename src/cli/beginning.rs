//! What the arguments of a process say before they are parsed: the options that every command has, and the verb.
//!
//! The settings file gives options their defaults, errors of the parser have a language, and a code in the place of a
//! verb stands for one. So these are looked for in the arguments as they are; the parser reads them again.

use std::ffi::OsString;

const CONFIG: &str = "--config";
const LANGUAGE: &str = "--lang";

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// The settings file.
    pub config: Option<OsString>,
    language: Option<OsString>,
    pub verb: Option<String>,
    /// How many of the first arguments are these options and their values.
    pub leading: usize,
}

impl Beginning {
    /// `arguments` begin with the name of the program.
    pub fn of(arguments: &[OsString]) -> Beginning {
        let mut found = Beginning::default();
        let mut rest = arguments.get(1..).unwrap_or_default();
        let mut is_leading = true;
        while let [argument, after @ ..] = rest
            && argument != "--"
        {
            let text = argument.to_string_lossy();
            let (option, attached) = match text.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (&*text, None),
            };
            let slot = match option {
                CONFIG => Some(&mut found.config),
                LANGUAGE => Some(&mut found.language),
                _ => None,
            };
            rest = match (slot, attached) {
                (Some(slot), Some(value)) => {
                    *slot = Some(value.into());
                    after
                }
                (Some(slot), None) => {
                    *slot = after.first().cloned();
                    after.get(1..).unwrap_or_default()
                }
                (None, _) => {
                    is_leading = false;
                    if !text.starts_with('-') && found.verb.is_none() {
                        found.verb = Some(text.into_owned());
                    }
                    after
                }
            };
            if is_leading {
                found.leading = arguments.len() - 1 - rest.len();
            }
        }
        found
    }

    /// The language of the command line, as it was written.
    pub fn language(&self) -> Option<&str> {
        self.language.as_ref()?.to_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning(words: &[&str]) -> Beginning {
        let arguments: Vec<OsString> =
            ["daicho"].iter().chain(words).copied().map(OsString::from).collect();
        Beginning::of(&arguments)
    }

    #[test]
    fn the_file_and_the_verb_are_found_before_the_arguments_are_parsed() {
        for (words, file, verb) in [
            ("serve --config a.toml", Some("a.toml"), Some("serve")),
            ("--config a.toml serve --listen x", Some("a.toml"), Some("serve")),
            ("--config=a.toml config show", Some("a.toml"), Some("config")),
            ("--lang ja --config a.toml config show", Some("a.toml"), Some("config")),
            ("get -- --config a.toml", None, Some("get")),
            ("serve --config", None, Some("serve")),
            ("", None, None),
        ] {
            let found = beginning(&words.split_whitespace().collect::<Vec<_>>());
            assert_eq!(found.config, file.map(OsString::from), "{words}");
            assert_eq!(found.verb.as_deref(), verb, "{words}");
        }
    }

    #[test]
    fn the_language_is_found_before_it_is_parsed() {
        for (arguments, expected, first) in [
            (&["--lang", "ja", "serve"][..], Some("ja"), 2),
            (&["--lang=en"], Some("en"), 1),
            (&["--lang"], None, 1),
            (&["serve", "--lang", "ja"], Some("ja"), 0),
            (&["serve", "--language", "ja"], None, 0),
            (&["search", "--", "--lang", "ja"], None, 0),
            (&["--config", "a.toml", "--lang=ja", "serve"], Some("ja"), 3),
            (&[], None, 0),
        ] {
            let found = beginning(arguments);
            assert_eq!(found.language(), expected, "{arguments:?}");
            assert_eq!(found.leading, first, "{arguments:?}");
        }
    }
}
