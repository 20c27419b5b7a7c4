//! The former names of corporations, as far as the differences show them: a section of a corporate snapshot.
//!
//! A full file has the newest name of each corporation only. The daily differences hold some 100,000 former names, so
//! the section is small: all of it is in memory, and parts of names are found by a scan of the folded texts.
//!
//! A name that differs from the present one only by its writing (width, case, kanji variants) is not a former name.

use std::ops::Range;

use rkyv::rend::u32_le;
use rkyv::{Archive, Serialize};

use crate::dataset::corporate::search::mode::SearchMode;
use crate::text::codes::DataVersion;
use crate::text::fold::{Level, folded};
use crate::text::kind_words::{Form, equals_without_kind_words, expand, split};
use crate::text::loose_name::loose_key;
use crate::text::numerals::counted;

/// A name that a corporation had.
#[derive(Debug, Clone, PartialEq, Eq, Archive, Serialize)]
pub struct FormerName {
    pub row: u32,
    /// Its last day, as 20260731; 0 if the differences do not give it.
    pub last_day: u32,
    pub name: String,
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct FormerNames {
    /// The first day of the differences that were read, as 20260731; 0 if full files of several days gave the names.
    since: u32,
    /// By row; the names of one row in the order of time.
    entries: Vec<FormerName>,
    /// The names folded at [`Level::Search`], each followed by a line end.
    folded: String,
    /// The offset of each name in `folded`.
    starts: Vec<u32>,
    /// The indexes of the entries, ordered by the bodies of their names.
    by_body: Vec<u32>,
    /// The same, ordered by their loose keys.
    by_loose_key: Vec<u32>,
}

/// The body of a name, folded at [`Level::Search`].
fn body_of(name: &str) -> String {
    let name = folded_name(name);
    split(&name, Level::Search).0.to_owned()
}

fn folded_name(name: &str) -> String {
    folded(name.trim(), Level::Search).replace('\n', " ")
}

impl FormerNames {
    /// Makes the section from names in the order of time, known since a day.
    pub fn new(since: u32, mut entries: Vec<FormerName>) -> FormerNames {
        entries.sort_by_key(|entry| entry.row);
        let (mut folded, mut starts) = (String::new(), Vec::with_capacity(entries.len()));
        for entry in &entries {
            starts.push(folded.len() as u32);
            folded.push_str(&folded_name(&entry.name));
            folded.push('\n');
        }
        let sorted_by = |key: fn(&str) -> String| {
            let mut indexes: Vec<u32> = (0..entries.len() as u32).collect();
            indexes.sort_by_cached_key(|index| (key(&entries[*index as usize].name), *index));
            indexes
        };
        let (by_body, by_loose_key) = (sorted_by(body_of), sorted_by(loose_key));
        FormerNames { since, entries, folded, starts, by_body, by_loose_key }
    }
}

impl ArchivedFormerNames {
    /// Checks all invariants that a search relies on, for a table of this many rows.
    pub fn check(&self, rows: usize) -> Result<(), &'static str> {
        let count = self.entries.len();
        let exists = |entry: &ArchivedFormerName| (entry.row.to_native() as usize) < rows;
        if !self.entries.iter().all(exists)
            || !self.entries.is_sorted_by_key(|entry| entry.row.to_native())
        {
            return Err("former names of existing rows, ascending");
        }
        let is_order = |order: &ArchivedOrder| {
            order.len() == count && order.iter().all(|index| (index.to_native() as usize) < count)
        };
        if !is_order(&self.by_body) || !is_order(&self.by_loose_key) {
            return Err("two orders of the former names");
        }
        let ends = self.folded.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let ends = ends.map(|(offset, _)| offset + 1);
        let starts = self.starts.iter().map(|start| start.to_native() as usize);
        if !starts.chain([self.folded.len()]).eq([0].into_iter().chain(ends)) {
            return Err("a line for each former name");
        }
        Ok(())
    }

    /// The first day of the differences that were read, as 20260731, or 0.
    pub fn since(&self) -> u32 {
        self.since.to_native()
    }

    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// How many there are, and since when they are known.
    pub fn describe(&self) -> String {
        let names = counted(self.count() as u64, "former name");
        match DataVersion::from_number(self.since()) {
            Some(since) => format!("{names}, known since {since}"),
            None => names,
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &ArchivedFormerName> {
        self.entries.iter()
    }

    /// The indexes of the former names of a row, in the order of time.
    pub fn indexes_of_row(&self, row: u32) -> Range<u32> {
        let start = self.entries.partition_point(|entry| entry.row.to_native() < row);
        let of_row = self.entries[start..].iter().take_while(|entry| entry.row.to_native() == row);
        start as u32..(start + of_row.count()) as u32
    }

    /// The former names of a row, in the order of time.
    pub fn of_row(&self, row: u32) -> impl Iterator<Item = &ArchivedFormerName> {
        self.indexes_of_row(row).filter_map(|index| self.get(index))
    }

    /// The former name of an index.
    pub fn get(&self, index: u32) -> Option<&ArchivedFormerName> {
        self.entries.get(index as usize)
    }

    /// The bytes of the folded names.
    pub fn length(&self) -> usize {
        self.folded.len()
    }

    /// The rows with a former name that the keyword matches. It is folded as [`ArchivedFormerName::matches`] wants.
    pub fn rows_that_match(&self, keyword: &str, mode: SearchMode) -> Vec<u32> {
        let is_letter = keyword.chars().nth(1).is_none();
        match mode {
            SearchMode::Partial if !is_letter => return self.rows_with_part(keyword),
            SearchMode::Loose => {
                let equal = self.ordered(&self.by_loose_key, loose_key, keyword, str::eq);
                return ascending(equal.map(|entry| entry.row.to_native()));
            }
            SearchMode::Partial | SearchMode::Exact | SearchMode::ExactWithKind => {}
        }
        let whole = folded(&expand(keyword, Level::Kanji), Level::Search);
        let (body, form) = split(&whole, Level::Search);
        let mut bodies = vec![body];
        if form != Form::NONE {
            bodies.push(&whole);
        }
        let found = bodies.iter().flat_map(|body| self.with_body(body, str::eq));
        let found = found.filter(|entry| entry.matches(keyword, mode));
        ascending(found.map(|entry| entry.row.to_native()))
    }

    fn rows_with_part(&self, keyword: &str) -> Vec<u32> {
        if keyword.contains('\n') {
            return Vec::new();
        }
        let found = memchr::memmem::find_iter(self.folded.as_bytes(), keyword);
        ascending(found.filter_map(|offset| {
            let index = self.starts.partition_point(|start| start.to_native() as usize <= offset);
            Some(self.entries.get(index.checked_sub(1)?)?.row.to_native())
        }))
    }

    /// The entries whose body passes beside this one, from the first that is not before it: those that equal it, or
    /// begin with it.
    pub fn with_body(
        &self,
        body: &str,
        passes: fn(&str, &str) -> bool,
    ) -> impl Iterator<Item = &ArchivedFormerName> {
        self.ordered(&self.by_body, body_of, body, passes)
    }

    /// The loose keys of all names, in their order.
    pub fn loose_keys(&self) -> Vec<String> {
        let name = |index: &u32_le| &*self.entries[index.to_native() as usize].name;
        self.by_loose_key.iter().map(|index| loose_key(name(index))).collect()
    }

    /// As [`with_body`](Self::with_body), by the loose key; `keys` are the [`loose_keys`](Self::loose_keys), which would
    /// cost more than the rest of a search if each search made them.
    pub fn with_loose_key<'s>(
        &'s self,
        keys: &'s [String],
        key: &str,
        passes: fn(&str, &str) -> bool,
    ) -> impl Iterator<Item = &'s ArchivedFormerName> {
        let start = keys.partition_point(|known| **known < *key);
        let found = keys[start..].iter().zip(&self.by_loose_key[start..]);
        let found = found.take_while(move |(known, _)| passes(known, key));
        found.map(|(_, index)| &self.entries[index.to_native() as usize])
    }

    fn ordered(
        &self,
        order: &ArchivedOrder,
        key_of: fn(&str) -> String,
        key: &str,
        passes: fn(&str, &str) -> bool,
    ) -> impl Iterator<Item = &ArchivedFormerName> {
        let entry = |index: &u32_le| &self.entries[index.to_native() as usize];
        let start = order.partition_point(|index| *key_of(&entry(index).name) < *key);
        let found = order[start..].iter().map(entry);
        found.take_while(move |entry| passes(&key_of(&entry.name), key))
    }
}

/// Indexes of entries.
type ArchivedOrder = rkyv::vec::ArchivedVec<u32_le>;

impl ArchivedFormerName {
    /// Whether the name without its kind word equals a body, which is folded at [`Level::Search`].
    pub fn has_body(&self, body: &str) -> bool {
        body_of(&self.name) == body
    }

    /// Whether a keyword matches the name: in a partial search, folded at [`Level::Search`], a part of it, or the whole
    /// if it is one letter; in a loose one the keyword is the loose key; in the others, folded at [`Level::Kanji`], the
    /// whole with or without kind words.
    pub fn matches(&self, keyword: &str, mode: SearchMode) -> bool {
        let level = if mode == SearchMode::Partial { Level::Search } else { Level::Kanji };
        let name = folded(self.name.trim(), level);
        match mode {
            SearchMode::Partial if keyword.chars().nth(1).is_none() => {
                name == keyword || split(&name, level).0 == keyword
            }
            SearchMode::Partial => name.contains(keyword),
            SearchMode::Loose => loose_key(&self.name) == keyword,
            SearchMode::Exact => equals_without_kind_words(&name, keyword, level),
            SearchMode::ExactWithKind => {
                let keyword = expand(keyword, level);
                let (body, form) = split(&keyword, level);
                let (found, other) = split(&name, level);
                found == body && other.spaced(false) == form.spaced(false)
            }
        }
    }
}

fn ascending(rows: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rows: Vec<u32> = rows.collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// A name of a corporation at some time, in the sources of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameSighting {
    /// The day of the event, as 20260731.
    pub change_date: u32,
    /// Whether the event was a change of the name.
    pub is_name_change: bool,
    pub name: String,
}

/// The former names among those in the order of time, each with its last day, or 0 if no change of the name follows it.
pub fn former_names(sightings: &[NameSighting], present: &str) -> Vec<(u32, String)> {
    let present = folded_name(present);
    let folded: Vec<String> = sightings.iter().map(|it| folded_name(&it.name)).collect();
    let is_last = |index: usize| !folded[index + 1..].contains(&folded[index]);
    let indexes: Range<usize> = 0..sightings.len();
    let former = indexes.filter(|index| folded[*index] != present && is_last(*index));
    former
        .map(|index| {
            let next = sightings.get(index + 1).filter(|next| next.is_name_change);
            let last_day = next.map_or(0, |next| day_before(next.change_date));
            (last_day, sightings[index].name.clone())
        })
        .collect()
}

/// Whether two names differ at most by their writing.
pub fn is_same_name(left: &str, right: &str) -> bool {
    folded_name(left) == folded_name(right)
}

fn day_before(date: u32) -> u32 {
    crate::record::Day::from_date(date).plus_days(-1).date()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::{OwnMemory, Section};

    fn section(names: &FormerNames) -> Section<ArchivedFormerNames> {
        let bytes = rkyv::to_bytes::<rancor::Error>(names).expect("archives");
        Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
    }

    fn named(names: &[(u32, &str)]) -> FormerNames {
        let entry = |(row, name): &(u32, &str)| FormerName {
            row: *row,
            last_day: 20_250_930,
            name: (*name).to_owned(),
        };
        FormerNames::new(20_210_714, names.iter().map(entry).collect())
    }

    const NAMES: [(u32, &str); 6] = [
        (7, "株式会社見本銀行"),
        (2, "見本電信電話株式会社"),
        (7, "株式会社第一見本"),
        (9, "ＪＡみほん農業協同組合"),
        (4, "つ"),
        (5, "株式会社見本ネット銀行"),
    ];

    #[test]
    fn names_are_found_by_a_part_and_whole() {
        let names = section(&named(&NAMES));
        let names = names.root();
        assert_eq!(names.check(10), Ok(()));
        let part = |keyword: &str| {
            names.rows_that_match(&folded(keyword, Level::Search), SearchMode::Partial)
        };
        assert_eq!(part("銀行"), [5, 7]);
        assert_eq!(part("見本"), [2, 5, 7]);
        assert_eq!(part("jaみほん"), [9]);
        assert_eq!((part("つ"), part("見"), part("")), (vec![4], vec![], vec![]));
        let whole = |keyword: &str| {
            names.rows_that_match(&folded(keyword, Level::Kanji), SearchMode::Exact)
        };
        assert_eq!(whole("見本銀行"), [7]);
        assert_eq!(whole("見本"), [0; 0]);
        assert_eq!(whole("株式会社見本銀行"), [0; 0]);
        let with_kind = |keyword: &str| {
            names.rows_that_match(&folded(keyword, Level::Kanji), SearchMode::ExactWithKind)
        };
        assert_eq!(with_kind("㈱見本銀行"), [7]);
        assert_eq!(with_kind("見本銀行"), [0; 0]);
        let loose = |keyword: &str| names.rows_that_match(&loose_key(keyword), SearchMode::Loose);
        assert_eq!(loose("見本・ネット　銀行 株式会社"), [5]);
        assert_eq!(loose("見本"), [0; 0]);
        let of_row: Vec<&str> = names.of_row(7).map(|entry| entry.name.as_str()).collect();
        assert_eq!(of_row, ["株式会社見本銀行", "株式会社第一見本"], "in the order of time");
    }

    #[test]
    fn data_that_contradict_the_table_are_refused() {
        let built = || named(&NAMES);
        assert!(section(&built()).root().check(9).is_err());
        let wrong: [fn(&mut FormerNames); 6] = [
            |it| it.entries.reverse(),
            |it| it.by_loose_key.truncate(2),
            |it| it.by_body.truncate(2),
            |it| it.by_body[0] = 6,
            |it| it.starts[1] += 1,
            |it| it.folded.push('あ'),
        ];
        for change in wrong {
            let mut names = built();
            change(&mut names);
            assert!(section(&names).root().check(10).is_err(), "{names:?}");
        }
    }

    #[test]
    fn a_former_name_has_the_day_before_the_next_one() {
        let seen = |change_date, is_name_change, name: &str| NameSighting {
            change_date,
            is_name_change,
            name: name.to_owned(),
        };
        let names = [
            seen(20_151_005, false, "見本電電株式会社"),
            seen(20_200_401, true, "株式会社見本"),
            seen(20_220_301, false, "株式会社見本"),
            seen(20_240_101, false, "株式会社ミホン"),
            seen(20_250_701, true, "ミホン株式会社"),
            seen(20_250_801, false, "ミホン株式会社"),
        ];
        let found = former_names(&names, "ﾐﾎﾝ株式会社");
        let expected = [
            (20_200_331, "見本電電株式会社"),
            // The next entry is no change of the name, so the day is unknown.
            (0, "株式会社見本"),
            (20_250_630, "株式会社ミホン"),
        ];
        assert_eq!(found, expected.map(|(day, name)| (day, name.to_owned())));
        assert_eq!(former_names(&names[5..], "ミホン株式会社"), []);
    }

    proptest! {
        #[test]
        fn a_part_is_found_as_by_a_scan(
            names in prop::collection::vec((0u32..20, "[見本台帳銀行株式会社 ]{1,6}"), 0..30),
            keyword in "[見本台帳銀行]{2,3}",
        ) {
            let built: Vec<(u32, &str)> = names.iter().map(|(row, name)| (*row, &**name)).collect();
            let section = section(&named(&built));
            prop_assert_eq!(section.root().check(20), Ok(()));
            let expected = names.iter().filter(|(_, name)| folded_name(name).contains(&keyword));
            let expected = ascending(expected.map(|(row, _)| *row));
            prop_assert_eq!(section.root().rows_with_part(&keyword), expected);
            let beginning = section.root().with_body(&keyword, |body, start| body.starts_with(start));
            let beginning = ascending(beginning.map(|entry| entry.row.to_native()));
            let expected = names.iter().filter(|(_, name)| body_of(name).starts_with(&keyword));
            prop_assert_eq!(beginning, ascending(expected.map(|(row, _)| *row)));
        }
    }
}
