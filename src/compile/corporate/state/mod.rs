//! The current row of each corporation, from files in any order.
//!
//! As the tax agency defines it: a corporation's newest published entry is its state; of the entries
//! of one day the one marked as latest; process 99 withdraws the number. Rows are packed when they are
//! read: the whole country takes half a gigabyte, where rows of strings would take three.

use std::collections::HashMap;

use build_tools::corporate::{CorporateRow, PrefectureSet, WITHDRAWN};

use super::prefectures::OtherPrefectures;
use crate::compile::origin::Origin;
use crate::record::corporate::archive::ABROAD;
use crate::record::corporate::{CorporateView, Day, Fields, Place, PlaceView};
use crate::text::codes::CorporateNumber;

#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub number: CorporateNumber,
    /// Its place, as a number of [`State::places`]; [`NOWHERE`] where the number is withdrawn.
    pub place: u32,
    update_date: u32,
    /// Origin and place in its file: the order of rows of one day.
    order: u32,
    start: usize,
    length: u32,
    /// Whether the parts of its address are in the record already.
    pub normalised: bool,
    /// The day of the file that it came from.
    pub published: Day,
    /// The place of its number among all, from 0; known after [`State::keep_newest`].
    pub rank: u32,
}

impl Entry {
    /// Whether it is of a base or a full file, not of a difference.
    fn is_of_state(&self) -> bool {
        self.order >> ORIGIN_SHIFT != Origin::Difference as u32
    }
}

/// A sequence number has 8 digits, which leaves the highest bits for the origin.
const ORIGIN_SHIFT: u32 = 30;

/// What was left out of the entries that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    pub withdrawn: usize,
    pub others: OtherPrefectures,
}

/// In [`Entry::place`], where the number is withdrawn.
const NOWHERE: u32 = u32::MAX;

/// The rows that were read, and after [`State::keep_newest`] those that count.
#[derive(Debug, Default)]
pub struct State {
    records: Vec<u8>,
    /// In the order of rows after [`State::keep_newest`].
    pub entries: Vec<Entry>,
    /// Prefectures and cities, in the order of rows after [`State::keep_newest`].
    pub places: Vec<Place>,
    known: HashMap<String, u32>,
    key: String,
    /// Of the row of a base that was taken last: its place there, and here. Rows of a place follow one another.
    last_place: Option<(usize, u32)>,
    /// Rows taken since [`State::publish`].
    rows: u32,
    /// Of the entries since then: which of these rows each is, from 1.
    unpublished: Vec<u32>,
}

impl State {
    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        self.entries.reserve(rows);
        self.records.reserve(bytes);
    }

    /// Takes a row of a file; [`publish`](State::publish) tells the date of the file.
    pub fn take_row(&mut self, row: &CorporateRow<'_>, origin: Origin) {
        self.rows += 1;
        let number = CorporateNumber::from_number(row.number).filter(|number| number.is_sound());
        let number = number.expect("the reader lets no other number through");
        let withdrawn = row.process == WITHDRAWN;
        if !row.latest && !withdrawn {
            return;
        }
        let start = self.records.len();
        let place = if withdrawn {
            NOWHERE
        } else {
            let code = if row.prefecture_code == 0 { ABROAD } else { row.prefecture_code };
            fields(number, row).append(&mut self.records);
            self.place(code, row.city_code, &row.prefecture, &row.city)
        };
        let order = row.sequence_number;
        self.unpublished.push(self.rows);
        self.push(number, place, row.update_date, (origin, order), start);
    }

    /// Tells which files the rows came from that were taken since the last call: how many rows each had,
    /// and its date.
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

    /// Takes a row of an earlier snapshot; with the parts of its address, or without.
    pub fn take_view(&mut self, view: CorporateView<'_>, with_parts: bool) {
        let start = self.records.len();
        if with_parts {
            self.records.extend_from_slice(view.bytes().0);
        } else {
            view.fields(&mut String::new()).append(&mut self.records);
        }
        let place = self.place_of(view.place());
        let normalised = with_parts && view.is_normalised();
        let update_date = view.update_date();
        self.push(view.number(), place, update_date, (Origin::Base, 0), start);
        if let Some(entry) = self.entries.last_mut() {
            (entry.normalised, entry.published) = (normalised, view.published());
        }
    }

    fn push(
        &mut self,
        number: CorporateNumber,
        place: u32,
        update_date: u32,
        (origin, order): (Origin, u32),
        start: usize,
    ) {
        let length = (self.records.len() - start) as u32;
        let order = (origin as u32) << ORIGIN_SHIFT | order;
        let (normalised, published) = (false, Day::default());
        self.entries.push(Entry {
            number,
            place,
            update_date,
            order,
            start,
            length,
            normalised,
            published,
            rank: 0,
        });
    }

    fn place_of(&mut self, place: PlaceView<'_>) -> u32 {
        let number = place.number();
        if let Some((_, known)) = self.last_place.filter(|(last, _)| Some(*last) == number) {
            return known;
        }
        let code = place.prefecture_code().unwrap_or(ABROAD);
        let city = place.jisx0402().map_or(0, |code| (code % 1_000) as u16);
        let own = self.place(code, city, place.prefecture(), place.city());
        self.last_place = number.map(|number| (number, own));
        own
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
        &self.records[entry.start..entry.start + entry.length as usize]
    }

    /// Keeps each corporation's newest row, sorted, where that is in these prefectures; what was left out.
    pub fn keep_newest(&mut self, prefectures: PrefectureSet) -> LeftOut {
        self.entries.sort_unstable_by_key(|entry| (entry.number, entry.update_date, entry.order));
        let mut left_out = LeftOut::default();
        let (mut kept, mut start) = (0, 0);
        while let Some(first) = self.entries.get(start) {
            let number = first.number;
            let group = self.entries[start..].iter().take_while(|entry| entry.number == number);
            let end = start + group.count();
            let newest = self.entries[end - 1];
            if newest.place == NOWHERE {
                left_out.withdrawn += 1;
            } else if self.is_in(&newest, prefectures) {
                self.entries[kept] = newest;
                kept += 1;
            } else {
                let others = &mut left_out.others;
                (others.rows, others.corporations) =
                    (others.rows + end - start, others.corporations + 1);
                let stood = |entry: &Entry| {
                    entry.is_of_state() && entry.place != NOWHERE && self.is_in(entry, prefectures)
                };
                others.moved_away += usize::from(self.entries[start..end].iter().any(stood));
            }
            start = end;
        }
        self.entries.truncate(kept);
        for (rank, entry) in (0..).zip(&mut self.entries) {
            entry.rank = rank;
        }
        self.order_places();
        self.entries.sort_unstable_by_key(|entry| (entry.place, entry.number));
        left_out
    }

    /// Whether an entry's row is in the file of one of these prefectures.
    fn is_in(&self, entry: &Entry, prefectures: PrefectureSet) -> bool {
        if prefectures == PrefectureSet::ALL {
            return true;
        }
        let code = self.places.get(entry.place as usize).map_or(ABROAD, |it| it.prefecture_code);
        if prefectures.contains(code) == prefectures.contains(ABROAD) {
            return prefectures.contains(code);
        }
        // One with an office in Japan has the code of its prefecture, and is abroad all the same.
        let view = CorporateView::read(self.record(entry), PlaceView::none(), 0);
        let abroad = view.is_some_and(|view| !view.outside().text.is_empty());
        prefectures.contains(if abroad { ABROAD } else { code })
    }

    /// Renumbers places in the order of rows; those without rows go.
    fn order_places(&mut self) {
        let mut used = vec![false; self.places.len()];
        self.entries.iter().for_each(|entry| used[entry.place as usize] = true);
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
