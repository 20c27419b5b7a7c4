//! Finds the rows that contain a keyword.

use super::dictionary::{ArchivedDictionary, LONGEST, Letter, ListAt, common};
use super::list::{Cursor, List, Lists, Probe};
use super::matches::Matches;
use crate::snapshot::Fault;

/// Most lists that are intersected, the rarest first. Comparing the texts removes what further lists would.
const LISTS_MAX: usize = 6;

/// An open index: the checked dictionary, and the lists.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'s> {
    dictionary: &'s ArchivedDictionary,
    lists: Lists<'s>,
}

/// The rows of a keyword according to the lists.
#[derive(Debug, Clone)]
pub enum Candidates<'s> {
    /// No verification needed.
    Exact(Matches<'s>),
    Unverified(Vec<u32>),
}

impl<'s> Candidates<'s> {
    /// The verified rows. `contains` checks the text of a candidate; it is not called if the lists are exact.
    pub fn verified<E>(
        self,
        mut contains: impl FnMut(u32) -> Result<bool, E>,
    ) -> Result<Matches<'s>, E> {
        match self {
            Candidates::Exact(matches) => Ok(matches),
            Candidates::Unverified(mut rows) => {
                let mut kept = 0;
                for read in 0..rows.len() {
                    if contains(rows[read])? {
                        rows[kept] = rows[read];
                        kept += 1;
                    }
                }
                rows.truncate(kept);
                Ok(Matches::read(rows))
            }
        }
    }
}

/// Bounds on a keyword's rows, known before any list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The length of its rarest list.
    pub rows: usize,
    /// Whether one list has exactly these rows. Otherwise texts must be compared too.
    pub is_listed: bool,
}

#[derive(Debug, Clone, Copy)]
struct Gram {
    number: u32,
    start: usize,
    end: usize,
    list: ListAt,
    common: bool,
}

impl<'s> Reader<'s> {
    /// For a dictionary that [`ArchivedDictionary::check`] accepted, with the lists of the same snapshot.
    pub fn of(dictionary: &'s ArchivedDictionary, lists: Lists<'s>) -> Reader<'s> {
        Reader { dictionary, lists }
    }

    fn letters(&self, keyword: &[char]) -> Option<Vec<Letter>> {
        keyword.iter().map(|character| self.dictionary.letter(*character)).collect()
    }

    /// The rows whose text contains the folded `keyword`. A single letter matches only texts of that one letter.
    pub fn rows(&self, keyword: &[char]) -> Result<Candidates<'s>, Fault> {
        let none = Ok(Candidates::Exact(Matches::none()));
        let Some(letters) = self.letters(keyword) else { return none };
        match letters.as_slice() {
            [] => none,
            [letter] => match self.dictionary.alone(*letter) {
                Some(list) => self.matches(list).map(Candidates::Exact),
                None => none,
            },
            letters => self.find_grams(letters),
        }
    }

    /// Upper bound on the rows with the folded `keyword`, and whether the index lists them. No list is read.
    pub fn bound(&self, keyword: &[char]) -> Result<Bound, Fault> {
        let letters = self.letters(keyword).unwrap_or_default();
        let lists: Vec<ListAt> = match letters.as_slice() {
            [] => Vec::new(),
            [letter] => self.dictionary.alone(*letter).into_iter().collect(),
            letters => self.cover(letters).unwrap_or_default().iter().map(|it| it.list).collect(),
        };
        let mut rows = None;
        for list in &lists {
            let count = match list {
                ListAt::Only(_) => 1,
                ListAt::Byte(at) => self.open(*at)?.count(),
            };
            rows = Some(rows.map_or(count, |least: usize| least.min(count)));
        }
        Ok(Bound { rows: rows.unwrap_or_default(), is_listed: lists.len() <= 1 })
    }

    /// Collects the positions of `keyword` in `found`, ascending. A single letter is found only at the index's
    /// edge.
    pub fn positions(&self, keyword: &[char], found: &mut Vec<u32>) -> Result<(), Fault> {
        found.clear();
        let Some(letters) = self.letters(keyword) else { return Ok(()) };
        let last = match letters.as_slice() {
            [] => return Ok(()),
            [letter] => {
                let list = self.dictionary.alone(*letter);
                let matches = list.map(|list| self.matches(list)).transpose()?;
                matches.iter().for_each(|it| it.for_each_piece(|all| found.extend_from_slice(all)));
                return Ok(());
            }
            letters => letters.len() - 2,
        };
        // Every second gram covers the keyword. An odd last letter is covered by the gram before it.
        let mut lists = Vec::with_capacity(letters.len() / 2 + 1);
        for at in (0..last).step_by(2).chain([last]) {
            let gram = self.dictionary.bigram(letters[at], letters[at + 1]);
            let Some(list) = gram.and_then(|gram| self.dictionary.list(gram)) else {
                return Ok(());
            };
            lists.push((at as u32, self.matches(list)?));
        }
        lists.sort_unstable_by_key(|(at, matches)| (matches.count(), *at));
        let mut lists = lists.into_iter();
        let Some((first, rarest)) = lists.next() else { return Ok(()) };
        found.reserve(rarest.count());
        rarest.for_each_piece(|all| found.extend_from_slice(all));
        found.drain(..found.partition_point(|position| *position < first));
        found.iter_mut().for_each(|position| *position = position.wrapping_sub(first));
        for (at, matches) in lists {
            matches.retain(at, found);
        }
        Ok(())
    }

    fn find_grams(&self, letters: &[Letter]) -> Result<Candidates<'s>, Fault> {
        let none = Ok(Candidates::Exact(Matches::none()));
        let Some(cover) = self.cover(letters) else { return none };
        if let [whole] = cover.as_slice()
            && whole.end == letters.len()
        {
            return self.matches(whole.list).map(Candidates::Exact);
        }
        let mut lists: Vec<(ListAt, List<'_>)> = Vec::with_capacity(cover.len());
        let mut before: Option<Gram> = None;
        for gram in cover {
            let list = match gram.list {
                // One row is the minimum, and reading one text is faster than a list.
                ListAt::Only(row) => return Ok(Candidates::Unverified(vec![row])),
                ListAt::Byte(at) => self.open(at)?,
            };
            let common = list.count() > common(self.dictionary.threshold()) as usize;
            let frequent = list.count() > self.dictionary.threshold() as usize;
            // If the gram that joins this one and the one before occurred anywhere it would be listed, since both
            // are common.
            let absent = before.is_some_and(|before| {
                let same = before.number == gram.number && before.start + 1 == gram.start;
                let between = before.end + 2 - gram.start;
                between <= LONGEST && (common && before.common || frequent && same)
            });
            if absent {
                return none;
            }
            before = Some(Gram { common, ..gram });
            lists.push((gram.list, list));
        }
        lists.sort_by_key(|(at, list)| (list.count(), *at));
        lists.dedup_by_key(|(at, _)| *at);
        lists.truncate(LISTS_MAX);
        let lists = lists.into_iter().map(|(_, list)| list);
        Ok(Candidates::Unverified(intersection(lists)))
    }

    /// The maximal listed grams of a keyword, in order; `None` if two adjacent letters never occur together.
    fn cover(&self, letters: &[Letter]) -> Option<Vec<Gram>> {
        let mut cover: Vec<Gram> = Vec::new();
        for start in 0..letters.len().saturating_sub(1) {
            let (number, end) = self.longest(letters, start)?;
            if cover.last().is_none_or(|before| before.end < end) {
                let list = self.dictionary.list(number)?;
                cover.push(Gram { number, start, end, list, common: false });
            }
        }
        Some(cover)
    }

    /// The longest listed gram that begins at this letter, and the index of the letter after it.
    fn longest(&self, letters: &[Letter], start: usize) -> Option<(u32, usize)> {
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

    fn matches(&self, list: ListAt) -> Result<Matches<'s>, Fault> {
        match list {
            ListAt::Only(row) => Ok(Matches::read(vec![row])),
            ListAt::Byte(at) => self.open(at).map(Matches::listed),
        }
    }

    pub(super) fn lists(&self) -> Lists<'s> {
        self.lists
    }

    pub(super) fn dictionary(&self) -> &'s ArchivedDictionary {
        self.dictionary
    }

    pub(super) fn open(&self, at: u32) -> Result<List<'s>, Fault> {
        List::open(self.lists, at as usize, self.dictionary.numbers())
    }
}

/// The rows that are in all lists; the first list is the shortest.
fn intersection<'s>(mut lists: impl Iterator<Item = List<'s>>) -> Vec<u32> {
    let mut rows = Vec::new();
    let Some(first) = lists.next() else { return rows };
    let mut others: Vec<Probe<'_>> = lists.map(Probe::begin).collect();
    let mut cursor = Cursor::begin(first);
    loop {
        let piece = cursor.next();
        if piece.is_empty() {
            return rows;
        }
        rows.extend(piece.iter().filter(|row| others.iter_mut().all(|it| it.contains(**row))));
    }
}
