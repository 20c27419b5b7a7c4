//! The first two classes of the result order: rows whose name equals a keyword, and rows whose name begins with it, with
//! or without the kind word.
//!
//! A whole name is a body and a form, so each class consists of places of the order and a set of forms: a name that
//! begins with 株式会社ひ has a body that begins with ひ, and one that begins with ひので株 has the body ひので. A keyword
//! that is only the beginning of a kind word (株式) matches a million names with any body; these are found by the form of
//! the row alone.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::LazyLock;

use super::NameOrder;
use crate::snapshot::Fault;
use crate::text::fold::Level;
use crate::text::kind_words::{Form, Side, folded_word, split};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forms([u64; 4]);

impl Forms {
    pub fn any() -> Forms {
        Form::all().collect()
    }

    pub fn contains(&self, form: Form) -> bool {
        self.has(form.number())
    }

    fn has(&self, number: u8) -> bool {
        self.0[usize::from(number / 64)] >> (number % 64) & 1 == 1
    }

    pub fn or(self, other: Forms) -> Forms {
        Forms(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    pub fn is_empty(&self) -> bool {
        *self == Forms::default()
    }
}

impl FromIterator<Form> for Forms {
    fn from_iter<I: IntoIterator<Item = Form>>(forms: I) -> Forms {
        let mut set = Forms::default();
        for form in forms {
            set.0[usize::from(form.number() / 64)] |= 1 << (form.number() % 64);
        }
        set
    }
}

/// The rows at these places that have one of these forms.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    places: Range<usize>,
    forms: Forms,
}

impl Part {
    fn has(&self, place: usize, form: u8) -> bool {
        self.places.contains(&place) && self.forms.has(form)
    }
}

#[derive(Clone)]
pub struct Class<'s> {
    order: NameOrder<'s>,
    parts: Vec<Part>,
    /// Rows of these forms belong to the class wherever they are in the order.
    all: Forms,
    /// The parts of the previous class, whose rows do not belong to this one.
    before: Vec<Part>,
    /// The rows in `before` that have one of the forms `all`, ascending.
    before_all: Vec<u32>,
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
    /// The forms among these that at least one row has.
    fn forms_with_rows(&self, forms: Forms) -> impl Iterator<Item = Form> {
        let counts = Form::all().zip(self.directory.forms.iter());
        counts
            .filter(move |(form, count)| forms.contains(*form) && count.to_native() > 0)
            .map(|(form, _)| form)
    }

    /// The number of rows that have one of these forms.
    fn rows_of(&self, forms: Forms) -> u64 {
        let counts = Form::all().zip(self.directory.forms.iter());
        let counts = counts.filter(|(form, _)| forms.contains(*form));
        counts.map(|(_, count)| u64::from(count.to_native())).sum()
    }

    /// The classes of a keyword folded at [`Level::Search`], abbreviations written out.
    pub fn classes(&self, keyword: &str) -> Result<Classes<'s>, Fault> {
        if keyword.is_empty() {
            let none = Class::of(*self, Vec::new(), Forms::default(), Vec::new())?;
            return Ok(Classes { equal: none.clone(), beginning: none });
        }
        let as_body = self.find(keyword)?;
        let any = Forms::any();
        let behind_equal = as_body.equal.end..as_body.beginning.end;
        let mut equal = vec![Part { places: as_body.equal, forms: any }];
        let mut beginning = vec![Part { places: behind_equal, forms: any }];
        let mut all = Vec::new();
        let (body, form) = split(keyword, Level::Search);
        if form != Form::NONE {
            let places = self.find(body)?.equal;
            equal.push(Part { places, forms: [form].into_iter().collect() });
        }
        for (form, front) in &AFFIXES.front {
            match keyword.strip_prefix(front.as_str()) {
                Some("") => all.push(*form),
                Some(rest) => {
                    let places = self.find(rest)?.beginning;
                    beginning.push(Part { places, forms: [*form].into_iter().collect() });
                }
                None if front.starts_with(keyword) => all.push(*form),
                None => {}
            }
        }
        for (at, _) in keyword.char_indices().skip(1) {
            let (body, rest) = keyword.split_at(at);
            let behind = AFFIXES.behind.iter().filter(|(_, behind)| behind.starts_with(rest));
            let forms: Forms = behind.map(|(form, _)| *form).collect();
            if !forms.is_empty() {
                beginning.push(Part { places: self.find(body)?.equal, forms });
            }
        }
        let equal = Class::of(*self, equal, Forms::default(), Vec::new())?;
        let before = equal.parts.clone();
        let beginning = Class::of(*self, beginning, all.into_iter().collect(), before)?;
        Ok(Classes { equal, beginning })
    }
}

/// Rows whose forms are compared in one step, so that the compiler uses vector instructions: a rare form has one row in a
/// hundred thousand.
const RUN: usize = 64;

fn has_any(run: &[u8], forms: &[u8]) -> bool {
    let is = |form: u8| run.iter().fold(false, |any, other| any | (*other == form));
    forms.iter().fold(false, |any, form| any | is(*form))
}

/// The text before or after the body in a name of each form.
struct Affixes {
    front: Vec<(Form, String)>,
    behind: Vec<(Form, String)>,
}

static AFFIXES: LazyLock<Affixes> = LazyLock::new(|| {
    let mut affixes = Affixes { front: Vec::new(), behind: Vec::new() };
    for form in Form::all() {
        let word = folded_word(form, Level::Search);
        let space = if form.is_spaced() { " " } else { "" };
        match form.word() {
            Some((_, Side::Before)) => affixes.front.push((form, [word, space].concat())),
            Some((_, Side::After)) => affixes.behind.push((form, [space, word].concat())),
            None => {}
        }
    }
    affixes
});

impl<'s> Class<'s> {
    fn of(
        order: NameOrder<'s>,
        mut parts: Vec<Part>,
        all: Forms,
        before: Vec<Part>,
    ) -> Result<Class<'s>, Fault> {
        parts.retain(|part| !part.places.is_empty());
        let mut class = Class { order, parts, all, before, before_all: Vec::new(), count: 0 };
        let mut count = 0;
        for (at, part) in class.parts.iter().enumerate() {
            // The usual case: the keyword has nothing of a kind word, so this is the only part and needs no visit.
            if all.is_empty() && part.forms == Forms::any() && class.others(at).next().is_none() {
                count += part.places.len() as u64;
            } else {
                class.visit_part(at, &mut |_| count += 1)?;
            }
        }
        if !all.is_empty() {
            let mut before_all = Vec::new();
            for part in &class.before {
                for (place, (row, form)) in
                    part.places.clone().zip(order.placed(part.places.clone())?)
                {
                    if part.has(place, form) && all.has(form) {
                        before_all.push(row);
                    }
                }
            }
            before_all.sort_unstable();
            before_all.dedup();
            count += order.rows_of(all).saturating_sub(before_all.len() as u64);
            class.before_all = before_all;
        }
        class.count = count;
        Ok(class)
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
    pub fn units(&self, skip: u64) -> u64 {
        const KEPT: u64 = 16;
        self.places() + KEPT * skip.min(self.count)
    }

    pub fn visit(&self, mut each: impl FnMut(u32)) -> Result<(), Fault> {
        self.visit_parts(&mut each)?;
        self.visit_all(|row| {
            each(row);
            true
        })
    }

    /// The forms whose rows are all in this class or in the previous one, whatever their body.
    pub fn forms(&self) -> Forms {
        self.all
    }

    /// Calls `each` once with every row of the class that has none of [`forms`](Self::forms), in any order.
    pub fn visit_parts(&self, mut each: impl FnMut(u32)) -> Result<(), Fault> {
        (0..self.parts.len()).try_for_each(|at| self.visit_part(at, &mut each))
    }

    /// Calls `each` with the rows of a part that are in no earlier part.
    fn visit_part(&self, at: usize, each: &mut impl FnMut(u32)) -> Result<(), Fault> {
        let part = &self.parts[at];
        let others: Vec<&Part> = self.others(at).collect();
        for (place, (row, form)) in part.places.clone().zip(self.order.placed(part.places.clone())?)
        {
            let elsewhere = self.all.has(form) || others.iter().any(|other| other.has(place, form));
            if part.forms.has(form) && !elsewhere {
                each(row);
            }
        }
        Ok(())
    }

    /// The earlier parts that overlap a part.
    fn others(&self, at: usize) -> impl Iterator<Item = &Part> {
        let part = &self.parts[at];
        let others = self.parts[..at].iter().chain(&self.before);
        others.filter(|other| {
            other.places.start < part.places.end && part.places.start < other.places.end
        })
    }

    /// Calls `each` with the rows of the forms in `all`, ascending, until it returns `false`.
    fn visit_all(&self, mut each: impl FnMut(u32) -> bool) -> Result<(), Fault> {
        /// Rows read in one step: one block of forms.
        const STEP: usize = 1 << 15;
        let mut left = self.order.rows_of(self.all);
        if left == 0 {
            return Ok(());
        }
        let has: [bool; 256] = std::array::from_fn(|number| self.all.has(number as u8));
        let forms: Vec<u8> = self.order.forms_with_rows(self.all).map(Form::number).collect();
        for start in (0..self.order.rows).step_by(STEP) {
            let column = self.order.forms(start..start + STEP)?;
            for (first, run) in (start as u32..).step_by(RUN).zip(column.chunks(RUN)) {
                if !has_any(run, &forms) {
                    continue;
                }
                for (row, _) in (first..).zip(run).filter(|(_, form)| has[usize::from(**form)]) {
                    left = left.saturating_sub(1);
                    if self.before_all.binary_search(&row).is_err() && !each(row) {
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

    /// The rows that `keep` accepts, ascending, without the first `skip`; at most `limit`.
    pub fn rows(
        &self,
        skip: usize,
        limit: usize,
        mut keep: impl FnMut(u32) -> bool,
    ) -> Result<Vec<u32>, Fault> {
        let wanted = skip.saturating_add(limit);
        if limit == 0 || skip as u64 >= self.count {
            return Ok(Vec::new());
        }
        // The lowest rows so far; the heap has the highest of them on top.
        let mut lowest = BinaryHeap::new();
        self.visit_parts(|row| {
            let full = lowest.len() >= wanted;
            if full && lowest.peek().is_some_and(|highest| *highest <= row) || !keep(row) {
                return;
            }
            lowest.push(row);
            if full {
                lowest.pop();
            }
        })?;
        let mut rows = lowest.into_sorted_vec();
        let listed = rows.len();
        self.visit_all(|row| {
            // These rows ascend: once enough rows are below this one, no later row is needed.
            let below = rows.len() - listed + rows[..listed].partition_point(|other| *other < row);
            if below >= wanted {
                return false;
            }
            if keep(row) {
                rows.push(row);
            }
            true
        })?;
        rows.sort_unstable();
        rows.truncate(wanted);
        Ok(rows.split_off(skip.min(rows.len())))
    }
}
