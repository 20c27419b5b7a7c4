//! Updates of invoice issuers from the replica: all parts of the register once, then differences only; faults of the
//! site keep the installed version. The data is the sample's.

use std::fs;
use std::sync::{Arc, Mutex, MutexGuard};

use build_tools::stream::Input;
use daicho::compile::Target;
use daicho::compile::open_verified;
use daicho::dataset::invoice::InvoiceData;
use daicho::dataset::invoice::compile::{self as compiled, InvoiceSources};
use daicho::snapshot::Dataset;
use daicho::text::codes::DataVersion;
use daicho::update::Options;

use crate::files::sample_text;
use crate::replica::{Answer, Replica, invoice};
use crate::{INVOICE, fails, nothing_new, options, published, updated};

fn difference(date: u32) -> String {
    let day = DataVersion::from_number(date).expect("a date").to_string();
    sample_text("2026-08-04/diff_20260804.csv").replace("2026-08-04", &day)
}

/// The sample's register, its corporations split into so many parts.
fn register(parts: usize) -> Vec<(char, u32, String)> {
    let corporations = sample_text("2026-07-31/h_all_20260731_001.csv");
    let lines: Vec<&str> = corporations.split_inclusive('\n').collect();
    let share = lines.len().div_ceil(parts);
    let mut files: Vec<(char, u32, String)> =
        (1..).zip(lines.chunks(share)).map(|(part, lines)| ('h', part, lines.concat())).collect();
    files.push(('j', 0, sample_text("2026-07-31/j_all_20260731.csv")));
    files.push(('k', 1, sample_text("2026-07-31/k_all_20260731_001.csv")));
    files
}

struct World {
    replica: Replica,
    site: Arc<Mutex<invoice::Site>>,
    folder: tempfile::TempDir,
}

impl World {
    fn with(parts: usize, dates: &[u32]) -> World {
        let replica = Replica::start();
        let site = Arc::new(Mutex::new(invoice::Site {
            date: 20_260_731,
            full: register(parts),
            differences: dates.iter().map(|date| (*date, difference(*date))).collect(),
            mixes_numbers: false,
        }));
        invoice::install(&replica, &site);
        World { replica, site, folder: tempfile::tempdir().expect("a folder") }
    }

    fn site(&self) -> MutexGuard<'_, invoice::Site> {
        self.site.lock().expect("not poisoned")
    }

    #[track_caller]
    fn published(&self) -> String {
        published(&updated(self.folder.path(), &self.replica, INVOICE))
    }

    /// The names of the snapshots.
    fn snapshots(&self) -> Vec<String> {
        let entries =
            fs::read_dir(self.folder.path().join("invoice")).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".daicho")).collect()
    }

    /// The error of an update that must fail and keep the installed version.
    #[track_caller]
    fn refused(&self) -> String {
        let before = self.snapshots();
        let error = fails(self.folder.path(), &self.replica, INVOICE);
        assert_eq!(self.snapshots(), before, "the installed version is kept");
        error
    }

    fn individuals(&self, version: &str) -> usize {
        let path = self.folder.path().join(format!("invoice/{version}.daicho"));
        let data: InvoiceData = open_verified(&path).expect("a snapshot");
        data.counts().expect("sound").individuals
    }
}

#[test]
fn all_parts_are_fetched_once_and_then_differences_only() {
    let world = World::with(5, &[20_260_731, 20_260_803]);
    assert_eq!(world.published(), "2026-08-03");
    assert_eq!(
        world.replica.count("/download/zenken/dlfile"),
        6,
        "five parts, and the associations"
    );
    assert_eq!(
        world.replica.count("/download/sabun/dlfile"),
        1,
        "one is newer than the full files"
    );
    nothing_new(&updated(world.folder.path(), &world.replica, INVOICE));
    world.site().differences.insert(20_260_804, difference(20_260_804));
    assert_eq!(world.published(), "2026-08-04");
    assert_eq!(world.replica.count("/download/zenken/dlfile"), 6);
    assert_eq!(world.individuals("2026-08-04"), 0);

    let by_hand = tempfile::tempdir().expect("a folder");
    let files = register(5);
    let full = files.iter().filter(|(letter, ..)| *letter != 'k');
    let names = ["diff_20260803.csv", "diff_20260804.csv"];
    let differences = [difference(20_260_803), difference(20_260_804)];
    let sources = InvoiceSources {
        full: full
            .map(|(_, _, text)| Input::Bytes("h_all_20260731.csv", text.as_bytes()))
            .collect(),
        base: None,
        diff: names
            .iter()
            .zip(&differences)
            .map(|(name, text)| Input::Bytes(name, text.as_bytes()))
            .collect(),
        postal: None,
        individuals: false,
    };
    let version = DataVersion::from_number(20_260_804).expect("a date");
    let target = Target::new(version, by_hand.path(), version);
    let report = compiled::build(&target, sources, &()).expect("sound files");
    let bytes = fs::read(report.data.file().path()).expect("written");
    let snapshot =
        fs::read(world.folder.path().join("invoice/2026-08-04.daicho")).expect("published");
    assert!(snapshot == bytes, "same bytes as a build by hand");
}

#[test]
fn the_page_of_differences_is_read_once_for_all_of_them() {
    let world = World::with(1, &[20_260_731, 20_260_803]);
    assert_eq!(world.published(), "2026-08-03");
    world.replica.forget_requests();
    for date in [20_260_804, 20_260_805, 20_260_806] {
        world.site().differences.insert(date, difference(date));
    }
    assert_eq!(world.published(), "2026-08-06");
    assert_eq!(world.replica.count("/download/sabun/dlfile"), 3);
    assert_eq!(
        world.replica.count("/download/sabun"),
        2,
        "once for the new dates, once for their numbers"
    );
}

#[test]
fn individuals_are_loaded_if_requested_or_already_installed() {
    let world = World::with(1, &[20_260_803]);
    assert_eq!(world.published(), "2026-08-03");
    assert_eq!(world.individuals("2026-08-03"), 0);
    let options = options(world.folder.path(), &world.replica, &[INVOICE]);
    let reports = daicho::dataset::updates::run(&Options { individuals: true, ..options }, &())
        .expect("free");
    assert_eq!(published(reports[0].result.as_ref().expect("built again")), "2026-08-03");
    assert!(world.individuals("2026-08-03") > 0);
    world.site().differences = [(20_260_825, difference(20_260_825))].into();
    world.site().date = 20_260_824;
    assert_eq!(world.published(), "2026-08-25");
    assert!(world.individuals("2026-08-25") > 0, "a new full edition keeps them");
}

#[test]
fn a_file_other_than_the_requested_one_is_refused() {
    let world = World::with(5, &[20_260_803]);
    world.site().mixes_numbers = true;
    let error = world.refused();
    assert!(error.contains("dlfile?dlFilKanriNo="), "{error}");
    assert!(
        error.contains("found h_all_20260731_csv_001.zip; the site may be replacing"),
        "{error}"
    );
    world.site().mixes_numbers = false;
    assert_eq!(world.published(), "2026-08-03");
    {
        let mut site = world.site();
        site.differences.insert(20_260_804, difference(20_260_804));
        site.mixes_numbers = true;
    }
    let error = world.refused();
    assert!(
        error.contains("expected diff_20260804_csv.zip, found diff_20260803_csv.zip"),
        "{error}"
    );
}

#[test]
fn a_missing_or_duplicate_part_is_refused() {
    let world = World::with(5, &[20_260_803]);
    world.site().full.remove(2);
    let error = world.refused();
    assert!(
        error.contains("/download/zenken: expected every part of h_all_20260731_csv once"),
        "{error}"
    );
    world.site().full = register(5);
    world.site().full[1].1 = 3;
    let error = world.refused();
    assert!(
        error.contains("a part that no other number leads to, found h_all_20260731_csv_003.zip"),
        "{error}"
    );
    world.site().full.retain(|(letter, ..)| *letter == 'h');
    let error = world.refused();
    assert!(error.contains("a link to a file of associations"), "{error}");
    world.site().full = register(5);
    assert_eq!(world.published(), "2026-08-03");
}

#[test]
fn a_missing_day_and_a_shrunken_register_are_refused() {
    let world = World::with(1, &[20_260_803]);
    assert_eq!(world.published(), "2026-08-03");
    world.site().differences.insert(20_260_805, difference(20_260_805));
    let error = world.refused();
    assert!(
        error.contains("/download/sabun: expected a difference file for every working day"),
        "{error}"
    );
    assert!(error.contains("found none for 2026-08-04"), "{error}");
    {
        let mut site = world.site();
        site.date = 20_260_804;
        let (_, _, text) = &mut site.full[0];
        *text = text.split_inclusive('\n').take(4).collect();
    }
    let error = world.refused();
    assert!(error.contains("since the edition of 2026-08-03 had 15"), "{error}");
    world.site().full = register(1);
    assert_eq!(world.published(), "2026-08-05");
}

#[test]
fn a_page_instead_of_a_file_is_reported() {
    let world = World::with(1, &[20_260_803]);
    assert_eq!(world.published(), "2026-08-03");
    world.site().differences.insert(20_260_804, difference(20_260_804));
    let page = Answer::html("<!DOCTYPE html><title>メンテナンス中</title>");
    world.replica.get("/download/sabun/dlfile", page.clone());
    let error = world.refused();
    assert!(error.contains("found an HTML page with the title 「メンテナンス中」"), "{error}");
    world.replica.get("/download/sabun", page);
    let error = world.refused();
    assert!(error.contains("/download/sabun: expected rows with a date and a link"), "{error}");
}
