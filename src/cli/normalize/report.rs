//! The progress and the summary of the command, on standard error.

use std::{fmt::Write as _, time::Duration};

use crate::address::CorrectionKind;
use crate::normalize::{CodeCheck, Doubt, Match, Table, Tally};
use crate::text::{codes::DataVersion, numerals::grouped};

/// Maximum number of listed characters that the output encoding lacks.
const CHARACTERS_SHOWN_MAX: usize = 10;

pub fn rate(rows: u64, seconds: f64) -> String {
    let rate = rows as f64 / seconds.max(0.001);
    format!("{} {}, {}/s", grouped(rows), row_noun(rows), grouped(rate as u64))
}

/// The doubts that no other line of the summary counts.
const OWN_LINES: [Doubt; 2] = [Doubt::SeveralPlaces, Doubt::Unplaced];

pub fn summary(tally: &Tally, table: &Table, version: DataVersion, elapsed: Duration) -> String {
    let mut out = String::new();
    let rate = tally.rows as f64 / elapsed.as_secs_f64().max(0.001);
    let _ = writeln!(
        out,
        "{} {} in {:.1} s ({} rows/s), data version {version}",
        grouped(tally.rows),
        row_noun(tally.rows),
        elapsed.as_secs_f64(),
        grouped(rate as u64),
    );
    let mut line = |name: &str, count: u64, remark: &str| {
        let share = count as f64 * 100.0 / tally.rows.max(1) as f64;
        let _ = writeln!(out, "  {name:<20} {:>13} {share:>6.2}%{remark}", grouped(count));
    };
    for matched in Match::ALL {
        let count = tally.matched[matched as usize];
        let first = tally.first_unreadable.filter(|_| matched == Match::Unreadable);
        let remark = first.map_or_else(String::new, |row| {
            let encoding = table.input.name();
            format!("  not valid {encoding}; the first is row {}", grouped(row))
        });
        if count > 0 || matched < Match::Blank {
            line(matched.name(), count, &remark);
        }
    }
    line("without postal code", tally.without_code, "");
    for kind in CorrectionKind::ALL {
        let count = tally.corrected[kind as usize];
        if count > 0 {
            line(&format!("corrected {kind}"), count, "");
        }
    }
    if table.added.check {
        for check in CodeCheck::ALL {
            line(&format!("postal code {check}"), tally.checked[check as usize], "");
        }
    }
    for doubt in OWN_LINES {
        let count = tally.doubtful[doubt as usize];
        if count > 0 {
            line(doubt.name(), count, "");
        }
    }
    let listed = if table.has_review { "" } else { "  --review FILE lists them" };
    if tally.to_review > 0 {
        line("to review", tally.to_review, listed);
    }
    if tally.short > 0 {
        line("too few fields", tally.short, "  filled with empty fields");
    }
    if tally.long > 0 {
        line("too many fields", tally.long, "  the added columns are shifted in these rows");
    }
    if tally.unmappable.count > 0 {
        let _ = writeln!(out, "{}", unmappable(tally, table));
    }
    out
}

/// What was corrected in the file itself; told even if the summary is not.
pub fn warning(tally: &Tally) -> Option<String> {
    let line = tally.first_open_quote?;
    let (count, noun) =
        (tally.open_quotes, if tally.open_quotes == 1 { "quote" } else { "quotes" });
    Some(format!(
        "{} {noun} left open, the first in line {line}: read as text, and closed at the end of the field in the output\n",
        grouped(count)
    ))
}

fn row_noun(count: u64) -> &'static str {
    if count == 1 { "row" } else { "rows" }
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
    let count = tally.unmappable.count;
    format!(
        "{} {} missing in {} {} written as 〓: {}{rest}; use --output-encoding utf-8 to keep {}",
        grouped(count),
        if count == 1 { "character" } else { "characters" },
        table.output.name(),
        if count == 1 { "was" } else { "were" },
        shown.join(", "),
        if count == 1 { "it" } else { "them" },
    )
}
