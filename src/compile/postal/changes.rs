//! What a version changed: from the monthly difference files where they are given, else by comparing with
//! the version before, else as the full file marks its rows.
//!
//! Rows are equal where Japan Post's columns 1 to 13 are: an amended row is one removed and one added.

use std::collections::{HashMap, HashSet};

use build_tools::postal::{AreaRow, BusinessRow};

use crate::compile::error::CompileError;
use crate::query::PostalData;
use crate::record::postal::{PostalView, UpdateReason, UpdateStatus};

#[derive(PartialEq, Eq, Hash)]
pub struct AreaKey<'a> {
    codes: [u32; 2],
    flags: [bool; 4],
    texts: [&'a str; 7],
}

/// The columns of a row of the business file without its status and `multiple`.
#[derive(PartialEq, Eq, Hash)]
pub struct BusinessKey<'a> {
    codes: [u32; 2],
    post_office_box: bool,
    texts: [&'a str; 8],
}

pub trait Keyed {
    type Key<'a>: Eq + std::hash::Hash
    where
        Self: 'a;

    fn key(&self) -> Self::Key<'_>;

    /// The key of a record of the version before; `None` where it is of the other file.
    fn key_of_record(record: PostalView<'_>) -> Option<Self::Key<'_>>
    where
        Self: Sized;

    fn mark(&self) -> (UpdateStatus, UpdateReason);
}

impl Keyed for AreaRow {
    type Key<'a> = AreaKey<'a>;

    fn key(&self) -> AreaKey<'_> {
        AreaKey {
            codes: [self.jisx0402, self.postal_code],
            flags: [self.town_partial, self.town_addressed_koaza, self.town_chome, self.town_multi],
            texts: [
                &self.old_code,
                &self.prefecture,
                &self.prefecture_kana,
                &self.city,
                &self.city_kana,
                &self.town,
                &self.town_kana,
            ],
        }
    }

    fn key_of_record(record: PostalView<'_>) -> Option<AreaKey<'_>> {
        let (city, flags) = (record.city(), record.flags());
        let key = AreaKey {
            codes: [city.jisx0402(), record.postal_code()],
            flags: [flags.partial, flags.addressed_koaza, flags.chome, flags.multi],
            texts: [
                record.old_code().text,
                city.prefecture().name.text,
                city.prefecture().kana.text,
                city.city().name.text,
                city.city().kana.text,
                record.town_raw().text,
                record.town_kana_raw().text,
            ],
        };
        record.corporation().is_none().then_some(key)
    }

    fn mark(&self) -> (UpdateStatus, UpdateReason) {
        let reason = UpdateReason::from_number(self.update_reason);
        let reason = reason.expect("readers let pass the reasons 0 to 6");
        match self.update_status {
            0 => (UpdateStatus::Unchanged, UpdateReason::None),
            _ => (UpdateStatus::Changed, reason),
        }
    }
}

impl Keyed for BusinessRow {
    type Key<'a> = BusinessKey<'a>;

    fn key(&self) -> BusinessKey<'_> {
        BusinessKey {
            codes: [self.jisx0402, self.postal_code],
            post_office_box: self.post_office_box,
            texts: [
                &self.old_code,
                &self.prefecture,
                &self.city,
                &self.town,
                &self.name,
                &self.name_kana,
                &self.block_lot,
                &self.post_office,
            ],
        }
    }

    fn key_of_record(record: PostalView<'_>) -> Option<BusinessKey<'_>> {
        let (city, corporation) = (record.city(), record.corporation()?);
        Some(BusinessKey {
            codes: [city.jisx0402(), record.postal_code()],
            post_office_box: corporation.post_office_box(),
            texts: [
                record.old_code().text,
                city.prefecture().name.text,
                city.city().name.text,
                record.town_raw().text,
                corporation.name().text,
                corporation.name_kana().text,
                corporation.block_lot().text,
                corporation.post_office().text,
            ],
        })
    }

    /// The business files state no reason.
    fn mark(&self) -> (UpdateStatus, UpdateReason) {
        match self.amendment {
            0 => (UpdateStatus::Unchanged, UpdateReason::None),
            _ => (UpdateStatus::Changed, UpdateReason::None),
        }
    }
}

pub struct Differences<R> {
    /// ADD, utf_add or JADD.
    pub added: Vec<R>,
    /// DEL, utf_del or JDEL.
    pub removed: Vec<R>,
}

impl<R> Default for Differences<R> {
    fn default() -> Differences<R> {
        Differences { added: Vec::new(), removed: Vec::new() }
    }
}

pub struct Changes<'a, R> {
    pub marks: Vec<(UpdateStatus, UpdateReason)>,
    /// Rows of the difference files that are gone.
    pub removed: Vec<&'a R>,
    /// Records of the version before that are gone.
    pub gone: Vec<PostalView<'a>>,
}

pub fn find<'a, R: Keyed>(
    rows: &'a [R],
    differences: Option<&'a Differences<R>>,
    before: Option<&'a PostalData>,
) -> Result<Changes<'a, R>, CompileError> {
    match (differences, before) {
        (Some(differences), _) => from_differences(rows, differences),
        (None, Some(before)) => by_comparison(rows, before),
        (None, None) => {
            let marks = rows.iter().map(Keyed::mark).collect();
            Ok(Changes { marks, removed: Vec::new(), gone: Vec::new() })
        }
    }
}

fn from_differences<'a, R: Keyed>(
    rows: &'a [R],
    differences: &'a Differences<R>,
) -> Result<Changes<'a, R>, CompileError> {
    let current: HashSet<_> = rows.iter().map(Keyed::key).collect();
    let Differences { added, removed } = differences;
    let missing = added.iter().filter(|row| !current.contains(&row.key())).count();
    if missing > 0 {
        return Err(CompileError::AddedNotInFull { missing, added: added.len() });
    }
    let reasons: HashMap<_, _> = added.iter().map(|row| (row.key(), row.mark())).collect();
    let unchanged = (UpdateStatus::Unchanged, UpdateReason::None);
    let marks = rows.iter().map(|row| reasons.get(&row.key()).copied().unwrap_or(unchanged));
    let marks = marks.collect();
    // A row that is both removed and current was only printed anew, as when split lines were joined.
    let gone: Vec<&R> = removed.iter().filter(|row| !current.contains(&row.key())).collect();
    if gone.is_empty() && !removed.is_empty() && added.is_empty() {
        return Err(CompileError::RemovedStillInFull { removed: removed.len() });
    }
    Ok(Changes { marks, removed: gone, gone: Vec::new() })
}

fn by_comparison<'a, R: Keyed>(
    rows: &'a [R],
    before: &'a PostalData,
) -> Result<Changes<'a, R>, CompileError> {
    let records = before.records()?;
    let records: Vec<(PostalView<'a>, R::Key<'a>)> =
        records.filter_map(|record| R::key_of_record(record).map(|key| (record, key))).collect();
    let known: HashSet<&R::Key<'a>> = records.iter().map(|(_, key)| key).collect();
    let mut marks = Vec::with_capacity(rows.len());
    let mut current: HashSet<R::Key<'a>> = HashSet::with_capacity(rows.len());
    for row in rows {
        let key = row.key();
        marks.push(match known.contains(&key) {
            true => (UpdateStatus::Unchanged, UpdateReason::None),
            // A correction may be issued without a mark, so without a reason.
            false => (UpdateStatus::Changed, row.mark().1),
        });
        current.insert(key);
    }
    // Without one of the files nothing of it is known to have gone.
    let gone = records.iter().filter(|(_, key)| !rows.is_empty() && !current.contains(key));
    let gone = gone.map(|(record, _)| *record).collect();
    Ok(Changes { marks, removed: Vec::new(), gone })
}
