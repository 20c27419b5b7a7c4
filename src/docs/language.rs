//! The languages of the documentation.

use crate::api::words::Words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    Japanese,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Japanese];

    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Japanese => "ja",
        }
    }

    pub fn text(self, words: Words) -> &'static str {
        match self {
            Language::English => words.en,
            Language::Japanese => words.ja,
        }
    }
}
