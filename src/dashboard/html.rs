//! HTML that is escaped by construction.
//!
//! [`html!`](super::html) takes markup as literals and everything else in parentheses: a value that
//! is no [`Html`] itself is escaped, in text and between double quotes alike. There is no way to
//! append a string as markup, so that none can be by accident.

use std::fmt::{self, Display, Write};

/// A piece of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Nothing yet.
    pub fn empty() -> Html {
        Html::default()
    }

    /// The finished text.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Appends markup: what [`html!`](super::html) makes of a literal.
    pub fn markup(&mut self, literal: &'static str) {
        self.0.push_str(literal);
    }
}

/// What can stand in a page.
pub trait Put {
    /// Appends it, escaped unless it is HTML itself.
    fn put(&self, out: &mut Html);
}

impl<T: Display + ?Sized> Put for T {
    fn put(&self, out: &mut Html) {
        // Writing to memory fails only where the value's own `Display` does; then a part is there.
        let _ = write!(Escaping(&mut out.0), "{self}");
    }
}

impl Put for Html {
    fn put(&self, out: &mut Html) {
        out.0.push_str(&self.0);
    }
}

/// Escapes what is written to it.
struct Escaping<'o>(&'o mut String);

impl Write for Escaping<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                // Not allowed in HTML in any form.
                '\0' => self.0.push('\u{fffd}'),
                other => self.0.push(other),
            }
        }
        Ok(())
    }
}

/// Appends to an [`Html`]: `html!(out, "<p>" (text) "</p>")`. Literals are markup; a value in
/// parentheses is escaped, unless it is [`Html`].
macro_rules! html {
    ($out:expr, $($part:tt)*) => {{
        let out: &mut $crate::dashboard::html::Html = $out;
        $($crate::dashboard::html::html_part!(out, $part);)*
    }};
}

/// One part of [`html!`].
macro_rules! html_part {
    ($out:expr, $markup:literal) => {
        $out.markup($markup)
    };
    ($out:expr, ($value:expr)) => {
        $crate::dashboard::html::Put::put(&$value, $out)
    };
}

pub(super) use {html, html_part};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_html_is_not() {
        let mut inner = Html::empty();
        html!(&mut inner, "<b>" ("<&>") "</b>");
        let mut page = Html::empty();
        let evil = "\"><script>alert('x')</script>\0";
        html!(&mut page, "<p title=\"" (evil) "\">" (inner) (7) (evil.to_owned()) "</p>");
        let text = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\u{fffd}";
        let expected = format!("<p title=\"{text}\"><b>&lt;&amp;&gt;</b>7{text}</p>");
        assert_eq!(page.into_string(), expected);
    }
}
