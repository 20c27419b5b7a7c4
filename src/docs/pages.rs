//! The pages of the documentation, with their titles and paths in each language.

use crate::api::words::{Words, words};

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

pub struct Page {
    pub title: Words,
    pub paths: Words,
}

pub const GUIDE: Page =
    Page { title: words("Guide", "使い方"), paths: words("/docs/", "/docs/ja/") };

pub const FORMS: Page =
    Page { title: words("Forms", "フォーム"), paths: words("/docs/forms", "/docs/ja/forms") };

pub const AGENTS: Page = Page {
    title: words("Agents", "エージェント"),
    paths: words("/docs/mcp", "/docs/ja/mcp"),
};

pub const EXPORT: Page = Page {
    title: words("Exports", "表への書き出し"),
    paths: words("/docs/export", "/docs/ja/export"),
};

pub const REFERENCE: Page = Page {
    title: words("Reference", "リファレンス"),
    paths: words("/docs/reference", "/docs/ja/reference"),
};

pub const ERRORS: Page =
    Page { title: words("Errors", "エラー"), paths: words("/docs/errors", "/docs/ja/errors") };
