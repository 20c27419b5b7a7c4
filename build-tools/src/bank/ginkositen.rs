//! ginkositen.txt and ginkositen1.txt: code page 932, no header, quoted names, a row type.
//!
//! Columns: institution code, branch code, kana padded with spaces to 15, name, type (1 institution, 2 branch), and
//! optionally the order among rows that share both codes. The kind of a row follows from the type, never from the
//! code: 0185 has a branch 000, the code that institution rows have too.

use std::collections::HashSet;

use crate::csv::{Fault, Rejects, Text, read_lines, split};
use crate::{Batch, Progress, error::Result};

use super::rows::{BankDirectory, BankRow, BranchRow, Format, Names, code, short_names};

/// Columns of a line without the order of shared codes, and with it.
const COLUMNS: usize = 5;
const COLUMNS_WITH_ORDER: usize = 6;

/// Whether a line has the columns of this list.
pub(crate) fn is_bank_line(row: &[&str]) -> bool {
    matches!(row.len(), COLUMNS | COLUMNS_WITH_ORDER)
        && code::<4>(row[0]).is_some()
        && code::<3>(row[1]).is_some()
        && matches!(row[4], "1" | "2")
}

/// A line of the list.
struct Row {
    line: u64,
    bank: u16,
    /// `None` for an institution.
    branch: Option<u16>,
    order: u32,
    names: Names,
}

pub(super) fn read(text: &Text, progress: Progress<'_>) -> Result<BankDirectory> {
    let mut first = Vec::new();
    let has_order = text.lines.lines().take(9).any(|line| {
        let is_split = split(line, &mut first).is_ok();
        is_split && first.len() == COLUMNS_WITH_ORDER
    });
    let columns = if has_order { COLUMNS_WITH_ORDER } else { COLUMNS };
    let Batch { rows, rejects, lines } = read_lines(text, columns, parse, progress)?;
    let mut bank_faults = Rejects::new(&text.name);
    let mut branch_faults = Rejects::new(&text.name);
    let mut banks: Vec<BankRow> = Vec::new();
    let mut known = HashSet::new();
    let (institutions, mut branch_rows): (Vec<Row>, Vec<Row>) =
        rows.into_iter().partition(|row| row.branch.is_none());
    let institution_lines = institutions.len() as u64;
    for Row { line, bank: code, names, .. } in institutions {
        if known.insert(code) {
            banks.push(BankRow { line, code, names });
        } else {
            let found = format!("{code:04} again");
            bank_faults.push(line, column_fault(1, "an institution once", found))?;
        }
    }
    banks.sort_by_key(|bank| bank.code);
    branch_rows.sort_by_key(|row| (row.bank, row.branch, row.order, row.line));
    let mut branches: Vec<BranchRow> = Vec::with_capacity(branch_rows.len());
    for Row { line, bank, branch, names, .. } in branch_rows {
        let code = branch.unwrap_or_default();
        if !known.contains(&bank) {
            let found = format!("{bank:04}");
            branch_faults.push(line, column_fault(1, "an institution of the list", found))?;
        } else if is_repeated(&branches, bank, code, &names) {
            let found = format!("{code:03} {} again", names.name);
            branch_faults.push(line, column_fault(2, "a branch once", found))?;
        } else {
            branches.push(BranchRow { line, bank, code, names });
        }
    }
    let mut branch_rejects = branch_faults.into_list();
    branch_rejects.extend(rejects);
    branch_rejects.sort_by_key(|reject| reject.line);
    let branch_lines = lines - institution_lines;
    Ok(BankDirectory {
        format: Format::Ginkositen,
        banks: Batch { rows: banks, rejects: bank_faults.into_list(), lines: institution_lines },
        branches: Batch { rows: branches, rejects: branch_rejects, lines: branch_lines },
        abolished: 0,
    })
}

/// A fault of a column (from 1), with a text that does not quote the column.
fn column_fault(column: u32, expected: &'static str, found: String) -> Fault {
    Fault { column: Some(column), expected: expected.into(), found }
}

/// Whether the last of these sorted branches already include this one.
pub(super) fn is_repeated(branches: &[BranchRow], bank: u16, code: u16, names: &Names) -> bool {
    let same = branches.iter().rev().take_while(|last| last.bank == bank && last.code == code);
    same.into_iter().any(|last| last.names == *names)
}

fn parse(line: u64, fields: &[&str]) -> Result<Row, Fault> {
    let number = |index: usize, value: Option<u16>, expected| {
        value.ok_or_else(|| Fault::column(index, expected, fields[index]))
    };
    let bank = number(0, code::<4>(fields[0]), "an institution code, 4 digits")?;
    let branch = number(1, code::<3>(fields[1]), "a branch code, 3 digits")?;
    let branch = match fields[4] {
        "1" => None,
        "2" => Some(branch),
        other => return Err(Fault::column(4, "1 for an institution or 2 for a branch", other)),
    };
    let order = match fields.get(5) {
        None => 0,
        Some(order) => order
            .trim()
            .parse()
            .map_err(|_not_a_number| Fault::column(5, "the order of a shared code", order))?,
    };
    let names = short_names(fields[2], fields[3])
        .map_err(|(index, expected)| Fault::column(index, expected, fields[index]))?;
    Ok(Row { line, bank, branch, order, names })
}
