//! The changes of a version: added, changed and abolished records.

use std::borrow::Cow;

use super::row::{Column, ColumnType, Row};
use super::selection::{ExportError, PROGRESS_INTERVAL_ROWS, Selection, Source};
use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    pub enum Change {
        Added = "added",
        Changed = "changed",
        /// Removed, or still present but ended: closed, lapsed, revoked.
        Abolished = "abolished",
    }
}

/// The column before the columns of the record.
pub const CHANGE: Column =
    Column { name: Cow::Borrowed("change"), kind: ColumnType::Text, nullable: false };

/// A callback that receives each change; its error ends the iteration.
pub type ChangeVisitor<'t, S> =
    &'t mut dyn for<'r, 's> FnMut(Change, &'r <S as Source>::Record<'s>) -> Result<(), ExportError>;

/// A source that can list its changes.
pub trait ChangeSource: Source {
    /// Whether a version itself stores what it changed. Otherwise it is compared with an earlier version.
    const STORES_CHANGES: bool;

    /// Calls `visit` with every change since `before`. A source that stores its changes ignores `before`; for any
    /// other, `None` means that every record is new. `progress` is called now and then with the number of records
    /// examined.
    fn for_each_change(
        &self,
        before: Option<&Self>,
        progress: &mut dyn FnMut(u64),
        visit: ChangeVisitor<'_, Self>,
    ) -> Result<(), ExportError>;
}

/// A source whose versions are compared record by record.
pub trait ComparableSource: Source {
    /// Columns whose value may differ between two versions although the record did not change.
    const VOLATILE_COLUMNS: &'static [&'static str];

    /// Finds the record of this version that has the same key as `other`, a record of another version.
    fn find_same<'s>(
        &'s self,
        other: &Self::Record<'_>,
    ) -> Result<Option<Self::Record<'s>>, ExportError>;

    /// Whether the record has ended, although the version still contains it: a closed corporation, for example.
    fn has_ended(record: &Self::Record<'_>) -> bool;
}

impl<S: ComparableSource> ChangeSource for S {
    const STORES_CHANGES: bool = false;

    fn for_each_change(
        &self,
        before: Option<&S>,
        progress: &mut dyn FnMut(u64),
        visit: ChangeVisitor<'_, S>,
    ) -> Result<(), ExportError> {
        match before {
            Some(before) => compare(before, self, progress, visit),
            None => self.for_each(&mut |record| visit(Change::Added, record)),
        }
    }
}

/// Calls `visit` with every change between two versions: first the records of the new version, then the removed ones.
fn compare<S: ComparableSource>(
    before: &S,
    now: &S,
    progress: &mut dyn FnMut(u64),
    visit: ChangeVisitor<'_, S>,
) -> Result<(), ExportError> {
    let compared = Selection::<S>::without(S::VOLATILE_COLUMNS);
    let (mut old_row, mut new_row) = (Row::default(), Row::default());
    let mut examined = 0;
    let mut count_record = || {
        examined += 1;
        if examined % PROGRESS_INTERVAL_ROWS == 0 {
            progress(examined);
        }
    };
    now.for_each(&mut |record| {
        count_record();
        let Some(old) = before.find_same(record)? else { return visit(Change::Added, record) };
        old_row.clear();
        compared.push(&old, &mut old_row);
        new_row.clear();
        compared.push(record, &mut new_row);
        match old_row == new_row {
            true => Ok(()),
            false if S::has_ended(record) && !S::has_ended(&old) => {
                visit(Change::Abolished, record)
            }
            false => visit(Change::Changed, record),
        }
    })?;
    before.for_each(&mut |old| {
        count_record();
        match now.find_same(old)? {
            Some(_still_present) => Ok(()),
            None => visit(Change::Abolished, old),
        }
    })
}
