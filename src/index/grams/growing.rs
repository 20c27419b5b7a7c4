//! An index under construction: the listed grams and their lists.
//!
//! The maker of an index adds grams here: those of two letters first, then by length, each length ordered by parent
//! and last letter. So the same texts give the same bytes, however the grams were counted.

use super::dictionary::{Dictionary, LISTS_MAX, Letter, ListAt, common};
use super::list;
use super::texts::BuildFault;

pub struct Growing {
    dictionary: Dictionary,
    lists: Vec<u8>,
    scratch: Vec<u8>,
    threshold: u32,
    /// For each gram the length of its list.
    counts: Vec<u32>,
}

/// A gram that was added.
#[derive(Debug, Clone, Copy)]
pub struct NewGram {
    pub gram: u32,
    /// Whether it shares the list of a shorter gram. Otherwise its list must be put.
    pub is_shared: bool,
}

/// Whether a gram of three or more letters is listed: because of its own rows, or because both inner grams of one
/// letter less are common. A repetition such as 666 is always listed: its inner grams are the same, so intersecting
/// their lists would not reduce the candidates.
fn listed(threshold: u32, rows: u32, shorter: [u32; 2], counts: [u32; 2]) -> bool {
    let common = counts.iter().all(|rows| *rows > common(threshold));
    rows > threshold || common || shorter[0] == shorter[1]
}

impl Growing {
    /// An empty index over an ascending alphabet, with the expected size of its lists in bytes.
    pub fn begin(numbers: u32, threshold: u32, alphabet: Vec<u32>, bytes: usize) -> Growing {
        Growing {
            dictionary: Dictionary::begin(numbers, threshold, alphabet),
            // Reserve: a growing vector is copied and needs twice its memory, while unused capacity takes none.
            lists: Vec::with_capacity(bytes),
            scratch: Vec::new(),
            threshold,
            counts: Vec::new(),
        }
    }

    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// How many numbers a gram's list has.
    pub fn count(&self, gram: u32) -> u32 {
        self.counts[gram as usize]
    }

    /// Whether a gram extended by one letter may still be in enough rows to be listed.
    pub fn is_frequent(&self, gram: u32) -> bool {
        self.count(gram) > self.threshold
    }

    pub fn put_alone(&mut self, letter: Letter, numbers: &[u32]) -> Result<(), BuildFault> {
        let list = self.put(numbers)?;
        self.dictionary.set_alone(letter, list);
        Ok(())
    }

    pub fn add_bigram(&mut self, first: Letter, second: Letter, count: u32) -> NewGram {
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
    pub fn add_longer(&mut self, shorter: [u32; 2], last: Letter, count: u32) -> Option<NewGram> {
        let counts = shorter.map(|gram| self.count(gram));
        if !listed(self.threshold, count, shorter, counts) {
            return None;
        }
        let gram = self.dictionary.grams();
        self.dictionary.push_longer(shorter[0], last);
        self.counts.push(count);
        let same = shorter.iter().zip(counts).find(|(_, rows)| *rows == count);
        let shared = same.and_then(|(gram, _)| self.dictionary.list(*gram));
        if let Some(list) = shared {
            self.dictionary.set_list(gram, list);
        }
        Some(NewGram { gram, is_shared: shared.is_some() })
    }

    /// Writes the list of a gram: ascending, not empty.
    pub fn put_list(&mut self, gram: u32, numbers: &[u32]) -> Result<(), BuildFault> {
        let list = self.put(numbers)?;
        self.dictionary.set_list(gram, list);
        Ok(())
    }

    fn put(&mut self, numbers: &[u32]) -> Result<ListAt, BuildFault> {
        if let [only] = numbers {
            return Ok(ListAt::Only(*only));
        }
        let at = self.lists.len();
        list::encode(numbers, self.dictionary.numbers(), &mut self.scratch, &mut self.lists);
        if self.lists.len() >= LISTS_MAX {
            return Err(BuildFault::Lists);
        }
        Ok(ListAt::Byte(at as u32))
    }

    pub fn finish(mut self) -> (Dictionary, Vec<u8>) {
        self.lists.extend([0; list::SLACK]);
        (self.dictionary, self.lists)
    }
}
