//! The template of a file of corrections, which `daicho corrections template` prints. It is a file and no message, so it is
//! the same in every language.

use std::fmt::Write as _;

use crate::dataset::correction::CorrectedFile;
use crate::dataset::correction::declared::{ACTION, AUTHOR, REASON, VALID_FROM, VALID_TO, columns};

/// The header of a file, with what each column means in lines that the reader skips, and an example.
pub fn template(file: &CorrectedFile) -> String {
    let actions: Vec<&str> = file.actions.iter().map(|action| action.name()).collect();
    let mut out = format!("# {}\n", file.file_name());
    let _ = writeln!(out, "# {ACTION}: {}", actions.join(", "));
    for field in file.fields() {
        let _ = writeln!(out, "# {}: {}", field.name, field.meaning.en);
    }
    for (name, meaning) in [
        (VALID_FROM, "the first day on which the row applies, YYYY-MM-DD; empty for always"),
        (VALID_TO, "the last day; empty for as long as the row is here"),
        (REASON, "why"),
        (AUTHOR, "who wrote the row"),
    ] {
        let _ = writeln!(out, "# {name}: {meaning}");
    }
    let _ = writeln!(out, "{}", columns(file).join(","));
    let own = file.fields().map(|field| field.example);
    let example = [actions[actions.len().min(2) - 1]].into_iter().chain(own);
    let example = example.chain(["2026-12-01", "", "press release of 2026-10-01", "ops"]);
    let _ = writeln!(out, "# {}", example.collect::<Vec<_>>().join(","));
    out
}
