//! The previous index: how many rows each of its grams had, how many of these were removed, and the new numbers of the kept
//! rows.
//!
//! The index was checked when its snapshot was opened. If it does not fit the texts of the removed rows, that is a fault.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::index::grams::dictionary::{ArchivedDictionary, LONGEST, Letter, ListAt};
use crate::index::grams::find::Reader;
use crate::index::grams::list::{Cursor, List};
use crate::index::grams::texts::BuildFault;
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
    place: Cell<usize>,
    renumbering: &'s Renumbering,
    /// For each gram the number of its rows.
    counts: Vec<Count>,
    /// For each letter the number of texts that are this letter alone.
    alone: Vec<Count>,
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
        threshold: u32,
        text: impl FnMut(u32, &mut Vec<char>) -> Result<(), Arc<OpenError>>,
    ) -> Result<Previous<'s>, RenewFault> {
        let dictionary = reader.dictionary();
        if dictionary.numbers() != renumbering.before() {
            return Err(RenewFault::Previous { expected: "as many rows as its table has" });
        }
        if dictionary.threshold() != threshold {
            return Err(RenewFault::Previous { expected: "grams that are listed as now" });
        }
        let (suffixes, lengths) = suffixes(dictionary)
            .ok_or(RenewFault::Previous { expected: "a list of each shorter gram" })?;
        let letters = dictionary.alphabet().count() as u32;
        let mut previous = Previous {
            reader,
            place: Cell::new(0),
            renumbering,
            counts: Vec::with_capacity(dictionary.grams() as usize),
            alone: Vec::with_capacity(letters as usize),
            suffixes,
            lengths,
        };
        for gram in 0..dictionary.grams() {
            let count = previous.length_of(dictionary.list(gram))?;
            previous.counts.push(Count::of(count));
        }
        for letter in 0..letters {
            let count = previous.length_of(dictionary.alone(letter as Letter))?;
            previous.alone.push(Count::of(count));
        }
        previous.count_removed(text)?;
        Ok(previous)
    }

    fn length_of(&self, list: Option<ListAt>) -> Result<u32, Fault> {
        Ok(match list {
            None => 0,
            Some(ListAt::Only(_)) => 1,
            Some(ListAt::Byte(at)) => self.open(at)?.count() as u32,
        })
    }

    /// Opens a list. Most lists are opened in order, so the memory of those before it is released.
    fn open(&self, at: u32) -> Result<List<'s>, Fault> {
        let last = self.place.replace(at as usize);
        if last < at as usize {
            self.reader.lists().release_before(last..at as usize);
        }
        self.reader.open(at)
    }

    fn count_removed(
        &mut self,
        mut text: impl FnMut(u32, &mut Vec<char>) -> Result<(), Arc<OpenError>>,
    ) -> Result<(), RenewFault> {
        let dictionary = self.reader.dictionary();
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
            if let [only] = *letters {
                self.alone[usize::from(only)].remove(row);
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
        let whole = self.counts.iter().chain(&self.alone).all(|it| it.removed <= it.before);
        if whole { Ok(()) } else { Err(unknown) }
    }

    pub fn dictionary(&self) -> &'s ArchivedDictionary {
        self.reader.dictionary()
    }

    /// The grams of this length, at least three, each with its parent and last letter.
    pub fn longer(&self, length: usize) -> impl Iterator<Item = (u32, u32, Letter)> {
        let bound = |length: usize| self.lengths.get(length).or(self.lengths.last()).copied();
        let [start, end] = [length - 3, length - 2].map(|length| bound(length).unwrap_or_default());
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
        let Count { before, removed, .. } = self.counts[gram as usize];
        before - removed
    }

    /// The number of kept rows whose text is this letter alone.
    pub fn kept_alone(&self, letter: Letter) -> u32 {
        let Count { before, removed, .. } = self.alone[usize::from(letter)];
        before - removed
    }

    /// Appends the new numbers of the kept rows of a gram to an empty list.
    pub fn rows(&self, gram: u32, rows: &mut Vec<u32>) -> Result<(), Fault> {
        self.renumbered(self.dictionary().list(gram), rows)
    }

    pub fn rows_alone(&self, letter: Letter, rows: &mut Vec<u32>) -> Result<(), Fault> {
        self.renumbered(self.dictionary().alone(letter), rows)
    }

    fn renumbered(&self, list: Option<ListAt>, rows: &mut Vec<u32>) -> Result<(), Fault> {
        self.each_piece(list, |piece| {
            rows.extend_from_slice(piece);
            ControlFlow::Continue(())
        })?;
        self.renumbering.renumber(rows);
        Ok(())
    }

    /// The rows of the previous table that had a gram.
    pub fn row_set(&self, gram: u32) -> Result<RowSet, Fault> {
        let mut set = RowSet::empty(self.renumbering.before() as usize);
        self.each_piece(self.dictionary().list(gram), |piece| {
            piece.iter().for_each(|row| set.insert(*row as usize));
            ControlFlow::Continue(())
        })?;
        Ok(set)
    }

    /// The new numbers of the kept rows that had a gram and were in a set; `None` if there are fewer than `least`. Stops
    /// reading as soon as that is certain.
    pub fn rows_among(
        &self,
        set: &RowSet,
        gram: u32,
        least: usize,
    ) -> Result<Option<Vec<u32>>, Fault> {
        let (mut rows, mut left) = (Vec::new(), self.count(gram) as usize);
        self.each_piece(self.dictionary().list(gram), |piece| {
            left = left.saturating_sub(piece.len());
            let mut kept = rows.len();
            rows.resize(kept + piece.len(), 0);
            // No branch: whether a row is in the set cannot be predicted.
            for row in piece {
                rows[kept] = *row;
                kept += usize::from(set.contains(*row as usize));
            }
            rows.truncate(kept);
            if kept + left < least { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.renumbering.renumber(&mut rows);
        Ok(Some(rows).filter(|rows| rows.len() >= least))
    }

    /// Reads a list piece by piece until `each` stops.
    fn each_piece(
        &self,
        list: Option<ListAt>,
        mut each: impl FnMut(&[u32]) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        match list {
            None => {}
            Some(ListAt::Only(row)) => _ = each(&[row]),
            Some(ListAt::Byte(at)) => {
                let mut cursor = Cursor::begin(self.open(at)?);
                loop {
                    let piece = cursor.next();
                    if piece.is_empty() || each(piece).is_break() {
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
    let seconds: Vec<Letter> = dictionary.bigrams().map(|[_, second]| second).collect();
    let bigrams = seconds.len() as u32;
    let mut lengths = vec![bigrams];
    let mut suffixes: Vec<u32> = Vec::new();
    for (gram, (parent, last)) in (bigrams..).zip(dictionary.longer(0..usize::MAX)) {
        let suffix = match parent.checked_sub(bigrams) {
            None => dictionary.bigram(seconds[parent as usize], last),
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
