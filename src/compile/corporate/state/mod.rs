//! The current row of each corporation, from files in any order.
//!
//! As the tax agency defines it, a corporation's newest published entry is its state; among the entries of one day, the
//! one marked as latest. Process 99 withdraws the number. Rows are packed when they are read: the whole country takes half
//! a gigabyte, where rows of strings would take three. Rows of a base are not copied.

mod pieces;

use std::collections::HashMap;

use build_tools::corporate::{CorporateRow, PrefectureSet, WITHDRAWN};

use self::pieces::{Pieces, Span};
use super::base::{Base, BaseRow, is_in};
use super::prefectures::OtherPrefectures;
use crate::compile::{error::CompileError, origin::Origin};
use crate::record::corporate::archive::ABROAD;
use crate::record::corporate::{CorporateView, Day, Fields, Place, PlaceView};
use crate::text::codes::CorporateNumber;

#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub number: CorporateNumber,
    /// The index of its place in [`State::places`]; [`NOWHERE`] if the number is withdrawn.
    pub place: u32,
    update_date: u32,
    /// Origin and position in its file: the order of rows of one day.
    order: u32,
    record: Span,
    /// The date of its file.
    pub published: Day,
    /// The rank of its number among all numbers, from 0; set once rows are sorted.
    pub rank: u32,
}

impl Entry {
    /// Whether it comes from a base or a full file, not from a difference.
    fn is_of_state(&self) -> bool {
        self.order >> ORIGIN_SHIFT != Origin::Difference as u32
    }
}

/// A sequence number has 8 digits, which leaves the highest bits for the origin.
const ORIGIN_SHIFT: u32 = 30;

/// Entries that were left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    pub withdrawn: usize,
    pub others: OtherPrefectures,
}

/// Marks a withdrawn number in [`Entry::place`], or a place without rows.
pub const NOWHERE: u32 = u32::MAX;

/// The rows read so far, and after [`State::keep_newest`] only the newest of each number.
#[derive(Debug, Default)]
pub struct State {
    records: Pieces,
    /// Sorted by number after [`State::keep_newest`].
    pub entries: Vec<Entry>,
    /// Prefectures and cities.
    pub places: Vec<Place>,
    known: HashMap<String, u32>,
    key: String,
    packed: Vec<u8>,
    /// Rows taken since [`State::publish`].
    rows: u32,
    /// For each entry since then, which of these rows it is, from 1.
    unpublished: Vec<u32>,
}

impl State {
    /// Takes a row of a file. The date of the file is set later, by [`publish`](State::publish).
    pub fn take_row(&mut self, row: &CorporateRow<'_>, origin: Origin) {
        self.rows += 1;
        let number = CorporateNumber::from_number(row.number).filter(|number| number.is_sound());
        let number = number.expect("the reader lets no other number through");
        let withdrawn = row.process == WITHDRAWN;
        if !row.latest && !withdrawn {
            return;
        }
        self.packed.clear();
        let place = if withdrawn {
            NOWHERE
        } else {
            let code = if row.prefecture_code == 0 { ABROAD } else { row.prefecture_code };
            fields(number, row).append(&mut self.packed);
            self.place(code, row.city_code, &row.prefecture, &row.city)
        };
        self.unpublished.push(self.rows);
        self.entries.push(Entry {
            number,
            place,
            update_date: row.update_date,
            order: (origin as u32) << ORIGIN_SHIFT | row.sequence_number,
            record: self.records.push(&self.packed),
            published: Day::default(),
            rank: 0,
        });
    }

    /// Sets the dates of the rows that were taken since the last call. `files` has, for each file in order, its number of
    /// rows and its date.
    pub fn publish(&mut self, files: impl IntoIterator<Item = (u64, u32)>) {
        let first = self.entries.len() - self.unpublished.len();
        let mut files = files.into_iter();
        let (mut end, mut published) = (0, Day::default());
        for (entry, row) in self.entries[first..].iter_mut().zip(&self.unpublished) {
            while u64::from(*row) > end {
                let Some((rows, date)) = files.next() else { break };
                end += rows;
                published = Day::from_date(date);
            }
            entry.published = published;
        }
        self.unpublished.clear();
        self.rows = 0;
    }

    /// The index in [`State::places`] of a place of a base.
    pub fn place_of(&mut self, place: PlaceView<'_>) -> u32 {
        let code = place.prefecture_code().unwrap_or(ABROAD);
        let city = place.jisx0402().map_or(0, |code| (code % 1_000) as u16);
        self.place(code, city, place.prefecture(), place.city())
    }

    fn place(&mut self, prefecture_code: u8, city_code: u16, prefecture: &str, city: &str) -> u32 {
        self.key.clear();
        self.key.extend([char::from(prefecture_code), char::from((city_code & 0x7f) as u8)]);
        self.key.extend([char::from((city_code >> 7) as u8), '\0']);
        self.key.push_str(prefecture);
        self.key.push('\0');
        self.key.push_str(city);
        if let Some(known) = self.known.get(&self.key) {
            return *known;
        }
        let number = u32::try_from(self.places.len()).expect("there are some 2,000 places");
        self.known.insert(self.key.clone(), number);
        let (prefecture, city) = (prefecture.to_owned(), city.to_owned());
        self.places.push(Place { prefecture_code, city_code, prefecture, city, first: 0 });
        number
    }

    pub fn record(&self, entry: &Entry) -> &[u8] {
        self.records.get(entry.record)
    }

    /// Keeps the newest row of each corporation in these prefectures, sorted by number, if it is newer than that of the
    /// base. Returns what was left out, and the removed rows of the base, ascending.
    pub fn keep_newest(
        &mut self,
        prefectures: PrefectureSet,
        base: Option<&Base>,
    ) -> Result<(LeftOut, Vec<u32>), CompileError> {
        self.entries.sort_unstable_by_key(|entry| (entry.number, entry.update_date, entry.order));
        let (mut left_out, mut removed) = (LeftOut::default(), Vec::new());
        // Rows of the base whose numbers have entries.
        let mut seen = Vec::new();
        let (mut kept, mut start) = (0, 0);
        while let Some(first) = self.entries.get(start) {
            let number = first.number;
            let group = self.entries[start..].iter().take_while(|entry| entry.number == number);
            let end = start + group.count();
            let newest = self.entries[end - 1];
            let before = base.map_or(Ok(None), |base| base.row(number, prefectures))?;
            let newer_in_base = before.filter(|before| before.update_date > newest.update_date);
            removed.extend(before.filter(|_| newer_in_base.is_none()).map(|before| before.row));
            seen.extend(before.map(|before| before.row));
            if newer_in_base.is_none() && newest.place == NOWHERE {
                left_out.withdrawn += 1;
            } else if newer_in_base.is_none() && self.is_in(&newest, prefectures) {
                self.entries[kept] = newest;
                kept += 1;
            } else if newer_in_base.is_none_or(|before| !before.kept) {
                let rows = end - start + usize::from(before.is_some());
                let moved_away = self.was_in(&self.entries[start..end], before, prefectures);
                left_out.others.add(rows, moved_away);
                removed.extend(newer_in_base.map(|before| before.row));
            }
            start = end;
        }
        self.entries.truncate(kept);
        seen.sort_unstable();
        let others = base.map_or(Ok(Vec::new()), |base| base.others(prefectures))?;
        for row in others.into_iter().filter(|row| seen.binary_search(row).is_err()) {
            left_out.others.add(1, false);
            removed.push(row);
        }
        removed.sort_unstable();
        Ok((left_out, removed))
    }

    /// Whether a base or a full file had a corporation in these prefectures.
    fn was_in(
        &self,
        entries: &[Entry],
        before: Option<BaseRow>,
        prefectures: PrefectureSet,
    ) -> bool {
        let in_file = |entry: &Entry| {
            entry.is_of_state() && entry.place != NOWHERE && self.is_in(entry, prefectures)
        };
        before.is_some_and(|before| before.kept) || entries.iter().any(in_file)
    }

    /// Whether an entry's row is in the file of one of these prefectures.
    fn is_in(&self, entry: &Entry, prefectures: PrefectureSet) -> bool {
        let code = self.places.get(entry.place as usize).map_or(ABROAD, |it| it.prefecture_code);
        is_in(prefectures, code, || self.view(entry))
    }

    /// The record of an entry, without its place.
    pub fn view(&self, entry: &Entry) -> CorporateView<'_> {
        let view = CorporateView::read(self.record(entry), PlaceView::none(), 0);
        view.expect("a record that was packed a moment ago")
    }

    /// Sorts places as rows are sorted, and drops those without rows. `kept` are the places of kept rows of a base. Returns
    /// the new number of each place, or [`NOWHERE`].
    pub fn order_places(&mut self, kept: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut used = vec![false; self.places.len()];
        let of_entries = self.entries.iter().map(|entry| entry.place);
        of_entries.chain(kept).for_each(|place| used[place as usize] = true);
        let mut order: Vec<usize> = (0..self.places.len()).filter(|place| used[*place]).collect();
        order.sort_by(|left, right| self.places[*left].cmp(&self.places[*right]));
        let mut numbers = vec![NOWHERE; self.places.len()];
        for (number, place) in (0..).zip(&order) {
            numbers[*place] = number;
        }
        self.places = order.iter().map(|place| self.places[*place].clone()).collect();
        self.known.clear();
        for entry in &mut self.entries {
            entry.place = numbers[entry.place as usize];
        }
        numbers
    }
}

fn fields<'a>(number: CorporateNumber, row: &'a CorporateRow<'_>) -> Fields<'a> {
    Fields {
        number,
        process: row.process,
        correct: row.correct,
        update_date: row.update_date,
        change_date: row.change_date,
        assignment_date: row.assignment_date,
        name: &row.name,
        name_image: row.name_image,
        kind: row.kind,
        street: &row.street,
        place_chars: row.prefecture.chars().count() + row.city.chars().count(),
        address_image: row.address_image,
        post_code: row.post_code,
        outside: &row.outside,
        outside_image: row.outside_image,
        close_date: row.close_date,
        close_cause: row.close_cause,
        successor: row.successor,
        change_cause: &row.change_cause,
        en_name: &row.en_name,
        en_prefecture: &row.en_prefecture,
        en_city: &row.en_city,
        en_outside: &row.en_outside,
        furigana: &row.furigana,
        hihyoji: row.hihyoji,
    }
}

#[cfg(test)]
mod tests;
