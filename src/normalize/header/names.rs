//! The names in a header of one row or several.
//!
//! A merged cell fills its range, so that 所在地 over 市町村 and 番地 is a name of both columns. The names of a column in
//! several rows are joined: `所在地 市町村`.

use std::ops::Range;

use crate::normalize::column::Column;
use crate::normalize::error::NormalizeError;
use crate::normalize::workbook::SheetLayout;
use crate::text::fold::{Level, folded};

/// A row at the beginning of the table: its values without quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopRow {
    pub values: Vec<String>,
}

impl TopRow {
    pub fn is_blank(&self) -> bool {
        self.values.iter().all(|value| value.trim().is_empty())
    }

    /// Whether it can be a header of its own, without the rows after it.
    pub fn is_plain(&self) -> bool {
        !self.is_blank() && !self.has_gap()
    }

    pub fn value(&self, column: usize) -> &str {
        self.values.get(column).map_or("", |value| value.trim())
    }

    pub fn value_count(&self) -> usize {
        self.values.iter().filter(|value| !value.trim().is_empty()).count()
    }

    /// Whether a cell without a value follows one with a value: it may belong to a group.
    fn has_gap(&self) -> bool {
        let blank: Vec<bool> = self.values.iter().map(|value| value.trim().is_empty()).collect();
        blank.windows(2).any(|pair| !pair[0] && pair[1])
    }
}

/// A name in a header, and the first column of the cells that share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub group: usize,
}

/// The names of a header: of its rows together, and of each row, the lowest first.
pub struct Names {
    pub rows: Range<usize>,
    levels: Vec<Vec<Name>>,
    pub width: usize,
}

impl Names {
    /// The names in these rows of the top of the table. `layout` is the form of a sheet.
    pub fn of(top_rows: &[TopRow], layout: Option<&SheetLayout>, rows: Range<usize>) -> Names {
        let rows = rows.start..rows.end.min(top_rows.len());
        let top = &top_rows[rows.clone()];
        let width = top.iter().map(|row| row.values.len()).max().unwrap_or(0);
        let mut levels: Vec<Vec<Name>> =
            rows.clone().map(|row| row_names(top_rows, layout, row, &rows, width)).collect();
        let whole = |column: usize| {
            let mut whole = Name { text: String::new(), group: column };
            let mut before = "";
            for Name { text, group } in levels.iter().map(|level| &level[column]) {
                if !text.is_empty() && text != before {
                    let space = if before.is_empty() { "" } else { " " };
                    whole = Name { text: format!("{}{space}{text}", whole.text), group: *group };
                    before = text;
                }
            }
            whole
        };
        let whole = (0..width).map(whole).collect();
        levels.reverse();
        levels.insert(0, whole);
        Names { rows, levels, width }
    }

    /// The names of all rows together.
    pub fn whole(&self) -> &[Name] {
        &self.levels[0]
    }

    /// The columns that the user means; `None` if there is no such column.
    pub fn find(&self, column: &Column) -> Result<Option<Vec<usize>>, NormalizeError> {
        match column {
            Column::Number(number) if *number <= self.width.max(1) => Ok(Some(vec![number - 1])),
            Column::Number(_) => Ok(None),
            Column::Name(name) => self.find_name(name),
        }
    }

    /// The column with exactly this name; else the one with it in another width or case, or with other spaces.
    fn find_name(&self, name: &str) -> Result<Option<Vec<usize>>, NormalizeError> {
        let forms: [fn(&str) -> String; 3] =
            [|name| name.trim().to_owned(), |name| folded(name.trim(), Level::Search), squeezed];
        for form in forms {
            let wanted = form(name);
            for level in &self.levels {
                let is_wanted =
                    |it: &(usize, &Name)| !it.1.text.is_empty() && form(&it.1.text) == wanted;
                let found: Vec<(usize, &Name)> =
                    level.iter().enumerate().filter(is_wanted).collect();
                let columns: Vec<usize> = found.iter().map(|(column, _)| *column).collect();
                match found.first() {
                    None => {}
                    Some((_, first)) if found.iter().all(|(_, it)| it.group == first.group) => {
                        return Ok(Some(columns));
                    }
                    Some(_) => return Err(self.ambiguous(name, &columns)),
                }
            }
        }
        Ok(None)
    }

    pub fn ambiguous(&self, name: &str, columns: &[usize]) -> NormalizeError {
        let number = |index: usize| columns.get(index).map_or(1, |column| column + 1);
        NormalizeError::AmbiguousName { name: name.to_owned(), first: number(0), second: number(1) }
    }
}

/// A name without its spaces and line breaks, which lists spread out: `住　　所`.
fn squeezed(name: &str) -> String {
    folded(name, Level::Search).chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// The names in a row of the header, where a merged cell fills its range. A text does not say what is merged: there
/// a name extends over the cells without one, if a row below has names there.
fn row_names(
    rows: &[TopRow],
    layout: Option<&SheetLayout>,
    row: usize,
    header: &Range<usize>,
    width: usize,
) -> Vec<Name> {
    let merged: Vec<_> = layout.into_iter().flat_map(|it| it.merged_in(row)).collect();
    let mut names: Vec<Name> = Vec::with_capacity(width);
    for column in 0..width {
        let own = rows[row].value(column);
        let range = merged.iter().find(|it| {
            (it.first_column as usize..=it.last_column as usize).contains(&column)
                && header.contains(&(it.first_row as usize))
        });
        let has_name_below = || {
            let below = &rows[row + 1..header.end];
            below.iter().any(|row| !row.value(column).is_empty())
        };
        let name = match (range, names.last()) {
            (Some(range), _) => {
                let group = range.first_column as usize;
                let text = rows[range.first_row as usize].value(group);
                Name { text: text.to_owned(), group }
            }
            (None, Some(left)) if own.is_empty() && merged.is_empty() && has_name_below() => {
                left.clone()
            }
            _ => Name { text: own.to_owned(), group: column },
        };
        names.push(name);
    }
    names
}
