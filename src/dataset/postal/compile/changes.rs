//! The changes of a version: from the monthly difference files if they are given, else by comparison with the
//! previous version, else from the marks in the full file.
//!
//! Rows are equal if Japan Post's columns are: 1 to 13 of an area row, 1 to 11 of a business row. An amended row counts
//! as one removed and one added.

use std::collections::{HashMap, HashSet};

use build_tools::postal::{AreaRow, BusinessRow};

use crate::compile::{CompileError, Result};
use crate::dataset::postal::PostalData;
use crate::record::postal::{PostalView, UpdateReason, UpdateStatus};

/// Whether a version changed a row, and why.
#[derive(Clone, Copy)]
pub struct Mark {
    pub status: UpdateStatus,
    pub reason: UpdateReason,
}

impl Mark {
    const UNCHANGED: Mark = Mark { status: UpdateStatus::Unchanged, reason: UpdateReason::None };

    pub const ABOLISHED: Mark =
        Mark { status: UpdateStatus::Abolished, reason: UpdateReason::Abolition };
}

/// The columns that identify a row: for an area row without its marks, for a business row also without `multiple`.
#[derive(PartialEq, Eq, Hash)]
pub struct Key<'a> {
    codes: [u32; 2],
    /// For a business, the first says whether it is a post-office box.
    flags: [bool; 4],
    texts: [&'a str; 8],
}

/// A row that is compared by its key.
pub trait Keyed {
    fn key(&self) -> Key<'_>;

    /// The key of a record of the previous version; `None` if the record comes from the other file.
    fn key_of_record(record: PostalView<'_>) -> Option<Key<'_>>;

    /// The mark in the row's file.
    fn mark(&self) -> Mark;
}

impl Keyed for AreaRow {
    fn key(&self) -> Key<'_> {
        Key {
            codes: [self.jisx0402, self.postal_code],
            flags: [self.town_partial, self.town_addressed_koaza, self.town_chome, self.town_multi],
            texts: [
                &self.old_code,
                &self.prefecture,
                &self.prefecture_kana,
                &self.city,
                &self.city_kana,
                &self.town_raw,
                &self.town_kana_raw,
                "",
            ],
        }
    }

    fn key_of_record(record: PostalView<'_>) -> Option<Key<'_>> {
        let (city, flags) = (record.city(), record.flags());
        let key = Key {
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
                "",
            ],
        };
        record.corporation().is_none().then_some(key)
    }

    fn mark(&self) -> Mark {
        let reason = UpdateReason::from_number(self.update_reason);
        let reason = reason.expect("readers accept the reasons 0 to 6");
        match self.update_status {
            0 => Mark::UNCHANGED,
            _ => Mark { status: UpdateStatus::Changed, reason },
        }
    }
}

impl Keyed for BusinessRow {
    fn key(&self) -> Key<'_> {
        Key {
            codes: [self.jisx0402, self.postal_code],
            flags: [self.post_office_box, false, false, false],
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

    fn key_of_record(record: PostalView<'_>) -> Option<Key<'_>> {
        let (city, corporation) = (record.city(), record.corporation()?);
        Some(Key {
            codes: [city.jisx0402(), record.postal_code()],
            flags: [corporation.post_office_box(), false, false, false],
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
    fn mark(&self) -> Mark {
        match self.amendment {
            0 => Mark::UNCHANGED,
            _ => Mark { status: UpdateStatus::Changed, reason: UpdateReason::None },
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
    /// The mark of each row of the full file.
    pub marks: Vec<Mark>,
    /// Rows that the difference files remove; only with difference files.
    pub removed: Vec<&'a R>,
    /// Records of the previous version that no longer exist; only without difference files.
    pub abolished: Vec<PostalView<'a>>,
}

pub fn find<'a, R: Keyed>(
    rows: &'a [R],
    differences: Option<&'a Differences<R>>,
    previous: Option<&'a PostalData>,
) -> Result<Changes<'a, R>> {
    match (differences, previous) {
        (Some(differences), _) => from_differences(rows, differences),
        (None, Some(previous)) => by_comparison(rows, previous),
        (None, None) => {
            let marks = rows.iter().map(Keyed::mark).collect();
            Ok(Changes { marks, removed: Vec::new(), abolished: Vec::new() })
        }
    }
}

fn from_differences<'a, R: Keyed>(
    rows: &'a [R],
    differences: &'a Differences<R>,
) -> Result<Changes<'a, R>> {
    let current: HashSet<_> = rows.iter().map(Keyed::key).collect();
    let Differences { added, removed } = differences;
    let missing = added.iter().filter(|row| !current.contains(&row.key())).count();
    if missing > 0 {
        return Err(CompileError::AddedNotInFull { missing, added: added.len() });
    }
    let marks: HashMap<_, _> = added.iter().map(|row| (row.key(), row.mark())).collect();
    let marks = rows.iter().map(|row| marks.get(&row.key()).copied().unwrap_or(Mark::UNCHANGED));
    let marks = marks.collect();
    // A row that is both removed and current was only printed anew, for example when split lines were joined.
    let gone: Vec<&R> = removed.iter().filter(|row| !current.contains(&row.key())).collect();
    if gone.is_empty() && !removed.is_empty() && added.is_empty() {
        return Err(CompileError::RemovedStillInFull { removed: removed.len() });
    }
    Ok(Changes { marks, removed: gone, abolished: Vec::new() })
}

fn by_comparison<'a, R: Keyed>(rows: &'a [R], previous: &'a PostalData) -> Result<Changes<'a, R>> {
    let records = previous.records()?;
    let records: Vec<(PostalView<'a>, Key<'a>)> =
        records.filter_map(|record| R::key_of_record(record).map(|key| (record, key))).collect();
    let previous_keys: HashSet<&Key<'a>> = records.iter().map(|(_, key)| key).collect();
    let mut marks = Vec::with_capacity(rows.len());
    let mut current: HashSet<Key<'a>> = HashSet::with_capacity(rows.len());
    for row in rows {
        let key = row.key();
        marks.push(match previous_keys.contains(&key) {
            true => Mark::UNCHANGED,
            // A correction may be issued without a mark, and so without a reason.
            false => Mark { status: UpdateStatus::Changed, reason: row.mark().reason },
        });
        current.insert(key);
    }
    // If one of the files is missing, none of its records can be known to be abolished.
    let abolished = records.iter().filter(|(_, key)| !rows.is_empty() && !current.contains(key));
    let abolished = abolished.map(|(record, _)| *record).collect();
    Ok(Changes { marks, removed: Vec::new(), abolished })
}
