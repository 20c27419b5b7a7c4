//! Checks that every file and folder exists that a document names between backticks, outside blocks of code.

use std::fs;
use std::path::Path;

use super::{files, root};

/// The documents about the code, and the folders from which they name files. They may end the name of a folder with a
/// slash, and leave out the `.rs` of a module.
const OF_CODE: [&str; 6] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "benches/README.md",
    "docs/code/parts.md",
    "docs/code/reasons.md",
    "docs/code/snapshot-file.md",
];
const STARTS_OF_CODE: &[&str] = &["", "src", "core/src", "benches"];

/// The documents for users, in addition to those in `docs`. They name files from the root only, so a media type such as
/// `text/html` is not taken for a file of `src`.
const FOR_USERS: [&str; 5] =
    ["DATA-LICENCES.md", "README.ja.md", "README.md", "SECURITY.ja.md", "SECURITY.md"];
const STARTS_FOR_USERS: &[&str] = &[""];

/// Types of files that a document names only if they are in the repository.
const TYPES: [&str; 4] = ["md", "rs", "toml", "tsv"];

/// Folders into which cargo, the server and the fuzzers write.
const WRITTEN: [&str; 3] = ["fuzz/artifacts", "snapshots", "target"];

#[test]
fn files_that_documents_name_exist() {
    let below_docs = files(&root().join("docs"), "md").into_iter();
    let below_docs = below_docs.filter(|document| !document.starts_with(root().join("docs/code")));
    let for_users = FOR_USERS.map(|name| root().join(name)).into_iter().chain(below_docs);
    let for_users = for_users.map(|document| (document, STARTS_FOR_USERS));
    let of_code = OF_CODE.map(|name| (root().join(name), STARTS_OF_CODE));
    let mut seen = 0;
    for (document, starts) in of_code.into_iter().chain(for_users) {
        let text = fs::read_to_string(&document).expect("a document");
        for name in outside_blocks(&text).split('`').skip(1).step_by(2) {
            if is_file_name(name, starts) {
                seen += 1;
                let document = document.display();
                assert!(exists(name, starts), "{document} names {name}, which does not exist");
            }
        }
    }
    assert!(seen > 200, "too few file names found in the documents: {seen}");
}

fn exists(name: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| {
        let folder = root().join(start);
        folder.join(name).exists() || folder.join(format!("{name}.rs")).exists()
    })
}

/// The lines outside blocks of code.
fn outside_blocks(text: &str) -> String {
    let mut is_outside = true;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_outside = !is_outside;
        } else if is_outside {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Whether a text is the name of a file or folder: a path without spaces and placeholders whose first part is a folder,
/// or which has one of [`TYPES`]. In a document about the code a path that ends with a slash is one, too.
fn is_file_name(text: &str, starts: &[&str]) -> bool {
    let Some((first, _)) = text.split_once('/') else { return false };
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    let path = Path::new(text);
    let is_written = WRITTEN.iter().any(|folder| path.starts_with(folder));
    let has_type = path.extension().is_some_and(|of| TYPES.iter().any(|known| of == *known));
    let is_folder = starts == STARTS_OF_CODE && text.ends_with('/');
    let is_in_folder = starts.iter().any(|start| root().join(start).join(first).is_dir());
    is_plain && !is_written && (has_type || is_folder || is_in_folder)
}

#[test]
fn only_files_count_as_file_names() {
    let (for_users, of_code) = (STARTS_FOR_USERS, STARTS_OF_CODE);
    for (text, starts, expected) in [
        ("core/src/snapshot/map.rs", for_users, true),
        ("docs/missing", for_users, true),
        ("missing/file.rs", for_users, true),
        ("snapshot/map.rs", of_code, true),
        ("query/syntax", of_code, true),
        ("missing/", of_code, true),
        ("engines/", of_code, true),
        ("map.rs", for_users, false),
        ("/v1/postalcode", for_users, false),
        ("/docs/errors", for_users, false),
        ("application/json", of_code, false),
        ("text/html", for_users, false),
        ("../shared/data", of_code, false),
        ("snapshots/corporate", for_users, false),
        ("target/soak", of_code, false),
        ("cargo fuzz run fuzz/seeds", for_users, false),
        ("radar/{date}", of_code, false),
        ("@ken-all/kenall", for_users, false),
        ("nodes/", for_users, false),
    ] {
        assert_eq!(is_file_name(text, starts), expected, "{text}");
    }
}
