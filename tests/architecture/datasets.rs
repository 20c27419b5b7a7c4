//! Checks that the list of datasets stands once: outside `src/dataset` no file names more than two of them. Unit tests
//! and comments do not count, nor texts that only mention a dataset.

use std::path::Path;

use super::root;
use super::shipped_code::shipped;

const DATASETS: [&str; 5] = ["postal", "bank", "corporate", "invoice", "school"];

/// Files that name more of them, and why. A dataset without an endpoint, tool or command of its own is not in them.
const ALLOWED: &[(&str, &str)] = &[
    ("account/mod.rs", "the services that plans include"),
    ("api/data.rs", "the parts of answers that handlers prepare ahead"),
    ("api/resource/mod.rs", "the modules of the resources"),
    ("api/resource/suggest.rs", "the three kinds of records that are suggested"),
    ("api/table/suggest.rs", "the three kinds of records that are suggested"),
    ("api/table/mod.rs", "the resources in the order of the documentation"),
    ("cli/build/corporate.rs", "the files of a build, which are of three datasets"),
    ("cli/build/mod.rs", "the builds, each with options of its own"),
    ("cli/examples.rs", "examples of commands"),
    ("cli/shorthand.rs", "the look-up that each form of a code stands for"),
    ("cli/lookup.rs", "the look-ups, each with arguments and a text of its own"),
    ("dashboard/pages/playground/examples.rs", "examples of requests"),
    ("mcp/tools/mod.rs", "the tools in the order in which agents see them"),
];

#[test]
fn no_file_but_the_list_names_all_datasets() {
    let src = root().join("src");
    let mut faults = Vec::new();
    for (path, code) in shipped(&src) {
        let inside = path.strip_prefix(&src).expect("below src");
        let named: Vec<&str> = DATASETS.into_iter().filter(|name| code.has_word_of(name)).collect();
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
