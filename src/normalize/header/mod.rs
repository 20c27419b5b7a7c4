//! Finds the header of a table, and in it the columns of address and postal code.
//!
//! Official lists have a title and notes above their header, headers of two rows, and merged cells. The header is the
//! first of the first [`ROWS_EXAMINED`] rows that has all named columns; two rows are one header if the upper one has
//! groups over the lower one: 所在地 over 市町村 and 番地. A name then means the column with it, or all columns of the
//! group. Columns that are only numbered are looked for in the first row that has a value in each.
//!
//! Does not know bytes, files or what becomes of the rows.

mod names;

use std::ops::Range;

use self::names::Names;
use super::column::{Column, HeaderPlace};
use super::error::NormalizeError;
use super::workbook::SheetLayout;

pub use self::names::TopRow;

/// How far down the header may be.
pub const ROWS_EXAMINED: usize = 50;
/// How many columns a message lists.
const NAMES_LISTED_MAX: usize = 40;
/// Letters of a name that a message lists.
const NAME_LETTERS_MAX: usize = 30;

/// What is looked for, and where.
pub struct HeaderSearch<'a> {
    pub rows: &'a [TopRow],
    pub place: &'a HeaderPlace,
    pub columns: &'a [Column],
    pub code_column: Option<&'a Column>,
    /// The form of a sheet; `None` for a text.
    pub layout: Option<&'a SheetLayout>,
    /// Whether the row has an address in these columns, and so is no header.
    pub has_address: HasAddress<'a>,
}

pub type HasAddress<'a> = &'a dyn Fn(&TopRow, &[usize]) -> Result<bool, NormalizeError>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The rows of the header; empty if there is none, and the table begins at `rows.start`.
    pub rows: Range<usize>,
    pub names: Option<Vec<String>>,
    /// The columns of the address, in the order in which they are joined.
    pub columns: Vec<usize>,
    pub code_column: Option<usize>,
    pub width: usize,
}

type Found = (Vec<usize>, Option<usize>);

impl HeaderSearch<'_> {
    pub fn find(&self) -> Result<Header, NormalizeError> {
        if self.columns.is_empty() && self.code_column.is_some() {
            return Err(NormalizeError::ColumnMissing {
                header: self.described(self.likely_row()),
            });
        }
        let Some(first) = self.rows.iter().position(|row| !row.is_blank()) else {
            return self.empty();
        };
        match self.place {
            HeaderPlace::Nowhere => self.without_header(first),
            HeaderPlace::Rows(rows) => self.given(*rows.start() - 1..*rows.end()),
            HeaderPlace::Detected if self.columns.is_empty() => self.only_column(first),
            HeaderPlace::Detected if self.requested().any(|it| it.name().is_some()) => self.named(),
            HeaderPlace::Detected => self.numbered(first),
        }
    }

    fn requested(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().chain(self.code_column)
    }

    /// A table without any value.
    fn empty(&self) -> Result<Header, NormalizeError> {
        let (HeaderPlace::Detected | HeaderPlace::Nowhere) = self.place else {
            return Err(NormalizeError::EmptyHeader);
        };
        match (self.columns, self.code_column) {
            ([] | [Column::Number(1)], None) => Ok(self.header(0..0, (vec![0], None))),
            _ => Err(NormalizeError::EmptyHeader),
        }
    }

    fn without_header(&self, first: usize) -> Result<Header, NormalizeError> {
        if let Some(name) = self.requested().find_map(Column::name) {
            return Err(NormalizeError::NameWithoutHeader { name: name.to_owned() });
        }
        if self.columns.is_empty() {
            return match self.rows[first].values.len() {
                1 => Ok(self.header(first..first, (vec![0], None))),
                _ => Err(NormalizeError::ColumnMissing { header: self.described(first) }),
            };
        }
        let wide = self.names(self.wide_row(first)?, 1);
        let found = self.found_in(&wide)?.ok_or(NormalizeError::EmptyHeader)?;
        let width = wide.width;
        Ok(Header { width, ..self.header(first..first, found) })
    }

    /// The header in the rows that the user gave.
    fn given(&self, rows: Range<usize>) -> Result<Header, NormalizeError> {
        if rows.end > self.rows.len() {
            let (row, rows) = (rows.end, self.rows.len());
            return Err(NormalizeError::NoHeaderRow { row, rows });
        }
        if self.rows[rows.clone()].iter().all(TopRow::is_blank) {
            return Err(NormalizeError::EmptyHeader);
        }
        let names = self.names(rows.start, rows.len());
        if self.columns.is_empty() {
            return match names.width {
                1 => Ok(self.header(rows, (vec![0], None))),
                _ => Err(NormalizeError::ColumnMissing { header: self.described(rows.start) }),
            };
        }
        let found = self.found_in(&names);
        // With one row given, the next one may belong to the header.
        let has_second = rows.len() == 1 && self.has_second_row(rows.start);
        if rows.len() == 1
            && (has_second || !matches!(found, Ok(Some(_))))
            && let Some(header) = self.pair(rows.start)?
        {
            return Ok(header);
        }
        match found? {
            Some(found) => Ok(self.header(rows, found)),
            None => Err(self.missing(&names)),
        }
    }

    /// A table whose only column has the addresses; a title has only one value too.
    fn only_column(&self, first: usize) -> Result<Header, NormalizeError> {
        let others = self.rows[first + 1..].iter().filter(|row| !row.is_blank());
        let (wide, narrow): (Vec<&TopRow>, Vec<_>) = others.partition(|row| row.value_count() > 1);
        let is_table = wide.len() > narrow.len();
        if self.rows[first].values.len() > 1 || is_table {
            let header = self.described(self.likely_row());
            return Err(NormalizeError::ColumnMissing { header });
        }
        let found = (vec![0], None);
        match (self.has_address)(&self.rows[first], &[0])? {
            true => Ok(self.header(first..first, found)),
            false => Ok(self.header(first..first + 1, found)),
        }
    }

    fn named(&self) -> Result<Header, NormalizeError> {
        let rows = 0..self.rows.len().min(ROWS_EXAMINED);
        for row in rows.clone().filter(|row| !self.rows[*row].is_blank()) {
            if self.has_second_row(row) {
                if self.is_enough(row + 1) {
                    continue;
                }
                if let Some(header) = self.pair(row)? {
                    return Ok(header);
                }
            }
            if let Some(found) = self.found_in(&self.names(row, 1))? {
                return Ok(self.header(row..row + 1, found));
            }
        }
        for row in rows.filter(|row| !self.rows[*row].is_blank()) {
            if let Some(header) = self.pair(row)? {
                return Ok(header);
            }
        }
        Err(self.missing(&self.names(self.likely_row(), 1)))
    }

    /// Whether this row is a header without the row above it: it has all columns, every column has a name of its own, and
    /// no cell is merged over both rows.
    fn is_enough(&self, row: usize) -> bool {
        let (upper, lower) = (&self.rows[row - 1], &self.rows[row]);
        let is_merged = |column: usize| {
            !lower.value(column).is_empty() && upper.value(column) == lower.value(column)
        };
        if (0..lower.values.len()).any(is_merged) {
            return false;
        }
        let names = self.names(row, 1);
        let mut texts: Vec<&str> = names.whole().iter().map(|it| it.text.as_str()).collect();
        texts.sort_unstable();
        let has_all = matches!(self.found_in(&names), Ok(Some(_)));
        has_all
            && texts.iter().all(|it| !it.is_empty())
            && texts.windows(2).all(|it| it[0] != it[1])
    }

    /// The header of this row and the next, if they have all columns and the next one has no address.
    fn pair(&self, row: usize) -> Result<Option<Header>, NormalizeError> {
        let Some(second) = self.rows.get(row + 1).filter(|row| !row.is_blank()) else {
            return Ok(None);
        };
        match self.found_in(&self.names(row, 2))? {
            Some(found) if !(self.has_address)(second, &found.0)? => {
                Ok(Some(self.header(row..row + 2, found)))
            }
            _ => Ok(None),
        }
    }

    /// Numbers only: the first row with a value in each of the columns is the header, unless it has an address.
    fn numbered(&self, first: usize) -> Result<Header, NormalizeError> {
        let wide = self.wide_row(first)?;
        let found = self.found_in(&self.names(wide, 1))?.ok_or(NormalizeError::EmptyHeader)?;
        let columns: Vec<usize> = found.0.iter().chain(&found.1).copied().collect();
        let is_full = |row: usize, depth: usize| {
            let names = self.names(row, depth);
            let whole = names.whole();
            columns.iter().all(|&column| whole.get(column).is_some_and(|it| !it.text.is_empty()))
        };
        let end = self.rows.len().min(ROWS_EXAMINED);
        let full = (wide..end).find_map(|row| {
            let depth = 1 + usize::from(self.has_second_row(row));
            (is_full(row, depth)).then_some(row..row + depth)
        });
        let rows = full.unwrap_or(wide..wide + 1);
        if !(self.has_address)(&self.rows[rows.end - 1], &found.0)? {
            return Ok(self.header(rows, found));
        }
        // The rows above that one are either titles or rows without an address.
        match rows.start == wide {
            true => Ok(self.header(wide..wide, found)),
            false => Ok(self.header(wide..wide + 1, found)),
        }
    }

    /// The first row that is as wide as the largest number asks.
    fn wide_row(&self, first: usize) -> Result<usize, NormalizeError> {
        let number = |column: &Column| match column {
            Column::Number(number) => *number,
            Column::Name(_) => 1,
        };
        let number = self.requested().map(number).max().unwrap_or(1);
        let rows = &self.rows[first..];
        if let Some(row) = rows.iter().position(|row| row.values.len() >= number) {
            return Ok(first + row);
        }
        let width = |row: &usize| (self.rows[*row].values.len(), self.rows[*row].value_count());
        let widest = (first..self.rows.len()).rev().max_by_key(width);
        Err(self.no_such_number(number, widest.unwrap_or(first)))
    }

    fn no_such_number(&self, number: usize, row: usize) -> NormalizeError {
        let (width, columns) = (self.rows[row].values.len(), self.listed(row));
        let found = match row {
            0 => format!("the first row has {width}: {columns}"),
            row => format!("the widest of the first rows, row {}, has {width}: {columns}", row + 1),
        };
        NormalizeError::NoSuchNumber { number, found }
    }

    /// Whether the next row belongs to the header too: this one has groups, and the next one has names only under them.
    /// A row with one value is a title.
    fn has_second_row(&self, row: usize) -> bool {
        let Some(lower) = self.rows.get(row + 1).filter(|row| !row.is_blank()) else {
            return false;
        };
        let upper = &self.rows[row];
        if upper.value_count() < 2 || lower.values.iter().any(|it| has_digits(it)) {
            return false;
        }
        let merged: Vec<_> = self.layout.into_iter().flat_map(|it| it.merged_in(row)).collect();
        let is_group_start = |column: usize| match merged.is_empty() {
            true => upper.value(column + 1).is_empty(),
            false => merged.iter().any(|it| {
                it.last_row as usize == row
                    && it.last_column > it.first_column
                    && (it.first_column as usize..=it.last_column as usize).contains(&column)
            }),
        };
        let mut has_group = false;
        for column in 0..lower.values.len() {
            let (above, below) = (upper.value(column), lower.value(column));
            // A cell that is merged over both rows has its value in both.
            if below.is_empty() || below == above {
                continue;
            }
            if above.is_empty() {
                has_group |= column > 0;
            } else if !is_group_start(column) {
                return false;
            }
        }
        has_group
    }

    fn names(&self, first: usize, count: usize) -> Names {
        Names::of(self.rows, self.layout, first..first + count)
    }

    /// The columns in this header; `None` if one of them is missing.
    fn found_in(&self, names: &Names) -> Result<Option<Found>, NormalizeError> {
        let mut found: Vec<usize> = Vec::new();
        let mut code = None;
        for (index, column) in self.requested().enumerate() {
            let Some(columns) = names.find(column)? else { return Ok(None) };
            if let Some(&again) = columns.iter().find(|it| found.contains(it)) {
                let name = names.whole().get(again).map(|it| it.text.clone());
                let (number, name) = (again + 1, name.unwrap_or_default());
                return Err(NormalizeError::ColumnTwice { number, name });
            }
            match (index == self.columns.len(), &columns[..]) {
                (false, columns) => found.extend_from_slice(columns),
                (true, &[only]) => code = Some(only),
                (true, _) => {
                    return Err(names.ambiguous(column.name().unwrap_or_default(), &columns));
                }
            }
        }
        Ok(Some((found, code)))
    }

    /// The error for a header without one of the columns.
    fn missing(&self, names: &Names) -> NormalizeError {
        for column in self.requested() {
            match (names.find(column), column) {
                (Ok(Some(_)), _) => {}
                (_, Column::Number(number)) => {
                    return self.no_such_number(*number, names.rows.start);
                }
                (_, Column::Name(name)) => {
                    let header = self.described(names.rows.start);
                    return NormalizeError::NoSuchName { name: name.clone(), header };
                }
            }
        }
        NormalizeError::EmptyHeader
    }

    /// The row that looks most like a header: the first one with most of the values that a row has here.
    fn likely_row(&self) -> usize {
        let rows = &self.rows[..self.rows.len().min(ROWS_EXAMINED)];
        let most = rows.iter().map(TopRow::value_count).max().unwrap_or(0);
        rows.iter().position(|row| row.value_count() * 3 >= most * 2).unwrap_or(0)
    }

    /// The columns of this row, for a message.
    fn described(&self, row: usize) -> String {
        match (row, self.place) {
            (0, _) => format!("the columns are {}", self.listed(row)),
            (row, HeaderPlace::Rows(_)) => format!("row {} has {}", row + 1, self.listed(row)),
            (row, _) => format!(
                "row {} looks like the header (--header-row names another): {}",
                row + 1,
                self.listed(row)
            ),
        }
    }

    fn listed(&self, row: usize) -> String {
        let names = self.names(row, 1 + usize::from(self.has_second_row(row)));
        let shortened = |name: &str| {
            let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
            match name.char_indices().nth(NAME_LETTERS_MAX) {
                Some((end, _)) => format!("{}…", &name[..end]),
                None => name,
            }
        };
        let shown = names.whole().iter().take(NAMES_LISTED_MAX).zip(1..);
        let mut listed: Vec<String> =
            shown.map(|(name, number)| format!("{number} {}", shortened(&name.text))).collect();
        if names.width > NAMES_LISTED_MAX {
            listed.push("…".to_owned());
        }
        listed.join(", ")
    }

    fn header(&self, rows: Range<usize>, (columns, code_column): Found) -> Header {
        let names = self.names(rows.start, rows.len().max(1));
        let width = names.width.max(1);
        let texts = match rows.len() {
            0 => None,
            // One row keeps its names as they are, with their spaces.
            1 => {
                let own = self.rows[rows.start].values.iter();
                let filled = names.whole().iter().map(|it| &it.text);
                let name = |(own, filled): (&String, &String)| match own.trim() {
                    "" => filled.clone(),
                    _ => own.clone(),
                };
                Some(own.zip(filled).map(name).collect())
            }
            _ => Some(names.whole().iter().map(|it| it.text.clone()).collect()),
        };
        Header { rows, names: texts, columns, code_column, width }
    }
}

/// Whether this is a value rather than a name: a number, a date, or a lot.
fn has_digits(text: &str) -> bool {
    let is_digit = |letter: char| letter.is_ascii_digit() || ('０'..='９').contains(&letter);
    text.trim().starts_with(is_digit) || text.chars().filter(|it| is_digit(*it)).count() > 2
}

#[cfg(test)]
mod tests;
