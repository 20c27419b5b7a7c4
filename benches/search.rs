//! The time of a keyword search in postal codes, in process: count, first hundred rows and facet of prefectures.
//!
//! The keywords are random substrings of the records' fields (from a seed), and those with the most matches. Baseline
//! of the same run: SQLite's FTS5 over pre-split bigrams of the same fields, in memory, with prepared statements. The
//! data is an official month if it is available (`../shared/data` or `DAICHO_SHARED`), else a seeded one.

mod support;

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use daicho::dataset::postal::PostalData;
use daicho::dataset::postal::search::{PostalResults, PostalSearch};
use daicho::dataset::postal::syntax::PostalQuery;
use daicho::query::syntax::FacetPath;
use daicho::record::postal::{PostalView, tag};
use daicho::snapshot::{Dataset, SnapshotFile};
use daicho::text::fold;
use daicho::text::fold::Level;
use rusqlite::Connection;
use support::source::SeededRandom;
use support::{folder, month, percentiles};

/// Number of keywords in one set.
const KEYWORDS: usize = 400;

/// Rounds of each query; its fastest is used, to leave out the machine's other work.
const ROUNDS: usize = 9;

/// Keywords with the most matches, and those whose bigrams have the most.
const HOT: [&str; 16] = [
    "東京",
    "東京都",
    "北海道",
    "京都",
    "大阪",
    "丁目",
    "大字",
    "1階",
    "ビル",
    "会社",
    "株式会社",
    "カブシキガイシヤ",
    "シヤ",
    "市役所",
    "センター",
    "1-1",
];

fn main() {
    let folder = folder("search");
    let (path, what) = month(&folder);
    let data = PostalData::from_file(SnapshotFile::open(&path).expect("built a moment ago"));
    let records = data.records().expect("sound").len();
    println!("keyword search in process, {records} records ({what})");
    let started = Instant::now();
    data.search(&PostalSearch::default()).expect("sound");
    println!("  first use, which checks the section      {:>9.1} us", micros(started));
    let mut sections = data.file().sections().iter();
    let bytes =
        sections.find(|entry| entry.tag == tag::GRAMS).expect("every snapshot has it").length;
    println!("  {bytes} bytes, {:.1} a record", bytes as f64 / records as f64);
    assert!(bytes <= 40 * records, "the search takes at most 40 bytes a record");
    let mut random = SeededRandom::new(11);
    let texts: Vec<[String; 10]> = data.records().expect("sound").map(fields).collect();
    let baseline = Baseline::of(&data, &texts);
    let mut all = Vec::new();
    for length in [2, 3, 4, 6] {
        let keywords = keywords(&texts, length, &mut random);
        all.extend(compare(&format!("{length} characters"), &data, &baseline, &keywords));
    }
    percentiles("all of these (bounds: p50 20, p99 300 us)", all);
    let hot: Vec<String> = HOT.map(str::to_owned).to_vec();
    compare("keywords with the most matches", &data, &baseline, &hot);
    let operators: Vec<String> = [
        "東京 タワー",
        "千代田区 AND 丸の内",
        "株式会社 AND _type:2",
        "-東京",
        "-東京 -大阪 -京都",
        "会社 OR 大学 OR 病院",
        "東京都 大阪府 北海道 愛知県",
        "_facet:/東京都 ビル",
        "大阪市北区梅田",
    ]
    .map(str::to_owned)
    .to_vec();
    alone("operators", &data, &operators);
    let most = (0..64).map(|n| HOT[n % 16].to_owned() + if n < 16 { "" } else { "市" });
    alone("64 keywords at once", &data, &[most.collect::<Vec<_>>().join(" ")]);
    std::fs::remove_dir_all(folder).expect("the bench's own folder");
}

fn micros(since: Instant) -> f64 {
    since.elapsed().as_nanos() as f64 / 1_000.0
}

/// The searched fields of a record. A town that the lot repeats at its beginning occurs once.
fn fields(record: PostalView<'_>) -> [String; 10] {
    let (city, corporation) = (record.city(), record.corporation());
    let of_business = corporation.map(|it| [it.block_lot(), it.name(), it.name_kana()]);
    let [lot, name, kana] = of_business.map_or([""; 3], |texts| texts.map(|text| text.text));
    let town = if record.town_is_in_lot() { "" } else { record.town().name.text };
    [
        city.prefecture().name.text,
        city.city().name.text,
        town,
        record.koaza().text,
        record.kyoto_street().text,
        record.building().text,
        record.floor().text,
        lot,
        name,
        kana,
    ]
    .map(str::to_owned)
}

/// Substrings of random fields of random records.
fn keywords(texts: &[[String; 10]], length: usize, random: &mut SeededRandom) -> Vec<String> {
    let mut keywords = Vec::with_capacity(KEYWORDS);
    while keywords.len() < KEYWORDS {
        let field = &texts[random.below(texts.len())][random.below(10)];
        let characters: Vec<char> = field.chars().collect();
        if characters.len() < length {
            continue;
        }
        let start = random.below(characters.len() - length + 1);
        let keyword: String = characters[start..start + length].iter().collect();
        if PostalQuery::parse(&format!("\"{keyword}\"")).is_ok() && !keyword.contains(['"', '\\']) {
            keywords.push(keyword);
        }
    }
    keywords
}

fn ask(data: &PostalData, q: &PostalQuery, root: &FacetPath) -> PostalResults {
    let search =
        PostalSearch { q: Some(q), facet: Some(root), limit: 100, ..PostalSearch::default() };
    data.search(&search).expect("sound")
}

/// The fastest of some rounds, microseconds.
fn fastest<R>(mut run: impl FnMut() -> R) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let started = Instant::now();
        black_box(run());
        micros(started)
    });
    times.fold(f64::INFINITY, f64::min)
}

fn times(data: &PostalData, queries: &[String]) -> Vec<f64> {
    let root = FacetPath::parse("/").expect("the root");
    let timed = queries.iter().map(|query| {
        let q = PostalQuery::parse(query).expect("a query of this bench");
        fastest(|| ask(data, &q, &root))
    });
    timed.collect()
}

fn alone(name: &str, data: &PostalData, queries: &[String]) {
    percentiles(name, times(data, queries));
}

fn compare(name: &str, data: &PostalData, baseline: &Baseline, keywords: &[String]) -> Vec<f64> {
    let root = FacetPath::parse("/").expect("the root");
    let quoted: Vec<String> = keywords.iter().map(|keyword| format!("\"{keyword}\"")).collect();
    for (keyword, quoted) in keywords.iter().zip(&quoted) {
        let q = PostalQuery::parse(quoted).expect("a keyword");
        let (found, expected) = (ask(data, &q, &root), baseline.ask(keyword));
        assert_eq!(found.count, expected.0, "{keyword}: both find the same");
        let facets: u64 = found.facets.iter().flatten().map(|(_, count)| count).sum();
        assert_eq!(facets, found.count, "{keyword}: facets add up");
    }
    let times = times(data, &quoted);
    let ours = percentiles(name, times.clone());
    let theirs = keywords.iter().map(|keyword| fastest(|| baseline.ask(keyword))).collect();
    let theirs = percentiles("  baseline: SQLite FTS5 over bigrams", theirs);
    println!(
        "  {:<40} p50 {:.3}, p99 {:.3} times the baseline",
        "",
        ours[0] / theirs[0],
        ours[1] / theirs[1]
    );
    times
}

/// FTS5 over bigrams that are split beforehand, each written as a word of ASCII letters.
struct Baseline {
    connection: Connection,
    /// The prefecture number of each row.
    prefectures: Vec<u8>,
}

fn characters(text: &str, level: Level) -> Vec<char> {
    let mut characters = Vec::new();
    fold::search_letters(text, level, &mut characters);
    characters
}

fn push_grams(out: &mut String, text: &[char]) {
    for pair in text.windows(2) {
        let _ = write!(out, "{:x}x{:x} ", pair[0] as u32, pair[1] as u32);
    }
}

impl Baseline {
    fn of(data: &PostalData, texts: &[[String; 10]]) -> Baseline {
        let connection = Connection::open_in_memory().expect("SQLite");
        let table = "CREATE VIRTUAL TABLE grams USING fts5(
            address, kana, content='', tokenize='ascii', columnsize=0)";
        connection.execute_batch(table).expect("FTS5 is bundled");
        connection.execute_batch("BEGIN").expect("a transaction");
        let mut insert = connection
            .prepare("INSERT INTO grams(rowid, address, kana) VALUES (?1, ?2, ?3)")
            .expect("a statement");
        for (row, fields) in texts.iter().enumerate() {
            let (mut address, mut kana) = (String::new(), String::new());
            // The fields of an address are joined, because a phrase may cross from one into the next.
            let joined: [&[usize]; 4] = match fields[8].is_empty() {
                true => [&[0, 1, 2, 3, 4, 5, 6], &[], &[], &[]],
                false => [&[0, 1, 2, 7], &[4], &[5, 6], &[8]],
            };
            for fields in joined.map(|it| it.iter().map(|field| &fields[*field])) {
                let folded: Vec<char> =
                    fields.flat_map(|field| characters(field, Level::Address)).collect();
                push_grams(&mut address, &folded);
                address.push_str("end ");
            }
            push_grams(&mut kana, &characters(&fields[9], Level::Search));
            insert.execute((row as i64, address, kana)).expect("a row");
        }
        drop(insert);
        let optimize = "INSERT INTO grams(grams) VALUES ('optimize'); COMMIT";
        connection.execute_batch(optimize).expect("optimised");
        let pages = |name: &str| -> usize {
            let pragma = format!("PRAGMA {name}");
            connection.query_row(&pragma, [], |row| row.get::<_, i64>(0)).expect("a number")
                as usize
        };
        let bytes = pages("page_count") * pages("page_size");
        println!(
            "  baseline: FTS5 {bytes} bytes, {:.1} a record",
            bytes as f64 / texts.len() as f64
        );
        let numbers =
            data.records().expect("sound").map(|row| (row.city().jisx0402() / 1_000) as u8);
        Baseline { prefectures: numbers.collect(), connection }
    }

    /// Count, first hundred rows, and number of rows of each prefecture.
    fn ask(&self, keyword: &str) -> (u64, Vec<i64>, [u32; 256]) {
        let phrase = |level| {
            let mut grams = String::new();
            push_grams(&mut grams, &characters(keyword, level));
            grams
        };
        let question =
            format!("address:\"{}\" OR kana:\"{}\"", phrase(Level::Address), phrase(Level::Search));
        let select = "SELECT rowid FROM grams WHERE grams MATCH ?1";
        let mut statement = self.connection.prepare_cached(select).expect("a statement");
        let mut rows = statement.query([question]).expect("a phrase");
        let (mut count, mut first, mut prefectures) = (0, Vec::with_capacity(100), [0; 256]);
        while let Some(row) = rows.next().expect("a row") {
            let row: i64 = row.get(0).expect("a number");
            count += 1;
            if first.len() < 100 {
                first.push(row);
            }
            prefectures[usize::from(self.prefectures[row as usize])] += 1;
        }
        (count, first, prefectures)
    }
}
