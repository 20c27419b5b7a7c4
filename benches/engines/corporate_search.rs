//! The time of a search among all corporations of the country, in process, compared with tantivy and SQLite's FTS5 on
//! the same rows in the same run.
//!
//! One thread, warm caches: exact count, first hundred rows and area facet of each query; all four facets for queries
//! on two fields. The bench fails unless all engines return the same counts and facets. FTS5 is slow, so it runs fewer
//! queries, once each.
//!
//! The rows are those of the snapshot that `cargo bench --bench corporate` leaves, or of the one in
//! `DAICHO_BENCH_SNAPSHOT`. With `DAICHO_BENCH_ALONE` set only daicho runs, for example for a profile.

mod keywords;
#[path = "../support/seeded.rs"]
mod seeded;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::search::FormerNameMatches;
use daicho::dataset::corporate::{CorporateForm, write_corporate_search};
use daicho::json::QueryOutcome;
use daicho::snapshot::{Dataset, SnapshotFile};
use engines::daicho_search::DaichoSearch;
use engines::fts5::Fts5;
use engines::question::{Asked, Engine, Question};
use engines::rows::Field;
use engines::tantivy_bigrams::TantivyBigrams;
use engines::times::{Times, fastest, micros};
use keywords::{Questions, hot_combinations, hot_fields, hot_names};

/// The server's own allocator, for all engines.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rounds of each query; its fastest is used, to leave out the machine's other work.
const ROUNDS: usize = 5;

/// Number of queries of a set that FTS5 runs.
const FTS5_QUESTIONS: usize = 20;

fn main() {
    let data = snapshot();
    let rows = data.counts().expect("sound").corporations;
    println!("searches among {rows} corporations, in process, one thread");
    let folder = tempfile::tempdir().expect("a folder");
    let others = std::env::var_os("DAICHO_BENCH_ALONE").is_none().then(|| {
        let tantivy = timed("tantivy", rows, || {
            let built = TantivyBigrams::build(&data, folder.path()).expect("builds");
            (built.bytes, built)
        });
        let fts5 = timed("FTS5", rows, || {
            let built = Fts5::build(&data).expect("builds");
            (built.bytes, built)
        });
        Others { tantivy, fts5 }
    });
    let daicho = DaichoSearch::of(&data);
    let each = search_bytes(&data) as f64 / rows as f64;
    println!("  daicho   {each:.1} bytes a row of its snapshot (name, furigana, street)");
    let started = Instant::now();
    daicho.find(&Question::absent().into(), true, 100);
    println!("  first search, which opens the sections: {:.1} us", micros(started));
    let engines = Engines { daicho, others };
    let mut questions = Questions::of(&data);
    let [hot_2, hot_3] = hot_names();
    let [hot_readings, hot_streets] = hot_fields();
    for (what, bound, all_facets, set) in [
        (
            "names, 2 letters",
            " (bounds: p50 20, p99 100)",
            false,
            questions.substrings(Field::Name, &[2]),
        ),
        (
            "names, 3 letters",
            " (bounds: p50 50, p99 1000)",
            false,
            questions.substrings(Field::Name, &[3]),
        ),
        (
            "names, 4 letters",
            " (bounds: p50 50, p99 1000)",
            false,
            questions.substrings(Field::Name, &[4]),
        ),
        (
            "names, 6 letters",
            " (bounds: p50 50, p99 1000)",
            false,
            questions.substrings(Field::Name, &[6]),
        ),
        ("names, most frequent of 2", " (bound: max 1000)", false, hot_2),
        ("names, most frequent of 3 and more", " (bound: max 1000)", false, hot_3),
        ("names, absent", "", false, questions.absent()),
        (
            "readings, 2 to 5 letters",
            " (bound: p99 2000)",
            false,
            questions.substrings(Field::Furigana, &[2, 3, 4, 5]),
        ),
        ("readings, most frequent", "", false, hot_readings),
        (
            "streets, 2 to 6 letters",
            " (bound: p99 2000)",
            false,
            questions.substrings(Field::Street, &[2, 3, 4, 6]),
        ),
        ("streets, most frequent", "", false, hot_streets),
        ("name AND street, all facets", " (bound: p99 3000)", true, questions.both_fields()),
        ("OR of three", " (bound: p99 3000)", false, questions.any_of_three()),
        ("without one or two", " (bound: p99 3000)", false, questions.without()),
        ("most frequent combined, all facets", "", true, hot_combinations()),
    ] {
        engines.compare(what, bound, all_facets, set);
    }
    let bare = questions.substrings(Field::Name, &[2, 3, 4]).into_iter().map(Asked::bare).collect();
    engines.alone("without a field: name, en_name or furigana", bare);
    engines.json(&data, questions.substrings(Field::Name, &[2]));
}

fn snapshot() -> CorporateData {
    let left = "../../target/tmp/bench/corporate/snapshots/corporate/2026-07-31.daicho";
    let left = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(left);
    let path = std::env::var_os("DAICHO_BENCH_SNAPSHOT").map_or(left, PathBuf::from);
    let file = SnapshotFile::open(&path).unwrap_or_else(|error| {
        panic!(
            "expected a corporate snapshot, found none: {error}; run `cargo bench --bench corporate` in the \
             repository's folder, or name one with DAICHO_BENCH_SNAPSHOT"
        )
    });
    println!("{}", path.display());
    CorporateData::from_file(file)
}

/// Builds an engine, and prints time and size.
fn timed<E>(name: &str, rows: usize, build: impl FnOnce() -> (u64, E)) -> E {
    let started = Instant::now();
    let (bytes, engine) = build();
    let (seconds, each) = (started.elapsed().as_secs_f64(), bytes as f64 / rows as f64);
    println!(
        "  {name:<8} built in {seconds:.1} s, {bytes} bytes, {each:.1} a row (name, furigana, street)"
    );
    engine
}

struct Engines<'d> {
    daicho: DaichoSearch<'d>,
    others: Option<Others>,
}

struct Others {
    tantivy: TantivyBigrams,
    fts5: Fts5,
}

/// The fastest of some rounds of each query.
fn times(questions: &[Asked], rounds: usize, run: impl Fn(&Asked)) -> Times {
    let time = |asked: &Asked| fastest(rounds, || run(asked));
    Times::of(questions.iter().map(|asked| (time(asked), asked.written.as_str())).collect())
}

impl Others {
    /// Asserts that all engines find the same as daicho; FTS5 runs only the first queries.
    fn agree(&self, daicho: &DaichoSearch<'_>, questions: &[Asked], all_facets: bool) {
        for (at, asked) in questions.iter().enumerate() {
            let found = daicho.ask(asked, all_facets);
            let expected = self.tantivy.ask(asked, all_facets);
            assert_eq!(found, expected, "{}: daicho and tantivy find the same", asked.written);
            if at < FTS5_QUESTIONS {
                assert_eq!(self.fts5.ask(asked, all_facets), expected, "{}", asked.written);
            }
        }
    }

    fn compare(&self, ours: &Times, questions: &[Asked], all_facets: bool) {
        let few = &questions[..questions.len().min(FTS5_QUESTIONS)];
        let tantivy = times(questions, 2, |asked| self.tantivy.run(asked, all_facets));
        let fts5 = times(few, 1, |asked| self.fts5.run(asked, all_facets));
        for (engine, theirs) in [(self.tantivy.name(), &tantivy), (self.fts5.name(), &fts5)] {
            theirs.print(engine);
            let [p50, p99, max] = [0, 1, 2].map(|at| theirs.shares[at] / ours.shares[at]);
            println!("    {:<24} p50 {p50:>8.1}x  p99 {p99:>8.1}x  max {max:>8.1}x", "");
        }
    }
}

impl Engines<'_> {
    fn compare(&self, what: &str, bound: &str, all_facets: bool, questions: Vec<Question>) {
        let questions: Vec<Asked> = questions.into_iter().map(Asked::from).collect();
        println!("  {what}: {} queries{bound}", questions.len());
        if let Some(others) = &self.others {
            others.agree(&self.daicho, &questions, all_facets);
        }
        let ours = times(&questions, ROUNDS, |asked| self.daicho.run(asked, all_facets));
        ours.print(self.daicho.name());
        let counted = times(&questions, ROUNDS, |asked| {
            black_box(self.daicho.find(asked, all_facets, 0));
        });
        counted.print("  count and facets only");
        if let Some(others) = &self.others {
            others.compare(&ours, &questions, all_facets);
        }
    }

    fn alone(&self, what: &str, questions: Vec<Asked>) {
        println!("  {what}: {} queries", questions.len());
        times(&questions, ROUNDS, |asked| self.daicho.run(asked, false)).print("daicho");
    }

    /// Times writing the JSON of the results of these queries that have a hundred rows.
    fn json(&self, data: &CorporateData, questions: Vec<Question>) {
        let questions: Vec<Asked> = questions.into_iter().map(Asked::from).collect();
        let mut out = Vec::with_capacity(1 << 18);
        let places = data.prepare_fragments().expect("sound");
        let form = CorporateForm { places, ..CorporateForm::newest(data.version()) };
        let (mut times, mut bytes) = (Vec::new(), 0);
        for asked in &questions {
            let found = self.daicho.find(asked, false, 100);
            if found.rows.len() < 100 {
                continue;
            }
            let outcome = QueryOutcome { q: &asked.written, found: &found, offset: 0, limit: 100 };
            let mut write = || {
                out.clear();
                let started = Instant::now();
                write_corporate_search(
                    &mut out,
                    &form,
                    data,
                    &outcome,
                    &FormerNameMatches::default(),
                )
                .expect("sound");
                micros(started)
            };
            let fastest = (0..ROUNDS).map(|_| write()).fold(f64::INFINITY, f64::min);
            times.push((fastest, asked.written.as_str()));
            bytes += out.len();
        }
        assert!(!times.is_empty(), "two letters of 200 names are in a hundred of them");
        println!("  JSON of 100 rows, {} bytes each (bound: 100 us)", bytes / times.len());
        Times::of(times).print("daicho");
    }
}

/// Bytes of the sections that searches of name, reading and street use.
fn search_bytes(data: &CorporateData) -> u64 {
    let of_fields = |tag: &str| ["name.", "kana.", "street."].iter().any(|it| tag.starts_with(it));
    let sections =
        data.file().sections().iter().filter(|section| of_fields(&section.tag.to_string()));
    sections.map(|section| section.length as u64).sum()
}
