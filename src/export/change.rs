//! The changes of a version: added, changed and abolished records.

use std::borrow::Cow;

use super::error::ExportError;
use super::field::{Field, Source, chosen, push_all};
use super::row::{Column, Kind, Row};
use super::sink::REPORTED;
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

/// The column before those of the record.
pub const CHANGE: Column =
    Column { name: Cow::Borrowed("change"), kind: Kind::Text, nullable: false };

/// Receives the changes; an error ends the pass.
pub type TakeChange<'t, S> =
    &'t mut dyn for<'r, 's> FnMut(Change, &'r <S as Source>::Record<'s>) -> Result<(), ExportError>;

/// A source that can list its changes.
pub trait Changing: Source {
    /// Whether a version stores its changes; otherwise it is compared with an earlier one.
    const TELLS: bool;

    /// Passes on every change since `before`; without one, every record of a compared source counts as added.
    /// `progress` is called now and then with the number of records examined.
    fn changes(
        &self,
        before: Option<&Self>,
        progress: &mut dyn FnMut(u64),
        take: TakeChange<'_, Self>,
    ) -> Result<(), ExportError>;
}

/// A source whose versions are compared record by record.
pub trait Compared: Source {
    /// Columns that may differ between versions although the record is unchanged.
    const RESTLESS: &'static [&'static str];

    /// The record of this version with the key of a record of another version.
    fn same<'s>(
        &'s self,
        other: &Self::Record<'_>,
    ) -> Result<Option<Self::Record<'s>>, ExportError>;

    /// Whether a record is kept although it has ended.
    fn is_over(record: &Self::Record<'_>) -> bool;
}

impl<S: Compared> Changing for S {
    const TELLS: bool = false;

    fn changes(
        &self,
        before: Option<&S>,
        progress: &mut dyn FnMut(u64),
        take: TakeChange<'_, S>,
    ) -> Result<(), ExportError> {
        match before {
            Some(before) => compare(before, self, progress, take),
            None => self.each(&mut |record| take(Change::Added, record)),
        }
    }
}

/// Passes on every change between two versions: first those of present records, then removed ones.
fn compare<S: Compared>(
    before: &S,
    now: &S,
    progress: &mut dyn FnMut(u64),
    take: TakeChange<'_, S>,
) -> Result<(), ExportError> {
    let fields = chosen::<S>(&[])?;
    let fields: Vec<&Field<S>> =
        fields.into_iter().filter(|field| !S::RESTLESS.contains(&field.name)).collect();
    let (mut old_row, mut new_row) = (Row::default(), Row::default());
    let mut seen = 0;
    let mut look = || {
        seen += 1;
        if seen % REPORTED == 0 {
            progress(seen);
        }
    };
    now.each(&mut |record| {
        look();
        let Some(old) = before.same(record)? else { return take(Change::Added, record) };
        old_row.clear();
        push_all(&fields, &old, &mut old_row);
        new_row.clear();
        push_all(&fields, record, &mut new_row);
        match old_row == new_row {
            true => Ok(()),
            false if S::is_over(record) && !S::is_over(&old) => take(Change::Abolished, record),
            false => take(Change::Changed, record),
        }
    })?;
    before.each(&mut |old| {
        look();
        match now.same(old)? {
            Some(_still_there) => Ok(()),
            None => take(Change::Abolished, old),
        }
    })
}
