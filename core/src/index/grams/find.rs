//! Finds the rows that contain a keyword.

use super::dictionary::{ArchivedDictionary, LONGEST, LetterIndex, ListRef, is_listed_if_rare};
use super::list::{List, Lists};
use super::matches::Matches;
use crate::snapshot::Fault;

/// Most lists that are intersected, the rarest first. Comparing the texts removes what further lists would.
const INTERSECTED_LISTS_MAX: usize = 6;

/// An open index: the checked dictionary, and the lists.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'s> {
    pub(super) dictionary: &'s ArchivedDictionary,
    pub(super) lists: Lists<'s>,
}

/// The rows of a keyword according to the lists.
#[derive(Debug, Clone)]
pub enum Candidates<'s> {
    /// No verification needed.
    Exact(Matches<'s>),
    Unverified(Vec<u32>),
}

/// Candidates whose texts are loaded together, so that the processor waits for memory once and not for each.
const LOADED_TOGETHER: usize = 32;

impl<'s> Candidates<'s> {
    /// The verified rows. `contains` checks the text of a candidate; it is not called if the lists are exact. Before that
    /// `prefetch` gets the candidates that are checked next.
    pub fn verified<E>(
        self,
        prefetch: impl Fn(&[u32]),
        mut contains: impl FnMut(u32) -> Result<bool, E>,
    ) -> Result<Matches<'s>, E> {
        let rows = match self {
            Candidates::Exact(matches) => return Ok(matches),
            Candidates::Unverified(rows) => rows,
        };
        let mut kept = Vec::with_capacity(rows.len());
        for rows in rows.chunks(LOADED_TOGETHER) {
            prefetch(rows);
            for row in rows {
                if contains(*row)? {
                    kept.push(*row);
                }
            }
        }
        Ok(Matches::from_unchecked_rows(kept))
    }
}

/// Bounds on a keyword's rows, known before any list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The length of its rarest list.
    pub rows: usize,
    /// Whether one list has exactly these rows. Otherwise texts must be compared too.
    pub is_exact: bool,
}

/// What has the rows of a keyword.
enum KeywordLists<'s> {
    /// One list, exactly; `None` if it has no rows.
    Whole(Option<ListRef>),
    /// At most this row.
    One(u32),
    /// Rows that are in all of these lists, the shortest first.
    Several(Vec<List<'s>>),
}

/// A listed gram of a keyword.
#[derive(Debug, Clone, Copy)]
struct Gram {
    number: u32,
    /// Its letters in the keyword: the first, and the one after the last.
    start: usize,
    end: usize,
    list: ListRef,
}

impl<'s> Reader<'s> {
    /// For a dictionary that [`ArchivedDictionary::check`] accepted, with the lists of the same snapshot.
    pub fn of(dictionary: &'s ArchivedDictionary, lists: Lists<'s>) -> Reader<'s> {
        Reader { dictionary, lists }
    }

    fn letters(&self, keyword: &[char]) -> Option<Vec<LetterIndex>> {
        keyword.iter().map(|character| self.dictionary.letter(*character)).collect()
    }

    /// The rows whose text may contain the folded `keyword`. A single letter matches only texts of that one letter.
    pub fn candidates(&self, keyword: &[char]) -> Result<Candidates<'s>, Fault> {
        let none = Ok(Candidates::Exact(Matches::none()));
        let Some(letters) = self.letters(keyword) else { return none };
        match letters.as_slice() {
            [] => none,
            [letter] => self.matches(self.dictionary.single_letter(*letter)).map(Candidates::Exact),
            letters => self.candidates_of_grams(letters),
        }
    }

    /// Bounds on the rows with the folded `keyword`. Only the heads of lists are read.
    pub fn bound(&self, keyword: &[char]) -> Result<Bound, Fault> {
        let letters = self.letters(keyword).unwrap_or_default();
        let lists: Vec<ListRef> = match letters.as_slice() {
            [] => Vec::new(),
            [letter] => self.dictionary.single_letter(*letter).into_iter().collect(),
            letters => {
                let cover = self.cover(letters).unwrap_or_default();
                cover.into_iter().map(|gram| gram.list).collect()
            }
        };
        let mut rows: Option<usize> = None;
        for list in &lists {
            let count = match list {
                ListRef::Single(_) => 1,
                ListRef::Offset(offset) => self.open(*offset)?.count(),
            };
            rows = Some(rows.map_or(count, |rarest| rarest.min(count)));
        }
        Ok(Bound { rows: rows.unwrap_or_default(), is_exact: lists.len() <= 1 })
    }

    /// Collects the positions of `keyword`, ascending. A single letter is found only at the index's edge.
    pub fn positions(&self, keyword: &[char], positions: &mut Vec<u32>) -> Result<(), Fault> {
        positions.clear();
        let Some(letters) = self.letters(keyword) else { return Ok(()) };
        if let [] | [_] = *letters {
            let list = letters.first().and_then(|letter| self.dictionary.single_letter(*letter));
            self.matches(list)?.for_each_batch(|batch| positions.extend_from_slice(batch));
            return Ok(());
        }
        let Some(grams) = self.consecutive(&letters) else { return Ok(()) };
        let mut lists = Vec::with_capacity(grams.len());
        for Gram { start, list, .. } in grams {
            lists.push((start as u32, self.matches(Some(list))?));
        }
        lists.sort_unstable_by_key(|(start, matches)| (matches.count(), *start));
        let mut lists = lists.into_iter();
        let Some((start, rarest)) = lists.next() else { return Ok(()) };
        positions.reserve(rarest.count());
        rarest.for_each_batch(|batch| positions.extend_from_slice(batch));
        positions.drain(..positions.partition_point(|position| *position < start));
        positions.iter_mut().for_each(|position| *position = position.wrapping_sub(start));
        for (start, matches) in lists {
            matches.retain(start, positions);
        }
        Ok(())
    }

    /// Removes from the ascending `rows` those whose text cannot contain the folded `keyword`. Returns whether the texts of
    /// the others must still be compared.
    pub fn retain(&self, keyword: &[char], rows: &mut Vec<u32>) -> Result<bool, Fault> {
        let found = match self.letters(keyword).unwrap_or_default().as_slice() {
            [] => KeywordLists::Whole(None),
            [letter] => KeywordLists::Whole(self.dictionary.single_letter(*letter)),
            letters => self.lists_of(letters)?,
        };
        match found {
            KeywordLists::Whole(list) => {
                self.matches(list)?.retain(0, rows);
                return Ok(false);
            }
            KeywordLists::One(only) => rows.retain(|row| *row == only),
            KeywordLists::Several(lists) => lists.iter().for_each(|list| list.retain(0, rows)),
        }
        Ok(true)
    }

    /// The candidates of a keyword of two letters or more.
    fn candidates_of_grams(&self, letters: &[LetterIndex]) -> Result<Candidates<'s>, Fault> {
        Ok(match self.lists_of(letters)? {
            KeywordLists::Whole(list) => Candidates::Exact(self.matches(list)?),
            KeywordLists::One(row) => Candidates::Unverified(vec![row]),
            KeywordLists::Several(lists) => Candidates::Unverified(intersection(lists)),
        })
    }

    /// The lists of a keyword of two letters or more.
    fn lists_of(&self, letters: &[LetterIndex]) -> Result<KeywordLists<'s>, Fault> {
        let none = Ok(KeywordLists::Whole(None));
        let Some(cover) = self.cover(letters) else { return none };
        if let [whole] = cover.as_slice()
            && whole.end == letters.len()
        {
            return Ok(KeywordLists::Whole(Some(whole.list)));
        }
        let mut grams: Vec<(Gram, List<'_>)> = Vec::with_capacity(cover.len());
        for gram in cover {
            let list = match gram.list {
                // One row is the minimum, and reading one text is faster than a list.
                ListRef::Single(row) => return Ok(KeywordLists::One(row)),
                ListRef::Offset(offset) => self.open(offset)?,
            };
            let pair = (gram, list);
            if grams.last().is_some_and(|previous| self.are_never_joined(*previous, pair)) {
                return none;
            }
            grams.push(pair);
        }
        grams.sort_by_key(|(gram, list)| (list.count(), gram.list));
        grams.dedup_by_key(|(gram, _)| gram.list);
        grams.truncate(INTERSECTED_LISTS_MAX);
        Ok(KeywordLists::Several(grams.into_iter().map(|(_, list)| list).collect()))
    }

    /// Whether no text has these two grams as the keyword has them, one after the other. The shortest gram that joins
    /// them has one letter of each beside their overlap. The index may list it, if it occurs anywhere, however rare it is.
    fn are_never_joined(
        &self,
        (left, left_list): (Gram, List<'_>),
        (right, right_list): (Gram, List<'_>),
    ) -> bool {
        let ArchivedDictionary { threshold, common, .. } = self.dictionary;
        let (threshold, common) = (threshold.to_native(), common.to_native());
        let counts = [left_list, right_list].map(|list| list.count() as u32);
        let is_repetition = left.number == right.number && left.start + 1 == right.start;
        let joined_letters = left.end + 2 - right.start;
        joined_letters <= LONGEST && is_listed_if_rare(threshold, common, counts, is_repetition)
    }

    /// The maximal listed grams of a keyword, in order; `None` if two adjacent letters never occur together.
    fn cover(&self, letters: &[LetterIndex]) -> Option<Vec<Gram>> {
        let mut cover: Vec<Gram> = Vec::new();
        for start in 0..letters.len().saturating_sub(1) {
            let (number, end) = self.longest(letters, start)?;
            if cover.last().is_none_or(|previous| previous.end < end) {
                let list = self.dictionary.list(number)?;
                cover.push(Gram { number, start, end, list });
            }
        }
        Some(cover)
    }

    /// Listed grams, each beginning where the one before it ends, that together have every letter of a keyword. Only the last
    /// one may begin earlier, because a gram has two letters. `None` if two adjacent letters never occur together.
    fn consecutive(&self, letters: &[LetterIndex]) -> Option<Vec<Gram>> {
        let (mut grams, mut next) = (Vec::new(), 0);
        while next < letters.len() {
            let start = next.min(letters.len() - 2);
            let (number, end) = self.longest(letters, start)?;
            grams.push(Gram { number, start, end, list: self.dictionary.list(number)? });
            next = end;
        }
        Some(grams)
    }

    /// The longest listed gram that begins at this letter, and the index of the letter after it.
    fn longest(&self, letters: &[LetterIndex], start: usize) -> Option<(u32, usize)> {
        let mut gram = self.dictionary.bigram(letters[start], letters[start + 1])?;
        let mut end = start + 2;
        while let Some(last) = letters.get(end)
            && end - start < LONGEST
            && let Some(child) = self.dictionary.child(gram, *last)
        {
            gram = child;
            end += 1;
        }
        Some((gram, end))
    }

    fn matches(&self, list: Option<ListRef>) -> Result<Matches<'s>, Fault> {
        match list {
            None => Ok(Matches::none()),
            Some(ListRef::Single(row)) => Ok(Matches::from_unchecked_rows(vec![row])),
            Some(ListRef::Offset(offset)) => self.open(offset).map(Matches::from_list),
        }
    }

    pub(super) fn open(&self, offset: u32) -> Result<List<'s>, Fault> {
        List::open(self.lists, offset as usize, self.dictionary.universe.to_native())
    }
}

/// The rows that are in all lists; the first list is the shortest.
fn intersection(lists: Vec<List<'_>>) -> Vec<u32> {
    let mut lists = lists.into_iter();
    let mut rows =
        lists.next().map(|list| Matches::from_list(list).into_rows()).unwrap_or_default();
    for list in lists {
        list.retain(0, &mut rows);
    }
    rows
}
