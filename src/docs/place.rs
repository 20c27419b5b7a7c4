//! The pages of the documentation: their titles and paths.

use crate::api::words::{Words, words};

/// A page with its path in each language.
pub struct Place {
    pub title: Words,
    pub paths: Words,
}

pub const GUIDE: Place =
    Place { title: words("Guide", "使い方"), paths: words("/docs/", "/docs/ja/") };

pub const FORMS: Place =
    Place { title: words("Forms", "フォーム"), paths: words("/docs/forms", "/docs/ja/forms") };

pub const AGENTS: Place = Place {
    title: words("Agents", "エージェント"),
    paths: words("/docs/mcp", "/docs/ja/mcp"),
};

pub const EXPORT: Place = Place {
    title: words("Exports", "表への書き出し"),
    paths: words("/docs/export", "/docs/ja/export"),
};

pub const REFERENCE: Place = Place {
    title: words("Reference", "リファレンス"),
    paths: words("/docs/reference", "/docs/ja/reference"),
};

pub const ERRORS: Place =
    Place { title: words("Errors", "エラー"), paths: words("/docs/errors", "/docs/ja/errors") };
