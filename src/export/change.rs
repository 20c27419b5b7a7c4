//! What a version changed: records that came, that are other than before, and that are over.

use std::borrow::Cow;

use super::error::ExportError;
use super::field::{Field, Source, chosen, push_all};
use super::row::{Column, Kind, Row};
use super::sink::REPORTED;
use crate::text::named::named;

named! {
    fn name;
    pub enum Change {
        Added = "added",
        Changed = "changed",
        /// No longer there, or there and over: closed, lapsed, revoked.
        Abolished = "abolished",
    }
}

/// The column that stands before those of the record.
pub const CHANGE: Column =
    Column { name: Cow::Borrowed("change"), kind: Kind::Text, nullable: false };

/// What is given the changes; an error of it ends the pass.
pub type TakeChange<'t, S> =
    &'t mut dyn for<'r, 's> FnMut(Change, &'r <S as Source>::Record<'s>) -> Result<(), ExportError>;

/// A source whose changes are known.
pub trait Changing: Source {
    /// Whether a version itself says what it changed; else it is compared with one before.
    const TELLS: bool;

    /// Gives every change since `before`; without one, what is compared was all added. `progress` is told now and then
    /// how many records were looked at.
    fn changes(
        &self,
        before: Option<&Self>,
        progress: &mut dyn FnMut(u64),
        take: TakeChange<'_, Self>,
    ) -> Result<(), ExportError>;
}

/// A source whose versions are compared record by record.
pub trait Compared: Source {
    /// Columns that differ from version to version though the record is the same.
    const RESTLESS: &'static [&'static str];

    /// The record of this version that has the key of a record of another.
    fn same<'s>(
        &'s self,
        other: &Self::Record<'_>,
    ) -> Result<Option<Self::Record<'s>>, ExportError>;

    /// Whether a record stays to say that it is over.
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

/// Gives every change from one version to another: those of the records that are there, then those that went.
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
