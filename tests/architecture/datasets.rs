//! Checks that the list of datasets stands once: outside `src/dataset` no file names more than two of them. Unit tests
//! and comments do not count, nor texts that only mention a dataset, nor the names of files in the folder of a `mod.rs`:
//! Rust requires that it names them.

use std::path::Path;

use super::root;
use super::shipped_code::shipped;

const DATASETS: [&str; 5] = ["postal", "bank", "corporate", "invoice", "school"];

/// Files that name more of them, and why.
const ALLOWED: &[(&str, &str)] = &[
    (
        "cli/build/corporate.rs",
        "corporations are built with the postal codes and the invoice issuers",
    ),
    ("dashboard/pages/playground/examples.rs", "searches to try, which were chosen one by one"),
];

#[test]
fn no_file_but_the_list_names_all_datasets() {
    let src = root().join("src");
    let mut faults = Vec::new();
    for (path, code) in shipped(&src) {
        let inside = path.strip_prefix(&src).expect("below src");
        let is_named = |name: &&str| code.has_word_of(name) && !code.children.contains(*name);
        let named: Vec<&str> = DATASETS.into_iter().filter(is_named).collect();
        let is_allowed = ALLOWED.iter().any(|(file, _)| Path::new(file) == inside);
        if inside.starts_with("dataset") || (named.len() > 2) == is_allowed {
            continue;
        }
        let (file, named) = (inside.display(), named.join(", "));
        faults.push(match is_allowed {
            true => format!("{file} names only {named}: take it out of ALLOWED"),
            false => format!("{file} names {named}: use the list in src/dataset/mod.rs"),
        });
    }
    for (file, _) in ALLOWED {
        if !src.join(file).is_file() {
            faults.push(format!("{file} does not exist: take it out of ALLOWED"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
