//! Builds the order: each thread folds and sorts the names of a share of the rows, then the shares are merged. The
//! result does not depend on the number of threads.

use std::cmp::Ordering;
use std::num::NonZero;
use std::thread;

use super::families::{Families, Family};
use super::groups::{GroupWriter, Groups, Placed};
use super::{Bodies, Further, HIDDEN, NameDirectory, first_letters};
use crate::record::corporate::ROWS_MAX;
use crate::snapshot::Fault;
use crate::text::kind_words::Form;

/// A row to be sorted. Most comparisons need only the first letters of the body.
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

    /// The share of `rows` rows from `first` on, sorted.
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

/// A finished order.
#[derive(Debug, PartialEq, Eq)]
pub struct Built {
    pub directory: NameDirectory,
    pub bytes: Vec<u8>,
    /// The rows in their order, each with the family of its name.
    pub families: Vec<(u32, Family)>,
}

/// Builds the order of this many rows; `name` gives a row's name, `None` if it is hidden.
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
    let mut entries: Vec<Entry> = Vec::new();
    shares.iter_mut().for_each(|share| entries.append(&mut share.entries));
    let body = |row: u32| shares[row as usize / size].body(row as usize % size);
    // The standard sort recognises the sorted shares as runs and merges them.
    entries.sort_by(|left, right| compare(left, right, body));
    let mut bytes = Vec::with_capacity(rows);
    shares.iter().for_each(|share| bytes.extend_from_slice(&share.forms));
    let places =
        || entries.iter().map(|entry| ((entry.row, entry.form), body(entry.row).as_bytes()));
    let visit = |each: &mut dyn FnMut(Placed, &[u8])| {
        places().for_each(|(placed, body)| each(placed, body));
        Ok(())
    };
    finish(bytes, further, &visit).expect("names in memory have no faults")
}

/// Estimated bytes per row in a group, rather too many: a vector that grows is in memory twice while it is copied.
const GROUP_BYTES: usize = 14;

/// Calls its argument with every place in order, and the body at it.
type Visit<'v> = &'v (dyn Fn(&mut dyn FnMut(Placed, &[u8])) -> Result<(), Fault> + Sync);

/// Writes the groups behind `forms`, and counts the families. Each needs a pass over the places, on a thread of its own.
pub(super) fn finish(
    mut forms: Vec<u8>,
    mut further: Vec<Further>,
    visit: Visit<'_>,
) -> Result<Built, Fault> {
    further.sort_unstable();
    let rows = forms.len();
    forms.reserve(rows * GROUP_BYTES);
    thread::scope(|scope| {
        let families = scope.spawn(|| -> Result<Vec<(u32, Family)>, Fault> {
            let (mut rows, mut families) = (Vec::with_capacity(rows), Families::default());
            visit(&mut |(row, form), body| {
                rows.push(row);
                families.push(body, Form::from_number(form).unwrap_or_default());
            })?;
            Ok(rows.into_iter().zip(families.finish()).collect())
        });
        let mut counts = vec![0; Form::all().count()];
        let (mut samples, mut writer) = (Vec::new(), GroupWriter::behind(forms));
        visit(&mut |(row, form), body| {
            if writer.begins_group() {
                samples.push(first_letters(&String::from_utf8_lossy(body), 0));
            }
            if let Some(count) = counts.get_mut(usize::from(form)) {
                *count += 1;
            }
            writer.push((row, form), body);
        })?;
        let Groups { bytes, starts, places } = writer.finish();
        let [rows, places] = [rows, places].map(|count| count as u32);
        let directory = NameDirectory { rows, places, samples, starts, forms: counts, further };
        let families = families.join().expect("families are counted without panic")?;
        Ok(Built { directory, bytes, families })
    })
}
