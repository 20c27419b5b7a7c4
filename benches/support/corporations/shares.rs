//! Compares the generated corporations with statistics of the real ones.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::names::KINDS;

/// Shares of the real corporations, and the largest difference allowed for the generated ones.
const REAL: [(&str, f64, f64); 26] = [
    ("kind 301, %", 49.9, 0.5),
    ("kind 302, %", 29.1, 0.5),
    ("kind 399, %", 10.6, 0.3),
    ("kind 305, %", 8.3, 0.3),
    ("301 with its form in front, %", 70.5, 1.0),
    ("body length of 301", 6.3, 0.3),
    ("body length of 302", 5.6, 0.3),
    ("body length of 305", 6.8, 0.3),
    ("name length of 399", 10.4, 0.8),
    ("name length of 401", 26.8, 1.5),
    ("301 all katakana, %", 30.2, 2.0),
    ("301 all kanji, %", 28.8, 2.0),
    ("names of one corporation only, %", 68.6, 6.0),
    ("names of ten and more, %", 10.8, 6.0),
    ("with U+3000 in the name of 301, %", 5.3, 1.5),
    ("with a reading, %", 61.0, 2.0),
    ("length of a reading", 7.8, 0.6),
    ("in Tokyo, %", 23.7, 0.5),
    ("in Osaka, %", 8.4, 0.3),
    ("in Tottori, %", 0.35, 0.05),
    ("closed, %", 13.5, 1.0),
    ("process 01, %", 70.4, 2.0),
    ("length of a street", 12.0, 1.0),
    ("streets with 丁目, %", 61.0, 3.0),
    ("with an English name, %", 0.5, 0.1),
    ("not to be searched, %", 0.1, 0.06),
];

/// Sums over the rows of one kind.
#[derive(Default, Clone, Copy)]
struct KindSums {
    rows: usize,
    form_first: usize,
    characters: usize,
    katakana: usize,
    kanji: usize,
    spaced: usize,
}

/// Sums over all rows.
#[derive(Default)]
struct Sums {
    rows: usize,
    kinds: HashMap<String, KindSums>,
    names: HashMap<u64, u32>,
    /// How many rows have a reading, and the characters of these.
    readings: [usize; 2],
    prefectures: HashMap<String, usize>,
    closed: usize,
    new: usize,
    /// How many rows have a street, the characters of these, and how many contain 丁目.
    streets: [usize; 3],
    english: usize,
    hidden: usize,
}

/// Prints generated and real shares side by side; fails if they differ too much.
pub fn compare(file: &Path) {
    let mut sums = Sums::default();
    for line in BufReader::with_capacity(1 << 20, File::open(file).expect("made")).lines() {
        // Splitting at commas is correct, because no generated value has one.
        let line = line.expect("text");
        let fields: Vec<&str> = line.split(',').map(|field| field.trim_matches('"')).collect();
        sums.add(&fields);
    }
    println!("  made                                      real     of {} rows", sums.rows);
    let generated = sums.shares();
    for ((what, real, _), share) in REAL.iter().zip(generated) {
        println!("  {what:<34} {share:>7.2} {real:>7.2}");
    }
    for ((what, real, tolerance), share) in REAL.iter().zip(generated) {
        assert!((share - real).abs() <= *tolerance, "{what}: as in the statistics");
    }
}

fn all(text: &str, range: std::ops::RangeInclusive<char>) -> bool {
    text.chars().all(|character| range.contains(&character))
}

impl Sums {
    fn add(&mut self, fields: &[&str]) {
        self.rows += 1;
        let (name, kind) = (fields[6], fields[8]);
        let form = KINDS.iter().find(|known| known.code.to_string() == kind).map(|it| it.form);
        let form = form.expect("a generated kind");
        let body = if form.is_empty() { name.to_owned() } else { name.replacen(form, "", 1) };
        let of_kind = self.kinds.entry(kind.to_owned()).or_default();
        of_kind.rows += 1;
        of_kind.form_first += usize::from(!form.is_empty() && name.starts_with(form));
        of_kind.characters += body.chars().count();
        of_kind.katakana += usize::from(all(&body, 'ァ'..='ー'));
        of_kind.kanji += usize::from(all(&body, '一'..='龥'));
        of_kind.spaced += usize::from(body.contains('　'));
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        *self.names.entry(hasher.finish()).or_default() += 1;
        let reading = fields[28].chars().count();
        self.readings[0] += usize::from(reading > 0);
        self.readings[1] += reading;
        *self.prefectures.entry(fields[13].to_owned()).or_default() += 1;
        self.closed += usize::from(!fields[18].is_empty());
        self.new += usize::from(fields[2] == "01");
        self.streets[0] += usize::from(!fields[11].is_empty());
        self.streets[1] += fields[11].chars().count();
        self.streets[2] += usize::from(fields[11].contains("丁目"));
        self.english += usize::from(!fields[24].is_empty());
        self.hidden += usize::from(fields[29] == "1");
    }

    /// The shares of the generated corporations, in the order of [`REAL`].
    fn shares(&self) -> [f64; 26] {
        let rows = self.rows;
        let of_kind = |code: &str| self.kinds.get(code).copied().unwrap_or_default();
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let mean = |sum: usize, count: usize| sum as f64 / count.max(1) as f64;
        let length = |code: &str| mean(of_kind(code).characters, of_kind(code).rows);
        let in_301 = of_kind("301");
        let in_prefecture = |code: &str| self.prefectures.get(code).copied().unwrap_or_default();
        let repeated = |from: u32| -> usize {
            self.names.values().filter(|count| **count >= from).map(|count| *count as usize).sum()
        };
        [
            share(of_kind("301").rows, rows),
            share(of_kind("302").rows, rows),
            share(of_kind("399").rows, rows),
            share(of_kind("305").rows, rows),
            share(in_301.form_first, in_301.rows),
            length("301"),
            length("302"),
            length("305"),
            length("399"),
            length("401"),
            share(in_301.katakana, in_301.rows),
            share(in_301.kanji, in_301.rows),
            share(rows - repeated(2), rows),
            share(repeated(10), rows),
            share(in_301.spaced, in_301.rows),
            share(self.readings[0], rows),
            mean(self.readings[1], self.readings[0]),
            share(in_prefecture("13"), rows),
            share(in_prefecture("27"), rows),
            share(in_prefecture("31"), rows),
            share(self.closed, rows),
            share(self.new, rows),
            mean(self.streets[1], self.streets[0]),
            share(self.streets[2], self.streets[0]),
            share(self.english, rows),
            share(self.hidden, rows),
        ]
    }
}
