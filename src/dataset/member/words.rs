//! A text in the languages of the documentation.

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
