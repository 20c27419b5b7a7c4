//! The effective entry of each number, from files in any order, and the number's earlier registrations.
//!
//! A number's newest published entry is effective; among the entries of one day, the one marked as latest. An entry
//! that the register marks as superseded is effective only if the number has no other. Process 99 withdraws the
//! number with everything before. Past registrations that have an end are kept, so that a number that was
//! registered again has the right status on earlier days too.
//!
//! Rows are packed as they are read, as in [`crate::dataset::corporate::compile`].

use std::collections::BTreeMap;

use build_tools::invoice::{DELETED, Holder, InvoiceRow};

use crate::compile::{Places, RowOrigin};
use crate::dataset::invoice::record::{
    ADDRESSES, InvoiceFields, InvoiceView, Period, Registration,
};
use crate::dataset::postal::municipalities::{Municipalities, SplitAddress};
use crate::record::parts::AddressPlace;
use crate::text::codes::InvoiceNumber;

/// An address without a place, which is unused.
pub const NO_PLACE: u16 = u16::MAX;

#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub number: InvoiceNumber,
    pub holder: Option<Holder>,
    update_date: u32,
    /// Origin and position in its file, which order the entries of one day.
    order_in_day: u32,
    registration: Registration,
    /// The offset in [`State::records`] of the record up to its streets.
    start: usize,
    length: u32,
    /// The length of the postal codes and parts that follow it, if a base had them.
    normalised_length: Option<u32>,
    /// The municipality of each address, as an index into [`State::places`].
    pub places: [u16; ADDRESSES],
    /// The range of its past registrations in [`State::periods`]; set by [`State::keep_newest`].
    periods_start: u32,
    periods_end: u32,
}

/// The rows read so far, and after [`State::keep_newest`] only the effective ones.
#[derive(Debug)]
pub struct State {
    municipalities: Municipalities,
    keeps_individuals: bool,
    records: Vec<u8>,
    /// In the order of numbers after [`State::keep_newest`].
    pub entries: Vec<Entry>,
    /// Municipalities, sorted after [`State::keep_newest`].
    pub places: Places<AddressPlace>,
    /// The past registrations of each kept entry.
    periods: Vec<Period>,
    /// The past registrations of numbers of a base.
    base_periods: BTreeMap<InvoiceNumber, Vec<Period>>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct OmittedCounts {
    pub withdrawn: usize,
    pub individuals: usize,
}

impl State {
    pub fn new(municipalities: Municipalities, keeps_individuals: bool) -> State {
        State {
            municipalities,
            keeps_individuals,
            records: Vec::new(),
            entries: Vec::new(),
            places: Places::default(),
            periods: Vec::new(),
            base_periods: BTreeMap::new(),
        }
    }

    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        self.entries.reserve(rows);
        self.records.reserve(bytes);
    }

    pub fn add_row(&mut self, row: &InvoiceRow<'_>, origin: RowOrigin) {
        let number = InvoiceNumber::from_digits(row.number);
        let number = number.expect("the reader lets no more than thirteen digits through");
        // The register does not publish names of individuals in bulk; names in such rows are left out.
        let has_texts = row.holder != Some(Holder::Individual);
        let mut places = [NO_PLACE; ADDRESSES];
        let mut streets = [None; ADDRESSES];
        for (index, address) in row.addresses.iter().enumerate() {
            if has_texts && !address.text.is_empty() {
                let code =
                    u32::from(address.prefecture_code) * 1_000 + u32::from(address.city_code);
                let split = self.municipalities.split(&address.text, code);
                places[index] = self.intern_place(&split);
                streets[index] = Some(split.street);
            }
        }
        let [name, kana, trade_name, popular_name] =
            [&row.name, &row.kana, &row.trade_name, &row.popular_name]
                .map(|text| if has_texts { text.as_ref() } else { "" });
        let fields = InvoiceFields {
            number,
            sequence_number: row.sequence_number,
            published: row.published,
            correct: row.correct,
            kind: row.kind,
            country: row.country,
            update_date: row.update_date,
            registration: registration(row),
            name,
            kana,
            trade_name,
            popular_name,
            streets,
        };
        self.push(&fields, places, row.holder, origin.order_in_day(row.sequence_number), None);
    }

    /// Adds a record of a base. Unless it was made by the same postal data, its addresses are split again.
    pub fn add_record(
        &mut self,
        view: &InvoiceView<'_>,
        is_individual: bool,
        has_same_postal: bool,
    ) {
        // If the addresses are split again: their texts, from which the streets are borrowed.
        let texts = view.addresses.map(|address| {
            let address = address.filter(|_| !has_same_postal)?;
            let ([prefecture, ..], [city, ..]) = (address.place.prefecture(), address.place.city());
            Some([prefecture, city, address.street.text].concat())
        });
        let mut places = [NO_PLACE; ADDRESSES];
        let mut kana = String::new();
        let mut fields = view.fields(&mut kana);
        for (index, address) in view.addresses.into_iter().enumerate() {
            let Some(address) = address else { continue };
            let code = address.place.code();
            let split = match &texts[index] {
                Some(text) => self.municipalities.split(text, code),
                None => {
                    let [prefecture, ..] = address.place.prefecture();
                    let [city, ..] = address.place.city();
                    SplitAddress { code, prefecture, city, street: address.street.text }
                }
            };
            places[index] = self.intern_place(&split);
            fields.streets[index] = Some(split.street);
        }
        let holder = if is_individual { Holder::Individual } else { Holder::Other };
        let normalised = view.bytes().1.filter(|_| has_same_postal);
        self.push(&fields, places, Some(holder), RowOrigin::Base.order_in_day(0), normalised);
        let periods: Vec<Period> = view.earlier().collect();
        if !periods.is_empty() {
            self.base_periods.insert(view.number(), periods);
        }
    }

    /// Packs a row. `normalised` are the postal codes and parts of its addresses, if a base has them.
    fn push(
        &mut self,
        fields: &InvoiceFields<'_>,
        places: [u16; ADDRESSES],
        holder: Option<Holder>,
        order_in_day: u32,
        normalised: Option<&[u8]>,
    ) {
        let start = self.records.len();
        fields.append(&mut self.records);
        let length = (self.records.len() - start) as u32;
        self.records.extend_from_slice(normalised.unwrap_or_default());
        self.entries.push(Entry {
            number: fields.number,
            holder,
            update_date: fields.update_date,
            order_in_day,
            registration: fields.registration,
            start,
            length,
            normalised_length: normalised.map(|bytes| bytes.len() as u32),
            places,
            periods_start: 0,
            periods_end: 0,
        });
    }

    /// The index in [`State::places`] of a municipality, which is added if it is new.
    fn intern_place(&mut self, split: &SplitAddress<'_>) -> u16 {
        let names = [split.prefecture, split.city];
        let make = || self.municipalities.place(split);
        // Beyond the limit the build fails: see [`State::has_too_many_places`].
        u16::try_from(self.places.intern(split.code, names, make)).unwrap_or(NO_PLACE)
    }

    pub fn has_too_many_places(&self) -> bool {
        self.places.list.len() >= usize::from(NO_PLACE)
    }

    /// The record of an entry up to its streets.
    pub fn record_head(&self, entry: &Entry) -> &[u8] {
        &self.records[entry.start..entry.start + entry.length as usize]
    }

    /// Postal codes and parts of the addresses, if a base had them.
    pub fn normalised(&self, entry: &Entry) -> Option<&[u8]> {
        let start = entry.start + entry.length as usize;
        entry.normalised_length.map(|length| &self.records[start..start + length as usize])
    }

    pub fn periods(&self, entry: &Entry) -> &[Period] {
        &self.periods[entry.periods_start as usize..entry.periods_end as usize]
    }

    /// Keeps the effective entry of each number, in the order of numbers.
    pub fn keep_newest(&mut self) -> OmittedCounts {
        self.entries
            .sort_unstable_by_key(|entry| (entry.number, entry.update_date, entry.order_in_day));
        let mut omitted = OmittedCounts::default();
        let (mut kept, mut start) = (0, 0);
        while start < self.entries.len() {
            let number = self.entries[start].number;
            let group = self.entries[start..].iter().take_while(|entry| entry.number == number);
            let end = start + group.count();
            let entries = &self.entries[start..end];
            let holder = entries.iter().rev().find_map(|entry| entry.holder);
            let effective = entries.iter().max_by_key(|entry| entry.rank()).copied();
            start = end;
            let Some(mut effective) = effective else { continue };
            if holder != Some(Holder::Other) && !self.keeps_individuals {
                omitted.individuals += 1;
                continue;
            }
            if effective.registration.process == DELETED {
                omitted.withdrawn += 1;
                continue;
            }
            effective.periods_start = self.periods.len() as u32;
            let of_base = self.base_periods.get(&number).map(Vec::as_slice).unwrap_or_default();
            self.periods.extend(past_periods(of_base, entries, &effective));
            effective.periods_end = self.periods.len() as u32;
            effective.holder = holder;
            self.entries[kept] = effective;
            kept += 1;
        }
        self.entries.truncate(kept);
        self.sort_places();
        omitted
    }

    /// Sorts and renumbers municipalities; those without an address are dropped.
    fn sort_places(&mut self) {
        let places = self.entries.iter().flat_map(|entry| entry.places);
        let used = places.filter(|place| *place != NO_PLACE).map(u32::from);
        let new_indexes = self.places.sort(used);
        for place in self.entries.iter_mut().flat_map(|entry| &mut entry.places) {
            let index = new_indexes.get(usize::from(*place));
            *place = index.and_then(|index| u16::try_from(*index).ok()).unwrap_or(NO_PLACE);
        }
    }
}

impl Entry {
    /// The entry with the highest rank is effective: the newest or withdrawing one, else the newest superseded one.
    fn rank(&self) -> (bool, u32, u32) {
        let decides = self.registration.latest || self.registration.process == DELETED;
        (decides, self.update_date, self.order_in_day)
    }
}

/// The registration that a row of the register states.
pub fn registration(row: &InvoiceRow<'_>) -> Registration {
    Registration {
        process: row.process,
        latest: row.latest,
        registration_date: row.registration_date,
        disposal_date: row.disposal_date,
        expire_date: row.expire_date,
    }
}

/// A number's registrations before the effective one, ascending, from a base and from the entries. The entries are in
/// order. Of several entries about one registration, the last is right.
fn past_periods(of_base: &[Period], entries: &[Entry], effective: &Entry) -> Vec<Period> {
    // The end of each registration, by its start.
    let mut past: BTreeMap<u32, u32> =
        of_base.iter().map(|period| (period.start, period.end)).collect();
    for Entry { registration, .. } in entries {
        if registration.process == DELETED {
            past.clear();
            continue;
        }
        match registration.period() {
            Some(Period { start, end }) => past.insert(start, end),
            None => past.remove(&registration.registration_date),
        };
    }
    past.remove(&effective.registration.registration_date);
    past.into_iter().map(|(start, end)| Period { start, end }).collect()
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
