//! Compares the indexes of a month with other structures over the same keys in the same run: bytes per key and
//! nanoseconds per look-up. docs/code/reasons.md describes the decisions based on it.
//!
//! The data is an official month if it is available (`../shared/data` or `DAICHO_SHARED`), else a seeded one.

mod bits;
mod codes;
mod engine;
mod grams;
mod names;
mod record;
#[path = "../support/mod.rs"]
mod support;

use daicho::dataset::postal::PostalData;
use daicho::record::postal::PostalView;
use daicho::snapshot::{Dataset, SnapshotFile};

fn main() {
    let folder = support::folder("structures");
    let (path, what) = support::month(&folder);
    let data = PostalData::from_file(SnapshotFile::open(&path).expect("built a moment ago"));
    println!("structures of a month, {} records ({what})", records(&data).count());
    codes::compare(&data);
    names::compare(&data);
    grams::compare(&data);
    engine::compare(&data);
    bits::compare();
    record::compare(&folder, &path);
    std::fs::remove_dir_all(folder).expect("the bench's own folder");
}

fn records(data: &PostalData) -> impl Iterator<Item = PostalView<'_>> {
    data.records().expect("sound")
}

/// Prints the bytes per key of the project's structure and of the fst.
fn bytes(name: &str, keys: usize, ours: usize, theirs: usize) {
    let each = |bytes: usize| bytes as f64 / keys as f64;
    println!("  {name:<44} {:>6.2} bytes a key, fst {:.2}", each(ours), each(theirs));
}
