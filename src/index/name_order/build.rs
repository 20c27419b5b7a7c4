//! Building the order: names are folded and sorted in shares, a thread each, and the shares merged.
//! How many there are changes nothing of what comes out.

use std::cmp::Ordering;
use std::num::NonZero;
use std::thread;

use super::families::{Family, families};
use super::groups::{self, GROUP, PLACE};
use super::{Bodies, Further, HIDDEN, NameDirectory, first_letters};
use crate::record::corporate::ROWS_MAX;
use crate::text::kind_words::Form;

/// A row to be sorted: its body's first letters decide most comparisons.
#[derive(Clone, Copy)]
struct Entry {
    letters: u64,
    row: u32,
    form: u8,
}

#[derive(Default)]
struct Share {
    text: String,
    /// Where the body of each row ends.
    ends: Vec<usize>,
    forms: Vec<u8>,
    entries: Vec<Entry>,
    further: Vec<Further>,
}

fn compare<'a>(left: &Entry, right: &Entry, body: impl Fn(u32) -> &'a str) -> Ordering {
    let letters = left.letters.cmp(&right.letters);
    letters.then_with(|| body(left.row).cmp(body(right.row))).then(left.row.cmp(&right.row))
}

impl Share {
    fn body(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[at]]
    }

    /// Of rows that begin at `first`, sorted.
    fn of<'a>(first: u32, rows: usize, name: &(impl Fn(u32) -> Option<&'a str> + Sync)) -> Share {
        let mut share = Share::default();
        let mut bodies = Bodies::default();
        for row in first..first + rows as u32 {
            let mut form = HIDDEN;
            if let Some(name) = name(row) {
                let (body, split) = bodies.split(name);
                form = split.number();
                share.text.push_str(body);
                share.entries.push(Entry { letters: first_letters(body, 0), row, form });
                share.further.extend(bodies.further(row));
            }
            share.ends.push(share.text.len());
            share.forms.push(form);
        }
        let mut entries = std::mem::take(&mut share.entries);
        let body = |row: u32| share.body((row - first) as usize);
        entries.sort_unstable_by(|left, right| compare(left, right, body));
        share.entries = entries;
        share
    }
}

/// An order as it is built.
#[derive(Debug)]
pub struct Built {
    pub directory: NameDirectory,
    pub bytes: Vec<u8>,
    /// The rows in their order, each with the family of its name.
    pub families: Vec<(u32, Family)>,
}

/// The order and its directory; `name` gives a row's name, `None` where hidden.
pub fn build<'a>(rows: usize, name: impl Fn(u32) -> Option<&'a str> + Sync) -> Built {
    assert!(rows <= ROWS_MAX, "rows are numbered in three bytes");
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let size = rows.div_ceil(threads).max(1);
    let name = &name;
    let mut shares: Vec<Share> = thread::scope(|scope| {
        let share = |first: usize| {
            let rows = size.min(rows - first);
            scope.spawn(move || Share::of(first as u32, rows, name))
        };
        let shares: Vec<_> = (0..rows).step_by(size).map(share).collect();
        let join = |share: thread::ScopedJoinHandle<'_, Share>| {
            share.join().expect("a share of names is sorted without panic")
        };
        shares.into_iter().map(join).collect()
    });
    let mut further: Vec<Further> = Vec::new();
    shares.iter_mut().for_each(|share| further.append(&mut share.further));
    further.sort_unstable();
    let mut entries: Vec<Entry> = Vec::new();
    shares.iter_mut().for_each(|share| entries.append(&mut share.entries));
    let body = |row: u32| shares[row as usize / size].body(row as usize % size);
    // The standard sort takes runs that are sorted as they are, and merges them.
    entries.sort_by(|left, right| compare(left, right, body));
    let form = |entry: &Entry| Form::from_number(entry.form).unwrap_or_default();
    let families = families(entries.iter().map(|entry| (body(entry.row), form(entry))));
    let families = entries.iter().map(|entry| entry.row).zip(families).collect();
    let mut forms = vec![0; Form::all().count()];
    entries.iter().for_each(|entry| forms[usize::from(entry.form)] += 1);
    let text: usize = shares.iter().map(|share| share.text.len()).sum();
    let mut bytes: Vec<u8> = Vec::with_capacity(rows + entries.len() * (PLACE + 1) + text / 2);
    shares.iter().for_each(|share| bytes.extend_from_slice(&share.forms));
    let (mut samples, mut starts) = (Vec::new(), Vec::new());
    for group in entries.chunks(GROUP) {
        samples.extend(group.first().map(|entry| entry.letters));
        starts.push((bytes.len() - rows) as u64);
        let place = |entry: &Entry| ((entry.row, entry.form), body(entry.row));
        groups::append(group.iter().map(place), &mut bytes);
    }
    let places = entries.len() as u32;
    let directory = NameDirectory { rows: rows as u32, places, samples, starts, forms, further };
    Built { directory, bytes, families }
}
