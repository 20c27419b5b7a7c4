//! The pages of the documentation: their titles and paths.

use crate::api::words::{Words, words};

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
