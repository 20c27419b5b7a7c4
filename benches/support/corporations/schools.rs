//! A seeded list of school codes in the ministry's format, at the true scale.
//!
//! The counts of each type and the share of closed schools are those of the list of 2026-05-01. Founders and forms of
//! names are guesses.

use std::path::{Path, PathBuf};

use daicho::text::codes::SchoolCode;

use super::places::{Places, push_lot};
use super::words::{Lexicon, Script};
use super::{LineWriter, choose};
use crate::support::source::SeededRandom;

/// A type of school: its label, number of schools, percentages of public and national ones, and the end of their names.
type Kind = (&'static str, &'static str, usize, [usize; 2], &'static str);

const KINDS: [Kind; 13] = [
    ("A1", "幼稚園", 9_748, [34, 1], "幼稚園"),
    ("A2", "認定こども園", 8_073, [15, 0], "認定こども園"),
    ("B1", "小学校", 19_776, [98, 1], "小学校"),
    ("C1", "中学校", 10_317, [91, 1], "中学校"),
    ("C2", "義務教育", 297, [97, 2], "義務教育学校"),
    ("D1", "高等学校", 5_119, [72, 1], "高等学校"),
    ("D2", "中等教育", 63, [60, 7], "中等教育学校"),
    ("E1", "特別支援", 1_186, [95, 4], "特別支援学校"),
    ("F1", "大学", 832, [13, 11], "大学"),
    ("F2", "短大", 328, [5, 0], "短期大学"),
    ("G1", "高専", 58, [5, 88], "工業高等専門学校"),
    ("H1", "専修学校", 3_268, [6, 1], "専門学校"),
    ("H2", "各種学校", 1_146, [1, 0], "学院"),
];

/// Number of closed schools in the list.
const CLOSED: usize = 4_687;

const HEADER: &str = "学校コード,学校種,都道府県番号,設置区分,本分校,学校名,学校所在地,郵便番号,\
                      属性情報設定年月日,属性情報廃止年月日,旧学校調査番号,移行後の学校コード";

pub struct Schools {
    pub file: PathBuf,
    pub codes: Vec<SchoolCode>,
    pub names: Vec<String>,
    pub addresses: Vec<String>,
}

/// Writes a list at the places of a postal snapshot.
pub fn write_schools(folder: &Path, postal: &Path) -> Schools {
    let (mut random, words, places) =
        (SeededRandom::new(13), Lexicon::new(), Places::from_snapshot(postal));
    let file = folder.join("20260825-mxt_chousa01-000011635_2.csv");
    let mut schools = Schools { file, codes: Vec::new(), names: Vec::new(), addresses: Vec::new() };
    let mut out = LineWriter::create(&schools.file);
    out.write(|line| line.push_str(&format!("{HEADER}\n")));
    let total: usize = KINDS.iter().map(|kind| kind.2).sum();
    for (code, label, count, [public, national], ending) in KINDS {
        for serial in 0..count {
            let city = places.city(&mut random);
            let mut address = format!("{}{}", city.prefecture, city.name);
            let (town, postal_code) = push_lot(&mut address, &mut random, &words, city);
            let founder = match random.below(100) {
                percent if percent < public => 2,
                percent if percent < public + national => 1,
                _ => 3,
            };
            let mut name = match founder {
                2 => format!("{}立{town}", city.name),
                1 => format!("{}大学附属", city.prefecture.trim_end_matches(['都', '府', '県'])),
                _ => String::new(),
            };
            if founder == 3 {
                let scripts =
                    [(Script::Kanji, 2, 70), (Script::Kanji, 3, 10), (Script::Hiragana, 4, 20)];
                let (script, length, _) = choose(&mut random, scripts, |(_, _, share)| *share);
                words.push(&mut name, &mut random, script, length);
            }
            name.push_str(ending);
            let prefecture = city.code / 1_000;
            let body = format!("{code}{prefecture:02}{founder}{:07}", serial * 9 + 100_001);
            let candidates =
                (0..10).filter_map(|digit| SchoolCode::parse(&format!("{body}{digit}")).ok());
            let school =
                candidates.into_iter().find(|code| code.is_sound()).expect("a check digit");
            let is_closed = random.below(total) < CLOSED;
            let (branch, closed) =
                if is_closed { ("9(廃)", "2024-04-01") } else { ("1(本)", "") };
            let founder = ["1(国)", "2(公)", "3(私)"][founder - 1];
            let prefecture = format!("{prefecture:02}({})", city.prefecture);
            out.write(|line| {
                line.push_str(&format!(
                    "{school},{code}({label}),{prefecture},{founder},{branch},{name},{address},\
                     {postal_code:07},2020-12-22,{closed},{:06},\n",
                    schools.codes.len()
                ));
            });
            schools.codes.push(school);
            schools.names.push(name);
            schools.addresses.push(address);
        }
    }
    out.finish();
    schools
}
