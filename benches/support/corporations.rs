//! Seeded corporations in the tax agency's format, at the true scale.
//!
//! The shares follow statistics of the real files of 2016 to 2026: kinds, the side of the legal
//! form, lengths and scripts of names, repeated names, readings, prefectures, closed corporations
//! and their causes, dates, rare columns. [`shares`] compares them. Names are put together from
//! common and generated words, so they lack the long common phrases of real names.

mod names;
mod places;
pub mod register;
pub mod schools;
pub mod shares;
mod words;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use daicho::text::codes::CorporateNumber;

use self::names::{KINDS, Kind, Name, name};
use self::places::{City, Places, push_street};
use self::words::{Lexicon, Readings, Script};
use super::source::SeededRandom;

/// Number of corporations of the whole country.
pub const CORPORATIONS: usize = 5_500_000;

/// Words that occur in many of their names, for searches.
pub const COMMON_WORDS: [&str; 16] = [
    "建設", "工業", "商事", "不動", "産業", "設備", "電気", "運輸", "食品", "製作", "工務", "土木",
    "開発", "企画", "管理", "医療",
];

/// The written file, the numbers in it, and the state of the generator for further files.
pub struct Corporations {
    pub file: PathBuf,
    pub numbers: Vec<CorporateNumber>,
    random: SeededRandom,
    writer: Writer,
    serials: Serials,
}

/// Picks an item by the items' shares.
fn choose<T>(
    random: &mut SeededRandom,
    items: impl IntoIterator<Item = T> + Clone,
    share: impl Fn(&T) -> usize,
) -> T {
    let mut remaining = random.below(items.clone().into_iter().map(|item| share(&item)).sum());
    let chosen = items.into_iter().find(|item| match remaining.checked_sub(share(item)) {
        Some(rest) => {
            remaining = rest;
            false
        }
        None => true,
    });
    chosen.expect("shares add up")
}

/// Writes `count` corporations at the places of a postal snapshot, in the Unicode edition.
pub fn write_corporations(folder: &Path, count: usize, postal: &Path) -> Corporations {
    let mut corporations = Corporations {
        file: folder.join("00_zenkoku_all_20260731.csv"),
        numbers: Vec::with_capacity(count),
        random: SeededRandom::new(5),
        writer: Writer {
            words: Lexicon::new(),
            readings: Readings::new(),
            places: Places::from_snapshot(postal),
        },
        serials: Serials(vec![[0; 100]; 4 * 48]),
    };
    let mut out = LineWriter::create(&corporations.file);
    for sequence in 1..=count {
        let kind = choose(&mut corporations.random, &KINDS, |kind| kind.share);
        let city = corporations.writer.places.city(&mut corporations.random);
        let number = corporations.serials.next(&mut corporations.random, kind, city);
        let latest = LatestEntry::random(&mut corporations.random, kind);
        let row = Row { sequence, number, kind, city, latest };
        out.write(|line| corporations.writer.push_line(line, &mut corporations.random, row));
        corporations.numbers.push(number);
    }
    out.finish();
    corporations
}

impl Corporations {
    /// Writes a day's difference. Nine of ten rows are about known corporations.
    pub fn write_day(&mut self, folder: &Path, rows: usize) -> PathBuf {
        let file = folder.join("diff_20260803.csv");
        let mut numbers: Vec<CorporateNumber> = Vec::with_capacity(rows);
        let known = rows * 9 / 10;
        numbers.extend((0..known).map(|_| self.numbers[self.random.below(self.numbers.len())]));
        while numbers.len() < rows {
            let city = self.writer.places.city(&mut self.random);
            numbers.push(self.serials.next(&mut self.random, &KINDS[0], city));
        }
        numbers.sort_unstable_by_key(|number| number.number());
        numbers.dedup();
        let mut out = LineWriter::create(&file);
        for (sequence, number) in (1..).zip(numbers) {
            let city = self.writer.places.city(&mut self.random);
            let latest = LatestEntry::move_on("2026-08-03");
            let row = Row { sequence, number, kind: &KINDS[0], city, latest };
            out.write(|line| self.writer.push_line(line, &mut self.random, row));
        }
        out.finish();
        file
    }
}

/// A file that is written line by line.
struct LineWriter {
    file: BufWriter<File>,
    line: String,
}

impl LineWriter {
    fn create(path: &Path) -> LineWriter {
        let file = File::create(path).expect("below the target folder");
        LineWriter { file: BufWriter::with_capacity(1 << 20, file), line: String::new() }
    }

    fn write(&mut self, push: impl FnOnce(&mut String)) {
        self.line.clear();
        push(&mut self.line);
        self.file.write_all(self.line.as_bytes()).expect("written");
    }

    fn finish(mut self) {
        self.file.flush().expect("written");
    }
}

/// The last serial number of each registry office and kind.
struct Serials(Vec<[u64; 100]>);

impl Serials {
    fn next(&mut self, random: &mut SeededRandom, kind: &Kind, city: &City) -> CorporateNumber {
        let prefecture = city.code as usize / 1_000;
        let offices = if places::PREFECTURES[prefecture - 1] > 3_000 { 4 } else { 1 };
        let office = prefecture * 4 + random.below(offices);
        let serial = &mut self.0[office][kind.digits as usize];
        *serial += 1 + random.below(3) as u64 / 2;
        let body = (office as u64 + 100) * 100_000_000 + kind.digits * 1_000_000 + *serial;
        CorporateNumber::from_body(body).expect("twelve digits")
    }
}

struct Writer {
    words: Lexicon,
    readings: Readings,
    places: Places,
}

/// A date of 2016 to 2025.
fn date(random: &mut SeededRandom) -> String {
    let [year, month, day] = [10, 12, 28].map(|count| random.below(count));
    format!("{}-{:02}-{:02}", 2016 + year, 1 + month, 1 + day)
}

/// The newest entry: process, its date, date of publication, date and cause of closing.
struct LatestEntry {
    process: &'static str,
    changed: String,
    updated: String,
    close: String,
    cause: &'static str,
    assigned: String,
}

impl LatestEntry {
    fn random(random: &mut SeededRandom, kind: &Kind) -> LatestEntry {
        let is_first_assignment = random.below(100) < 80;
        let assigned = if is_first_assignment { "2015-10-05".to_owned() } else { date(random) };
        let closed = random.below(1_000) < kind.closed;
        let process = match random.below(1_000) {
            _ if closed => "21",
            0..805 => "01",
            805..971 => "12",
            971..994 => "11",
            _ => "71",
        };
        let changed = if process == "01" { assigned.clone() } else { date(random) };
        let updated = match changed.as_str() {
            // The first mass assignment was published in November; a part was published again
            // later.
            "2015-10-05" if random.below(10) < 7 => "2015-11-20".to_owned(),
            "2015-10-05" => date(random),
            other => other.to_owned(),
        };
        let (close, cause) = match (closed, random.below(100)) {
            (false, _) => (String::new(), ""),
            (true, 0..64) => (changed.clone(), "01"),
            (true, 64..92) => (changed.clone(), "21"),
            (true, _) => (changed.clone(), "11"),
        };
        LatestEntry { process, changed, updated, close, cause, assigned }
    }

    /// A change of address that was published on a day.
    fn move_on(day: &str) -> LatestEntry {
        LatestEntry {
            process: "12",
            changed: day.to_owned(),
            updated: day.to_owned(),
            close: String::new(),
            cause: "",
            assigned: "2015-10-05".to_owned(),
        }
    }
}

/// What a line is about; its other columns are generated.
struct Row<'a> {
    sequence: usize,
    number: CorporateNumber,
    kind: &'a Kind,
    city: &'a City,
    latest: LatestEntry,
}

impl Writer {
    fn push_line(&self, line: &mut String, random: &mut SeededRandom, row: Row<'_>) {
        let Row { sequence, number, kind, city, latest } = row;
        let Name { name, body } = name(random, &self.words, kind);
        let mut reading = String::new();
        if random.below(1_000) < kind.readings {
            self.readings.push(&mut reading, &body);
        }
        let abroad = kind.code == 401 && random.below(100) < 80;
        let image =
            |random: &mut SeededRandom| if random.below(100) == 0 { "00012345" } else { "" };
        let _ = write!(
            line,
            "{sequence},{number},{},{},{},{},\"{name}\",{},{},",
            latest.process,
            random.below(10) / 7,
            latest.updated,
            latest.changed,
            image(random),
            kind.code,
        );
        if abroad {
            line.push_str(",,,,,,,\"");
            self.push_outside(line, random);
            line.push_str("\",,");
        } else {
            let _ = write!(line, "\"{}\",\"{}\",\"", city.prefecture, city.name);
            let code = push_street(line, random, &self.words, city);
            let (prefecture, city) = (city.code / 1_000, city.code % 1_000);
            let _ = write!(line, "\",{},{prefecture:02},{city:03},{code:07},,,", image(random));
        }
        let merged = latest.cause == "11";
        let _ = write!(line, "{},{},", latest.close, latest.cause);
        let successor = if merged { number.to_string() } else { String::new() };
        let _ = write!(line, "{successor},,{},1,", latest.assigned);
        match random.below(200) {
            0 => self.push_english(line, random),
            _ => line.push_str(",,,"),
        }
        let reading = if reading.is_empty() { reading } else { format!("\"{reading}\"") };
        let _ = writeln!(line, ",{reading},{}", u8::from(random.below(1_000) == 0));
    }

    fn push_outside(&self, line: &mut String, random: &mut SeededRandom) {
        line.push_str(
            ["アメリカ合衆国　", "中華人民共和国", "大韓民国", "英国　"][random.below(4)],
        );
        for _ in 0..3 {
            let length = 3 + random.below(5);
            self.words.push(line, random, Script::Letters, length);
            line.push('　');
        }
    }

    /// English name, prefecture and city, and an empty address abroad.
    fn push_english(&self, line: &mut String, random: &mut SeededRandom) {
        let mut name = String::new();
        let length = 3 + random.below(6);
        self.words.push(&mut name, random, Script::Letters, length);
        let narrow = |wide: char| char::from_u32(u32::from(wide) - 0xfee0).unwrap_or(wide);
        let name: String = name.chars().map(narrow).collect();
        let _ = write!(line, "\"{name} K.K.\",\"Tokyo\",\"{} Marunouchi\",", 1 + random.below(9));
    }
}
