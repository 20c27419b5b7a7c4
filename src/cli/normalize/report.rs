//! The progress and the summary of the command, on standard error: lines for people, in which values of the column match
//! and the like are the same in every language.

use std::{fmt::Write as _, time::Duration};

use unicode_width::UnicodeWidthStr;

use crate::address::CorrectionKind;
use crate::cli::language;
use crate::cli::print::own;
use crate::normalize::{CodeCheck, Doubt, Match, Table, Tally};
use crate::text::{codes::DataVersion, numerals::grouped};

/// Maximum number of listed characters that the output encoding lacks.
const CHARACTERS_SHOWN_MAX: usize = 10;

/// Columns of the name of a line.
const NAME_WIDTH: usize = 20;

pub fn rate(rows: u64, seconds: f64) -> String {
    let count = grouped((rows as f64 / seconds.max(0.001)) as u64);
    let rows = counted_rows(rows);
    format!("{rows}, {count}/s")
}

/// The first line of a summary.
pub fn rows_line(tally: &Tally, version: DataVersion, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let rate = rate(tally.rows, seconds);
    format!("{rate} in {seconds:.1} s, data version {version}\n")
}

/// A line of a summary: how many of all rows have a property, with a remark.
pub fn count_line(name: &str, count: u64, rows: u64, remark: &str) -> String {
    let name = language::lines(name);
    let space = " ".repeat(NAME_WIDTH.saturating_sub(name.width()));
    let share = count as f64 * 100.0 / rows.max(1) as f64;
    let remark = if remark.is_empty() { remark.into() } else { language::lines(remark) };
    let gap = if remark.is_empty() { "" } else { "  " };
    own(format!("  {name}{space} {:>13} {share:>6.2}%{gap}{remark}", grouped(count))) + "\n"
}

/// The doubts that no other line of the summary counts.
const OWN_LINES: [Doubt; 2] = [Doubt::SeveralPlaces, Doubt::Unplaced];

pub fn summary(tally: &Tally, table: &Table, version: DataVersion, elapsed: Duration) -> String {
    let mut out = String::new();
    let (rows, seconds) = (counted_rows(tally.rows), elapsed.as_secs_f64());
    let rate = grouped((tally.rows as f64 / seconds.max(0.001)) as u64);
    let _ = writeln!(out, "{rows} in {seconds:.1} s ({rate} rows/s), data version {version}");
    let mut line = |name: &str, count: u64, remark: &str| {
        out.push_str(&count_line(name, count, tally.rows, remark));
    };
    for matched in Match::ALL {
        let count = tally.matched[matched as usize];
        let first = tally.first_unreadable.filter(|_| matched == Match::Unreadable);
        let remark = first.map_or_else(String::new, |row| {
            let encoding = table.input.name();
            format!("not valid {encoding}; the first is row {}", grouped(row))
        });
        if count > 0 || matched < Match::Blank {
            line(&own(matched.name()), count, &remark);
        }
    }
    line("without postal code", tally.without_code, "");
    for kind in CorrectionKind::ALL {
        let count = tally.corrected[kind as usize];
        if count > 0 {
            line(&format!("corrected {}", own(kind)), count, "");
        }
    }
    if table.added.check {
        for check in CodeCheck::ALL {
            line(&format!("postal code {}", own(check)), tally.checked[check as usize], "");
        }
    }
    for doubt in OWN_LINES {
        let count = tally.doubtful[doubt as usize];
        if count > 0 {
            line(doubt.name(), count, "");
        }
    }
    let listed = if table.has_review { "" } else { "--review FILE lists them" };
    if tally.to_review > 0 {
        line("to review", tally.to_review, listed);
    }
    if tally.short > 0 {
        line("too few fields", tally.short, "filled with empty fields");
    }
    if tally.long > 0 {
        line("too many fields", tally.long, "the added columns are shifted in these rows");
    }
    if tally.unmappable.count > 0 {
        let _ = writeln!(out, "{}", unmappable(tally, table));
    }
    out
}

/// What was corrected in the file itself; told even if the summary is not.
pub fn warning(tally: &Tally) -> Option<String> {
    let line = tally.first_open_quote?;
    let noun = if tally.open_quotes == 1 { "quote" } else { "quotes" };
    let quotes = format!("{} {noun}", grouped(tally.open_quotes));
    Some(format!(
        "{quotes} left open, the first in line {line}: read as text, and closed at the end of the field in the output\n"
    ))
}

/// A number of rows with its noun.
fn counted_rows(count: u64) -> String {
    format!("{} {}", grouped(count), if count == 1 { "row" } else { "rows" })
}

fn unmappable(tally: &Tally, table: &Table) -> String {
    let mut characters: Vec<(char, u64)> =
        tally.unmappable.characters.iter().map(|(character, count)| (*character, *count)).collect();
    characters.sort_by_key(|&(character, count)| (std::cmp::Reverse(count), character));
    let shown: Vec<String> = characters
        .iter()
        .take(CHARACTERS_SHOWN_MAX)
        .map(|(character, _)| format!("{character} (U+{:04X})", u32::from(*character)))
        .collect();
    let rest = if characters.len() > CHARACTERS_SHOWN_MAX { ", …" } else { "" };
    let (encoding, shown) = (table.output.name(), own(shown.join(", ") + rest));
    match tally.unmappable.count {
        1 => format!(
            "1 character missing in {encoding} was written as 〓: {shown}; use --output-encoding utf-8 to keep it"
        ),
        count => {
            let count = grouped(count);
            format!(
                "{count} characters missing in {encoding} were written as 〓: {shown}; use --output-encoding utf-8 to \
                 keep them"
            )
        }
    }
}
