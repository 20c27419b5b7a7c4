//! `daicho build corporate` with a base, which updates the text indexes of the base instead of building them anew. The
//! snapshot must have the same bytes as a build from all rows. There are enough rows that grams of three and more letters
//! are listed, and that some cross the thresholds above which they are.

use std::fs;
use std::path::{Path, PathBuf};

use daicho::text::codes::CorporateNumber;

use super::{succeeds, text};

const ROWS: u64 = 6_000;

/// The searched texts of a corporation.
struct Texts {
    name: String,
    street: String,
    outside: &'static str,
    en_name: String,
    furigana: String,
}

impl Texts {
    /// The texts of a row. The English names of the first rows occur in 200, 1,600 and 201 rows: at the threshold above which
    /// a gram is listed (200), at that above which it is common (eight times 200), and one above the first.
    fn of(row: u64) -> Texts {
        let pick = |of: &'static [&'static str], place: u64| of[place as usize % of.len()];
        let form = pick(&["株式会社", "有限会社", "一般社団法人"], row);
        let word =
            pick(&["台帳", "山川製作所", "みほん商事", "ダイチョウ技研", "東京東京"], row / 3);
        let rare = if row.is_multiple_of(90) { "青葉" } else { "" };
        let english = match row {
            0..200 => "Azure Zeal",
            200..1_800 => "Bolt Register",
            1_800..2_001 => "Cedar Zen",
            _ => pick(&["Daicho Works", "Register Holdings"], row),
        };
        Texts {
            name: format!("{form}{word}{rare}"),
            street: format!("大手町{}丁目{}番{}号", row % 4 + 1, row % 17 + 1, row % 29 + 1),
            outside: if row.is_multiple_of(20) {
                "アメリカ合衆国カリフォルニア州"
            } else {
                ""
            },
            en_name: format!("{english} {} Co., Ltd.", row % 11),
            furigana: "ダイチヨウ".chars().cycle().take(3 + row as usize % 6).collect(),
        }
    }
}

fn number(row: u64) -> CorporateNumber {
    CorporateNumber::from_body(10_000_000_000 + row).expect("twelve digits")
}

/// A line of a file of the tax agency, in UTF-8.
fn line(sequence: usize, row: u64, process: &str, date: &str, texts: &Texts) -> String {
    let Texts { name, street, outside, en_name, furigana } = texts;
    format!(
        "{sequence},{},{process},0,{date},{date},\"{name}\",,301,\"東京都\",\"千代田区\",\"{street}\",,13,101,\
         1000004,\"{outside}\",,,,,,2015-10-05,1,\"{en_name}\",,,,\"{furigana}\",0\n",
        number(row),
    )
}

/// Writes a difference file; `rows` are those added, those changed and those withdrawn, and `texts_of` gives the row whose
/// texts a row takes.
fn difference(
    folder: &Path,
    date: &str,
    rows: [Vec<u64>; 3],
    texts_of: impl Fn(u64) -> u64,
) -> PathBuf {
    let mut lines = String::new();
    let [added, changed, withdrawn] = rows;
    let all = [("01", added), ("12", changed), ("99", withdrawn)];
    let all =
        all.into_iter().flat_map(|(process, rows)| rows.into_iter().map(move |it| (process, it)));
    for (sequence, (process, row)) in (1..).zip(all) {
        lines += &line(sequence, row, process, date, &Texts::of(texts_of(row)));
    }
    let path = folder.join(format!("diff_{}.csv", date.replace('-', "")));
    fs::write(&path, lines).expect("written");
    path
}

fn build(version: &str, arguments: &[&str], out: &Path) -> PathBuf {
    let fixed = ["build", "corporate", "--version", version, "--out", text(out)];
    succeeds(&[&fixed, arguments].concat());
    out.join("corporate").join(format!("{version}.daicho"))
}

#[test]
fn a_build_from_a_base_has_the_bytes_of_a_build_from_all_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let [applied, whole] = ["applied", "whole"].map(|name| folder.path().join(name));
    let full = folder.path().join("00_zenkoku_all_20260731.csv");
    let lines =
        (0..ROWS).map(|row| line(row as usize + 1, row, "01", "2026-07-01", &Texts::of(row)));
    fs::write(&full, lines.collect::<String>()).expect("written");
    // The first difference adds a row to each of the first two English names and takes one from the third; the second does
    // the opposite.
    let first = [
        (ROWS..ROWS + 40).collect(),
        (0..ROWS).skip(3).step_by(97).collect(),
        vec![1_900, 3_000, 3_001, 5_999],
    ];
    let first = difference(folder.path(), "2026-08-03", first, |row| match row {
        6_000 => 0,
        6_001 => 200,
        6_002..6_030 => row * 7,
        row if row.is_multiple_of(2) => row,
        row => row + 1,
    });
    let second =
        [vec![1_900, 3_000], (0..ROWS).skip(5).step_by(83).collect(), vec![6_000, 6_001, 0]];
    let second = difference(folder.path(), "2026-08-04", second, |row| row.saturating_sub(row % 3));
    let base = build("2026-07-31", &["--full", text(&full)], &applied);
    let day = build("2026-08-03", &["--base", text(&base), "--diff", text(&first)], &applied);
    let next = build("2026-08-04", &["--base", text(&day), "--diff", text(&second)], &applied);
    for (version, differences, renewed) in [
        ("2026-08-03", vec![text(&first)], &day),
        ("2026-08-04", vec![text(&first), text(&second)], &next),
    ] {
        let arguments = [&["--full", text(&full), "--diff"], &differences[..]].concat();
        let built = build(version, &arguments, &whole);
        let [renewed, built] = [renewed, &built].map(|path| fs::read(path).expect("a snapshot"));
        assert!(renewed == built, "{version}");
    }
}
