//! The current row of each corporation, from files in any order.
//!
//! As the tax agency defines it, a corporation's newest published entry is its state; among the entries of one day, the
//! one marked as latest. Process 99 withdraws the number. Rows are packed when they are read: the whole country takes
//! half a gigabyte, where rows of strings would take three. Rows of a base are not copied.

use std::ops::Range;

use build_tools::corporate::{CorporateRow, PrefectureSet, WITHDRAWN};

use super::base::{Base, BaseRow, OtherPrefectures, is_in_files_of};
use crate::compile::{NO_PLACE, Places, Result, RowOrigin};
use crate::dataset::corporate::record::archive::ABROAD;
use crate::dataset::corporate::record::fields::append_row;
use crate::dataset::corporate::record::former_names::{NameSighting, former_names, is_same_name};
use crate::dataset::corporate::record::{CorporateView, OfficePlace, OfficePlaceView};
use crate::record::Day;
use crate::text::codes::CorporateNumber;

#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub number: CorporateNumber,
    /// The index of its place in [`State::places`]; [`NO_PLACE`] if the number is withdrawn.
    pub place: u32,
    update_date: u32,
    /// Origin and position in its file, which order the entries of one day.
    order_in_day: u32,
    record: Span,
    /// The date of its file.
    pub published: Day,
    /// The rank of its number among all numbers, from 0; set once rows are sorted.
    pub rank: u32,
}

impl Entry {
    fn is_from_full_file(&self) -> bool {
        self.order_in_day >> RowOrigin::SHIFT == RowOrigin::Full as u32
    }
}

/// The name in an entry that is not the newest of its file.
#[derive(Debug, Clone, Copy)]
struct EarlierName {
    number: CorporateNumber,
    /// Its place in time.
    order: NameOrderKey,
    is_name_change: bool,
    name: Span,
}

/// Orders the names of a number: by the day of the event, the day of publication and the position there.
type NameOrderKey = (u32, u32, u32);

/// A former name of a corporation, and its last day, or 0 if that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerNameOf {
    pub number: CorporateNumber,
    pub last_day: u32,
    pub name: String,
}

/// The process of an entry that changes the name.
const NAME_CHANGE: u8 = 11;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OmittedCounts {
    pub withdrawn: usize,
    pub others: OtherPrefectures,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The row of the base is newer than the entries.
    BaseRowKept,
    EntryKept,
    Withdrawn,
    /// The newest row is in a prefecture that is not kept.
    OtherPrefecture,
}

/// The rows read so far, and after [`State::keep_newest`] only the newest of each number.
#[derive(Debug, Default)]
pub struct State {
    records: RecordArena,
    /// Sorted by number after [`State::keep_newest`].
    pub entries: Vec<Entry>,
    pub places: Places<OfficePlace>,
    /// The names in entries that a later one in the same file replaces.
    earlier_names: Vec<EarlierName>,
    /// The first day of the differences; 0 without any.
    pub differences_since: u32,
    /// After [`State::keep_newest`], the former names of the kept corporations, those of one in the order of time.
    pub former_names: Vec<FormerNameOf>,
    packed: Vec<u8>,
    /// The number of rows added since [`State::set_published`].
    undated_rows: u32,
    /// For each entry since then, which of these rows it is, from 1.
    undated: Vec<u32>,
}

impl State {
    /// Adds a row of a full file or a difference. The date of its file, which is known only once the whole file is
    /// read, is set by [`set_published`](State::set_published).
    pub fn add_row(&mut self, row: &CorporateRow<'_>, origin: RowOrigin) {
        self.undated_rows += 1;
        let number = CorporateNumber::from_number(row.number).filter(|number| number.is_sound());
        let number = number.expect("the reader lets no other number through");
        let is_withdrawn = row.process == WITHDRAWN;
        if origin == RowOrigin::Difference {
            let since = Some(self.differences_since).filter(|since| *since != 0);
            self.differences_since = since.map_or(row.update_date, |it| it.min(row.update_date));
        }
        let order_in_day = origin.order_in_day(row.sequence_number);
        if !row.latest && !is_withdrawn {
            self.earlier_names.push(EarlierName {
                number,
                order: (row.change_date, row.update_date, order_in_day),
                is_name_change: row.process == NAME_CHANGE,
                name: self.records.push(row.name.as_bytes()),
            });
            return;
        }
        self.packed.clear();
        let place = if is_withdrawn {
            NO_PLACE
        } else {
            let code = if row.prefecture_code == 0 { ABROAD } else { row.prefecture_code };
            append_row(row, &mut self.packed);
            self.intern_place(code, row.city_code, &row.prefecture, &row.city)
        };
        self.undated.push(self.undated_rows);
        self.entries.push(Entry {
            number,
            place,
            update_date: row.update_date,
            order_in_day,
            record: self.records.push(&self.packed),
            published: Day::default(),
            rank: 0,
        });
    }

    /// Sets the dates of publication of the rows that were added since the last call. `files` has, for each file in
    /// order, its number of rows and its date.
    pub fn set_published(&mut self, files: impl IntoIterator<Item = (u64, u32)>) {
        let first = self.entries.len() - self.undated.len();
        let mut files = files.into_iter();
        let (mut end, mut published) = (0, Day::default());
        for (entry, row) in self.entries[first..].iter_mut().zip(&self.undated) {
            while u64::from(*row) > end {
                let Some((rows, date)) = files.next() else { break };
                end += rows;
                published = Day::from_date(date);
            }
            entry.published = published;
        }
        self.undated.clear();
        self.undated_rows = 0;
    }

    /// The index in [`State::places`] of a place of a base, which is added if it is new.
    pub fn intern_base_place(&mut self, place: OfficePlaceView<'_>) -> u32 {
        let code = place.prefecture_code().unwrap_or(ABROAD);
        let city = place.jisx0402().map_or(0, |code| (code % 1_000) as u16);
        self.intern_place(code, city, place.prefecture(), place.city())
    }

    fn intern_place(
        &mut self,
        prefecture_code: u8,
        city_code: u16,
        prefecture: &str,
        city: &str,
    ) -> u32 {
        let code = u32::from(prefecture_code) << 16 | u32::from(city_code);
        self.places.intern(code, [prefecture, city], || {
            let (prefecture, city) = (prefecture.to_owned(), city.to_owned());
            OfficePlace { prefecture_code, city_code, prefecture, city, first: 0 }
        })
    }

    /// Keeps the newest row of each corporation in these prefectures, sorted by number, if it is newer than the row of
    /// the base. Returns what was left out, and the removed rows of the base, ascending.
    pub fn keep_newest(
        &mut self,
        prefectures: PrefectureSet,
        base: Option<&Base>,
    ) -> Result<(OmittedCounts, Vec<u32>)> {
        self.entries
            .sort_unstable_by_key(|entry| (entry.number, entry.update_date, entry.order_in_day));
        let mut earlier_names = std::mem::take(&mut self.earlier_names);
        earlier_names.sort_unstable_by_key(|earlier| (earlier.number, earlier.order));
        let known_before = base.map_or(Ok(None), |base| base.data.former_names())?;
        let (mut omitted, mut removed) = (OmittedCounts::default(), Vec::new());
        // Rows of the base whose numbers have entries.
        let mut updated = Vec::new();
        let (mut kept, mut start) = (0, 0);
        while let Some(first) = self.entries.get(start) {
            let number = first.number;
            let group = self.entries[start..].iter().take_while(|entry| entry.number == number);
            let end = start + group.count();
            let newest = self.entries[end - 1];
            let base_row = base.map_or(Ok(None), |base| base.row(number, prefectures))?;
            let outcome = self.decide(&newest, base_row, prefectures);
            if let Some(base_row) = base_row {
                updated.push(base_row.row);
                if outcome != Outcome::BaseRowKept {
                    removed.push(base_row.row);
                }
            }
            let names = earlier_names_of(&earlier_names, number);
            if matches!(outcome, Outcome::BaseRowKept | Outcome::EntryKept) {
                let base_row = base.zip(base_row).map(|(base, row)| (base, row.row));
                let present = (outcome == Outcome::EntryKept).then_some(&newest);
                self.add_former_names(start..end, names, base_row, present)?;
            }
            match outcome {
                Outcome::BaseRowKept => {}
                Outcome::EntryKept => {
                    self.entries[kept] = newest;
                    kept += 1;
                }
                Outcome::Withdrawn => omitted.withdrawn += 1,
                Outcome::OtherPrefecture => {
                    let rows = end - start + usize::from(base_row.is_some());
                    let entries = &self.entries[start..end];
                    omitted.others.add(rows, self.was_kept(entries, base_row, prefectures));
                }
            }
            start = end;
        }
        self.entries.truncate(kept);
        updated.sort_unstable();
        let outside = base.map_or(Ok(Vec::new()), |base| base.rows_outside(prefectures))?;
        for row in outside.into_iter().filter(|row| updated.binary_search(row).is_err()) {
            omitted.others.add(1, false);
            removed.push(row);
        }
        removed.sort_unstable();
        if let (Some(base), Some(names)) = (base, known_before) {
            let is_kept =
                |row| removed.binary_search(&row).is_err() && updated.binary_search(&row).is_err();
            for known in names.all().filter(|known| is_kept(known.row.to_native())) {
                let number = base.data.record_at_random(known.row.to_native())?.number();
                let (last_day, name) = (known.last_day.to_native(), known.name.to_string());
                self.former_names.push(FormerNameOf { number, last_day, name });
            }
            let since = [self.differences_since, names.since()];
            let since = since.into_iter().filter(|since| *since != 0).min();
            self.differences_since = since.unwrap_or_default();
        }
        Ok((omitted, removed))
    }

    /// Adds the former names of a number, from its entries, the earlier names in their files, and its row in the base.
    /// `present` is the entry with the present name; `None` if the base has it.
    fn add_former_names(
        &mut self,
        entries: Range<usize>,
        earlier: &[EarlierName],
        base_row: Option<(&Base, u32)>,
        present: Option<&Entry>,
    ) -> Result<()> {
        if entries.len() == 1 && earlier.is_empty() && base_row.is_none() {
            return Ok(());
        }
        let number = self.entries[entries.start].number;
        let mut seen: Vec<(NameOrderKey, NameSighting)> = Vec::new();
        let sighting = |view: &CorporateView<'_>| NameSighting {
            change_date: view.change_date(),
            is_name_change: view.process() == NAME_CHANGE,
            name: view.name().to_string(),
        };
        // A number that was withdrawn and assigned again has no names from before.
        let is_withdrawal = |entry: &&Entry| entry.place == NO_PLACE;
        let published = |entry: &Entry| (entry.update_date, entry.order_in_day);
        let withdrawn = self.entries[entries.clone()].iter().filter(is_withdrawal).map(published);
        let withdrawn = withdrawn.max().unwrap_or_default();
        for entry in self.entries[entries].iter().filter(|entry| entry.place != NO_PLACE) {
            let view = self.view(entry);
            let order = (view.change_date(), entry.update_date, entry.order_in_day);
            seen.push((order, sighting(&view)));
        }
        for EarlierName { order, is_name_change, name, .. } in earlier {
            let name = String::from_utf8_lossy(self.records.get(*name)).into_owned();
            let (change_date, is_name_change) = (order.0, *is_name_change);
            seen.push((*order, NameSighting { change_date, is_name_change, name }));
        }
        let mut present = present.map(|entry| self.view(entry).name().to_string());
        let mut known = Vec::new();
        if let Some((base, row)) = base_row {
            let view = base.data.record_at_random(row)?;
            let order_in_day = RowOrigin::Base.order_in_day(0);
            seen.push(((view.change_date(), view.update_date(), order_in_day), sighting(&view)));
            present.get_or_insert_with(|| view.name().to_string());
            let is_before = (view.update_date(), order_in_day) < withdrawn;
            if let Some(names) = base.data.former_names()?.filter(|_| !is_before) {
                let of_row = names.of_row(row);
                known.extend(of_row.map(|it| (it.last_day.to_native(), it.name.to_string())));
            }
        }
        seen.retain(|((_, update_date, order), _)| (*update_date, *order) > withdrawn);
        seen.sort_by_key(|(order, _)| *order);
        let seen: Vec<NameSighting> = seen.into_iter().map(|(_, sighting)| sighting).collect();
        let present = present.unwrap_or_default();
        let found = former_names(&seen, &present);
        for (last_day, name) in with_known(known, found, &present) {
            self.former_names.push(FormerNameOf { number, last_day, name });
        }
        Ok(())
    }

    /// Decides between the newest entry of a number and its row in the base.
    fn decide(
        &self,
        newest: &Entry,
        base_row: Option<BaseRow>,
        prefectures: PrefectureSet,
    ) -> Outcome {
        match base_row {
            Some(base_row) if base_row.update_date > newest.update_date => match base_row.kept {
                true => Outcome::BaseRowKept,
                false => Outcome::OtherPrefecture,
            },
            _ if newest.place == NO_PLACE => Outcome::Withdrawn,
            _ if self.is_entry_in(newest, prefectures) => Outcome::EntryKept,
            _ => Outcome::OtherPrefecture,
        }
    }

    /// Whether the base or a full file had a corporation in these prefectures.
    fn was_kept(
        &self,
        entries: &[Entry],
        base_row: Option<BaseRow>,
        prefectures: PrefectureSet,
    ) -> bool {
        let is_in_full_file = |entry: &Entry| {
            entry.is_from_full_file()
                && entry.place != NO_PLACE
                && self.is_entry_in(entry, prefectures)
        };
        base_row.is_some_and(|base_row| base_row.kept) || entries.iter().any(is_in_full_file)
    }

    /// Whether an entry's row is in the file of one of these prefectures.
    fn is_entry_in(&self, entry: &Entry, prefectures: PrefectureSet) -> bool {
        let place = self.places.list.get(entry.place as usize);
        let code = place.map_or(ABROAD, |place| place.prefecture_code);
        is_in_files_of(prefectures, code, || self.view(entry))
    }

    /// The record of an entry, without its place.
    pub fn view(&self, entry: &Entry) -> CorporateView<'_> {
        let view = CorporateView::read(self.records.get(entry.record), OfficePlaceView::none(), 0);
        view.expect("a record that was packed a moment ago")
    }

    /// Sorts places as rows are sorted, and drops those without rows. `kept` are the places of kept rows of a base.
    /// Returns the new index of each place, or [`NO_PLACE`] if it was dropped.
    pub fn sort_places(&mut self, kept: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let of_added = self.entries.iter().map(|entry| entry.place);
        let new_indexes = self.places.sort(of_added.chain(kept));
        for entry in &mut self.entries {
            entry.place = new_indexes[entry.place as usize];
        }
        new_indexes
    }
}

/// The earlier names of a number among those sorted by number.
fn earlier_names_of(names: &[EarlierName], number: CorporateNumber) -> &[EarlierName] {
    let start = names.partition_point(|earlier| earlier.number < number);
    let count = names[start..].partition_point(|earlier| earlier.number == number);
    &names[start..start + count]
}

/// The former names of a base before those found now. A name that is present again, or was found again, is left out
/// there; if only the base has its last day, that is kept.
fn with_known(
    known: Vec<(u32, String)>,
    mut found: Vec<(u32, String)>,
    present: &str,
) -> Vec<(u32, String)> {
    let mut all = Vec::new();
    for (last_day, name) in known {
        match found.iter_mut().find(|(_, other)| is_same_name(other, &name)) {
            Some((day, _)) if *day == 0 => *day = last_day,
            Some(_) => {}
            None if is_same_name(present, &name) => {}
            None => all.push((last_day, name)),
        }
    }
    all.append(&mut found);
    all
}

/// The capacity of a chunk; a longer record gets a chunk of its own length.
const CHUNK_BYTES: usize = 1 << 24;

#[derive(Debug, Clone, Copy)]
pub struct Span {
    chunk: u32,
    start: u32,
    length: u32,
}

#[derive(Debug, Default)]
struct RecordArena {
    chunks: Vec<Vec<u8>>,
}

impl RecordArena {
    pub fn push(&mut self, record: &[u8]) -> Span {
        let has_room = |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= record.len();
        if !self.chunks.last().is_some_and(has_room) {
            self.chunks.push(Vec::with_capacity(CHUNK_BYTES.max(record.len())));
        }
        let index = self.chunks.len() - 1;
        let chunk = &mut self.chunks[index];
        let span =
            Span { chunk: index as u32, start: chunk.len() as u32, length: record.len() as u32 };
        chunk.extend_from_slice(record);
        span
    }

    pub fn get(&self, span: Span) -> &[u8] {
        let start = span.start as usize;
        &self.chunks[span.chunk as usize][start..start + span.length as usize]
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod arena_tests {
    use super::*;

    #[test]
    fn records_of_any_length_read_back() {
        let mut arena = RecordArena::default();
        let lengths =
            [0, 1, CHUNK_BYTES / 2, CHUNK_BYTES / 2, CHUNK_BYTES - 1, CHUNK_BYTES + 5, 3, 0];
        let record = |(fill, length): (u8, usize)| vec![fill; length];
        let records: Vec<Vec<u8>> = (0..).zip(lengths).map(record).collect();
        let spans: Vec<Span> = records.iter().map(|record| arena.push(record)).collect();
        for (span, record) in spans.into_iter().zip(&records) {
            assert!(arena.get(span) == record, "{} bytes", record.len());
        }
    }
}
