//! What the two Web-APIs of the tax agency have in common: answers of a header and rows, their parameters, the days that
//! a period covers, and refusals.
//!
//! Each API has a folder of its own with its columns and its codes of errors. Both answer at most [`PAGE_ROWS`] rows at
//! once.
//!
//! [`PAGE_ROWS`]: page::PAGE_ROWS

pub mod answer;
pub mod fault;
pub mod page;
pub mod parameters;
pub mod period;
mod shift_jis;

use std::borrow::Cow;

use super::protocol::FOREIGN;
use crate::account::Rights;
use crate::api::endpoint::Endpoint;
use crate::api::pipeline::params::ApiRequest;
use crate::dataset::Catalog;
use crate::query::budget::QueryError;
use crate::snapshot::{Result, Versions};
use crate::text::codes::DataVersion;
use crate::work::WorkBudget;

/// The parameter with the id that the agency gave, or a public key.
pub const ID: &str = "id";

/// Defaults of the entries.
pub const AGENCY: Endpoint =
    Endpoint { needs: Some(Rights::PREMIUM), id_parameter: Some(ID), ..FOREIGN };

/// A date such as 20260731 as `2026-07-31`; empty for 0, which means none.
pub fn date_text(date: u32) -> Cow<'static, str> {
    DataVersion::from_number(date).map_or(Cow::Borrowed(""), |date| date.to_string().into())
}

/// A code of `width` digits; empty if there is none.
pub fn code_text<'s>(code: Option<impl Into<u64>>, width: usize) -> Cow<'s, str> {
    code.map_or(Cow::Borrowed(""), |code| Cow::Owned(format!("{:0width$}", code.into())))
}

/// 1 or 0.
pub fn flag_text(flag: bool) -> Cow<'static, str> {
    Cow::Borrowed(if flag { "1" } else { "0" })
}

/// The loaded versions of a dataset, the oldest first.
pub fn versions<'r, D>(
    request: &'r ApiRequest<'_>,
    of: fn(&Catalog) -> &Versions<D>,
) -> Vec<&'r D> {
    of(&request.data.catalog).iter().map(|(_, data)| &**data).collect()
}

/// Units of work to look up a number in a version: a microsecond.
const UNITS_PER_LOOKUP: u64 = 1_000;

/// The entries of one number in these versions, the oldest first, and whether the newest version has one. Of entries with
/// the same key the newest is kept: a correction replaces the entry that it corrects.
pub fn distinct_entries<'d, D, V, K: PartialEq>(
    versions: &[&'d D],
    work: &WorkBudget<'_>,
    look_up: impl Fn(&'d D) -> Result<Option<V>>,
    key: impl Fn(&V) -> K,
) -> Result<(Vec<V>, bool), QueryError> {
    let (mut entries, mut is_current): (Vec<V>, bool) = (Vec::new(), false);
    for data in versions {
        work.spend(UNITS_PER_LOOKUP)?;
        let found = look_up(data)?;
        is_current = found.is_some();
        let Some(entry) = found else { continue };
        match entries.iter_mut().find(|known| key(known) == key(&entry)) {
            Some(known) => *known = entry,
            None => entries.push(entry),
        }
    }
    Ok((entries, is_current))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_with_all_their_digits_or_not_at_all() {
        assert_eq!((&*date_text(20_260_731), &*date_text(0)), ("2026-07-31", ""));
        assert_eq!(&*code_text(Some(7u8), 3), "007");
        assert_eq!(&*code_text(None::<u32>, 3), "");
    }

    #[test]
    fn a_later_entry_replaces_the_one_with_its_key() {
        let versions = [&(1, 'a'), &(2, 'b'), &(1, 'c')];
        let work = WorkBudget::unlimited();
        let found = distinct_entries(&versions, &work, |it| Ok(Some(*it)), |it| it.0);
        assert_eq!(found.expect("no limit"), (vec![(1, 'c'), (2, 'b')], true));
    }
}
