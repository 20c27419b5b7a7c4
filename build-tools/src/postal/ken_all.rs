//! KEN_ALL and its relatives (utf_ken_all, ADD, DEL, utf_add, utf_del), fifteen columns; and KEN_ALL_ROME, seven
//! columns.
//!
//! The Shift_JIS files split a long town over lines, from one with `（` to one with `）`. The parts of the town are
//! joined, and the parts of the reading if it is split too. If no `）` follows, each of the lines is a reject.
//!
//! KEN_ALL_ROME has one line per line of KEN_ALL, including split lines. The publisher cut names at 17 characters and
//! Roman text at 35 letters, without a mark.

use std::borrow::Cow;

use super::column::{
    digit, flag, is_prefecture, municipality, name, old_code, postal_code, prefecture,
};
use super::{AreaRow, RomanRow};
use crate::csv::{Fault, Record, Records, Rejects, Text, read_lines};
use crate::error::{Result, excerpt};
use crate::recognise::{decode, require_full};
use crate::{Batch, Progress, kana, kind::Kind, open::Source};

const COLUMNS: usize = 15;

/// Limit on the lines of one row. The most seen is nine (891-1275, May 2026).
const JOINED_LINES_MAX: usize = 64;

pub fn read_area(source: Source, progress: Progress<'_>) -> Result<Batch<AreaRow>> {
    let text = decode(source, Kind::Area)?;
    let batch = read_rows(&text, progress)?;
    require_full(batch, text.name, Kind::Area, |row| row.update_status)
}

pub(super) fn read_rows(text: &Text, progress: Progress<'_>) -> Result<Batch<AreaRow>> {
    let mut records = Records::new(text, COLUMNS)?;
    let mut joiner =
        Joiner { rejects: Rejects::new(&text.name), rows: Vec::new(), open: OpenRow::None };
    while let Some(record) = records.next(progress)? {
        joiner.add_record(record)?;
    }
    joiner.finish_open_row()?;
    let rejects = joiner.rejects.into_list();
    Ok(Batch { rows: joiner.rows, rejects, lines: records.lines() })
}

/// One line of the file, with its columns checked.
#[derive(Debug, Clone, Copy)]
struct Line<'t> {
    number: u64,
    jisx0402: u32,
    old_code: &'t str,
    postal_code: u32,
    /// Prefecture, municipality and town.
    kana: [&'t str; 3],
    name: [&'t str; 3],
    /// Columns 10 to 13.
    flags: [bool; 4],
    status: u8,
    reason: u8,
}

impl<'t> Line<'t> {
    fn parse(number: u64, fields: &[&'t str]) -> Result<Line<'t>, Fault> {
        let jisx0402 = municipality(fields, 0)?;
        for (index, kana) in fields.iter().enumerate().take(6).skip(3) {
            if kana.is_empty() {
                return Err(Fault::column(index, "a reading in katakana", kana));
            }
        }
        Ok(Line {
            number,
            jisx0402,
            old_code: old_code(fields, 1)?,
            postal_code: postal_code(fields, 2)?,
            kana: [fields[3], fields[4], fields[5]],
            name: [prefecture(fields, 6, jisx0402)?, name(fields, 7)?, name(fields, 8)?],
            flags: [flag(fields, 9)?, flag(fields, 10)?, flag(fields, 11)?, flag(fields, 12)?],
            status: digit(fields, 13, 2)?,
            reason: digit(fields, 14, 6)?,
        })
    }

    /// Whether all columns that a split row repeats are the same as in its first line.
    fn is_continuation_of(&self, first: &Line<'_>) -> bool {
        let key = |line: &Line<'t>| (line.jisx0402, line.postal_code, line.name[0], line.name[1]);
        let readings = |line: &Line<'t>| (line.kana[0], line.kana[1]);
        key(self) == (first.jisx0402, first.postal_code, first.name[0], first.name[1])
            && readings(self) == (first.kana[0], first.kana[1])
            && self.old_code == first.old_code
    }
}

/// The brackets in one line of a town.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brackets {
    None,
    Balanced,
    /// The last one is left open.
    Opens,
    /// Closes one that this line did not open, with none opened before.
    Closes,
    /// Nested, or closed twice.
    Invalid,
}

impl Brackets {
    fn find(town: &str) -> Brackets {
        let mut marks = town.chars().filter(|char| matches!(char, '（' | '）')).peekable();
        if marks.peek().is_none() {
            return Brackets::None;
        }
        let closes = marks.next_if_eq(&'）').is_some();
        let mut open = false;
        for mark in marks {
            if open == (mark == '（') {
                return Brackets::Invalid;
            }
            open = mark == '（';
        }
        match (closes, open) {
            (false, false) => Brackets::Balanced,
            (false, true) => Brackets::Opens,
            (true, false) => Brackets::Closes,
            (true, true) => Brackets::Invalid,
        }
    }
}

/// The row whose lines are being read.
enum OpenRow<'t> {
    None,
    /// Its lines so far; the bracket is not closed yet.
    Lines(Vec<Line<'t>>),
    /// One of its lines was unreadable, so its other lines cannot make a row either; its first line.
    Broken(Line<'t>),
}

struct Joiner<'t> {
    rows: Vec<AreaRow>,
    rejects: Rejects,
    open: OpenRow<'t>,
}

impl<'t> Joiner<'t> {
    fn add_record(&mut self, record: Record<'t, '_>) -> Result<()> {
        let number = record.line;
        match record.fields.and_then(|fields| Line::parse(number, fields)) {
            Ok(line) => self.add_line(line),
            Err(fault) => {
                self.rejects.push(number, fault)?;
                self.break_open_row()
            }
        }
    }

    fn add_line(&mut self, line: Line<'t>) -> Result<()> {
        let brackets = Brackets::find(line.name[2]);
        let can_continue = matches!(brackets, Brackets::None | Brackets::Closes);
        match std::mem::replace(&mut self.open, OpenRow::None) {
            OpenRow::Lines(mut lines) if can_continue && line.is_continuation_of(&lines[0]) => {
                lines.push(line);
                if brackets == Brackets::Closes {
                    return self.finish(&lines);
                }
                if lines.len() < JOINED_LINES_MAX {
                    self.open = OpenRow::Lines(lines);
                    return Ok(());
                }
                return self.reject_unclosed(&lines);
            }
            OpenRow::Lines(lines) => self.reject_unclosed(&lines)?,
            OpenRow::Broken(first) if can_continue && line.is_continuation_of(&first) => {
                if brackets == Brackets::None {
                    self.open = OpenRow::Broken(first);
                }
                let expected =
                    format!("a separate row after the broken row of line {}", first.number);
                let found = format!("perhaps the rest of that row, {}", excerpt(line.name[2]));
                return self.rejects.push(line.number, Fault::line(expected, found));
            }
            OpenRow::Broken(_) | OpenRow::None => {}
        }
        match brackets {
            Brackets::None | Brackets::Balanced => self.finish(&[line]),
            Brackets::Opens => {
                self.open = OpenRow::Lines(vec![line]);
                Ok(())
            }
            Brackets::Closes | Brackets::Invalid => {
                let fault = Fault::column(8, "brackets in pairs, not nested", line.name[2]);
                self.rejects.push(line.number, fault)
            }
        }
    }

    fn break_open_row(&mut self) -> Result<()> {
        // A row that is broken already stays so: the lines after this one may be its rest, too.
        let OpenRow::Lines(lines) = &mut self.open else { return Ok(()) };
        let lines = std::mem::take(lines);
        self.open = OpenRow::Broken(lines[0]);
        self.reject_unclosed(&lines)
    }

    fn finish_open_row(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.open, OpenRow::None) {
            OpenRow::Lines(lines) => self.reject_unclosed(&lines),
            OpenRow::Broken(_) | OpenRow::None => Ok(()),
        }
    }

    /// Every line is listed, because each might have been a town of its own.
    fn reject_unclosed(&mut self, lines: &[Line<'t>]) -> Result<()> {
        for line in lines {
            let expected = format!("`）` to close the row of line {}", lines[0].number);
            self.rejects.push(line.number, Fault::column(8, expected, line.name[2]))?;
        }
        Ok(())
    }

    fn finish(&mut self, lines: &[Line<'t>]) -> Result<()> {
        match join(lines) {
            Ok(row) => {
                self.rows.push(row);
                Ok(())
            }
            Err(fault) => self.rejects.push(lines[0].number, fault),
        }
    }
}

fn join(lines: &[Line<'_>]) -> Result<AreaRow, Fault> {
    let first = &lines[0];
    let [town_partial, town_addressed_koaza, town_chome, town_multi] = first.flags;
    let (town, town_kana) = match lines {
        [line] => (Cow::Borrowed(line.name[2]), Cow::Borrowed(line.kana[2])),
        _ => (lines.iter().map(|line| line.name[2]).collect(), joined_reading(lines).into()),
    };
    Ok(AreaRow {
        line: first.number,
        jisx0402: first.jisx0402,
        old_code: first.old_code.to_owned(),
        postal_code: first.postal_code,
        prefecture_kana: reading(first.kana[0], 3)?,
        city_kana: reading(first.kana[1], 4)?,
        town_kana: reading(&town_kana, 5)?,
        prefecture: first.name[0].to_owned(),
        city: kana::name(first.name[1]),
        town: kana::name(&town),
        town_raw: kana::printed_name(&town),
        town_kana_raw: kana::printed_reading(&town_kana),
        town_partial,
        town_addressed_koaza,
        town_chome,
        town_multi,
        update_status: first.status,
        update_reason: first.reason,
    })
}

/// The reading is split only if it was too long itself; otherwise each line repeats it.
fn joined_reading(lines: &[Line<'_>]) -> String {
    let mut joined = lines[0].kana[2].to_owned();
    for pair in lines.windows(2) {
        let (before, after) = (pair[0].kana[2], pair[1].kana[2]);
        if before != after || before.contains(['(', '（']) {
            joined.push_str(after);
        }
    }
    joined
}

fn reading(text: &str, index: usize) -> Result<String, Fault> {
    let reading = kana::area_reading(text);
    if kana::is_reading(&reading) {
        return Ok(reading);
    }
    Err(Fault::column(index, "a reading in katakana", text))
}

const ROMAN_COLUMNS: usize = 7;

pub fn read_roman(source: Source, progress: Progress<'_>) -> Result<Batch<RomanRow>> {
    let text = decode(source, Kind::Roman)?;
    read_lines(&text, ROMAN_COLUMNS, parse_roman, progress)
}

fn parse_roman(line: u64, fields: &[&str]) -> Result<RomanRow, Fault> {
    let prefecture = name(fields, 1)?;
    if !is_prefecture(prefecture) {
        return Err(Fault::column(1, "a prefecture", prefecture));
    }
    Ok(RomanRow {
        line,
        postal_code: postal_code(fields, 0)?,
        prefecture: prefecture.to_owned(),
        city: kana::name(name(fields, 2)?),
        town: kana::name(name(fields, 3)?),
        prefecture_roman: capitals(fields, 4)?,
        city_roman: capitals(fields, 5)?,
        town_roman: capitals(fields, 6)?,
    })
}

/// Capital letters, digits and ASCII marks; trailing spaces come from the cut and are dropped.
fn capitals(fields: &[&str], index: usize) -> Result<String, Fault> {
    let text = fields[index].trim_end_matches(' ');
    let is_allowed = |byte: u8| (b' '..=b'~').contains(&byte) && !byte.is_ascii_lowercase();
    if text.is_empty() || !text.bytes().all(is_allowed) {
        return Err(Fault::column(index, "a name in capital Roman letters", fields[index]));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A line of 岩手郡葛巻町 with this code, reading and town.
    fn line(code: &str, kana: &str, town: &str) -> String {
        format!(
            "03302,\"02851\",\"{code}\",\"ｲﾜﾃｹﾝ\",\"ｲﾜﾃｸﾞﾝｸｽﾞﾏｷﾏﾁ\",\"{kana}\",\"岩手県\",\
             \"岩手郡葛巻町\",\"{town}\",1,1,0,0,0,0\r\n"
        )
    }

    fn read(lines: &str) -> Result<Batch<AreaRow>> {
        let source = Source::from_bytes("KEN_ALL.CSV", lines.as_bytes().to_vec());
        read_area(source, &mut |_, _| {})
    }

    /// Rows as `line town reading`, rejects as `line column`.
    #[track_caller]
    fn check(lines: &str, rows: &[&str], rejects: &[&str]) {
        let batch = read(lines).expect("the file as a whole is good");
        let row = |row: &AreaRow| format!("{} {} {}", row.line, row.town, row.town_kana);
        let reject = |reject: &crate::Reject| {
            format!("{} {}", reject.line, reject.column.map_or("-".into(), |c| c.to_string()))
        };
        assert_eq!(batch.rows.iter().map(row).collect::<Vec<_>>(), rows);
        assert_eq!(batch.rejects.iter().map(reject).collect::<Vec<_>>(), rejects);
        assert_eq!(batch.lines, lines.lines().count() as u64);
    }

    #[test]
    fn columns_become_fields() {
        let row =
            &read(&line("0285102", "ｸｽﾞﾏｷ(ﾀﾞｲ40ﾁﾜﾘ)", "葛巻（第４０地割）")).expect("reads").rows[0];
        let expected = AreaRow {
            line: 1,
            jisx0402: 3302,
            old_code: "02851".to_owned(),
            postal_code: 285_102,
            prefecture_kana: "イワテケン".to_owned(),
            city_kana: "イワテグンクズマキマチ".to_owned(),
            town_kana: "クズマキ（ダイ４０チワリ）".to_owned(),
            prefecture: "岩手県".to_owned(),
            city: "岩手郡葛巻町".to_owned(),
            town: "葛巻（第４０地割）".to_owned(),
            town_raw: "葛巻（第４０地割）".to_owned(),
            town_kana_raw: "クズマキ（ダイ４０チワリ）".to_owned(),
            town_partial: true,
            town_addressed_koaza: true,
            town_chome: false,
            town_multi: false,
            update_status: 0,
            update_reason: 0,
        };
        assert_eq!(row, &expected);
    }

    #[test]
    fn split_lines_are_joined() {
        let other = line("0285103", "ｱ", "亜");
        // The reading is split as well.
        let split =
            line("0285102", "ｸｽﾞﾏｷ(ﾀﾞｲ45", "葛巻（第４５") + &line("0285102", "ﾁﾜﾘ)", "地割）");
        let joined = "1 葛巻（第４５地割） クズマキ（ダイ４５チワリ）";
        check(&format!("{split}{other}"), &[joined, "3 亜 ア"], &[]);
        // The second line begins with the voicing mark of a kana.
        let split = line("0285102", "ｸｽﾞﾏｷ(ｶ", "葛巻（賀") + &line("0285102", "ﾞ)", "）");
        check(&split, &["1 葛巻（賀） クズマキ（ガ）"], &[]);
        // Every line repeats the short reading.
        let split = line("0285102", "ｸｽﾞﾏｷ", "葛巻（一、")
            + &line("0285102", "ｸｽﾞﾏｷ", "二、")
            + &line("0285102", "ｸｽﾞﾏｷ", "三）");
        check(&split, &["1 葛巻（一、二、三） クズマキ"], &[]);
        // Full-width, as a split line in a UTF-8 file.
        let split = line("0285102", "クズマキ（ア", "葛巻（あ") + &line("0285102", "イ）", "い）");
        check(&split, &["1 葛巻（あい） クズマキ（アイ）"], &[]);
        // Two rows with the same code are not joined.
        let two = line("0285102", "ｱ", "亜") + &line("0285102", "ｲ", "伊");
        check(&two, &["1 亜 ア", "2 伊 イ"], &[]);
    }

    #[test]
    fn unclosed_rows_are_rejects() {
        let open = line("0285102", "ｸｽﾞﾏｷ(ﾀﾞｲ45", "葛巻（第４５");
        let inside = line("0285102", "ﾁﾜﾘ､", "地割、");
        let close = line("0285102", "ﾁﾜﾘ)", "地割）");
        let other = line("0285103", "ｱ", "亜");
        let bracketed = line("0285102", "ｱ(ｲ)", "亜（伊）");
        let bad = inside.replace("岩手県", "秋田県");
        let cases: [(String, &[&str], &[&str]); 11] = [
            (open.clone(), &[], &["1 9"]),
            (format!("{open}{inside}"), &[], &["1 9", "2 9"]),
            (format!("{open}{other}"), &["2 亜 ア"], &["1 9"]),
            (format!("{open}{inside}{other}"), &["3 亜 ア"], &["1 9", "2 9"]),
            (format!("{open}{bracketed}"), &["2 亜（伊） ア（イ）"], &["1 9"]),
            (
                format!("{open}{open}{close}"),
                &["2 葛巻（第４５地割） クズマキ（ダイ４５チワリ）"],
                &["1 9"],
            ),
            // The lines after broken lines inside a row do not become a town.
            (
                format!("{open}{bad}{inside}{close}{other}"),
                &["5 亜 ア"],
                &["1 9", "2 7", "3 -", "4 -"],
            ),
            (
                format!("{open}{bad}{bad}{inside}{close}{other}"),
                &["6 亜 ア"],
                &["1 9", "2 7", "3 7", "4 -", "5 -"],
            ),
            (
                format!("{open}{bad}{inside}{bad}{inside}{close}{other}"),
                &["7 亜 ア"],
                &["1 9", "2 7", "3 -", "4 7", "5 -", "6 -"],
            ),
            (format!("{close}{other}"), &["2 亜 ア"], &["1 9"]),
            (format!("{}{other}", line("0285102", "ｱ", "亜（伊（宇））")), &["2 亜 ア"], &["1 9"]),
        ];
        for (lines, rows, rejects) in cases {
            check(&lines, rows, rejects);
        }
    }

    #[test]
    fn a_row_of_too_many_lines_is_rejected_and_the_next_is_kept() {
        let lines = line("0285102", "ｱ(", "亜（")
            + &line("0285102", "ｲ", "伊").repeat(JOINED_LINES_MAX - 1)
            + &line("0285103", "ｱ", "亜");
        let batch = read(&lines).expect("the file as a whole is good");
        assert_eq!((batch.rows.len(), batch.rejects.len()), (1, JOINED_LINES_MAX));
    }

    #[test]
    fn bad_columns_are_named() {
        #[track_caller]
        fn check_column(from: &str, to: &str, column: u32) {
            let good = line("0285102", "ｱ", "亜");
            let bad = good.replacen(from, to, 1);
            assert_ne!(good, bad, "{from} occurs");
            check(
                &format!("{good}{bad}{good}"),
                &["1 亜 ア", "3 亜 ア"],
                &[&format!("2 {column}")],
            );
        }
        check_column("03302", "3302", 1);
        check_column("03302", "48302", 1);
        check_column("02851", "0285", 2);
        check_column("0285102", "028510", 3);
        check_column("ｲﾜﾃｹﾝ", "", 4);
        check_column("ｲﾜﾃｹﾝ", "岩手県", 4);
        check_column("ｸｽﾞﾏｷﾏﾁ", "くずまき", 5);
        check_column("\"ｱ\"", "\"ﾞ\"", 6);
        check_column("\"ｱ\"", "\"\"", 6);
        check_column("岩手県", "秋田県", 7);
        check_column("岩手郡葛巻町", "", 8);
        check_column("岩手郡葛巻町", "岩手郡ｸｽﾞﾏｷ町", 8);
        check_column("亜", "", 9);
        check_column("亜", "a", 9);
        check_column(",1,1,0,0,0,0", ",2,1,0,0,0,0", 10);
        check_column(",1,1,0,0,0,0", ",1,,0,0,0,0", 11);
        check_column(",1,1,0,0,0,0", ",1,1,a,0,0,0", 12);
        check_column(",1,1,0,0,0,0", ",1,1,0,9,0,0", 13);
        check_column(",1,1,0,0,0,0", ",1,1,0,0,3,0", 14);
        check_column(",1,1,0,0,0,0", ",1,1,0,0,0,7", 15);
        check_column("\"亜\"", "\"亜", 9);
        check_column("\"亜\"", "亜\"亜", 9);
        let good = line("0285102", "ｱ", "亜");
        check(&format!("{good}03302,1\r\n{good}"), &["1 亜 ア", "3 亜 ア"], &["2 -"]);
        check(&format!("{good}\r\n{good}"), &["1 亜 ア", "3 亜 ア"], &["2 -"]);
        let long = good.replace("0,0\r", "0,0,0\r");
        check(&format!("{good}{long}{good}"), &["1 亜 ア", "3 亜 ア"], &["2 -"]);
    }

    #[test]
    fn whole_file_faults_are_errors() {
        #[track_caller]
        fn check_error(lines: &str, expected: &str) {
            let message = read(lines).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
        }
        let good = line("0285102", "ｱ", "亜");
        check_error("", "found an empty file");
        check_error("\r\n\r\n", "found an empty file");
        check_error(good.trim_end(), "cut short");
        check_error(&format!("{good}{}", &good[..20]), "cut short: it ends within a line");
        check_error(&format!("{good}{}\r\n", &good[..20]), "the last line is not complete");
        check_error(&good.replace(",0,0\r", ",1,5\r"), "give this file with --updates");
        check_error(&good.replace(",0,0\r", ",2,6\r"), "give this file with --updates");
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_area(Source::from_bytes("x", bytes), &mut |_, _| {});
        }
    }
}

#[cfg(test)]
mod roman_tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "\"0600000\",\"北海道\",\"札幌市　中央区\",\"以下に掲載がない場合\",\
                        \"HOKKAIDO\",\"SAPPORO SHI CHUO KU\",\"IKANIKEISAIGANAIBAAI\"\r\n";

    fn read(lines: &str) -> Result<Batch<RomanRow>> {
        let source = Source::from_bytes("KEN_ALL_ROME.CSV", lines.as_bytes().to_vec());
        read_roman(source, &mut |_, _| {})
    }

    #[test]
    fn columns_become_fields() {
        let expected = RomanRow {
            line: 1,
            postal_code: 600_000,
            prefecture: "北海道".to_owned(),
            city: "札幌市　中央区".to_owned(),
            town: "以下に掲載がない場合".to_owned(),
            prefecture_roman: "HOKKAIDO".to_owned(),
            city_roman: "SAPPORO SHI CHUO KU".to_owned(),
            town_roman: "IKANIKEISAIGANAIBAAI".to_owned(),
        };
        assert_eq!(read(LINE).expect("reads").rows, [expected]);
    }

    #[test]
    fn bad_columns_are_named() {
        #[track_caller]
        fn check(from: &str, to: &str, expected: u32) {
            let bad = LINE.replacen(from, to, 1);
            let batch = read(&format!("{LINE}{bad}{LINE}")).expect("the file as a whole is good");
            let found: Vec<_> = batch.rejects.iter().map(|reject| reject.column).collect();
            assert_eq!((found, batch.rows.len()), (vec![Some(expected)], 2), "{bad}");
        }
        check("0600000", "060-0000", 1);
        check("北海道", "北海", 2);
        check("札幌市　中央区", "", 3);
        check("以下に", "ika", 4);
        check("HOKKAIDO", "Hokkaido", 5);
        check("SAPPORO SHI CHUO KU", "", 6);
        check("IKANI", "ＩＫＡ", 7);
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_roman(Source::from_bytes("x", bytes), &mut |_, _| {});
        }
    }
}
