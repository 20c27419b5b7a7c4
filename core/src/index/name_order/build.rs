//! Makes the order, with the same bytes either way ([`assemble`]).
//!
//! [`build`] reads all names: each thread folds and sorts the names of a chunk of the rows, then the chunks are
//! merged. The result does not depend on the number of threads. [`renew`] reads the kept rows of the previous table in
//! their order and inserts the added rows. Its result differs if the rules of folding or splitting names have changed
//! since.
//!
//! The family of a name is how many names begin with its body, and how many organisations of its employees there are.
//! A health insurance society, pension fund or union is named after its employer (味の素健康保険組合), and subsidiaries are
//! named after their parent. So among names that begin alike, a large family shows a well-known one. Bodies arrive in
//! ascending order, so one pass counts them.

use std::cmp::Ordering;
use std::ops::Range;
use std::thread;

use super::groups::{GroupWriter, Groups, PlacedRow};
use super::{
    BodySplitter, HIDDEN, NameDirectory, NameOrder, SECTION, ShortenedName, first_letters,
};
use crate::index::renumbering::{Renumbering, RowRun};
use crate::index::standing::{is_organisation_form, is_organisation_word};
use crate::index::{ROWS_MAX, chunks_by_core};
use crate::snapshot::Fault;
use crate::text::kind_words::Form;

/// A row to be sorted. Most comparisons need only the first letters of the body.
#[derive(Clone, Copy)]
struct Entry {
    letters: u64,
    placed: PlacedRow,
}

/// The names of consecutive rows, sorted, made by one thread.
#[derive(Default)]
struct SortedChunk {
    /// The bodies, concatenated in the order of rows.
    text: String,
    /// Where the body of each row ends.
    ends: Vec<usize>,
    forms: Vec<u8>,
    entries: Vec<Entry>,
    shortened: Vec<ShortenedName>,
}

fn compare<'a>(left: &Entry, right: &Entry, body: impl Fn(u32) -> &'a str) -> Ordering {
    let letters = left.letters.cmp(&right.letters);
    let [left, right] = [left.placed.row, right.placed.row];
    letters.then_with(|| body(left).cmp(body(right))).then(left.cmp(&right))
}

impl SortedChunk {
    /// The body of a row, by its index in the chunk.
    fn body(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        &self.text[start..self.ends[index]]
    }

    fn build(rows: Range<u32>, name: &(impl Fn(u32) -> Option<String> + Sync)) -> SortedChunk {
        let first = rows.start;
        let mut chunk = SortedChunk::default();
        let mut splitter = BodySplitter::default();
        for row in rows {
            let mut form = HIDDEN;
            if let Some(name) = name(row) {
                let (body, split) = splitter.split(&name);
                form = split.number();
                chunk.text.push_str(body);
                let placed = PlacedRow { row, form };
                chunk.entries.push(Entry { letters: first_letters(body, 0), placed });
                chunk.shortened.extend(splitter.shortened(row));
            }
            chunk.ends.push(chunk.text.len());
            chunk.forms.push(form);
        }
        let mut entries = std::mem::take(&mut chunk.entries);
        let body = |row: u32| chunk.body((row - first) as usize);
        entries.sort_unstable_by(|left, right| compare(left, right, body));
        chunk.entries = entries;
        chunk
    }
}

/// An order after building.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltOrder {
    pub directory: NameDirectory,
    pub bytes: Vec<u8>,
    /// The rows in their order, each with the family of its name.
    pub families: Vec<(u32, Family)>,
}

/// Builds the order of this many rows; `name` gives a row's name, `None` if it is hidden, and `place_of` the number of
/// the municipality of its office.
pub fn build(
    rows: usize,
    name: impl Fn(u32) -> Option<String> + Sync,
    place_of: impl Fn(u32) -> u16 + Sync,
) -> BuiltOrder {
    assert!(rows <= ROWS_MAX, "rows are numbered in three bytes");
    let (mut chunks, size) = chunks_by_core(rows as u32, |rows| SortedChunk::build(rows, &name));
    let mut shortened: Vec<ShortenedName> = Vec::new();
    chunks.iter_mut().for_each(|chunk| shortened.append(&mut chunk.shortened));
    let mut entries: Vec<Entry> = Vec::new();
    chunks.iter_mut().for_each(|chunk| entries.append(&mut chunk.entries));
    let body = |row: u32| chunks[(row / size) as usize].body((row % size) as usize);
    // The standard sort recognises the sorted chunks as runs and merges them.
    entries.sort_by(|left, right| compare(left, right, body));
    let mut bytes = Vec::with_capacity(rows);
    chunks.iter().for_each(|chunk| bytes.extend_from_slice(&chunk.forms));
    let visit = |each: &mut dyn FnMut(PlacedRow, &[u8])| {
        for Entry { placed, .. } in &entries {
            each(*placed, body(placed.row).as_bytes());
        }
        Ok(())
    };
    assemble(bytes, shortened, &visit, &place_of).expect("names in memory have no faults")
}

/// Makes the order; `name` gives the name of an added row, `None` if it is hidden. `place_of` is asked for any row.
pub fn renew(
    earlier: NameOrder<'_>,
    rows: &Renumbering,
    name: impl Fn(u32) -> Option<String>,
    place_of: impl Fn(u32) -> u16 + Sync,
) -> Result<BuiltOrder, Fault> {
    if earlier.rows != rows.earlier_rows() as usize {
        return Err(malformed(&format!("an order of {} rows", rows.earlier_rows())));
    }
    let renumbered = earlier.directory.shortened.iter().filter_map(|it| {
        let row = rows.row(it.row.to_native())?;
        Some(ShortenedName { letters: it.letters.to_native(), row })
    });
    let mut shortened: Vec<ShortenedName> = renumbered.collect();
    let mut splitter = BodySplitter::default();
    let (mut added, mut added_forms) = (Vec::new(), Vec::new());
    for row in rows.added() {
        let name = name(*row);
        let split = name.as_deref().map(|name| splitter.split(name));
        let form = split.map_or(HIDDEN, |(_, form)| form.number());
        added_forms.push(form);
        if let Some((body, _)) = split {
            added.push((body.to_owned(), PlacedRow { row: *row, form }));
            shortened.extend(splitter.shortened(*row));
        }
    }
    added.sort_unstable();
    let mut forms = Vec::with_capacity(rows.rows() as usize);
    for run in rows.runs(0..rows.rows()) {
        match run {
            RowRun::Added(index) => forms.push(added_forms[index]),
            RowRun::Kept(kept) => {
                let end = kept.earlier_row + kept.rows;
                let earlier_forms = earlier.forms(kept.earlier_row as usize..end as usize)?;
                forms.extend_from_slice(earlier_forms);
            }
        }
    }
    let visit = |each: &mut dyn FnMut(PlacedRow, &[u8])| visit_merged(earlier, rows, &added, each);
    assemble(forms, shortened, &visit, &place_of)
}

/// Calls `each` with every place of the new order, and the body at it. `added` has the added rows by their bodies.
fn visit_merged(
    earlier: NameOrder<'_>,
    rows: &Renumbering,
    added: &[(String, PlacedRow)],
    each: &mut dyn FnMut(PlacedRow, &[u8]),
) -> Result<(), Fault> {
    let mut added = added.iter().peekable();
    for number in 0..earlier.directory.starts.len() {
        let group = earlier.group(number)?;
        let mut bodies = group.bodies();
        for placed in group.placed_rows(0..earlier.place_count(number)) {
            let body = bodies.next().ok_or_else(|| malformed("a name at each place"))?;
            let Some(row) = rows.row(placed.row) else { continue };
            let is_before =
                |(own, added): &&(String, PlacedRow)| (own.as_bytes(), added.row) < (body, row);
            while let Some((own, added)) = added.next_if(is_before) {
                each(*added, own.as_bytes());
            }
            each(PlacedRow { row, ..placed }, body);
        }
    }
    added.for_each(|(own, added)| each(*added, own.as_bytes()));
    Ok(())
}

fn malformed(expected: &str) -> Fault {
    let cause = format!("expected {expected}, found other bytes");
    Fault::Malformed { section: SECTION, cause }
}

/// Estimated bytes per row in a group, rather too many: a vector that grows is in memory twice while it is copied.
const GROUP_BYTES: usize = 14;

/// Calls its argument with every place in order, and the body at it.
type Visit<'v> = &'v (dyn Fn(&mut dyn FnMut(PlacedRow, &[u8])) -> Result<(), Fault> + Sync);

/// Writes the groups after `forms`, and counts the families. Each needs a pass over the places, on a thread of its own.
fn assemble(
    mut forms: Vec<u8>,
    mut shortened: Vec<ShortenedName>,
    visit: Visit<'_>,
    place_of: &(impl Fn(u32) -> u16 + Sync),
) -> Result<BuiltOrder, Fault> {
    shortened.sort_unstable();
    // Several shorter forms of one name may have the same first letters.
    shortened.dedup();
    let rows = forms.len();
    forms.reserve(rows * GROUP_BYTES);
    thread::scope(|scope| {
        let families = scope.spawn(|| -> Result<Vec<(u32, Family)>, Fault> {
            let mut families = FamilyCounter::new(rows, place_of);
            visit(&mut |PlacedRow { row, form }, body| {
                families.push(row, body, Form::from_number(form).unwrap_or_default());
            })?;
            Ok(families.finish())
        });
        let mut counts = vec![0; Form::all().count()];
        let (mut samples, mut writer) = (Vec::new(), GroupWriter::append_to(forms));
        visit(&mut |placed, body| {
            if writer.is_at_group_start() {
                samples.push(first_letters(&String::from_utf8_lossy(body), 0));
            }
            if let Some(count) = counts.get_mut(usize::from(placed.form)) {
                *count += 1;
            }
            writer.push(placed, body);
        })?;
        let Groups { bytes, starts, places } = writer.finish();
        let [rows, places] = [rows, places].map(|count| count as u32);
        let directory = NameDirectory { rows, places, samples, starts, forms: counts, shortened };
        let families = families.join().expect("families are counted without panic")?;
        Ok(BuiltOrder { directory, bytes, families })
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Family {
    /// The number of longer names that begin with the body.
    pub names: u32,
    /// The number of organisations of its employees.
    pub employees: u32,
    /// Whether one of these has its office in the municipality of the row.
    pub is_beside_employees: bool,
}

/// A body with which later bodies may begin.
struct OpenBody {
    body: Vec<u8>,
    /// The first place that has it, and the number of places.
    first: usize,
    count: usize,
    family: Family,
    /// The municipalities of the organisations of its employees.
    employees_at: Vec<u16>,
}

/// Counts the families of ascending bodies.
struct FamilyCounter<P> {
    place_of: P,
    /// The row at each place, and its family.
    families: Vec<(u32, Family)>,
    /// The last body and those that it begins with. Each begins with the one before.
    open: Vec<OpenBody>,
}

impl<P: Fn(u32) -> u16> FamilyCounter<P> {
    fn new(rows: usize, place_of: P) -> FamilyCounter<P> {
        FamilyCounter { place_of, families: Vec::with_capacity(rows), open: Vec::new() }
    }

    /// Adds the row at the next place, the body of its name and its form.
    pub fn push(&mut self, row: u32, body: &[u8], form: Form) {
        while let Some(last) = self.open.pop_if(|last| !body.starts_with(&last.body)) {
            self.close(last);
        }
        let place = self.families.len();
        self.families.push((row, Family::default()));
        match self.open.last_mut().filter(|last| last.body == body) {
            Some(last) => last.count += 1,
            None => self.open.push(OpenBody {
                body: body.to_owned(),
                first: place,
                count: 1,
                family: Family::default(),
                employees_at: Vec::new(),
            }),
        }
        if let Some(last) = self.open.last_mut().filter(|_| is_organisation_form(form)) {
            last.family.employees += 1;
            last.employees_at.push((self.place_of)(row));
        }
    }

    /// The row and the family of each place.
    pub fn finish(mut self) -> Vec<(u32, Family)> {
        while let Some(last) = self.open.pop() {
            self.close(last);
        }
        self.families
    }

    /// Ends a body with which no later body begins: its family is complete, and joins the family of the body before.
    fn close(&mut self, last: OpenBody) {
        let places = &mut self.families[last.first..last.first + last.count];
        for (row, family) in &mut *places {
            let has_employees = !last.employees_at.is_empty();
            let is_beside_employees =
                has_employees && last.employees_at.contains(&(self.place_of)(*row));
            *family = Family { is_beside_employees, ..last.family };
        }
        if let Some(parent) = self.open.last_mut() {
            parent.family.names += last.family.names + last.count as u32;
        }
        for employer in &mut self.open {
            let rest = last.body.strip_prefix(employer.body.as_slice());
            if rest.is_some_and(is_organisation_word) {
                employer.family.employees += last.count as u32;
                employer.employees_at.extend(places.iter().map(|(row, _)| (self.place_of)(*row)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::fold::{Level, folded};
    use crate::text::kind_words::split;

    /// The families of these bodies, each with the number of its municipality.
    fn placed_families<'a>(bodies: impl Iterator<Item = (&'a str, Form, u16)>) -> Vec<Family> {
        let bodies: Vec<_> = bodies.collect();
        let mut families = FamilyCounter::new(bodies.len(), |row| bodies[row as usize].2);
        for (row, (body, form, _)) in (0..).zip(&bodies) {
            families.push(row, body.as_bytes(), *form);
        }
        families.finish().into_iter().map(|(_, family)| family).collect()
    }

    fn families<'a>(bodies: impl Iterator<Item = (&'a str, Form)>) -> Vec<Family> {
        let placed = placed_families(bodies.map(|(body, form)| (body, form, 0)));
        let apart = |family| Family { is_beside_employees: false, ..family };
        placed.into_iter().map(apart).collect()
    }

    fn found(names: &[&str]) -> Vec<(String, Family)> {
        let names: Vec<String> = names.iter().map(|name| folded(name, Level::Search)).collect();
        let mut bodies: Vec<_> = names.iter().map(|name| split(name, Level::Search)).collect();
        bodies.sort_unstable();
        let families = families(bodies.iter().copied());
        bodies.iter().map(|(body, _)| (*body).to_owned()).zip(families).collect()
    }

    #[test]
    fn a_family_counts_names_and_organisations_of_employees() {
        let found = found(&[
            "見本台帳株式会社",
            "有限会社見本",
            "見本台帳健康保険組合",
            "見本台帳労働組合",
            "見本台帳システム株式会社",
            "見本台帳システム労働組合",
            "別府",
        ]);
        let family = |body: &str| {
            let body = folded(body, Level::Search);
            found.iter().find(|(known, _)| *known == body).expect("a body of the names").1
        };
        let counted = |names, employees| Family { names, employees, is_beside_employees: false };
        assert_eq!(family("見本"), counted(5, 0));
        assert_eq!(family("見本台帳"), counted(3, 2));
        assert_eq!(family("見本台帳システム"), counted(0, 1));
        assert_eq!(family("見本台帳健康保険組合"), Family::default());
        assert_eq!(family("別府"), Family::default());
        assert_eq!(families(std::iter::empty()), []);
    }

    #[test]
    fn an_employer_is_in_the_municipality_of_its_organisation() {
        let names = [
            ("見本株式会社", 1),
            ("株式会社見本", 2),
            ("見本健康保険組合", 2),
            ("台帳株式会社", 3),
            ("台帳労働組合", 4),
        ];
        let names = names.map(|(name, place)| (folded(name, Level::Search), place));
        let mut bodies: Vec<_> = names
            .iter()
            .map(|(name, place)| {
                (split(name, Level::Search).0, split(name, Level::Search).1, *place)
            })
            .collect();
        bodies.sort_unstable();
        let found = placed_families(bodies.iter().copied());
        let beside: Vec<u16> = bodies
            .iter()
            .zip(found)
            .filter(|(_, family)| family.is_beside_employees)
            .map(|((_, _, place), _)| *place)
            .collect();
        // The union counts as beside itself; its own standing decides before this.
        assert_eq!(beside, [4, 2]);
    }

    proptest! {
        #[test]
        fn every_name_that_begins_with_a_body_is_counted(mut names in prop::collection::vec("[あい]{1,4}", 0..30)) {
            names.sort_unstable();
            let bodies = names.iter().map(|name| (name.as_str(), Form::NONE));
            for (name, family) in names.iter().zip(families(bodies)) {
                let longer = names.iter().filter(|other| other.starts_with(&**name) && *other != name);
                prop_assert_eq!(family.names as usize, longer.count());
            }
        }
    }
}
