//! The two languages of the program, and the Japanese of its texts.
//!
//! Texts that stand in one place are [`Words`] there: English and Japanese side by side. What is made of an error (a
//! message of the command line, the `detail` of the API), what a command prints, and what is read from comments (the
//! help) is written in English where it arises, and translated at the edge, by the table of `table`. So an error needs
//! no language, and logs and machine-readable output stay as they are.
//!
//! Knows neither the command line nor HTTP.

mod own;
mod table;
mod template;

use crate::text::named_enum::named_enum;
pub use own::{own, without_marks};
pub use table::{japanese, japanese_lines, japanese_phrase, load};

named_enum! {
    fn code;
    pub enum Language {
        English = "en",
        Japanese = "ja",
    }
}

/// One text in English and in Japanese.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    pub en: &'static str,
    pub ja: &'static str,
}

pub const fn words(en: &'static str, ja: &'static str) -> Words {
    Words { en, ja }
}

impl Words {
    pub const NONE: Words = words("", "");
}

impl Language {
    pub const fn text(self, words: Words) -> &'static str {
        match self {
            Language::English => words.en,
            Language::Japanese => words.ja,
        }
    }

    /// The language of a system by the rules of POSIX: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set and
    /// not empty. `variable` reads one.
    pub fn of_locale(variable: impl Fn(&str) -> Option<String>) -> Language {
        let set = |name: &&str| variable(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(set).unwrap_or_default();
        match locale.split(['_', '.', '@']).next() {
            Some(language) if language.eq_ignore_ascii_case("ja") => Language::Japanese,
            _ => Language::English,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_is_the_first_variable_that_is_set() {
        for (all, messages, lang, expected) in [
            ("", "", "ja_JP.UTF-8", Language::Japanese),
            ("", "", "ja", Language::Japanese),
            ("", "", "ja.UTF-8", Language::Japanese),
            ("", "", "ja_JP@x", Language::Japanese),
            ("", "", "C.UTF-8", Language::English),
            ("", "", "POSIX", Language::English),
            ("", "", "en_US.UTF-8", Language::English),
            ("", "", "jam", Language::English),
            ("", "", "", Language::English),
            ("C", "", "ja_JP.UTF-8", Language::English),
            ("", "en_US.UTF-8", "ja_JP.UTF-8", Language::English),
            ("", "ja_JP.UTF-8", "C", Language::Japanese),
            ("ja_JP.UTF-8", "C", "C", Language::Japanese),
        ] {
            let values = [("LC_ALL", all), ("LC_MESSAGES", messages), ("LANG", lang)];
            let variable = |name: &str| {
                let value = values.iter().find(|(known, _)| *known == name);
                value.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Language::of_locale(variable), expected, "{values:?}");
        }
    }

    #[test]
    fn a_language_is_named_by_its_code() {
        assert_eq!(Language::parse("ja"), Some(Language::Japanese));
        assert_eq!(Language::parse("en"), Some(Language::English));
        for wrong in ["", "JA", "fr", "ja_JP"] {
            assert_eq!(Language::parse(wrong), None, "{wrong}");
        }
    }
}
