//! The previous index: how many rows each of its grams had, how many of these were removed, and the new numbers of the kept
//! rows.
//!
//! The index was checked when its snapshot was opened. If it does not fit the texts of the removed rows, that is a fault.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::index::grams::dictionary::{ArchivedDictionary, LONGEST, LetterIndex, ListRef};
use crate::index::grams::find::Reader;
use crate::index::grams::list::{Cursor, List};
use crate::index::grams::{BuildFault, RowLists};
use crate::index::renumbering::Renumbering;
use crate::index::row_set::RowSet;
use crate::snapshot::{Fault, OpenError};

/// The new index cannot be made from the previous one; build it from all texts.
#[derive(Debug, thiserror::Error)]
pub enum RenewFault {
    #[error("the previous index does not fit: expected {expected}; make it from all texts")]
    Previous { expected: &'static str },
    #[error(transparent)]
    Read(#[from] Fault),
    #[error(transparent)]
    Open(#[from] Arc<OpenError>),
    #[error(transparent)]
    Build(#[from] BuildFault),
}

const NONE: u32 = u32::MAX;

pub struct Previous<'s> {
    reader: Reader<'s>,
    /// The offset of the last opened list.
    last_opened: Cell<usize>,
    renumbering: &'s Renumbering,
    /// For each gram the number of its rows.
    counts: Vec<Count>,
    /// For each letter the number of texts that are this single letter.
    single_letters: Vec<Count>,
    /// For each gram of three letters or more: the gram without its first letter.
    suffixes: Vec<u32>,
    /// The first gram of each length, from three on, and the end.
    lengths: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    before: u32,
    removed: u32,
    /// The removed row that was counted last, so that no row counts twice.
    last: u32,
}

impl Count {
    fn of(before: u32) -> Count {
        Count { before, removed: 0, last: NONE }
    }

    fn kept(self) -> u32 {
        self.before - self.removed
    }

    fn remove(&mut self, row: u32) {
        if self.last != row {
            self.last = row;
            self.removed += 1;
        }
    }
}

impl<'s> Previous<'s> {
    /// Reads an index; `text` writes the folded text of a row of the previous table.
    pub fn read(
        reader: Reader<'s>,
        renumbering: &'s Renumbering,
        rule: RowLists,
        text: impl FnMut(u32, &mut Vec<char>) -> Result<(), Arc<OpenError>>,
    ) -> Result<Previous<'s>, RenewFault> {
        let dictionary = reader.dictionary;
        if dictionary.universe != renumbering.earlier_rows() {
            return Err(RenewFault::Previous { expected: "as many rows as its table has" });
        }
        if dictionary.threshold != rule.threshold || dictionary.common != rule.common {
            return Err(RenewFault::Previous { expected: "grams that are listed as now" });
        }
        let (suffixes, lengths) = suffixes(dictionary)
            .ok_or(RenewFault::Previous { expected: "a list of each shorter gram" })?;
        let letters = dictionary.alphabet().count() as u32;
        let mut previous = Previous {
            reader,
            last_opened: Cell::new(0),
            renumbering,
            counts: Vec::with_capacity(dictionary.grams() as usize),
            single_letters: Vec::with_capacity(letters as usize),
            suffixes,
            lengths,
        };
        for gram in 0..dictionary.grams() {
            let count = previous.list_length(dictionary.list(gram))?;
            previous.counts.push(Count::of(count));
        }
        for letter in 0..letters {
            let count = previous.list_length(dictionary.single_letter(letter as LetterIndex))?;
            previous.single_letters.push(Count::of(count));
        }
        previous.count_removed(text)?;
        Ok(previous)
    }

    fn list_length(&self, list: Option<ListRef>) -> Result<u32, Fault> {
        Ok(match list {
            None => 0,
            Some(ListRef::Single(_)) => 1,
            Some(ListRef::Offset(offset)) => self.open(offset)?.count() as u32,
        })
    }

    /// Opens a list. Most lists are opened in order, so the memory of those before it is released.
    fn open(&self, offset: u32) -> Result<List<'s>, Fault> {
        let last = self.last_opened.replace(offset as usize);
        if last < offset as usize {
            self.reader.lists.release_before(last..offset as usize);
        }
        self.reader.open(offset)
    }

    /// Counts the removed rows of each gram and single letter.
    fn count_removed(
        &mut self,
        mut text: impl FnMut(u32, &mut Vec<char>) -> Result<(), Arc<OpenError>>,
    ) -> Result<(), RenewFault> {
        let dictionary = self.reader.dictionary;
        let unknown = RenewFault::Previous { expected: "every gram of the texts" };
        let (mut characters, mut letters) = (Vec::new(), Vec::new());
        for row in self.renumbering.removed() {
            characters.clear();
            text(row, &mut characters)?;
            letters.clear();
            letters.extend(characters.iter().filter_map(|it| dictionary.letter(*it)));
            if letters.len() != characters.len() {
                return Err(unknown);
            }
            if let [letter] = *letters {
                self.single_letters[usize::from(letter)].remove(row);
            }
            for start in 0..letters.len().saturating_sub(1) {
                let Some(mut gram) = dictionary.bigram(letters[start], letters[start + 1]) else {
                    return Err(unknown);
                };
                self.counts[gram as usize].remove(row);
                for last in letters[start..].iter().take(LONGEST).skip(2) {
                    let Some(child) = dictionary.child(gram, *last) else { break };
                    gram = child;
                    self.counts[gram as usize].remove(row);
                }
            }
        }
        let fits = self.counts.iter().chain(&self.single_letters).all(|it| it.removed <= it.before);
        if fits { Ok(()) } else { Err(unknown) }
    }

    pub fn dictionary(&self) -> &'s ArchivedDictionary {
        self.reader.dictionary
    }

    /// The grams of this length, at least three, each with its parent and last letter.
    pub fn longer(&self, length: usize) -> impl Iterator<Item = (u32, u32, LetterIndex)> {
        let first_gram = |length: usize| {
            let first = self.lengths.get(length - 3).or(self.lengths.last());
            first.copied().unwrap_or_default()
        };
        let (start, end) = (first_gram(length), first_gram(length + 1));
        let bigrams = self.dictionary().bigram_count() as u32;
        let range = (start - bigrams) as usize..(end - bigrams) as usize;
        (start..end)
            .zip(self.dictionary().longer(range))
            .map(|(gram, (parent, last))| (gram, parent, last))
    }

    /// A gram of three letters or more, without its first letter.
    pub fn suffix(&self, gram: u32) -> u32 {
        self.suffixes[gram as usize - self.dictionary().bigram_count()]
    }

    /// The number of rows that had a gram.
    pub fn count(&self, gram: u32) -> u32 {
        self.counts[gram as usize].before
    }

    /// The number of kept rows that have a gram.
    pub fn kept(&self, gram: u32) -> u32 {
        self.counts[gram as usize].kept()
    }

    /// The number of kept rows whose text is this single letter.
    pub fn kept_single_letter(&self, letter: LetterIndex) -> u32 {
        self.single_letters[usize::from(letter)].kept()
    }

    /// Appends the new numbers of the kept rows of a list to an empty vector.
    pub fn rows(&self, list: Option<ListRef>, rows: &mut Vec<u32>) -> Result<(), Fault> {
        self.for_each_batch(list, |batch| {
            rows.extend_from_slice(batch);
            ControlFlow::Continue(())
        })?;
        self.renumbering.renumber(rows);
        Ok(())
    }

    /// The rows of the previous table that had a gram.
    pub fn row_set(&self, gram: u32) -> Result<RowSet, Fault> {
        let mut set = RowSet::empty(self.renumbering.earlier_rows() as usize);
        self.for_each_batch(self.dictionary().list(gram), |batch| {
            batch.iter().for_each(|row| set.insert(*row as usize));
            ControlFlow::Continue(())
        })?;
        Ok(set)
    }

    /// The new numbers of the kept rows that had a gram and were in a set; `None` if there are fewer than `min`. Stops
    /// reading as soon as that is certain.
    pub fn rows_among(
        &self,
        set: &RowSet,
        gram: u32,
        min: usize,
    ) -> Result<Option<Vec<u32>>, Fault> {
        let (mut rows, mut unread) = (Vec::new(), self.count(gram) as usize);
        self.for_each_batch(self.dictionary().list(gram), |batch| {
            unread = unread.saturating_sub(batch.len());
            let mut kept = rows.len();
            rows.resize(kept + batch.len(), 0);
            // No branch: whether a row is in the set cannot be predicted.
            for row in batch {
                rows[kept] = *row;
                kept += usize::from(set.contains(*row as usize));
            }
            rows.truncate(kept);
            if kept + unread < min { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.renumbering.renumber(&mut rows);
        Ok(Some(rows).filter(|rows| rows.len() >= min))
    }

    /// Reads a list in batches until `each` stops.
    fn for_each_batch(
        &self,
        list: Option<ListRef>,
        mut each: impl FnMut(&[u32]) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        match list {
            None => {}
            Some(ListRef::Single(row)) => _ = each(&[row]),
            Some(ListRef::Offset(offset)) => {
                let mut cursor = Cursor::new(self.open(offset)?);
                loop {
                    let batch = cursor.next_batch();
                    if batch.is_empty() || each(batch).is_break() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// For each gram of three letters or more the gram without its first letter, and the first gram of each length. `None` if
/// one of the shorter grams is not listed.
fn suffixes(dictionary: &ArchivedDictionary) -> Option<(Vec<u32>, Vec<u32>)> {
    let second_letters: Vec<LetterIndex> = dictionary.bigrams().map(|[_, second]| second).collect();
    let bigrams = second_letters.len() as u32;
    let mut lengths = vec![bigrams];
    let mut suffixes: Vec<u32> = Vec::new();
    for (gram, (parent, last)) in (bigrams..).zip(dictionary.longer(0..usize::MAX)) {
        let suffix = match parent.checked_sub(bigrams) {
            None => dictionary.bigram(second_letters[parent as usize], last),
            Some(longer) => dictionary.child(*suffixes.get(longer as usize)?, last),
        };
        suffixes.push(suffix?);
        // The first gram whose parent has the previous length begins a length.
        if lengths.last().is_some_and(|start| parent >= *start) {
            lengths.push(gram);
        }
    }
    lengths.push(dictionary.grams());
    Some((suffixes, lengths))
}
