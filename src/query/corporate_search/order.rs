//! The order of the answer: names that equal a keyword, names that begin with one, the rest; each in
//! the order of rows.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::Mode;
use super::evaluate::{Evaluation, Found, refuse};
use super::keyword::name_keyword;
use crate::index::name_order::{Class, Classes};
use crate::index::row_set::RowSet;
use crate::index::substring::Matches;
use crate::snapshot::{Fault, OpenError};

/// The names that come first on account of the keywords.
pub struct Names<'e, 's> {
    evaluation: &'e Evaluation<'s>,
    keywords: Vec<First<'s>>,
}

/// The names that come first on account of one keyword.
enum First<'s> {
    /// Where names contain it.
    Partial(Classes<'s>),
    /// Of one letter: the names that equal it.
    Letter(Class<'s>),
    /// In the exact modes: what it finds.
    Exact(Matches<'s>),
}

impl First<'_> {
    /// Calls `each` with the rows of the first class.
    fn equal(&self, each: &mut dyn FnMut(u32)) -> Result<(), Fault> {
        match self {
            First::Partial(Classes { equal, .. }) | First::Letter(equal) => equal.visit(each),
            First::Exact(matches) => {
                matches.for_each_piece(|rows| rows.iter().for_each(|row| each(*row)));
                Ok(())
            }
        }
    }

    /// Calls `each` with the rows of the second class.
    fn beginning(&self, each: &mut dyn FnMut(u32)) -> Result<(), Fault> {
        match self {
            First::Partial(Classes { beginning, .. }) => beginning.visit(each),
            First::Letter(_) | First::Exact(_) => Ok(()),
        }
    }
}

/// What of the answer is wanted, and what of it is there.
struct Window {
    /// Rows that are still passed over.
    skip: u64,
    limit: usize,
    rows: Vec<u32>,
}

impl Window {
    fn left(&self) -> usize {
        self.limit - self.rows.len()
    }

    /// Takes what `rows` gives for a part of the answer that has `count` rows.
    fn part<E>(
        &mut self,
        count: u64,
        rows: impl FnOnce(usize, usize) -> Result<Vec<u32>, E>,
    ) -> Result<(), E> {
        if self.skip < count && self.left() > 0 {
            // A table has less rows than fit.
            let skip = usize::try_from(self.skip).unwrap_or(usize::MAX);
            let taken = rows(skip, self.left())?;
            self.rows.extend(taken);
        }
        self.skip = self.skip.saturating_sub(count);
        Ok(())
    }
}

impl<'e, 's> Names<'e, 's> {
    /// What these keywords bring to the front.
    pub fn of(
        evaluation: &'e Evaluation<'s>,
        keywords: &[&str],
    ) -> Result<Names<'e, 's>, Arc<OpenError>> {
        let first = |text: &&str| {
            if evaluation.mode != Mode::Partial {
                return evaluation.name(text).map(First::Exact);
            }
            let keyword = name_keyword(text);
            let classes = evaluation.order().classes(&keyword, &mut evaluation.names());
            let classes = classes.map_err(refuse(evaluation))?;
            let letter = keyword.chars().nth(1).is_none();
            Ok(if letter { First::Letter(classes.equal) } else { First::Partial(classes) })
        };
        let keywords = keywords.iter().map(first).collect::<Result<_, Arc<OpenError>>>()?;
        Ok(Names { evaluation, keywords })
    }

    /// The wanted rows. `alone` says that what was found is what the only keyword finds, so that what
    /// comes first is among it.
    pub fn window(
        &self,
        found: Found<'s>,
        alone: bool,
        offset: u64,
        limit: usize,
    ) -> Result<Vec<u32>, Arc<OpenError>> {
        let mut window = Window { skip: offset, limit, rows: Vec::with_capacity(limit) };
        match (found, self.keywords.as_slice()) {
            (Found::Matches(matches), [] | [First::Exact(_) | First::Letter(_)])
                if alone || self.keywords.is_empty() =>
            {
                let count = matches.count() as u64;
                let rows = |skip, limit| {
                    Ok::<_, Arc<OpenError>>(matches.rows_from(skip).take(limit).collect())
                };
                window.part(count, rows)?;
            }
            (Found::Matches(matches), [First::Partial(classes)]) if alone => {
                self.window_of_list(&matches, classes, &mut window)?;
            }
            (Found::Matches(matches), _) => {
                let mut set = RowSet::empty(self.evaluation.table.rows);
                matches.add_to(&mut set);
                self.window_of_set(set, &mut window)?;
            }
            (Found::Set(set), _) => self.window_of_set(set, &mut window)?,
        }
        Ok(window.rows)
    }

    /// Of a list that has all rows of the classes.
    fn window_of_list(
        &self,
        matches: &Matches<'_>,
        classes: &Classes<'_>,
        window: &mut Window,
    ) -> Result<(), Arc<OpenError>> {
        let refuse = || refuse(self.evaluation);
        for class in [&classes.equal, &classes.beginning] {
            let rows = |skip, limit| class.rows(skip, limit, |_| true);
            window.part(class.count(), rows).map_err(refuse())?;
        }
        if window.left() == 0 {
            return Ok(());
        }
        let mut first = Vec::new();
        classes.equal.visit(|row| first.push(row)).map_err(refuse())?;
        classes.beginning.visit(|row| first.push(row)).map_err(refuse())?;
        first.sort_unstable();
        // Where to begin: behind as many rows of the rest as are passed over, and the first among them.
        let (mut low, mut high) = (0, first.len());
        while low < high {
            let middle = low.midpoint(high);
            match (matches.rank(first[middle]) - middle) as u64 <= window.skip {
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

    fn window_of_set(&self, mut set: RowSet, window: &mut Window) -> Result<(), Arc<OpenError>> {
        for visit in [First::equal as Visit<'s>, First::beginning] {
            let mut class = RowSet::empty(self.evaluation.table.rows);
            let mut any = false;
            for first in &self.keywords {
                let each = &mut |row: u32| {
                    if set.contains(row as usize) {
                        class.insert(row as usize);
                        any = true;
                    }
                };
                visit(first, each).map_err(refuse(self.evaluation))?;
            }
            if any {
                set.and_not(&class);
                take(&class, window);
            }
        }
        take(&set, window);
        Ok(())
    }
}

/// One of the visits of [`First`].
type Visit<'s> = fn(&First<'s>, &mut dyn FnMut(u32)) -> Result<(), Fault>;

/// Takes the rows of a set as the next part of the answer.
fn take(set: &RowSet, window: &mut Window) {
    if window.left() == 0 {
        return;
    }
    let mut skip = window.skip;
    set.visit(|row| {
        if skip > 0 {
            skip -= 1;
            return ControlFlow::Continue(());
        }
        window.rows.push(row as u32);
        if window.left() == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    window.skip = skip;
}
