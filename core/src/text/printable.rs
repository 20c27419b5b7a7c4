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
    escaped(text, is_hidden, escape)
}

/// The text on its lines: line feeds and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let is_escaped = |character| is_hidden(character) && !matches!(character, '\n' | '\t');
    escaped(text, is_escaped, escape)
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
    escaped(json, is_escaped, escape_in_json)
}

/// A line of a log, in JSON or not, as a library has formatted it: the library has escaped the controls of ASCII that
/// come from outside, and those that are left colour the line.
pub fn printable_event(line: &str) -> Cow<'_, str> {
    let is_escaped = |character: char| is_hidden(character) && !character.is_ascii();
    escaped(line, is_escaped, escape_in_json)
}

/// As `\u202e`. No hidden character is beyond the first plane of Unicode.
fn escape_in_json(out: &mut String, character: char) {
    out.push_str(&format!("\\u{:04x}", u32::from(character)));
}

/// As `\u{202e}`.
fn escape(out: &mut String, character: char) {
    out.extend(character.escape_unicode());
}

fn escaped(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: fn(&mut String, char),
) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_escaped(character) {
            true => escape(&mut out, character),
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
    fn json_and_lines_of_a_log_keep_their_form() {
        for (text, json, event) in [
            ("{\n\t\"a\": \"京\"}\n", "{\n\t\"a\": \"京\"}\n", "{\n\t\"a\": \"京\"}\n"),
            ("\"\u{9b}\u{202e}\"", "\"\\u009b\\u202e\"", "\"\\u009b\\u202e\""),
            ("\u{1b}[2m\u{7f}", "\\u001b[2m\\u007f", "\u{1b}[2m\u{7f}"),
        ] {
            assert_eq!(printable_json(text), json, "{text:?}");
            assert_eq!(printable_event(text), event, "{text:?}");
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
