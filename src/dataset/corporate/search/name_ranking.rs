//! The order of the results: names that equal a keyword, names that begin with one, the rest; within each class by
//! standing (open corporations first) and then by row.
//!
//! Of a query of several words without operators, a name that equals all words together comes first, then rows by how
//! many words they meet. Rows that only their place makes a match come behind those with a matching name.

use std::iter;
use std::ops::ControlFlow;

use super::evaluate::{Evaluation, SearchMode, SelectedRows};
use super::keyword_form::{UNITS_PER_TEXT, name_keyword};
use super::selection::Selection;
use super::window::Window;
use super::words::Words;
use crate::index::attributes::Standings;
use crate::index::grams::Matches;
use crate::index::name_order::{Class, Classes, FormSet};
use crate::index::row_set::RowSet;
use crate::index::standing::Standing;
use crate::index::tally::Tally;
use crate::query::budget::EvaluationError;
use crate::query::rows::units_of_set;
use crate::snapshot::Fault;
use crate::text::fold::{Level, folded};
use crate::text::kind_words::{expand, split};

/// Units of work to find the classes of a keyword: it may end with the beginning of a kind word in several ways.
const UNITS_PER_KEYWORD: u64 = 10_000;

/// Units to sort a row among others.
const UNITS_PER_SORTED_ROW: u64 = 8;

/// Of at most one row in this many, results are ordered in a list instead of a bitmap.
const LISTED_ONE_IN: usize = 512;

/// Units to put a row into a list in which rows are looked up.
const UNITS_PER_LISTED_ROW: u64 = 4;

/// Orders results by the keywords that the query searches in names.
pub struct NameRanking<'e, 's> {
    evaluation: &'e Evaluation<'s>,
    standings: Standings<'s>,
    /// The words together as one name: with their kind words, then without.
    joined: [Vec<FirstRows<'s>>; 2],
    keywords: Vec<FirstRows<'s>>,
    /// For each row how many keywords it meets by a name; only where a keyword also names a place.
    met_by_name: Option<Tally>,
}

/// Most equal names of which the one that is written as typed comes first: their names are read.
const COMPARED_NAMES_MAX: u64 = 64;

/// The order of equal names: by standing, then the one that is written as typed, then one beside its employees.
type EqualOrder = (Standing, bool, Standing, u32);

/// The rows that one keyword puts into the first two classes.
struct FirstRows<'s> {
    text: String,
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

impl<'s> FirstRows<'s> {
    fn find(evaluation: &Evaluation<'s>, text: &str) -> Result<FirstRows<'s>, EvaluationError> {
        evaluation.budget.spend(UNITS_PER_KEYWORD)?;
        let found = |equal, beginning| FirstRows { text: text.to_owned(), equal, beginning };
        if evaluation.mode != SearchMode::Partial {
            let equal = EqualRows::Found(evaluation.name(text)?);
            return Ok(found(equal, None));
        }
        let keyword = name_keyword(text);
        let Classes { equal, beginning } = evaluation.name_order().classes(&keyword)?;
        let is_letter = keyword.chars().nth(1).is_none();
        let beginning = (!is_letter).then_some(beginning);
        Ok(found(EqualRows::Class(equal), beginning))
    }

    /// The keyword, with only its width folded.
    fn typed(&self) -> String {
        let typed = folded(self.text.trim(), Level::Width);
        expand(&typed, Level::Width).into_owned()
    }

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

impl<'e, 's> NameRanking<'e, 's> {
    /// A ranking by keywords of names. `bare` are the keywords without an identifier, which may also name places.
    pub fn new(
        evaluation: &'e Evaluation<'s>,
        keywords: &[&str],
        bare: &[&str],
    ) -> Result<NameRanking<'e, 's>, EvaluationError> {
        let find = |text: &&str| FirstRows::find(evaluation, text);
        let keywords = keywords.iter().map(find).collect::<Result<_, EvaluationError>>()?;
        let places = &evaluation.search_index.places;
        let names_place = evaluation.mode == SearchMode::Partial
            && bare.iter().any(|text| !places.named(text).is_empty());
        let mut met_by_name = None;
        if names_place {
            let mut tally = Tally::new(evaluation.row_count);
            for text in bare {
                evaluation.count_met(&evaluation.names_and_readings(text)?, &mut tally)?;
            }
            met_by_name = Some(tally);
        }
        let standings = evaluation.search_index.codes().standings()?;
        Ok(NameRanking {
            evaluation,
            standings,
            joined: [Vec::new(), Vec::new()],
            keywords,
            met_by_name,
        })
    }

    /// A ranking by several words without operators.
    pub fn of_words(
        evaluation: &'e Evaluation<'s>,
        words: &Words<'_>,
    ) -> Result<NameRanking<'e, 's>, EvaluationError> {
        let bare = words.words.iter().filter(|word| word.field.is_none());
        let bare: Vec<&str> = bare.map(|word| word.text).collect();
        let ranking = NameRanking::new(evaluation, &words.names(), &bare)?;
        let find = |name: &String| FirstRows::find(evaluation, name);
        let [all, names] = words.joined(evaluation.mode);
        let all = all.iter().map(find).collect::<Result<_, EvaluationError>>()?;
        let names = names.iter().map(find).collect::<Result<_, EvaluationError>>()?;
        Ok(NameRanking { joined: [all, names], ..ranking })
    }

    /// The requested rows of those found. `is_single` says that the only keyword found all of them.
    pub fn window(
        &self,
        found: SelectedRows<'s>,
        is_single: bool,
        mut window: Window<'_>,
    ) -> Result<Vec<u32>, EvaluationError> {
        match (found, self.keywords.as_slice()) {
            (SelectedRows::Matches(matches), []) => {
                self.add_matches(&matches, &[], &mut window)?;
            }
            (
                SelectedRows::Matches(matches),
                [keyword @ FirstRows { equal: EqualRows::Class(equal), beginning, .. }],
            ) if is_single => {
                // Fields other than the name may consist of only the letter of the keyword.
                let beginning = beginning.as_ref();
                self.window_of_list(&matches, keyword, equal, beginning, &mut window)?;
            }
            (found, _) => self.add_selection(self.selection_of(found)?, &mut window)?,
        }
        Ok(window.rows)
    }

    /// The rows found, as a list if they are few.
    fn selection_of(&self, found: SelectedRows<'s>) -> Result<Selection, EvaluationError> {
        match found {
            SelectedRows::Matches(matches)
                if matches.count() <= self.evaluation.row_count / LISTED_ONE_IN =>
            {
                self.evaluation.budget.spend(matches.count() as u64 * UNITS_PER_LISTED_ROW)?;
                Ok(Selection::of_list(matches.into_rows()))
            }
            found => Ok(Selection::of_set(self.evaluation.set_of(found)?)),
        }
    }

    /// The requested rows of those that several words found.
    pub fn window_of_words(
        &self,
        found: RowSet,
        tally: &Tally,
        mut window: Window<'_>,
    ) -> Result<Vec<u32>, EvaluationError> {
        let mut found = Selection::of_set(found);
        for joined in &self.joined {
            self.add_equal(joined, &mut found, &mut window)?;
        }
        let found = found.into_set(self.evaluation.row_count);
        for count in (0..=tally.sets()).rev() {
            if window.missing() == 0 {
                break;
            }
            let bitmaps = 1 + tally.digits() as u64;
            self.evaluation.budget.spend(bitmaps * self.units_of_set())?;
            let met = tally.counted(count, &found);
            if !met.is_empty() {
                self.add_selection(Selection::of_set(met), &mut window)?;
            }
        }
        Ok(window.rows)
    }

    /// The page of a list that contains all rows of the classes.
    fn window_of_list(
        &self,
        matches: &Matches<'_>,
        keyword: &FirstRows<'s>,
        equal: &Class<'s>,
        beginning: Option<&Class<'s>>,
        window: &mut Window<'_>,
    ) -> Result<(), EvaluationError> {
        if equal.count() <= COMPARED_NAMES_MAX {
            let mut rows = Vec::new();
            equal.visit(|row| rows.push(row))?;
            window.add_few(&self.sorted_equal(rows, std::slice::from_ref(keyword))?)?;
        } else {
            self.add_page(equal, Standing::Employer, window)?;
        }
        if let Some(beginning) = beginning {
            // Names that begin alike are not equal.
            self.add_page(beginning, Standing::Open, window)?;
        }
        if window.missing() == 0 {
            return Ok(());
        }
        let mut first = Vec::new();
        for class in iter::once(equal).chain(beginning) {
            self.evaluation.budget.spend(class.count() * UNITS_PER_SORTED_ROW)?;
            class.visit(|row| first.push(row))?;
        }
        first.sort_unstable();
        self.add_matches(matches, &first, window)
    }

    /// Appends the rows of a class by standing, of which `best` is the first that counts.
    fn add_page(
        &self,
        class: &Class<'s>,
        best: Standing,
        window: &mut Window<'_>,
    ) -> Result<(), EvaluationError> {
        if window.skip() < class.count() && window.missing() > 0 {
            self.evaluation.budget.spend(class.cost(window.skip()))?;
        }
        let page = |skip, limit| class.rows(skip, limit, best, |row| self.standings.of(row));
        Ok(window.add_section(class.count(), page)?)
    }

    /// Equal names in the order of the results. `keywords` are those that they equal.
    fn sorted_equal(
        &self,
        mut rows: Vec<u32>,
        keywords: &[FirstRows<'s>],
    ) -> Result<Vec<u32>, EvaluationError> {
        rows.sort_unstable();
        rows.dedup();
        let compares_names = (2..=COMPARED_NAMES_MAX).contains(&(rows.len() as u64));
        let keywords = if compares_names { keywords } else { &[] };
        let typed: Vec<String> = keywords.iter().map(FirstRows::typed).collect();
        let mut ordered: Vec<EqualOrder> = Vec::with_capacity(rows.len());
        for row in rows {
            let standing = self.standings.of(row);
            let differs = compares_names && !self.is_written_as(row, &typed)?;
            ordered.push((standing.among_unequal_names(), differs, standing, row));
        }
        ordered.sort_unstable();
        Ok(ordered.into_iter().map(|(_, _, _, row)| row).collect())
    }

    /// Whether a name, with or without its kind word, is written as one of the keywords but for its width.
    fn is_written_as(&self, row: u32, typed: &[String]) -> Result<bool, EvaluationError> {
        self.evaluation.budget.spend(UNITS_PER_TEXT)?;
        let name = folded(self.evaluation.data.name(row)?.trim(), Level::Width);
        let body = split(&name, Level::Width).0;
        Ok(typed.iter().any(|typed| *typed == name || *typed == body))
    }

    /// Appends the rows of a list except these ascending ones.
    fn add_matches(
        &self,
        matches: &Matches<'_>,
        except: &[u32],
        window: &mut Window<'_>,
    ) -> Result<(), EvaluationError> {
        let walk = |each: &mut dyn FnMut(&[u32]) -> ControlFlow<()>| {
            let (mut except, mut kept) = (except.iter().peekable(), Vec::new());
            matches.visit_batches(|rows| {
                if except.peek().is_none() {
                    return each(rows);
                }
                kept.clear();
                kept.extend(rows.iter().copied().filter(|row| {
                    while except.next_if(|other| *other < row).is_some() {}
                    except.next_if_eq(&row).is_none()
                }));
                each(&kept)
            });
        };
        window.add_by_standing(&walk, |row| self.standings.of(row), |_| Ok(true))
    }

    /// Appends the selected rows in the order of the results.
    fn add_selection(
        &self,
        mut selected: Selection,
        window: &mut Window<'_>,
    ) -> Result<(), EvaluationError> {
        // A keyword that is only the beginning of a kind word has no part here: its forms are compared below.
        let is_whole = |it: &&FirstRows<'_>| {
            it.beginning.as_ref().is_none_or(|class| class.whole_forms().is_empty())
        };
        self.add_class(self.joined.iter().flatten().filter(is_whole), &mut selected, window)?;
        self.add_equal(&self.keywords, &mut selected, window)?;
        let classes = self.keywords.iter().filter_map(|keyword| keyword.beginning.as_ref());
        let forms = classes.map(Class::whole_forms).fold(FormSet::default(), FormSet::or);
        if forms.is_empty() {
            self.add_class(self.keywords.iter(), &mut selected, window)?;
            return self.add_rest(selected, window, |_| Ok(true));
        }
        let beginning = self.rows_of_class(self.keywords.iter(), &selected)?;
        // A million names begin with 株式, so their forms are compared, and only as far as needed.
        let order = self.evaluation.name_order();
        let begins = |row: u32| {
            let listed = beginning.as_ref().is_some_and(|it| it.contains(row));
            Ok(listed || order.form(row)?.is_some_and(|form| forms.contains(form)))
        };
        self.add_wanted(&selected, window, begins)?;
        self.add_rest(selected, window, |row| Ok(!begins(row)?))
    }

    /// Moves the selected rows whose names equal a keyword to the page. They are few, so they are sorted.
    fn add_equal(
        &self,
        keywords: &[FirstRows<'s>],
        selected: &mut Selection,
        window: &mut Window<'_>,
    ) -> Result<(), EvaluationError> {
        let mut equal = Vec::new();
        for keyword in keywords {
            self.evaluation.budget.spend(keyword.equal_count() * UNITS_PER_SORTED_ROW)?;
            keyword.visit_equal(&mut |row| {
                if selected.contains(row) {
                    equal.push(row);
                }
            })?;
        }
        let equal = self.sorted_equal(equal, keywords)?;
        equal.iter().for_each(|row| selected.remove(*row));
        Ok(window.add_few(&equal)?)
    }

    /// Moves the selected rows whose names begin with one of the keywords to the page.
    fn add_class<'k>(
        &self,
        keywords: impl Iterator<Item = &'k FirstRows<'s>>,
        selected: &mut Selection,
        window: &mut Window<'_>,
    ) -> Result<(), EvaluationError>
    where
        's: 'k,
    {
        if let Some(beginning) = self.rows_of_class(keywords, selected)? {
            selected.remove_all(&beginning);
            self.add_wanted(&beginning, window, |_| Ok(true))?;
        }
        Ok(())
    }

    /// The selected rows whose names begin with one of the keywords; `None` if there are none.
    fn rows_of_class<'k>(
        &self,
        keywords: impl Iterator<Item = &'k FirstRows<'s>>,
        selected: &Selection,
    ) -> Result<Option<Selection>, EvaluationError>
    where
        's: 'k,
    {
        let mut class = selected.part();
        for keyword in keywords {
            self.evaluation.budget.spend(keyword.beginning_count())?;
            keyword.visit_beginning(&mut |row| class.add(row))?;
        }
        Ok(class.finish())
    }

    /// Appends the wanted rows of those that no class has: those with more names that match come first.
    fn add_rest(
        &self,
        selected: Selection,
        window: &mut Window<'_>,
        is_wanted: impl Fn(u32) -> Result<bool, Fault>,
    ) -> Result<(), EvaluationError> {
        let Some(tally) = &self.met_by_name else {
            return self.add_wanted(&selected, window, is_wanted);
        };
        let set = selected.into_set(self.evaluation.row_count);
        for count in (0..=tally.sets()).rev() {
            if window.missing() > 0 {
                self.evaluation.budget.spend(self.units_of_set())?;
                let met = Selection::of_set(tally.counted(count, &set));
                self.add_wanted(&met, window, &is_wanted)?;
            }
        }
        Ok(())
    }

    /// Appends the wanted rows of a selection as the next section of the results.
    fn add_wanted(
        &self,
        selected: &Selection,
        window: &mut Window<'_>,
        is_wanted: impl Fn(u32) -> Result<bool, Fault>,
    ) -> Result<(), EvaluationError> {
        if window.missing() == 0 {
            return Ok(());
        }
        self.evaluation.budget.spend(selected.units())?;
        // One row at a time: beyond the last row of the page a set may have none for millions of rows.
        let walk = |each: &mut dyn FnMut(&[u32]) -> ControlFlow<()>| {
            selected.visit(|row| each(&[row]));
        };
        window.add_by_standing(&walk, |row| self.standings.of(row), is_wanted)
    }

    fn units_of_set(&self) -> u64 {
        units_of_set(self.evaluation.row_count as u64)
    }
}
