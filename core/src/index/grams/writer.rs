//! Writes an index: the listed grams and their lists.
//!
//! `builder` and `renew` add grams here: grams of two letters first, then by length, each length ordered by parent
//! and last letter. The writer alone decides which grams are listed and which lists are shared. So the same texts
//! give the same bytes, however the grams were counted.

use super::dictionary::{
    Dictionary, LIST_BYTES_MAX, LetterIndex, ListRef, RowLists, is_listed_if_rare,
};
use super::{BuildFault, list};

pub struct IndexWriter {
    dictionary: Dictionary,
    lists: Vec<u8>,
    scratch: Vec<u8>,
    /// See [`RowLists::bitmap_factor`].
    bitmap_factor: usize,
    numbers: Numbers,
    /// For each gram the length of its list.
    counts: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
pub struct NewGram {
    pub gram: u32,
    /// Whether it shares the list of a shorter gram. Otherwise its list must be written.
    pub is_shared: bool,
}

/// What the numbers in the lists are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    Rows,
    Positions,
}

impl IndexWriter {
    /// An empty index over an ascending alphabet, with the expected size of its lists in bytes.
    pub fn new(
        universe: u32,
        rule: RowLists,
        numbers: Numbers,
        alphabet: Vec<u32>,
        bytes: usize,
    ) -> IndexWriter {
        IndexWriter {
            dictionary: Dictionary::new(universe, rule, alphabet),
            bitmap_factor: rule.bitmap_factor,
            numbers,
            // Reserve: a vector that grows is copied, and is in memory twice meanwhile. Unused capacity takes none.
            lists: Vec::with_capacity(bytes),
            scratch: Vec::new(),
            counts: Vec::new(),
        }
    }

    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// How many numbers a gram's list has.
    pub fn count(&self, gram: u32) -> u32 {
        self.counts[gram as usize]
    }

    /// Whether a gram extended by one letter may still be in enough rows to be listed.
    pub fn is_frequent(&self, gram: u32) -> bool {
        self.count(gram) > self.dictionary.threshold
    }

    /// Whether a gram of three or more letters is listed, given its rows and its two inner grams.
    fn is_listed(&self, rows: u32, shorter: [u32; 2]) -> bool {
        let Dictionary { threshold, common, .. } = self.dictionary;
        let inner = shorter.map(|gram| self.count(gram));
        rows > threshold || is_listed_if_rare(threshold, common, inner, shorter[0] == shorter[1])
    }

    /// Writes the list of a single letter: ascending, not empty.
    pub fn write_single_letter(
        &mut self,
        letter: LetterIndex,
        numbers: &[u32],
    ) -> Result<(), BuildFault> {
        let list = self.encode(numbers)?;
        self.dictionary.set_single_letter(letter, list);
        Ok(())
    }

    pub fn add_bigram(&mut self, first: LetterIndex, second: LetterIndex, count: u32) -> NewGram {
        let gram = self.dictionary.grams();
        self.dictionary.push_bigram(first, second);
        self.counts.push(count);
        NewGram { gram, is_shared: false }
    }

    pub fn end_bigrams(&mut self) {
        self.dictionary.end_bigrams();
    }

    /// Adds a gram, given its inner grams without the last and without the first letter, which are frequent and
    /// have lists. `None` if it is not listed.
    pub fn add_longer(
        &mut self,
        shorter: [u32; 2],
        last: LetterIndex,
        count: u32,
    ) -> Option<NewGram> {
        if !self.is_listed(count, shorter) {
            return None;
        }
        let gram = self.dictionary.grams();
        self.dictionary.push_longer(shorter[0], last);
        self.counts.push(count);
        // A shorter gram with as many rows has the same rows. Only the gram without the last letter has the same positions.
        let may_share = match self.numbers {
            Numbers::Rows => &shorter[..],
            Numbers::Positions => &shorter[..1],
        };
        let same = may_share.iter().find(|gram| self.count(**gram) == count);
        let shared = same.and_then(|gram| self.dictionary.list(*gram));
        if let Some(list) = shared {
            self.dictionary.set_list(gram, list);
        }
        Some(NewGram { gram, is_shared: shared.is_some() })
    }

    /// Writes the list of a gram: ascending, not empty.
    pub fn write_list(&mut self, gram: u32, numbers: &[u32]) -> Result<(), BuildFault> {
        let list = self.encode(numbers)?;
        self.dictionary.set_list(gram, list);
        Ok(())
    }

    fn encode(&mut self, numbers: &[u32]) -> Result<ListRef, BuildFault> {
        if let [only] = numbers {
            return Ok(ListRef::Single(*only));
        }
        let offset = self.lists.len();
        let (universe, factor) = (self.dictionary.universe, self.bitmap_factor);
        list::encode(numbers, universe, factor, &mut self.scratch, &mut self.lists);
        if self.lists.len() >= LIST_BYTES_MAX {
            return Err(BuildFault::Lists);
        }
        Ok(ListRef::Offset(offset as u32))
    }

    pub fn finish(mut self) -> (Dictionary, Vec<u8>) {
        self.lists.extend([0; list::SLACK]);
        (self.dictionary, self.lists)
    }
}
