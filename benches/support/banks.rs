//! A seeded bank directory in the format of ginkositen.txt, at the true scale: 1,146 institutions,
//! of which the largest has 717 branches.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::daicho;
use super::source::SeededRandom;

pub const BANKS: usize = 1_146;

/// Number of branches of the largest institution, which is the first one.
pub const BRANCHES_MAX: usize = 717;

/// Syllables of the names, as kanji and kana.
const PARTS: [(&str, &str); 12] = [
    ("本", "ホン"),
    ("中央", "チユウオウ"),
    ("東", "ヒガシ"),
    ("西", "ニシ"),
    ("南", "ミナミ"),
    ("北", "キタ"),
    ("町", "マチ"),
    ("橋", "バシ"),
    ("川", "カワ"),
    ("田", "タ"),
    ("センター", "センタ－"),
    ("新", "シン"),
];

/// Code of the n-th institution.
pub fn bank_code(n: usize) -> u16 {
    u16::try_from(1 + n * 8).expect("1,146 institutions reach 9,161")
}

/// The number of branches of the n-th institution. Most have few.
pub fn branches(n: usize) -> usize {
    if n == 0 { BRANCHES_MAX } else { (BRANCHES_MAX / (n / 6 + 2)).max(12) }
}

/// Code of an institution's n-th branch.
pub fn branch_code(n: usize) -> u16 {
    u16::try_from(1 + n).expect("717 branches")
}

/// Runs `daicho build bank` into `folder/snapshots` and returns the snapshot's path.
pub fn build_banks(folder: &Path, version: &str) -> PathBuf {
    let mut random = SeededRandom::new(5);
    let mut text = String::new();
    let mut line = |bank: u16, branch: u16, kind: u8| {
        let (mut name, mut kana) = (String::new(), String::new());
        for _ in 0..2 + random.below(3) {
            let (kanji, reading) = PARTS[random.below(PARTS.len())];
            name.push_str(kanji);
            kana.push_str(reading);
        }
        let _ = writeln!(text, "{bank:04},{branch:03},\"{kana}\",\"{name}\",{kind}");
    };
    for n in 0..BANKS {
        line(bank_code(n), 0, 1);
    }
    for n in 0..BANKS {
        for branch in 0..branches(n) {
            line(bank_code(n), branch_code(branch), 2);
        }
    }
    let source = folder.join("ginkositen.txt");
    fs::write(&source, text).expect("below the target folder");
    let snapshots = folder.join("snapshots");
    let status = daicho()
        .args(["build", "bank", "--version", version, "--source"])
        .arg(&source)
        .arg("--out")
        .arg(&snapshots)
        .status()
        .expect("the program runs");
    assert!(status.success(), "the seeded directory builds");
    snapshots.join("bank").join(format!("{version}.daicho"))
}
