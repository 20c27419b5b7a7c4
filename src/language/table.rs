//! The table of texts: each in English, as the program writes it, and in Japanese.
//!
//! A row is two lines, English and Japanese, between empty lines; `#` begins a comment. A hole has the
//! name that it has in the source, so a row may order holes as its language does; `{}` in the source is the hole of that
//! number. A message of several lines has a row for each.
//! What stands in a hole is translated in turn, unless it is in quotes or has no row. A user's own text is marked as such
//! in a result of the command line (`own.rs`); elsewhere it may stand in any hole.
//!
//! `tests/architecture` checks that every text of the help, of an error and of a result has a row, and that no row is
//! unused.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::own::translated_around;
use super::template::{Holes, Template};

/// The files of the table, each with a subject.
const FILES: &[(&str, &str)] = &[
    ("help", include_str!("texts/help.txt")),
    ("api", include_str!("texts/api.txt")),
    ("commands", include_str!("texts/commands.txt")),
    ("files", include_str!("texts/files.txt")),
    ("state", include_str!("texts/state.txt")),
    ("release", include_str!("texts/release.txt")),
    ("results", include_str!("texts/results.txt")),
    ("phrases", include_str!("texts/phrases.txt")),
    ("outside", include_str!("texts/outside.txt")),
];

/// How often a text may be in a hole of a text. No message of the program is deeper.
const DEPTH_MAX: u32 = 8;

/// A longer text is not looked for in the table: no message is that long.
const TEXT_BYTES_MAX: usize = 8 * 1024;

#[derive(Debug)]
struct Table {
    /// Rows without holes.
    plain: HashMap<&'static str, &'static str>,
    /// Rows that begin with a text, so that they fit only a message that begins with it.
    beginning: Vec<Row>,
    /// Rows that begin with a hole.
    open: Vec<Row>,
    /// Rows that say nothing but that something was expected and found, which many messages do.
    general: Vec<Row>,
}

/// A row with holes.
#[derive(Debug)]
struct Row {
    en: Template,
    ja: Template,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::read);

/// The Japanese of a text of the program; `None` for another text.
pub fn japanese(text: &str) -> Option<String> {
    TABLE.translate(text, DEPTH_MAX)
}

/// The Japanese of a text without holes.
pub fn japanese_phrase(text: &str) -> Option<&'static str> {
    TABLE.plain.get(text).copied()
}

/// Reads the table, which the first translation does otherwise.
pub fn load() {
    LazyLock::force(&TABLE);
}

/// The lines of a message in Japanese. A line without a row stays as it is, and so do its indentation and what is marked
/// as somebody's own text.
pub fn japanese_lines(text: &str) -> String {
    let line = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        let (space, content) = line.split_at(indent);
        format!("{space}{}", japanese(content).unwrap_or_else(|| content.to_owned()))
    };
    let lines = |text: &str| text.split('\n').map(line).collect::<Vec<_>>().join("\n");
    translated_around(text, lines)
}

/// The rows of a file of the table: English and Japanese.
fn rows(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    std::iter::from_fn(move || Some((lines.next()?, lines.next()?)))
}

impl Table {
    fn read() -> Table {
        let mut table = Table {
            plain: HashMap::new(),
            beginning: Vec::new(),
            open: Vec::new(),
            general: Vec::new(),
        };
        for (en, ja) in FILES.iter().flat_map(|(_, file)| rows(file)) {
            table.add(en, ja);
        }
        // Of two rows that fit, the one that says more is meant; of two that say as much, the first.
        for rows in [&mut table.beginning, &mut table.open, &mut table.general] {
            rows.sort_by_key(|row| Reverse(row.en.literal_length()));
        }
        table
    }

    /// A row that is no template is left out; a test finds it.
    fn add(&mut self, en: &'static str, ja: &'static str) {
        if !en.contains(['{', '}']) {
            self.plain.insert(en, ja);
        } else if let (Some(en), Some(ja)) = (Template::parse(en), Template::parse(ja)) {
            let rows = match (is_general(&en), en.begins_with_text()) {
                (true, _) => &mut self.general,
                (false, true) => &mut self.beginning,
                (false, false) => &mut self.open,
            };
            rows.push(Row { en, ja });
        }
    }

    fn translate(&self, text: &str, depth: u32) -> Option<String> {
        if depth == 0 || text.is_empty() || text.len() > TEXT_BYTES_MAX {
            return None;
        }
        if let Some(ja) = self.plain.get(text) {
            return Some((*ja).to_owned());
        }
        let fitting = |rows: &[Row]| {
            let (holes, ja) = find(rows, text)?;
            Some(ja.fill(|name| self.content(&holes, name, text, depth)))
        };
        fitting(&self.beginning)
            .or_else(|| self.after_subject(text, depth))
            .or_else(|| self.joined(text, depth, |message, _| self.plain.contains_key(message)))
            .or_else(|| fitting(&self.open))
            .or_else(|| self.joined(text, depth, |_, remedy| self.plain.contains_key(remedy)))
            .or_else(|| fitting(&self.general))
    }

    /// A message behind a colon, as behind the name of a file or an option.
    fn after_subject(&self, text: &str, depth: u32) -> Option<String> {
        let mut marks = text.match_indices(": ");
        marks.find_map(|(at, mark)| {
            let (subject, message) = (&text[..at], &text[at + mark.len()..]);
            let is_row =
                self.plain.contains_key(message) || find(&self.beginning, message).is_some();
            let message = is_row.then(|| self.translate(message, depth - 1))??;
            Some(format!("{}: {message}", self.or_same(subject, depth)))
        })
    }

    /// A message and a remedy with a semicolon between them, if one of them `is_known` as a row without holes.
    fn joined(
        &self,
        text: &str,
        depth: u32,
        is_known: impl Fn(&str, &str) -> bool,
    ) -> Option<String> {
        let mut marks = text.rmatch_indices("; ");
        marks.find_map(|(at, mark)| {
            let (message, remedy) = (&text[..at], &text[at + mark.len()..]);
            let both = || [message, remedy].map(|part| self.or_same(part, depth)).join("。");
            is_known(message, remedy).then(both)
        })
    }

    /// What stands in a hole, in Japanese if it is a text of the program.
    fn content(&self, holes: &Holes<'_>, name: &str, text: &str, depth: u32) -> String {
        match holes.iter().find(|(known, _)| *known == name) {
            Some((_, content)) if is_quoted(text, content) => (*content).to_owned(),
            Some((_, content)) => self.or_same(content, depth),
            None => String::new(),
        }
    }

    fn or_same(&self, part: &str, depth: u32) -> String {
        self.translate(part, depth - 1).unwrap_or_else(|| part.to_owned())
    }
}

/// The first row that made the text, with its holes.
fn find<'t>(rows: &'t [Row], text: &'t str) -> Option<(Holes<'t>, &'t Template)> {
    rows.iter().find_map(|row| Some((row.en.find(text)?, &row.ja)))
}

/// Whether a template has no other words than `expected` and `found`.
fn is_general(template: &Template) -> bool {
    let is_mark = |letter: char| !letter.is_alphanumeric();
    let mut words = template.literals().flat_map(|literal| literal.split(is_mark));
    words.all(|word| ["", "expected", "found"].contains(&word))
}

/// Whether the part of a text is in quotes, inside or around it: it is somebody else's text.
fn is_quoted(text: &str, part: &str) -> bool {
    let begin = part.as_ptr() as usize - text.as_ptr() as usize;
    let around = (text[..begin].chars().next_back(), text[begin + part.len()..].chars().next());
    let is_inside = part.len() > 1 && part.starts_with('"') && part.ends_with('"');
    is_inside || matches!(around, (Some('\''), Some('\'')) | (Some('"'), Some('"')))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_is_a_pair_of_templates_with_holes_of_the_same_names() {
        let mut seen = HashMap::new();
        for (name, file) in FILES {
            let lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            assert!(lines.count().is_multiple_of(2), "{name}: a row lacks a language");
            for (en, ja) in rows(file) {
                let template =
                    |text: &str| Template::parse(text).unwrap_or_else(|| panic!("{name}: {text}"));
                let (english, japanese) = (template(en), template(ja));
                let holes = |template: &Template| {
                    template.holes().map(str::to_owned).collect::<BTreeSet<_>>()
                };
                // Japanese has no singular and plural, whose words some holes are.
                assert!(holes(&japanese).is_subset(&holes(&english)), "{name}: {en}");
                let has_words = english.literal_length() > "{}: ".len();
                assert!(en != ja || !has_words, "{name}: {en} is not translated");
                assert_eq!(seen.insert(en, name), None, "{name}: {en} is there twice");
            }
        }
        assert!(seen.len() > 500, "too few rows: {}", seen.len());
    }

    #[test]
    fn a_message_is_translated_with_what_stands_in_its_holes() {
        for (text, expected) in [
            ("no endpoint has this path", "このパスのエンドポイントはありません"),
            (
                "expected one of GET, HEAD; found POST",
                "GET, HEADのいずれかが必要ですが、POSTでした",
            ),
            (
                "a postal code has 7 digits; found 3 characters",
                "郵便番号は7桁の数字です。3文字でした",
            ),
            (
                "a postal code has 7 digits; found 'a' at character 3",
                "郵便番号は7桁の数字です。3文字目の'a'でした",
            ),
            (
                "--where: at character 6 of the query: expected a closing parenthesis, found the end of the query; close the group",
                "--where: 検索式の6文字目: 閉じ括弧が必要ですが、検索式が終わりました。括弧を閉じてください",
            ),
            (
                "the state file /a: expected a file, found something else; name a file with --state",
                "状態ファイル/a: ファイルが必要ですが、別のものでした。--stateでファイルを指定してください",
            ),
            (
                "expected a whole number of 1 to 100; found \"none; a: b\"",
                "1から100までの整数が必要ですが、\"none; a: b\"でした",
            ),
            (
                "error: invalid value 'none' for '--a <A>'",
                "エラー: --a <A>に'none'は指定できません",
            ),
        ] {
            assert_eq!(japanese(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(japanese("東京都"), None);
        assert_eq!(japanese(""), None);
        assert_eq!(japanese(&"a; ".repeat(10_000)), None);
    }

    #[test]
    fn a_text_in_quotes_stays_as_it_is() {
        for (text, part, expected) in [
            ("found 'none'", "none", true),
            ("found \"none\"", "\"none\"", true),
            ("found none", "none", false),
            ("none", "none", false),
        ] {
            let at = text.find(part).expect("a part");
            assert_eq!(is_quoted(text, &text[at..at + part.len()]), expected, "{text}");
        }
    }
}
