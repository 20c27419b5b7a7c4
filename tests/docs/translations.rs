//! Each document for users exists in both languages, is a page, and has the same structure in both: headings, rows of tables
//! and code. So a change to one language cannot be forgotten in the other.

use std::path::Path;

use daicho::docs::pages::{page_of_file, pages};
use daicho::language::Language;

/// Not for users, or generated.
const ENGLISH_ONLY: [&str; 2] = ["docs/answers.md", "docs/fuzzing.md"];

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn every_document_for_users_is_a_page_in_both_languages() {
    let mut seen = 0;
    for folder in ["docs", "docs/operating"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in std::fs::read_dir(path).expect("a folder") {
            let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
            let file = format!("{folder}/{name}");
            if !name.ends_with(".md") || ENGLISH_ONLY.contains(&file.as_str()) {
                continue;
            }
            seen += 1;
            let (_, language) = page_of_file(&file)
                .unwrap_or_else(|| panic!("{file} is no page of src/docs/pages.rs"));
            let expected = match name.ends_with(".ja.md") {
                true => Language::Japanese,
                false => Language::English,
            };
            assert_eq!(language, expected, "{file}");
        }
    }
    assert!(seen >= 30, "too few documents: {seen}");
}

#[test]
fn both_languages_have_the_same_structure() {
    for page in pages() {
        let [Some(english), Some(japanese)] = Language::ALL.map(|language| page.file(language))
        else {
            continue;
        };
        let (first, second) = (Structure::of(&read(english)), Structure::of(&read(japanese)));
        assert_eq!(first.headings, second.headings, "{english}: levels of headings");
        assert_eq!(first.tables, second.tables, "{english}: rows of each table");
        assert_eq!(first.code, second.code, "{english}: code without comments");
    }
}

/// What a document and its translation have in common.
#[derive(Debug, Default)]
struct Structure {
    /// The level of each heading.
    headings: Vec<usize>,
    /// The rows of each table.
    tables: Vec<usize>,
    /// The lines of each block of code, after its language.
    code: Vec<Vec<String>>,
}

impl Structure {
    fn of(text: &str) -> Structure {
        let mut found = Structure::default();
        let mut block: Option<Vec<String>> = None;
        let mut was_row = false;
        for line in text.lines() {
            let fence = line.strip_prefix("```");
            match (&mut block, fence) {
                (None, Some(language)) => block = Some(vec![language.to_owned()]),
                (Some(_), Some(_)) => found.code.extend(block.take()),
                (Some(lines), None) => lines.push(without_comment(&lines[0], line)),
                (None, None) => {
                    let level = line.chars().take_while(|letter| *letter == '#').count();
                    found.headings.extend((level > 0).then_some(level));
                    let is_row = line.starts_with('|');
                    match (is_row, was_row) {
                        (true, false) => found.tables.push(1),
                        (true, true) => *found.tables.last_mut().expect("a table began") += 1,
                        _ => {}
                    }
                    was_row = is_row;
                }
            }
        }
        found
    }
}

/// A line of code as it is in both languages: comments of commands and descriptions of files are translated.
fn without_comment(language: &str, line: &str) -> String {
    let kept = match language {
        "sh" => line.split(" #").next(),
        "text" => line.split("  ").next(),
        _ => Some(line),
    };
    kept.unwrap_or_default().trim_end().to_owned()
}

#[test]
fn structures_of_different_texts_differ() {
    let structure = |text: &str| format!("{:?}", Structure::of(text));
    let text = "# A\n\n| a |\n|---|\n| b |\n\n```sh\nls  # list\n```\n";
    assert_eq!(
        structure(text),
        structure(&text.replace("# list", "# 一覧").replace("# A", "# あ"))
    );
    for (from, to) in [("# A", "## A"), ("| b |\n", ""), ("ls", "ls -l"), ("```sh", "```text")] {
        assert_ne!(structure(text), structure(&text.replace(from, to)), "{from}");
    }
}
