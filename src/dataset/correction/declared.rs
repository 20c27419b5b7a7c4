//! What can be corrected: each file of corrections with its columns, declared once by its dataset. The reader, the checks,
//! the templates and the documentation follow from the declaration.

use crate::language::Words;
use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    /// What a row does with its record on the days of the row.
    pub enum Action {
        /// The record exists although the data do not have it.
        Add = "add",
        /// The record has other members than in the data.
        Change = "change",
        /// The record does not exist any more although the data have it.
        Abolish = "abolish",
        /// The record is also found by another name.
        Alias = "alias",
    }
}

/// A file of corrections: `NAME.csv`.
#[derive(Debug)]
pub struct CorrectedFile {
    pub name: &'static str,
    /// What a row is about, in the singular.
    pub record: Words,
    pub actions: &'static [Action],
    /// The columns that name the record.
    pub key: &'static [Field],
    /// The columns that a row may set.
    pub members: &'static [Field],
}

/// A column of a file.
#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub meaning: Words,
    /// The uniform spelling of a value, or what was expected.
    pub parse: fn(&str) -> Result<String, &'static str>,
    pub need: Need,
    /// The actions whose rows may have a value here.
    pub set_by: &'static [Action],
    /// A value of the column, for the template.
    pub example: &'static str,
}

/// When a row must have a value in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Always,
    /// In rows that add a record.
    ToAdd,
    /// In rows that add a record, and in rows that set this other column.
    ToAddAndWith(&'static str),
    Never,
}

impl CorrectedFile {
    pub fn file_name(&self) -> String {
        format!("{}.csv", self.name)
    }

    /// The columns that name the record, then those that a row may set.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.key.iter().chain(self.members)
    }
}

/// The columns that every file has beside its own, in front of them and behind them.
pub const ACTION: &str = "action";
pub const VALID_FROM: &str = "valid_from";
pub const VALID_TO: &str = "valid_to";
pub const REASON: &str = "reason";
pub const AUTHOR: &str = "author";

/// The names of all columns of a file, in the order of its template.
pub fn columns(file: &CorrectedFile) -> Vec<&'static str> {
    let own = file.fields().map(|field| field.name);
    [ACTION].into_iter().chain(own).chain([VALID_FROM, VALID_TO, REASON, AUTHOR]).collect()
}
