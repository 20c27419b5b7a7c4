//! Seeded files of the register of qualified invoice issuers, at the true scale.
//!
//! 2.55 million corporations in five parts and 7,906 rows of associations, of which 555 are superseded. Slightly less
//! than half of the country's corporations are registered. The shares of changed, lapsed and revoked registrations are
//! guesses, because no statistics have them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use daicho::text::codes::{CorporateNumber, InvoiceNumber};

use super::names::{KINDS, Name, name};
use super::places::{City, Places, push_street};
use super::words::{Lexicon, Readings};
use super::{LineWriter, Serials, choose, date};
use crate::support::source::SeededRandom;

/// Number of registrations of corporations and associations.
pub const REGISTRATIONS: usize = 2_600_000;

/// Number of rows of associations, and of the superseded ones among them.
const ASSOCIATIONS: usize = 7_906;
const SUPERSEDED: usize = 555;

const PARTS: usize = 5;

/// Registered corporations of each thousand.
const REGISTERED: usize = 464;

pub struct Register {
    pub files: Vec<PathBuf>,
    /// Numbers of the registrations in force.
    pub numbers: Vec<InvoiceNumber>,
}

/// Writes about `count` registrations at the places of a postal snapshot.
pub fn write_register(folder: &Path, count: usize, postal: &Path) -> Register {
    let mut writer = Writer {
        random: SeededRandom::new(11),
        words: Lexicon::new(),
        readings: Readings::new(),
        places: Places::from_snapshot(postal),
    };
    let mut serials = Serials(vec![[0; 100]; 4 * 48]);
    let mut register = Register { files: Vec::new(), numbers: Vec::with_capacity(count) };
    let corporations = count.saturating_sub(ASSOCIATIONS).max(PARTS);
    for part in 1..=PARTS {
        let path = folder.join(format!("h_all_20260731_{part:03}.csv"));
        let mut out = LineWriter::create(&path);
        for sequence in 1..=corporations / PARTS {
            let number = loop {
                let kind = choose(&mut writer.random, &KINDS, |kind| kind.share);
                let city = writer.places.city(&mut writer.random);
                let number = serials.next(&mut writer.random, kind, city);
                if writer.random.below(1_000) < REGISTERED {
                    break number;
                }
            };
            out.write(|line| writer.push_line(line, sequence, number));
            register.numbers.push(InvoiceNumber::from_corporate(number));
        }
        out.finish();
        register.files.push(path);
    }
    let path = folder.join("j_all_20260731.csv");
    let mut out = LineWriter::create(&path);
    for sequence in 1..=ASSOCIATIONS {
        let body = 700_150_000_000 + 3 * sequence as u64;
        let number = CorporateNumber::from_body(body).expect("twelve digits");
        if sequence <= SUPERSEDED {
            out.write(|line| {
                let _ = writeln!(
                    line,
                    "{sequence},\"T{number}\",01,0,,,0,2023-10-01,2024-04-01,,2024-03-31,\"\",,,\
                     \"\",,,\"\",\"\",\"\",,,\"\",\"\""
                );
            });
        } else {
            out.write(|line| writer.push_line(line, sequence, number));
        }
        register.numbers.push(InvoiceNumber::from_corporate(number));
    }
    out.finish();
    register.files.push(path);
    register
}

struct Writer {
    random: SeededRandom,
    words: Lexicon,
    readings: Readings,
    places: Places,
}

impl Writer {
    fn push_line(&mut self, line: &mut String, sequence: usize, number: CorporateNumber) {
        let random = &mut self.random;
        let (process, disposal, expire) = match random.below(1_000) {
            0..870 => ("01", String::new(), String::new()),
            870..970 => ("02", String::new(), String::new()),
            970..998 => ("03", String::new(), date(random)),
            _ => ("04", date(random), String::new()),
        };
        let kind = choose(random, &KINDS, |kind| kind.share);
        let Name { name, body } = name(random, &self.words, kind);
        let mut reading = String::new();
        if random.below(1_000) < kind.readings {
            self.readings.push(&mut reading, &body);
        }
        let updated = date(random);
        let registered = if random.below(10) < 8 { "2023-10-01".to_owned() } else { date(random) };
        let _ = write!(
            line,
            "{sequence},\"T{number}\",{process},0,2,1,1,{registered},{updated},{disposal},{expire},\""
        );
        let city = self.places.city(random);
        self.push_address(line, city);
        line.push_str(",\"\",,,\"");
        let _ = writeln!(line, "{reading}\",\"{name}\",\"\",,,\"\",\"\"");
    }

    fn push_address(&self, line: &mut String, city: &City) {
        let mut random = SeededRandom::new(u64::from(city.code) + line.len() as u64);
        let _ = write!(line, "{}{}", city.prefecture, city.name);
        push_street(line, &mut random, &self.words, city);
        let (prefecture, city) = (city.code / 1_000, city.code % 1_000);
        let _ = write!(line, "\",{prefecture:02},{city:03}");
    }
}
