//! The first two classes of the result order: rows whose name equals a keyword, and rows whose name begins with it,
//! with or without the kind word.
//!
//! A whole name is a body and a form, so each class consists of places of the order and a set of forms: a name that
//! begins with 株式会社ひ has a body that begins with ひ, and one that begins with ひので株 has the body ひので. A keyword
//! that is only the beginning of a kind word (株式) matches a million names with any body; these are found by the form of
//! the row alone.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::LazyLock;

use super::NameOrder;
use super::groups::PlacedRow;
use crate::index::standing::Standing;
use crate::snapshot::Fault;
use crate::text::fold::Level;
use crate::text::kind_words::{Form, Side, folded_word, split};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FormSet([u64; 4]);

impl FormSet {
    pub fn any() -> FormSet {
        Form::all().collect()
    }

    pub fn contains(&self, form: Form) -> bool {
        self.has_number(form.number())
    }

    fn has_number(&self, number: u8) -> bool {
        self.0[usize::from(number / 64)] >> (number % 64) & 1 == 1
    }

    pub fn or(self, other: FormSet) -> FormSet {
        FormSet(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    pub fn is_empty(&self) -> bool {
        *self == FormSet::default()
    }
}

impl FromIterator<Form> for FormSet {
    fn from_iter<I: IntoIterator<Item = Form>>(forms: I) -> FormSet {
        let mut set = FormSet::default();
        for form in forms {
            set.0[usize::from(form.number() / 64)] |= 1 << (form.number() % 64);
        }
        set
    }
}

/// The rows at these places that have one of these forms.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ClassPart {
    places: Range<usize>,
    forms: FormSet,
}

impl ClassPart {
    fn contains(&self, place: usize, form: u8) -> bool {
        self.places.contains(&place) && self.forms.has_number(form)
    }
}

/// A class of the result order. A row belongs to it at most once, even if several parts have it.
#[derive(Clone)]
pub struct Class<'s> {
    order: NameOrder<'s>,
    parts: Vec<ClassPart>,
    /// Rows of these forms belong to the class wherever they are in the order.
    whole_forms: FormSet,
    /// The parts of the previous class, whose rows do not belong to this one.
    previous_parts: Vec<ClassPart>,
    /// The rows in `previous_parts` that have one of the forms `whole_forms`, ascending.
    previous_rows: Vec<u32>,
    count: u64,
}

/// The two classes of a keyword; a row is in at most one.
#[derive(Clone)]
pub struct Classes<'s> {
    /// The whole name or its body equals the keyword.
    pub equal: Class<'s>,
    /// The whole name or its body begins with it.
    pub beginning: Class<'s>,
}

impl<'s> NameOrder<'s> {
    /// The forms among these that rows have, and how many.
    fn form_counts(&self, forms: FormSet) -> impl Iterator<Item = (Form, u64)> {
        let counts = self.directory.forms.iter().map(|count| u64::from(count.to_native()));
        Form::all().zip(counts).filter(move |(form, count)| forms.contains(*form) && *count > 0)
    }

    /// The number of rows that have one of these forms.
    fn count_rows(&self, forms: FormSet) -> u64 {
        self.form_counts(forms).map(|(_, count)| count).sum()
    }

    /// The classes of a keyword folded at [`Level::Search`], abbreviations written out.
    pub fn classes(&self, keyword: &str) -> Result<Classes<'s>, Fault> {
        if keyword.is_empty() {
            let none = Class::new(*self, Vec::new(), FormSet::default(), Vec::new())?;
            return Ok(Classes { equal: none.clone(), beginning: none });
        }
        let as_body = self.find(keyword)?;
        let any = FormSet::any();
        let longer = as_body.equal.end..as_body.beginning.end;
        let mut equal = vec![ClassPart { places: as_body.equal, forms: any }];
        let mut beginning = vec![ClassPart { places: longer, forms: any }];
        let mut whole_forms = Vec::new();
        let (body, form) = split(keyword, Level::Search);
        if form != Form::NONE {
            let places = self.find(body)?.equal;
            equal.push(ClassPart { places, forms: [form].into_iter().collect() });
        }
        for (form, prefix) in &AFFIXES.prefixes {
            match keyword.strip_prefix(prefix.as_str()) {
                Some("") => whole_forms.push(*form),
                Some(rest) => {
                    let places = self.find(rest)?.beginning;
                    beginning.push(ClassPart { places, forms: [*form].into_iter().collect() });
                }
                None if prefix.starts_with(keyword) => whole_forms.push(*form),
                None => {}
            }
        }
        for (offset, _) in keyword.char_indices().skip(1) {
            let (body, rest) = keyword.split_at(offset);
            let suffixes = AFFIXES.suffixes.iter().filter(|(_, suffix)| suffix.starts_with(rest));
            let forms: FormSet = suffixes.map(|(form, _)| *form).collect();
            if !forms.is_empty() {
                beginning.push(ClassPart { places: self.find(body)?.equal, forms });
            }
        }
        let equal = Class::new(*self, equal, FormSet::default(), Vec::new())?;
        let previous = equal.parts.clone();
        let whole_forms = whole_forms.into_iter().collect();
        let beginning = Class::new(*self, beginning, whole_forms, previous)?;
        Ok(Classes { equal, beginning })
    }
}

/// Rows whose forms are compared in one step, so that the compiler uses vector instructions: a rare form has one row in
/// a hundred thousand.
const RUN_ROWS: usize = 64;

/// Whether a run has a row of one of these forms.
fn has_any(run: &[u8], forms: &[u8]) -> bool {
    let has = |form: u8| run.iter().fold(false, |any, other| any | (*other == form));
    forms.iter().fold(false, |any, form| any | has(*form))
}

/// The text before or after the body in a name of each form: the kind word, and a space if the form has one.
struct Affixes {
    prefixes: Vec<(Form, String)>,
    suffixes: Vec<(Form, String)>,
}

static AFFIXES: LazyLock<Affixes> = LazyLock::new(|| {
    let mut affixes = Affixes { prefixes: Vec::new(), suffixes: Vec::new() };
    for form in Form::all() {
        let word = folded_word(form, Level::Search);
        let space = if form.is_spaced() { " " } else { "" };
        match form.word() {
            Some((_, Side::Before)) => affixes.prefixes.push((form, [word, space].concat())),
            Some((_, Side::After)) => affixes.suffixes.push((form, [space, word].concat())),
            None => {}
        }
    }
    affixes
});

impl<'s> Class<'s> {
    fn new(
        order: NameOrder<'s>,
        mut parts: Vec<ClassPart>,
        whole_forms: FormSet,
        previous_parts: Vec<ClassPart>,
    ) -> Result<Class<'s>, Fault> {
        parts.retain(|part| !part.places.is_empty());
        let (previous_rows, count) = (Vec::new(), 0);
        let mut class = Class { order, parts, whole_forms, previous_parts, previous_rows, count };
        let mut count = 0;
        for (index, part) in class.parts.iter().enumerate() {
            // The usual case: the keyword has nothing of a kind word, so this is the only part and needs no visit.
            let is_only = class.overlapping_parts(index).next().is_none();
            if whole_forms.is_empty() && part.forms == FormSet::any() && is_only {
                count += part.places.len() as u64;
            } else {
                class.visit_part(index, &mut |_| count += 1)?;
            }
        }
        if !whole_forms.is_empty() {
            class.previous_rows = class.find_previous_rows()?;
            let rows = order.count_rows(whole_forms);
            count += rows.saturating_sub(class.previous_rows.len() as u64);
        }
        class.count = count;
        Ok(class)
    }

    /// The rows of the previous class that have one of the forms `whole_forms`, ascending.
    fn find_previous_rows(&self) -> Result<Vec<u32>, Fault> {
        let mut rows = Vec::new();
        for part in &self.previous_parts {
            let placed_rows = self.order.placed_rows(part.places.clone())?;
            for (place, PlacedRow { row, form }) in part.places.clone().zip(placed_rows) {
                if part.contains(place, form) && self.whole_forms.has_number(form) {
                    rows.push(row);
                }
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Ok(rows)
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of places that [`visit_parts`](Self::visit_parts) reads.
    pub fn places(&self) -> u64 {
        self.parts.iter().map(|part| part.places.len() as u64).sum()
    }

    /// The cost of returning rows after the first `skip`, in units of work: every place of the parts is read, and the
    /// skipped rows are kept in a heap.
    pub fn cost(&self, skip: u64) -> u64 {
        const SKIPPED_ROW: u64 = 16;
        self.places() + SKIPPED_ROW * skip.min(self.count)
    }

    /// Calls `each` once with every row of the class, in any order.
    pub fn visit(&self, mut each: impl FnMut(u32)) -> Result<(), Fault> {
        self.visit_parts(&mut each)?;
        self.visit_whole_forms(|row| {
            each(row);
            true
        })
    }

    /// The forms whose rows are all in this class or in the previous one, whatever their body.
    pub fn whole_forms(&self) -> FormSet {
        self.whole_forms
    }

    /// Calls `each` once with every row of the class that has none of the [`whole_forms`](Self::whole_forms), in any
    /// order.
    pub fn visit_parts(&self, mut each: impl FnMut(u32)) -> Result<(), Fault> {
        (0..self.parts.len()).try_for_each(|index| self.visit_part(index, &mut each))
    }

    /// Calls `each` with the rows of a part that are in no earlier part.
    fn visit_part(&self, index: usize, each: &mut impl FnMut(u32)) -> Result<(), Fault> {
        let part = &self.parts[index];
        let others: Vec<&ClassPart> = self.overlapping_parts(index).collect();
        let placed_rows = self.order.placed_rows(part.places.clone())?;
        for (place, PlacedRow { row, form }) in part.places.clone().zip(placed_rows) {
            let is_elsewhere = self.whole_forms.has_number(form)
                || others.iter().any(|other| other.contains(place, form));
            if part.forms.has_number(form) && !is_elsewhere {
                each(row);
            }
        }
        Ok(())
    }

    /// The earlier parts, and the parts of the previous class, that overlap a part.
    fn overlapping_parts(&self, index: usize) -> impl Iterator<Item = &ClassPart> {
        let part = &self.parts[index];
        let others = self.parts[..index].iter().chain(&self.previous_parts);
        others.filter(|other| {
            other.places.start < part.places.end && part.places.start < other.places.end
        })
    }

    /// Calls `each` with the rows of the forms in `whole_forms` that are not in the previous class, ascending, until it
    /// returns `false`.
    fn visit_whole_forms(&self, mut each: impl FnMut(u32) -> bool) -> Result<(), Fault> {
        /// Rows read in one step: one block of forms.
        const STEP_ROWS: usize = 1 << 15;
        let mut left = self.order.count_rows(self.whole_forms);
        if left == 0 {
            return Ok(());
        }
        let is_wanted: [bool; 256] =
            std::array::from_fn(|number| self.whole_forms.has_number(number as u8));
        let forms = self.order.form_counts(self.whole_forms).map(|(form, _)| form.number());
        let forms: Vec<u8> = forms.collect();
        for start in (0..self.order.rows).step_by(STEP_ROWS) {
            let column = self.order.forms(start..start + STEP_ROWS)?;
            for (first, run) in (start as u32..).step_by(RUN_ROWS).zip(column.chunks(RUN_ROWS)) {
                if !has_any(run, &forms) {
                    continue;
                }
                let rows = (first..).zip(run);
                for (row, _) in rows.filter(|(_, form)| is_wanted[usize::from(**form)]) {
                    left = left.saturating_sub(1);
                    if self.previous_rows.binary_search(&row).is_err() && !each(row) {
                        return Ok(());
                    }
                }
                if left == 0 {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// A page of the class: its rows by standing, and those of one standing by row, without the first `skip`; at most
    /// `limit`. `best` is the first standing that counts: with [`Standing::Open`], an employer is as any open corporation.
    pub fn rows(
        &self,
        skip: usize,
        limit: usize,
        best: Standing,
        standing: impl Fn(u32) -> Standing,
    ) -> Result<Vec<u32>, Fault> {
        let wanted = skip.saturating_add(limit);
        if limit == 0 || skip as u64 >= self.count {
            return Ok(Vec::new());
        }
        let standing = |row| standing(row).max(best);
        // The first rows so far; the heap has the last of them on top.
        let mut first: BinaryHeap<(Standing, u32)> = BinaryHeap::new();
        self.visit_parts(|row| {
            let last = first.peek().copied().filter(|_| first.len() >= wanted);
            let is_full = last.is_some();
            // Most rows come after the last one whatever their standing, which is then not read.
            if last.is_some_and(|last| last <= (best, row)) {
                return;
            }
            let entry = (standing(row), row);
            if last.is_some_and(|last| last <= entry) {
                return;
            }
            first.push(entry);
            if is_full {
                first.pop();
            }
        })?;
        let mut rows = first.into_sorted_vec();
        self.add_whole_forms(wanted, &standing, &mut rows)?;
        rows.truncate(wanted);
        rows.drain(..skip.min(rows.len()));
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// Adds the rows of the forms in `whole_forms`, as far as they may be among the first `wanted` of all.
    fn add_whole_forms(
        &self,
        wanted: usize,
        standing: &impl Fn(u32) -> Standing,
        rows: &mut Vec<(Standing, u32)>,
    ) -> Result<(), Fault> {
        let mut counts = [0; Standing::ALL.len()];
        let open_in_parts = rows.partition_point(|(standing, _)| *standing <= Standing::Open);
        let from_parts = rows.len();
        self.visit_whole_forms(|row| {
            let standing = standing(row);
            // These rows ascend: once enough open rows are below this one, no later row is needed.
            let below = counts[Standing::Open as usize]
                + rows[..open_in_parts].partition_point(|(_, other)| *other < row);
            if below >= wanted {
                return false;
            }
            let count = &mut counts[standing as usize];
            if *count < wanted {
                *count += 1;
                rows.push((standing, row));
            }
            true
        })?;
        if rows.len() > from_parts {
            rows.sort_unstable();
        }
        Ok(())
    }
}
