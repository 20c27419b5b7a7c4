//! Updates of corporate numbers from the replica: a full file once, then differences only; faults of the site keep the
//! installed version. The data is the sample's.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use build_tools::stream::Input;
use daicho::compile::{Target, open_verified};
use daicho::dataset::corporate;
use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::compile::{CorporateSources, Prefectures};
use daicho::text::codes::DataVersion;
use daicho::update::{Options, Outcome};

use crate::files::{sample_text, zipped};
use crate::replica::{Answer, Fault, Replica, nta};
use crate::{CORPORATE, fails, nothing_new, options, updated};

/// The sample's full file.
fn full() -> String {
    sample_text("2026-07-31/00_zenkoku_all_20260731.csv")
}

fn difference(date: u32) -> String {
    let day = version(date).to_string();
    sample_text("2026-08-03/diff_20260803.csv").replace("2026-08-03", &day)
}

struct World {
    replica: Replica,
    site: Arc<Mutex<nta::Site>>,
    folder: tempfile::TempDir,
}

impl World {
    /// A site with the full file of 2026-07-31 and the sample's difference on each of these days; an empty folder.
    fn with(dates: &[u32]) -> World {
        let replica = Replica::start();
        let site = Arc::new(Mutex::new(nta::Site {
            full: Some((20_260_731, full())),
            differences: dates.iter().map(|date| (*date, difference(*date))).collect(),
            ..nta::Site::default()
        }));
        nta::install(&replica, &site);
        World { replica, site, folder: tempfile::tempdir().expect("a folder") }
    }

    fn site(&self) -> std::sync::MutexGuard<'_, nta::Site> {
        self.site.lock().expect("not poisoned")
    }

    fn options(&self) -> Options {
        options(self.folder.path(), &self.replica, &[CORPORATE])
    }

    fn update(&self) -> Outcome {
        updated(self.folder.path(), &self.replica, CORPORATE)
    }

    /// Updates, and returns the version that is installed afterwards.
    #[track_caller]
    fn updated(&self) -> u32 {
        self.update().installed().expect("something is installed").number()
    }

    /// The error of an update that must fail and keep the installed version.
    #[track_caller]
    fn refused(&self) -> String {
        let before = snapshots(self.folder.path());
        let error = fails(self.folder.path(), &self.replica, CORPORATE);
        assert_eq!(snapshots(self.folder.path()), before, "the installed version is kept");
        error
    }
}

fn version(date: u32) -> DataVersion {
    DataVersion::from_number(date).expect("a date")
}

/// Every snapshot of a folder with its bytes.
fn snapshots(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder.join("corporate")).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.path().extension().is_some_and(|it| it == "daicho"));
    let read = |entry: fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("a file"))
    };
    files.map(read).collect()
}

fn build(
    folder: &Path,
    date: u32,
    of_full: u32,
    differences: &[(u32, String)],
    only: Prefectures,
) -> Vec<u8> {
    let (full, full_name) = (full(), format!("00_zenkoku_all_{of_full}.csv"));
    let names: Vec<String> =
        differences.iter().map(|(date, _)| format!("diff_{date}.csv")).collect();
    let diff = names.iter().zip(differences);
    let sources = CorporateSources {
        full: vec![Input::Bytes(&full_name, full.as_bytes())],
        base: None,
        diff: diff.map(|(name, (_, text))| Input::Bytes(name, text.as_bytes())).collect(),
        invoice: Vec::new(),
        postal: None,
        prefectures: only,
    };
    let target = Target::new(version(date), folder, version(date));
    let report = corporate::compile::build(&target, sources, &()).expect("sound files");
    fs::read(daicho::snapshot::Dataset::file(&report.data).path()).expect("written")
}

#[test]
fn a_full_file_is_fetched_once_and_then_differences_only() {
    let world = World::with(&[20_260_730, 20_260_731, 20_260_803]);
    assert_eq!(world.updated(), 20_260_803);
    let asked = |path: &str| world.replica.count(path);
    assert_eq!(asked("/download/zenken/index.html"), 1);
    assert_eq!(
        asked("/download/sabun/index.html"),
        1,
        "one difference is newer than the full file"
    );
    let before = world.replica.requests().len();
    nothing_new(&world.update());
    assert_eq!(
        world.replica.requests().len(),
        before + 1,
        "one page is enough to see that nothing is new"
    );
    for date in [20_260_804, 20_260_805] {
        world.site().differences.insert(date, difference(date));
        assert_eq!(world.updated(), date);
    }
    assert_eq!(asked("/download/zenken/index.html"), 1, "no other full file");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let differences = [20_260_803, 20_260_804, 20_260_805].map(|date| (date, difference(date)));
    let by_hand =
        build(elsewhere.path(), 20_260_805, 20_260_731, &differences, Prefectures::Covered);
    assert!(
        snapshots(world.folder.path())["2026-08-05.daicho"] == by_hand,
        "same bytes as a build by hand"
    );
}

#[test]
fn each_file_is_requested_with_its_own_page_session_and_token() {
    let world = World::with(&[20_260_803, 20_260_804, 20_260_805]);
    assert_eq!(world.updated(), 20_260_805);
    let asked = world.replica.requests();
    let posts: Vec<usize> = (0..asked.len()).filter(|at| asked[*at].method == "POST").collect();
    assert_eq!(posts.len(), 4);
    for at in posts {
        let (page, post) = (&asked[at - 1], &asked[at]);
        assert_eq!(format!("{}index.html", page.path), post.path);
        assert_eq!(page.header("cookie"), None, "a session of its own");
        let referer = post.header("referer").expect("the page");
        assert!(referer.ends_with(&page.path), "{referer}");
        assert_eq!((post.form.len(), post.form["event"].as_str()), (3, "download"));
    }
    let mut tokens = posted_tokens(&world.replica);
    tokens.sort();
    tokens.dedup();
    assert_eq!(tokens.len(), 4, "{tokens:?}");
}

#[test]
fn a_lost_session_is_retried_three_times() {
    let world = World::with(&[20_260_803]);
    world.site().lost_sessions = 3;
    assert_eq!(world.updated(), 20_260_803);
    let world = World::with(&[20_260_803]);
    world.site().lost_sessions = 100;
    let error = world.refused();
    assert!(error.contains("/download/zenken/index.html: expected "), "{error}");
    assert!(error.contains("found an HTML page with the title 「エラー」; "), "{error}");
    assert_eq!(world.site().lost_sessions, 96, "four sessions");
}

#[test]
fn retries_use_a_new_token() {
    let world = World::with(&[20_260_803]);
    assert_eq!(world.updated(), 20_260_803);
    let before = world.replica.count("/download/sabun/index.html");
    {
        let mut site = world.site();
        site.differences.insert(20_260_804, difference(20_260_804));
        let half = Answer::file(&[0x50; 100]).without("etag");
        site.instead =
            [Answer::status(503), half.clone().fault(Fault::Cut(50)), half.fault(Fault::NoAnswer)]
                .into();
    }
    assert_eq!(world.updated(), 20_260_804);
    assert_eq!(world.replica.count("/download/sabun/index.html"), before + 4);
    let tokens: Vec<String> = posted_tokens(&world.replica);
    let mut unique = tokens.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), tokens.len(), "each token is used once");
}

#[test]
fn invalid_files_are_refused() {
    let world = World::with(&[20_260_803]);
    assert_eq!(world.updated(), 20_260_803);
    world.site().differences.insert(20_260_804, difference(20_260_804));
    let text = difference(20_260_804);
    let good = zipped(&[("diff_20260804.csv", text.as_bytes())]);
    let two = zipped(&[("diff_20260804.csv", text.as_bytes()), ("diff_20260805.csv", b"1\n")]);
    let xml = zipped(&[("diff_20260804.xml", b"<corporations/>")]);
    let short = zipped(&[("diff_20260804.csv", &text.as_bytes()[..text.len() - 20])]);
    let named = |bytes: &[u8]| {
        let name = "attachment; filename*=utf-8'jp'diff_20260804.zip";
        Answer::file(bytes).without("etag").header("content-disposition", name)
    };
    for (answer, expected) in [
        (named(&good[..good.len() / 2]), "expected a whole ZIP"),
        (named(&two), "exactly one CSV, found 2 of them: diff_20260804.csv, diff_20260805.csv"),
        (named(&xml), "exactly one CSV, found 0 of them: diff_20260804.xml"),
        (
            named(b"1,2,3\n"),
            "expected a ZIP of diff_20260804.csv, found a file that begins with 31 2c",
        ),
        (named(&short), "diff_20260804.csv"),
        (Answer::status(403), "found 403"),
        (
            named(&good).header("content-disposition", "attachment"),
            "expected diff_20260804.zip, found index.html",
        ),
    ] {
        world.site().instead = [answer].into();
        let error = world.refused();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    assert_eq!(world.updated(), 20_260_804, "the next update fetches it again");
}

/// The tokens of all forms that were posted.
fn posted_tokens(replica: &Replica) -> Vec<String> {
    let is_token = |name: &&String| name.ends_with("request.token");
    let token = |form: BTreeMap<String, String>| Some(form[form.keys().find(is_token)?].clone());
    replica.requests().into_iter().filter_map(|asked| token(asked.form)).collect()
}

#[test]
fn a_file_other_than_the_requested_one_is_refused() {
    let world = World::with(&[20_260_730, 20_260_731, 20_260_803]);
    assert_eq!(world.updated(), 20_260_803);
    world.site().differences.insert(20_260_804, difference(20_260_804));
    world.site().mixes_numbers = true;
    let error = world.refused();
    assert!(error.contains("expected diff_20260804.zip, found diff_20260730.zip"), "{error}");
    world.site().mixes_numbers = false;
    assert_eq!(world.updated(), 20_260_804, "the next update repairs it");
}

#[test]
fn a_missing_day_is_refused_until_a_newer_full_file_covers_it() {
    let world = World::with(&[20_260_803]);
    assert_eq!(world.updated(), 20_260_803);
    world.site().differences.insert(20_260_805, difference(20_260_805));
    let error = world.refused();
    assert!(error.contains("/download/sabun/: expected "), "{error}");
    assert!(error.contains("2026-08-04") && error.contains("--force"), "{error}");
    world.site().full = Some((20_260_804, full()));
    assert_eq!(world.updated(), 20_260_805);
}

#[test]
fn with_force_a_missing_day_is_skipped_with_a_warning() {
    let world = World::with(&[20_260_803]);
    assert_eq!(world.updated(), 20_260_803);
    world.site().differences.insert(20_260_805, difference(20_260_805));
    let options = Options { force: true, ..world.options() };
    let reports = daicho::dataset::updates::run(&options, &()).expect("the folder is free");
    let installed = reports[0].result.as_ref().expect("forced").installed();
    assert_eq!(installed, Some(version(20_260_805)));
    assert!(
        reports[0].warnings.iter().any(|it| it.contains("2026-08-04")),
        "{:?}",
        reports[0].warnings
    );
}

#[test]
fn a_gap_longer_than_the_site_keeps_needs_a_new_full_file_of_the_same_prefectures() {
    let world = World::with(&[20_260_803]);
    let tokyo = Prefectures::Only([13].into_iter().collect());
    build(world.folder.path(), 20_260_731, 20_260_731, &[], tokyo);
    assert_eq!(world.updated(), 20_260_803);
    {
        let mut site = world.site();
        site.differences = [20_260_825, 20_260_826].map(|date| (date, difference(date))).into();
        site.full = Some((20_260_824, full()));
    }
    assert_eq!(world.updated(), 20_260_826);
    let path = world.folder.path().join("corporate/2026-08-26.daicho");
    let data: CorporateData = open_verified(&path).expect("a snapshot");
    let mut places = data.places().expect("sound");
    assert!(places.all(|(place, _)| place.prefecture_code() == Some(13)), "Tokyo only");
    let by_hand = tempfile::tempdir().expect("a folder");
    let differences = [20_260_825, 20_260_826].map(|date| (date, difference(date)));
    let bytes = build(by_hand.path(), 20_260_826, 20_260_824, &differences, tokyo);
    assert!(fs::read(path).expect("a file") == bytes, "same bytes as a build by hand");
}

#[test]
fn a_changed_page_is_reported_with_its_address() {
    let world = World::with(&[20_260_803]);
    assert_eq!(world.updated(), 20_260_803);
    world.replica.route("GET", "/download/sabun/", |_| {
        Answer::html("<!DOCTYPE html><title>差分データ</title><h2>ダウンロード</h2>")
    });
    let error = world.refused();
    assert!(
        error.contains("/download/sabun/: expected a heading with the id csv-unicode"),
        "{error}"
    );
    assert!(error.contains("check it in a browser"), "{error}");
}

#[test]
fn an_older_site_changes_nothing() {
    let world = World::with(&[20_260_803, 20_260_804]);
    assert_eq!(world.updated(), 20_260_804);
    world.site().differences.remove(&20_260_804);
    let outcome = world.update();
    nothing_new(&outcome);
    assert_eq!(outcome.installed().map(DataVersion::number), Some(20_260_804));
}
