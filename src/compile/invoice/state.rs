//! The effective entry of each number, from files in any order, and the number's earlier registrations.
//!
//! A number's newest published entry is effective; among the entries of one day, the one marked as latest. An entry
//! that the register marks as superseded is effective only if the number has no other. Process 99 withdraws the
//! number with everything before. Past registrations that have an end are kept, so that a number that was
//! registered again has the right status on earlier days too.
//!
//! Rows are packed when they are read, as in [`crate::compile::corporate`].

use std::collections::{BTreeMap, HashMap};

use build_tools::invoice::{DELETED, Holder, InvoiceRow};

use crate::compile::municipalities::{Municipalities, Split};
use crate::compile::origin::Origin;
use crate::compile::registration::registration;
use crate::record::address::Place;
use crate::record::invoice::{ADDRESSES, InvoiceFields, InvoiceView, Period, Registration};
use crate::text::codes::InvoiceNumber;

/// An address without a place, which is unused.
pub const NO_PLACE: u16 = u16::MAX;

#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub number: InvoiceNumber,
    pub holder: Option<Holder>,
    update_date: u32,
    /// Origin and position in its file: the order of entries of one day.
    order: u32,
    registration: Registration,
    start: usize,
    length: u32,
    /// Bytes of postal codes and parts after the record, if a base had them.
    normalised: Option<u32>,
    /// The municipality of each address, as an index into [`State::places`].
    pub places: [u16; ADDRESSES],
    earlier: (u32, u32),
}

/// The rows read so far, and after [`State::keep_newest`] only the effective ones.
#[derive(Debug)]
pub struct State {
    municipalities: Municipalities,
    individuals: bool,
    records: Vec<u8>,
    /// In the order of numbers after [`State::keep_newest`].
    pub entries: Vec<Entry>,
    /// Municipalities, sorted after [`State::keep_newest`].
    pub places: Vec<Place>,
    known: HashMap<String, u16>,
    key: String,
    earlier: Vec<Period>,
    /// The past registrations of numbers from a base.
    before: BTreeMap<InvoiceNumber, Vec<Period>>,
}

/// Entries that were left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    pub withdrawn: usize,
    pub individuals: usize,
}

impl State {
    pub fn over(municipalities: Municipalities, individuals: bool) -> State {
        State {
            municipalities,
            individuals,
            records: Vec::new(),
            entries: Vec::new(),
            places: Vec::new(),
            known: HashMap::new(),
            key: String::new(),
            earlier: Vec::new(),
            before: BTreeMap::new(),
        }
    }

    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        self.entries.reserve(rows);
        self.records.reserve(bytes);
    }

    pub fn take_row(&mut self, row: &InvoiceRow<'_>, origin: Origin) {
        let number = InvoiceNumber::from_digits(row.number);
        let number = number.expect("the reader lets no more than thirteen digits through");
        let registration = registration(row);
        // The register does not publish names of individuals in bulk; names in such rows are left out.
        let texts = row.holder != Some(Holder::Individual);
        let mut places = [NO_PLACE; ADDRESSES];
        let mut streets = [None; ADDRESSES];
        for (at, address) in row.addresses.iter().enumerate() {
            if texts && !address.text.is_empty() {
                let code =
                    u32::from(address.prefecture_code) * 1_000 + u32::from(address.city_code);
                let split = self.municipalities.split(&address.text, code);
                places[at] = self.place(&split);
                streets[at] = Some(split.street);
            }
        }
        let [name, kana, trade_name, popular_name] =
            [&row.name, &row.kana, &row.trade_name, &row.popular_name]
                .map(|text| if texts { text.as_ref() } else { "" });
        let fields = InvoiceFields {
            number,
            sequence_number: row.sequence_number,
            published: row.published,
            correct: row.correct,
            kind: row.kind,
            country: row.country,
            update_date: row.update_date,
            registration,
            name,
            kana,
            trade_name,
            popular_name,
            streets,
        };
        let start = self.records.len();
        fields.append(&mut self.records);
        let order = (origin, row.sequence_number);
        self.push(number, row.holder, row.update_date, order, registration, start, places);
    }

    /// Takes a record of an earlier snapshot, with or without the parts of its addresses.
    pub fn take_view(&mut self, view: &InvoiceView<'_>, individual: bool, with_parts: bool) {
        let mut places = [NO_PLACE; ADDRESSES];
        let mut texts: [String; ADDRESSES] = Default::default();
        let mut kana = String::new();
        let mut fields = view.fields(&mut kana);
        for (at, address) in view.addresses().into_iter().enumerate() {
            let Some(address) = address else { continue };
            let ([prefecture, ..], [city, ..]) = (address.place.prefecture(), address.place.city());
            let (code, street) = (address.place.code(), address.street.text);
            texts[at] = [prefecture, city, street].concat();
            if with_parts {
                places[at] = self.place(&Split { code, prefecture, city, street });
            }
        }
        if !with_parts {
            for (at, address) in view.addresses().into_iter().enumerate() {
                let Some(address) = address else { continue };
                let split = self.municipalities.split(&texts[at], address.place.code());
                places[at] = self.place(&split);
                fields.streets[at] = Some(split.street);
            }
        }
        let holder = Some(if individual { Holder::Individual } else { Holder::Other });
        let number = view.number();
        let start = self.records.len();
        fields.append(&mut self.records);
        let order = (Origin::Base, 0);
        self.push(number, holder, view.update_date(), order, view.registration(), start, places);
        let normalised = view.bytes().1.filter(|_| with_parts);
        if let (Some(normalised), Some(entry)) = (normalised, self.entries.last_mut()) {
            entry.normalised = Some(normalised.len() as u32);
            self.records.extend_from_slice(normalised);
        }
        let before: Vec<Period> = view.earlier().collect();
        if !before.is_empty() {
            self.before.insert(number, before);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one place makes entries from both origins")]
    fn push(
        &mut self,
        number: InvoiceNumber,
        holder: Option<Holder>,
        update_date: u32,
        (origin, order): (Origin, u32),
        registration: Registration,
        start: usize,
        places: [u16; ADDRESSES],
    ) {
        self.entries.push(Entry {
            number,
            holder,
            update_date,
            // A sequence number has 8 digits, which leaves the highest bits free.
            order: (origin as u32) << 30 | order,
            registration,
            start,
            length: (self.records.len() - start) as u32,
            normalised: None,
            places,
            earlier: (0, 0),
        });
    }

    fn place(&mut self, split: &Split<'_>) -> u16 {
        self.key.clear();
        self.key.push_str(itoa::Buffer::new().format(split.code));
        for name in [split.prefecture, split.city] {
            self.key.push('\0');
            self.key.push_str(name);
        }
        if let Some(known) = self.known.get(&self.key) {
            return *known;
        }
        // Past the limit the build fails: see [`State::is_overfull`].
        let number = u16::try_from(self.places.len()).unwrap_or(NO_PLACE);
        self.known.insert(self.key.clone(), number);
        self.places.push(self.municipalities.place(split));
        number
    }

    /// Whether there are more municipalities than can be numbered.
    pub fn is_overfull(&self) -> bool {
        self.places.len() >= usize::from(NO_PLACE)
    }

    /// The record up to its streets.
    pub fn front(&self, entry: &Entry) -> &[u8] {
        &self.records[entry.start..entry.start + entry.length as usize]
    }

    /// Postal codes and parts of the addresses, if a base had them.
    pub fn normalised(&self, entry: &Entry) -> Option<&[u8]> {
        let start = entry.start + entry.length as usize;
        entry.normalised.map(|length| &self.records[start..start + length as usize])
    }

    pub fn earlier(&self, entry: &Entry) -> &[Period] {
        &self.earlier[entry.earlier.0 as usize..entry.earlier.1 as usize]
    }

    /// Keeps the effective entry of each number, in the order of numbers.
    pub fn keep_newest(&mut self) -> LeftOut {
        self.entries.sort_unstable_by_key(|entry| (entry.number, entry.update_date, entry.order));
        let mut left_out = LeftOut::default();
        let (mut kept, mut start) = (0, 0);
        while start < self.entries.len() {
            let number = self.entries[start].number;
            let group = self.entries[start..].iter().take_while(|entry| entry.number == number);
            let end = start + group.count();
            let entries = &self.entries[start..end];
            let holder = entries.iter().rev().find_map(|entry| entry.holder);
            let chosen = entries.iter().max_by_key(|entry| entry.rank()).copied();
            start = end;
            let Some(mut chosen) = chosen else { continue };
            if holder != Some(Holder::Other) && !self.individuals {
                left_out.individuals += 1;
                continue;
            }
            if chosen.registration.process == DELETED {
                left_out.withdrawn += 1;
                continue;
            }
            let first = self.earlier.len() as u32;
            let before = self.before.get(&number).map(Vec::as_slice).unwrap_or_default();
            self.earlier.extend(past(before, entries, &chosen));
            chosen.earlier = (first, self.earlier.len() as u32);
            chosen.holder = holder;
            self.entries[kept] = chosen;
            kept += 1;
        }
        self.entries.truncate(kept);
        self.order_places();
        left_out
    }

    /// Sorts and renumbers municipalities; those without an address are dropped.
    fn order_places(&mut self) {
        let mut used = vec![false; self.places.len()];
        for place in self.entries.iter().flat_map(|entry| entry.places) {
            if let Some(used) = used.get_mut(usize::from(place)) {
                *used = true;
            }
        }
        let mut order: Vec<usize> = (0..self.places.len()).filter(|place| used[*place]).collect();
        order.sort_by(|left, right| self.places[*left].cmp(&self.places[*right]));
        let mut numbers = vec![NO_PLACE; self.places.len()];
        for (number, place) in (0..).zip(&order) {
            numbers[*place] = number;
        }
        self.places = order.iter().map(|place| self.places[*place].clone()).collect();
        for place in self.entries.iter_mut().flat_map(|entry| &mut entry.places) {
            *place = numbers.get(usize::from(*place)).copied().unwrap_or(NO_PLACE);
        }
    }
}

impl Entry {
    /// The entry with the highest rank is effective: the newest or withdrawing one, else the newest superseded one.
    fn rank(&self) -> (bool, u32, u32) {
        let decides = self.registration.latest || self.registration.process == DELETED;
        (decides, self.update_date, self.order)
    }
}

/// A number's registrations before the effective one, ascending: those of a base and those of the entries, which
/// are in order. Of several entries about one registration, the last is right.
fn past(before: &[Period], entries: &[Entry], chosen: &Entry) -> Vec<Period> {
    let mut past: BTreeMap<u32, u32> =
        before.iter().map(|period| (period.start, period.end)).collect();
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
    past.remove(&chosen.registration.registration_date);
    past.into_iter().map(|(start, end)| Period { start, end }).collect()
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
