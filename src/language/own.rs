//! Somebody's own text in a line for people, such as the name of an account or a file: it is the same in every language.
//!
//! It stands between two marks until the line is printed. So it is neither translated where the table has a row that
//! says the same, nor taken for a part of the sentence around it. Every text with marks must be printed through the
//! functions of `cli/language.rs`, which take the marks away in both languages.

use std::borrow::Cow;
use std::fmt::Display;

/// The marks. Unicode reserves these code points for use inside a program, so that no text has them.
const BEGIN: char = '\u{fdd0}';
const END: char = '\u{fdd1}';

/// The text as somebody's own.
pub fn own(text: impl Display) -> String {
    format!("{BEGIN}{}{END}", text.to_string().replace([BEGIN, END], ""))
}

/// The text without the marks.
pub fn without_marks(text: &str) -> Cow<'_, str> {
    match text.contains(BEGIN) {
        true => Cow::Owned(text.replace([BEGIN, END], "")),
        false => Cow::Borrowed(text),
    }
}

/// The text as `translate` makes it, which gets a number between the marks in place of each own text.
pub fn translated_around(text: &str, translate: impl FnOnce(&str) -> String) -> String {
    let mut owned = Vec::new();
    let numbered = with_marked(text, |own| {
        owned.push(own.to_owned());
        format!("{BEGIN}{}{END}", owned.len() - 1)
    });
    with_marked(&translate(&numbered), |number| {
        let number: Option<usize> = number.parse().ok();
        number.and_then(|number| owned.get(number)).cloned().unwrap_or_default()
    })
}

/// The text with what is between marks, and the marks, replaced.
fn with_marked(text: &str, mut replace: impl FnMut(&str) -> String) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, marked)) = rest.split_once(BEGIN) {
        let (own, after) = marked.split_once(END).unwrap_or((marked, ""));
        out.push_str(before);
        out.push_str(&replace(own));
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_text_is_kept_from_the_translation() {
        let shout = |text: &str| text.to_uppercase();
        for (text, expected) in [
            ("no name".to_owned(), "NO NAME"),
            (format!("the account {} is new", own("shop")), "THE ACCOUNT shop IS NEW"),
            (format!("{}{} twice", own("a"), own("b")), "ab TWICE"),
            (format!("{}: {}", own("none"), own("two\nlines")), "none: two\nlines"),
            (format!("{} marked", own("\u{fdd0}x\u{fdd1}")), "x MARKED"),
            (own(""), ""),
        ] {
            assert_eq!(translated_around(&text, shout), expected, "{text:?}");
        }
    }

    #[test]
    fn an_own_text_may_move_or_disappear() {
        let text = format!("{} of {}", own(1), own("two"));
        let turned = |text: &str| {
            let (first, second) = text.split_once(" of ").expect("both");
            format!("{second}の{first}")
        };
        assert_eq!(translated_around(&text, turned), "twoの1");
        assert_eq!(translated_around(&text, |_| "none".to_owned()), "none");
    }

    #[test]
    fn english_has_no_marks() {
        assert_eq!(without_marks(&format!("the account {}", own("shop"))), "the account shop");
        assert_eq!(without_marks("no name"), "no name");
    }
}
