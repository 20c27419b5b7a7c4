//! The order of the results: names that equal a keyword, names that begin with one, the rest; within each class by
//! row.

use std::ops::ControlFlow;

use super::evaluate::{Evaluation, Selected};
use super::keyword::name_keyword;
use super::request::Mode;
use crate::index::grams::Matches;
use crate::index::name_order::{Class, Classes, Forms};
use crate::index::row_set::RowSet;
use crate::query::evaluate::Searched;
use crate::query::rows::units_of_set;
use crate::query::work::{Halt, Unanswered};
use crate::snapshot::Fault;

/// Units of work to find the classes of a keyword: it may end with the beginning of a kind word in several ways.
const CLASSES: u64 = 10_000;

/// Units to sort a row among others.
const SORTED: u64 = 8;

/// Units to visit a row that may be skipped.
const VISITED: u64 = 4;

/// The names that a query's keywords put first.
pub struct Names<'e, 's> {
    evaluation: &'e Evaluation<'s>,
    keywords: Vec<First<'s>>,
}

enum First<'s> {
    Partial(Classes<'s>),
    Letter(Class<'s>),
    Exact(Matches<'s>),
}

impl First<'_> {
    fn equal(&self, each: &mut dyn FnMut(u32)) -> Result<(), Fault> {
        match self {
            First::Partial(Classes { equal, .. }) | First::Letter(equal) => equal.visit(each),
            First::Exact(matches) => {
                matches.for_each_batch(|rows| rows.iter().for_each(|row| each(*row)));
                Ok(())
            }
        }
    }

    fn equal_count(&self) -> u64 {
        match self {
            First::Partial(Classes { equal, .. }) | First::Letter(equal) => equal.count(),
            First::Exact(matches) => matches.count() as u64,
        }
    }

    /// How many rows [`beginning`](Self::beginning) visits.
    fn beginning_count(&self) -> u64 {
        match self {
            First::Partial(Classes { beginning, .. }) => beginning.places(),
            First::Letter(_) | First::Exact(_) => 0,
        }
    }

    /// Calls `each` with the rows of the second class, except those of [`forms`](Self::forms).
    fn beginning(&self, each: &mut dyn FnMut(u32)) -> Result<(), Fault> {
        match self {
            First::Partial(Classes { beginning, .. }) => beginning.visit_parts(each),
            First::Letter(_) | First::Exact(_) => Ok(()),
        }
    }

    /// The forms whose rows are in the second class unless they are in the first.
    fn forms(&self) -> Forms {
        match self {
            First::Partial(Classes { beginning, .. }) => beginning.forms(),
            First::Letter(_) | First::Exact(_) => Forms::default(),
        }
    }
}

struct Window {
    skip: u64,
    limit: usize,
    rows: Vec<u32>,
}

impl Window {
    fn left(&self) -> usize {
        self.limit - self.rows.len()
    }

    /// Appends the rows from `rows` for a section of the results that has `count` rows.
    fn part<E>(
        &mut self,
        count: u64,
        rows: impl FnOnce(usize, usize) -> Result<Vec<u32>, E>,
    ) -> Result<(), E> {
        if self.skip < count && self.left() > 0 {
            // A table has fewer rows than that.
            let skip = usize::try_from(self.skip).unwrap_or(usize::MAX);
            let taken = rows(skip, self.left())?;
            self.rows.extend(taken);
        }
        self.skip = self.skip.saturating_sub(count);
        Ok(())
    }
}

impl<'e, 's> Names<'e, 's> {
    pub fn of(
        evaluation: &'e Evaluation<'s>,
        keywords: &[&str],
    ) -> Result<Names<'e, 's>, Unanswered> {
        let first = |text: &&str| {
            evaluation.work.spend(CLASSES)?;
            if evaluation.mode != Mode::Partial {
                return evaluation.name(text).map(First::Exact);
            }
            let keyword = name_keyword(text);
            let classes = evaluation.order().classes(&keyword);
            let classes = classes.map_err(|fault| evaluation.refuse(fault))?;
            let letter = keyword.chars().nth(1).is_none();
            Ok(if letter { First::Letter(classes.equal) } else { First::Partial(classes) })
        };
        let keywords = keywords.iter().map(first).collect::<Result<_, Unanswered>>()?;
        Ok(Names { evaluation, keywords })
    }

    /// The requested rows. `alone`: the only keyword found all of them.
    pub fn window(
        &self,
        found: Selected<'s>,
        alone: bool,
        offset: u64,
        limit: usize,
    ) -> Result<Vec<u32>, Unanswered> {
        let mut window = Window { skip: offset, limit, rows: Vec::with_capacity(limit) };
        match (found, self.keywords.as_slice()) {
            (Selected::Matches(matches), [] | [First::Exact(_)])
                if alone || self.keywords.is_empty() =>
            {
                let count = matches.count() as u64;
                let rows = |skip, limit| {
                    Ok::<_, Unanswered>(matches.rows_from(skip).take(limit).collect())
                };
                window.part(count, rows)?;
            }
            (Selected::Matches(matches), [First::Partial(classes)]) if alone => {
                let classes = [&classes.equal, &classes.beginning];
                self.window_of_list(&matches, &classes, &mut window)?;
            }
            // Fields other than the name may consist of only this letter.
            (Selected::Matches(matches), [First::Letter(equal)]) if alone => {
                self.window_of_list(&matches, &[equal], &mut window)?;
            }
            (found, _) => self.window_of_set(self.evaluation.set_of(found)?, &mut window)?,
        }
        Ok(window.rows)
    }

    /// For a list that contains all rows of the classes.
    fn window_of_list(
        &self,
        matches: &Matches<'_>,
        classes: &[&Class<'_>],
        window: &mut Window,
    ) -> Result<(), Unanswered> {
        let refuse = |fault| Unanswered::Damaged(self.evaluation.refuse(fault));
        for class in classes {
            if window.skip < class.count() && window.left() > 0 {
                self.evaluation.work.spend(class.units(window.skip))?;
            }
            let rows = |skip, limit| class.rows(skip, limit, |_| true);
            window.part(class.count(), rows).map_err(refuse)?;
        }
        if window.left() == 0 {
            return Ok(());
        }
        let mut first = Vec::new();
        for class in classes {
            self.evaluation.work.spend(class.count() * SORTED)?;
            class.visit(|row| first.push(row)).map_err(refuse)?;
        }
        first.sort_unstable();
        // Binary search for the start: the row after as many rows of the rest as are skipped, and the first class
        // row after it.
        let (mut low, mut high) = (0, first.len());
        while low < high {
            let middle = low.midpoint(high);
            // In a sound snapshot every row of a class is among the matches.
            match matches.rank(first[middle]).saturating_sub(middle) as u64 <= window.skip {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let skip = usize::try_from(window.skip).unwrap_or(usize::MAX);
        let mut first = first[low..].iter().peekable();
        let rest = matches.rows_from(skip.saturating_add(low));
        let rest = rest.filter(|row| first.next_if_eq(&row).is_none());
        let left = window.left();
        window.rows.extend(rest.take(left));
        Ok(())
    }

    fn window_of_set(&self, mut set: RowSet, window: &mut Window) -> Result<(), Unanswered> {
        let equal = self.class(&set, First::equal, First::equal_count)?;
        if let Some(equal) = equal {
            set.and_not(&equal);
            self.take(&equal, window, |_| Ok(true))?;
        }
        let beginning = self.class(&set, First::beginning, First::beginning_count)?;
        let forms = self.keywords.iter().map(First::forms).fold(Forms::default(), Forms::or);
        if !forms.is_empty() {
            // A million names begin with 株式, so their forms are compared, and only as far as needed.
            let order = self.evaluation.order();
            let begins = |row: u32| {
                let listed = beginning.as_ref().is_some_and(|it| it.contains(row as usize));
                Ok(listed || order.form(row)?.is_some_and(|form| forms.contains(form)))
            };
            self.take(&set, window, begins)?;
            return self.take(&set, window, |row| Ok(!begins(row)?));
        }
        if let Some(beginning) = beginning {
            set.and_not(&beginning);
            self.take(&beginning, window, |_| Ok(true))?;
        }
        self.take(&set, window, |_| Ok(true))
    }

    /// The rows of a set that the keywords put into a class; `None` if there are none.
    fn class(
        &self,
        set: &RowSet,
        visit: Visit<'s>,
        count: fn(&First<'s>) -> u64,
    ) -> Result<Option<RowSet>, Unanswered> {
        let mut class: Option<RowSet> = None;
        for first in &self.keywords {
            self.evaluation.work.spend(count(first))?;
            visit(first, &mut |row| {
                if set.contains(row as usize) {
                    let rows = self.evaluation.rows;
                    class.get_or_insert_with(|| RowSet::empty(rows)).insert(row as usize);
                }
            })
            .map_err(|fault| self.evaluation.refuse(fault))?;
        }
        Ok(class)
    }

    /// Appends the `wanted` rows of a set as the next section of the results.
    fn take(
        &self,
        set: &RowSet,
        window: &mut Window,
        wanted: impl Fn(u32) -> Result<bool, Fault>,
    ) -> Result<(), Unanswered> {
        if window.left() == 0 {
            return Ok(());
        }
        let work = self.evaluation.work;
        work.spend(units_of_set(self.evaluation.rows as u64))?;
        let mut skip = window.skip;
        let mut halt = Ok(());
        set.visit(|row| {
            let is_wanted = work.spend(VISITED).map_err(Halt::from);
            match is_wanted.and_then(|()| wanted(row as u32).map_err(Halt::from)) {
                Ok(true) if skip > 0 => skip -= 1,
                Ok(true) => window.rows.push(row as u32),
                Ok(false) => {}
                Err(found) => {
                    halt = Err(found);
                    return ControlFlow::Break(());
                }
            }
            if window.left() == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        window.skip = skip;
        halt.map_err(|halt| self.evaluation.halted(halt))
    }
}

type Visit<'s> = fn(&First<'s>, &mut dyn FnMut(u32)) -> Result<(), Fault>;
