//! Makes a text from outside printable: a name in an object store, the title of a page, a file name, the error of
//! another server.
//!
//! A terminal obeys escape sequences, and characters that turn the direction of writing show a text as it is not. Both
//! are written as escapes, such as `\u{1b}`, so that a reader sees that they are there. Applying a function twice
//! changes nothing more.

use std::borrow::Cow;

/// Whether a terminal or a reader is misled by this character: controls (C0, DEL, C1), line and paragraph separators,
/// and those that turn the direction of writing.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{206f}'
        )
}

/// The text on one line.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// The text on its lines: line feeds and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| is_hidden(character) && !matches!(character, '\n' | '\t'))
}

/// The beginning of the text on one line, of at most this many characters; `…` shows that there was more.
pub fn printable_start(text: &str, chars_max: usize) -> String {
    let mut characters = text.char_indices();
    match characters.nth(chars_max) {
        Some((end, _)) => format!("{}…", printable(&text[..end])),
        None => printable(text).into_owned(),
    }
}

/// A JSON text in which the strings have their hidden characters as escapes of JSON. Outside strings JSON has only line
/// feeds and tabs, which stay.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let is_escaped = |character| is_hidden(character) && !matches!(character, '\n' | '\t' | '\r');
    if !json.contains(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        match is_escaped(character) {
            // None of them is beyond the first plane of Unicode.
            true => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_escaped(character) {
            true => out.extend(character.escape_unicode()),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hidden_characters_are_shown_as_escapes() {
        for (text, line, lines) in [
            ("", "", ""),
            ("web-1 株式会社 é \\u{1b}", "web-1 株式会社 é \\u{1b}", "web-1 株式会社 é \\u{1b}"),
            ("\u{1b}[31mred", "\\u{1b}[31mred", "\\u{1b}[31mred"),
            ("\u{9b}31m\u{7f}\u{0}", "\\u{9b}31m\\u{7f}\\u{0}", "\\u{9b}31m\\u{7f}\\u{0}"),
            ("a\tb\r\nc", "a\\u{9}b\\u{d}\\u{a}c", "a\tb\\u{d}\nc"),
            ("cod\u{202e}.txt", "cod\\u{202e}.txt", "cod\\u{202e}.txt"),
            (
                "\u{2066}x\u{2069}\u{200f}\u{61c}",
                "\\u{2066}x\\u{2069}\\u{200f}\\u{61c}",
                "\\u{2066}x\\u{2069}\\u{200f}\\u{61c}",
            ),
            ("one\u{2028}two", "one\\u{2028}two", "one\\u{2028}two"),
        ] {
            assert_eq!(printable(text), line, "{text:?}");
            assert_eq!(printable_lines(text), lines, "{text:?}");
        }
    }

    #[test]
    fn a_beginning_is_bounded() {
        for (text, expected) in
            [("", ""), ("東京都", "東京都"), ("東京都庁", "東京都…"), ("\u{1b}[J", "\\u{1b}[J")]
        {
            assert_eq!(printable_start(text, 3), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_and_a_second_time_changes_nothing(text in any::<String>()) {
            let line = printable(&text).into_owned();
            prop_assert!(!line.contains(is_hidden));
            prop_assert_eq!(printable(&line), line.as_str());
            let lines = printable_lines(&text).into_owned();
            prop_assert!(!lines.contains(|it| is_hidden(it) && it != '\n' && it != '\t'));
            prop_assert_eq!(printable_lines(&lines), lines.as_str());
        }
    }
}
