//! Workbooks (.xlsx): a sheet as the rows of a table, its form, and workbooks as output, either made anew or copied
//! with columns added to a sheet.

mod bounds;
mod cell;
mod created;
mod edited;
mod first_failure;
mod layout;
mod package;
mod sheet;
mod xml;

pub use created::XlsxWriter;
pub use edited::{AddedCells, EditedWorkbook};
#[cfg(test)]
pub use layout::MergedRange;
pub use layout::SheetLayout;
pub use package::WorkbookSource;
pub use sheet::{Sheet, open};

/// Excel's limits of rows and columns.
const ROWS_MAX: u32 = 1_048_576;
const COLUMNS_MAX: usize = 16_384;
