//! Tables whose columns are found by the names in their header line.

use crate::csv::{Fault, Records, Rejects, Text, split};
use crate::error::{Reject, SourceError};
use crate::recognise::decode;
use crate::{Progress, kind::Kind, open::Source};

/// Calls `read_row` with each line below the header and the indexes of the columns, each of which has one of the given
/// names. Returns the lines that `read_row` refuses, and the number of lines.
pub(super) fn read_table<const N: usize>(
    source: Source,
    kind: Kind,
    names: [&[&str]; N],
    progress: Progress<'_>,
    mut read_row: impl FnMut(&[&str], [usize; N]) -> Result<(), Fault>,
) -> Result<(Vec<Reject>, u64), SourceError> {
    let text = decode(source, kind)?;
    let header = split_header(&text)?;
    let mut columns = [0; N];
    for (column, wanted) in columns.iter_mut().zip(names) {
        let index = header.iter().position(|name| wanted.contains(name));
        *column = index.ok_or_else(|| SourceError::Unrecognised {
            name: text.name.clone(),
            expected: kind,
            found: format!("no column {} in the header", wanted.join(" or ")),
        })?;
    }
    let mut records = Records::new(&text, header.len())?;
    let mut rejects = Rejects::new(&text.name);
    while let Some(record) = records.next(progress)? {
        let line = record.line;
        if line == 1 {
            continue;
        }
        if let Err(fault) = record.fields.and_then(|fields| read_row(fields, columns)) {
            rejects.push(line, fault)?;
        }
    }
    Ok((rejects.into_list(), records.lines()))
}

/// Splits the first line. It may be damaged although the file was recognised, after the columns that show the kind;
/// without the columns behind the fault no row would have the right number of them.
fn split_header(text: &Text) -> Result<Vec<&str>, SourceError> {
    let line = text.lines.lines().next().unwrap_or_default();
    let mut names = Vec::new();
    match split(line, &mut names) {
        Ok(()) => Ok(names),
        Err(fault) => Err(SourceError::Damaged {
            name: text.name.clone(),
            format: "header line",
            cause: format!("expected {}, found {}", fault.expected, fault.found),
        }),
    }
}
