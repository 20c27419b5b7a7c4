//! The order of the results: names that equal a keyword, names that begin with one, the rest; within each class by
//! row.

use std::iter;
use std::ops::ControlFlow;

use super::evaluate::{Evaluation, SearchMode, SelectedRows};
use super::keyword::name_keyword;
use crate::index::grams::Matches;
use crate::index::name_order::{Class, Classes, FormSet};
use crate::index::row_set::RowSet;
use crate::query::budget::EvaluationError;
use crate::query::rows::units_of_set;
use crate::snapshot::Fault;

/// Units of work to find the classes of a keyword: it may end with the beginning of a kind word in several ways.
const UNITS_PER_KEYWORD: u64 = 10_000;

/// Units to sort a row among others.
const UNITS_PER_SORTED_ROW: u64 = 8;

/// Units to visit a row that may be skipped.
const UNITS_PER_VISITED_ROW: u64 = 4;

/// Orders results by the keywords that the query searches in names.
pub struct NameRanking<'e, 's> {
    evaluation: &'e Evaluation<'s>,
    keywords: Vec<FirstRows<'s>>,
}

/// The rows that one keyword puts into the first two classes.
struct FirstRows<'s> {
    equal: EqualRows<'s>,
    /// Names that begin with the keyword; `None` if only names that equal it are found.
    beginning: Option<Class<'s>>,
}

enum EqualRows<'s> {
    /// Of a partial search.
    Class(Class<'s>),
    /// Of an exact search, in which every found name equals the keyword.
    Found(Matches<'s>),
}

impl FirstRows<'_> {
    /// Calls `visit` with the rows of the first class.
    fn visit_equal(&self, visit: &mut dyn FnMut(u32)) -> Result<(), Fault> {
        match &self.equal {
            EqualRows::Class(class) => class.visit(visit),
            EqualRows::Found(matches) => {
                matches.for_each_batch(|rows| rows.iter().for_each(|row| visit(*row)));
                Ok(())
            }
        }
    }

    fn equal_count(&self) -> u64 {
        match &self.equal {
            EqualRows::Class(class) => class.count(),
            EqualRows::Found(matches) => matches.count() as u64,
        }
    }

    /// Calls `visit` with the rows of the second class, except the rows of [`Class::whole_forms`].
    fn visit_beginning(&self, visit: &mut dyn FnMut(u32)) -> Result<(), Fault> {
        self.beginning.as_ref().map_or(Ok(()), |class| class.visit_parts(visit))
    }

    /// How many rows [`visit_beginning`](Self::visit_beginning) visits.
    fn beginning_count(&self) -> u64 {
        self.beginning.as_ref().map_or(0, Class::places)
    }
}

/// The requested page, filled section by section in the order of the results.
struct Window {
    /// How many rows are still to be skipped.
    skip: u64,
    limit: usize,
    rows: Vec<u32>,
}

impl Window {
    fn missing(&self) -> usize {
        self.limit - self.rows.len()
    }

    /// Appends the next section of the results, which has `count` rows. `rows` gets how many of them to skip and the
    /// limit.
    fn add_section(
        &mut self,
        count: u64,
        rows: impl FnOnce(usize, usize) -> Result<Vec<u32>, Fault>,
    ) -> Result<(), Fault> {
        if self.skip < count && self.missing() > 0 {
            // A table has fewer rows than that.
            let skip = usize::try_from(self.skip).unwrap_or(usize::MAX);
            let added = rows(skip, self.missing())?;
            self.rows.extend(added);
        }
        self.skip = self.skip.saturating_sub(count);
        Ok(())
    }
}

impl<'e, 's> NameRanking<'e, 's> {
    pub fn new(
        evaluation: &'e Evaluation<'s>,
        keywords: &[&str],
    ) -> Result<NameRanking<'e, 's>, EvaluationError> {
        let first_rows = |text: &&str| {
            evaluation.budget.spend(UNITS_PER_KEYWORD)?;
            if evaluation.mode != SearchMode::Partial {
                let equal = EqualRows::Found(evaluation.name(text)?);
                return Ok(FirstRows { equal, beginning: None });
            }
            let keyword = name_keyword(text);
            let Classes { equal, beginning } = evaluation.name_order().classes(&keyword)?;
            let is_letter = keyword.chars().nth(1).is_none();
            let beginning = (!is_letter).then_some(beginning);
            Ok(FirstRows { equal: EqualRows::Class(equal), beginning })
        };
        let keywords = keywords.iter().map(first_rows).collect::<Result<_, EvaluationError>>()?;
        Ok(NameRanking { evaluation, keywords })
    }

    /// The requested rows of those found. `is_single` says that the only keyword found all of them.
    pub fn window(
        &self,
        found: SelectedRows<'s>,
        is_single: bool,
        offset: u64,
        limit: usize,
    ) -> Result<Vec<u32>, EvaluationError> {
        let mut window = Window { skip: offset, limit, rows: Vec::with_capacity(limit) };
        match (found, self.keywords.as_slice()) {
            (
                SelectedRows::Matches(matches),
                [] | [FirstRows { equal: EqualRows::Found(_), .. }],
            ) if is_single || self.keywords.is_empty() => {
                let count = matches.count() as u64;
                let rows = |skip, limit| Ok(matches.rows_from(skip).take(limit).collect());
                window.add_section(count, rows)?;
            }
            (
                SelectedRows::Matches(matches),
                [FirstRows { equal: EqualRows::Class(equal), beginning }],
            ) if is_single => {
                // Fields other than the name may consist of only the letter of the keyword.
                let classes = iter::once(equal).chain(beginning);
                self.window_of_list(&matches, classes, &mut window)?;
            }
            (found, _) => self.window_of_set(self.evaluation.set_of(found)?, &mut window)?,
        }
        Ok(window.rows)
    }

    /// The page of a list that contains all rows of the classes.
    fn window_of_list(
        &self,
        matches: &Matches<'_>,
        classes: impl Iterator<Item = &'e Class<'s>> + Clone,
        window: &mut Window,
    ) -> Result<(), EvaluationError> {
        for class in classes.clone() {
            if window.skip < class.count() && window.missing() > 0 {
                self.evaluation.budget.spend(class.cost(window.skip))?;
            }
            let rows = |skip, limit| class.rows(skip, limit, |_| true);
            window.add_section(class.count(), rows)?;
        }
        if window.missing() == 0 {
            return Ok(());
        }
        let mut first = Vec::new();
        for class in classes {
            self.evaluation.budget.spend(class.count() * UNITS_PER_SORTED_ROW)?;
            class.visit(|row| first.push(row))?;
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
        let missing = window.missing();
        window.rows.extend(rest.take(missing));
        Ok(())
    }

    fn window_of_set(&self, mut set: RowSet, window: &mut Window) -> Result<(), EvaluationError> {
        let equal = self.rows_of_class(&set, FirstRows::visit_equal, FirstRows::equal_count)?;
        if let Some(equal) = equal {
            set.and_not(&equal);
            self.add_wanted(&equal, window, |_| Ok(true))?;
        }
        let beginning =
            self.rows_of_class(&set, FirstRows::visit_beginning, FirstRows::beginning_count)?;
        let classes = self.keywords.iter().filter_map(|keyword| keyword.beginning.as_ref());
        let forms = classes.map(Class::whole_forms).fold(FormSet::default(), FormSet::or);
        if !forms.is_empty() {
            // A million names begin with 株式, so their forms are compared, and only as far as needed.
            let order = self.evaluation.name_order();
            let begins = |row: u32| {
                let listed = beginning.as_ref().is_some_and(|it| it.contains(row as usize));
                Ok(listed || order.form(row)?.is_some_and(|form| forms.contains(form)))
            };
            self.add_wanted(&set, window, begins)?;
            return self.add_wanted(&set, window, |row| Ok(!begins(row)?));
        }
        if let Some(beginning) = beginning {
            set.and_not(&beginning);
            self.add_wanted(&beginning, window, |_| Ok(true))?;
        }
        self.add_wanted(&set, window, |_| Ok(true))
    }

    /// The rows of a set that the keywords put into a class; `None` if there are none.
    fn rows_of_class(
        &self,
        set: &RowSet,
        visit: Visit<'s>,
        count: fn(&FirstRows<'s>) -> u64,
    ) -> Result<Option<RowSet>, EvaluationError> {
        let mut class: Option<RowSet> = None;
        for keyword in &self.keywords {
            self.evaluation.budget.spend(count(keyword))?;
            visit(keyword, &mut |row| {
                if set.contains(row as usize) {
                    let row_count = self.evaluation.row_count;
                    class.get_or_insert_with(|| RowSet::empty(row_count)).insert(row as usize);
                }
            })?;
        }
        Ok(class)
    }

    /// Appends the wanted rows of a set as the next section of the results.
    fn add_wanted(
        &self,
        set: &RowSet,
        window: &mut Window,
        is_wanted: impl Fn(u32) -> Result<bool, Fault>,
    ) -> Result<(), EvaluationError> {
        if window.missing() == 0 {
            return Ok(());
        }
        let budget = self.evaluation.budget;
        budget.spend(units_of_set(self.evaluation.row_count as u64))?;
        let mut skip = window.skip;
        let mut result = Ok(());
        set.visit(|row| {
            let spent = budget.spend(UNITS_PER_VISITED_ROW).map_err(EvaluationError::from);
            match spent.and_then(|()| is_wanted(row as u32).map_err(EvaluationError::from)) {
                Ok(true) if skip > 0 => skip -= 1,
                Ok(true) => window.rows.push(row as u32),
                Ok(false) => {}
                Err(error) => {
                    result = Err(error);
                    return ControlFlow::Break(());
                }
            }
            if window.missing() == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        window.skip = skip;
        result
    }
}

/// A method of [`FirstRows`] that visits the rows of a class.
type Visit<'s> = fn(&FirstRows<'s>, &mut dyn FnMut(u32)) -> Result<(), Fault>;
