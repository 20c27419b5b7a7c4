//! Counting the grams of all texts, and writing their lists.
//!
//! It goes length by length. A gram of one letter more can only be frequent where the two grams inside
//! it are, which are known by then, so that the grams that must be counted stay few. What each letter
//! of the texts begins is kept as a number of four bytes and replaced by that of the longer gram;
//! lists are filled after counting, at once, and written one after the other. For 54 million letters
//! that is some 600 MB beside the texts.

use super::dictionary::{Dictionary, LISTS_MAX, Letter, Place};
use super::keys::Keys;
use super::list;
use super::text::Texts;
use super::{BuildFault, LONGEST};

/// No gram, or none that matters.
const NONE: u32 = u32::MAX;

/// An index in the making.
pub struct Builder {
    texts: Texts,
    dictionary: Dictionary,
    lists: Vec<u8>,
    scratch: Vec<u8>,
    threshold: u32,
    /// Of each letter of the texts: the gram of the present length that begins with it, among those
    /// that may be frequent. A row has as many as its text has grams.
    begun: Vec<u32>,
    /// Of those grams: the number in the dictionary; none while grams are single letters.
    frequent: Vec<u32>,
    /// Of each gram of the dictionary: how many rows have it.
    counts: Vec<u32>,
}

/// The grams of one length, numbered in the order of their parents and last letters.
struct Level {
    keys: Keys,
    counts: Vec<u32>,
    /// The gram without its first letter, as `Builder::begun` numbers it.
    suffixes: Vec<u32>,
}

/// What becomes of the grams of a level.
struct Plan {
    /// Of each: its list among those to be written.
    slots: Vec<u32>,
    /// Of each: its number among the frequent ones of the level.
    frequent: Vec<u32>,
    /// Of each list to be written: how many rows, and the gram in the dictionary.
    lists: Vec<(u32, u32)>,
}

impl Builder {
    /// Takes the texts in.
    pub fn begin(texts: Texts, threshold: u32) -> Builder {
        let dictionary = Dictionary::begin(texts.rows(), threshold, texts.alphabet.clone());
        let begun = texts.letters.iter().map(|letter| u32::from(*letter)).collect();
        Builder {
            texts,
            dictionary,
            lists: Vec::new(),
            scratch: Vec::new(),
            threshold,
            begun,
            frequent: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// The index.
    pub fn finish(mut self) -> Result<(Dictionary, Vec<u8>), BuildFault> {
        self.alone()?;
        for length in 2..=LONGEST {
            let level = self.count(length);
            if level.counts.is_empty() && length > 2 {
                break;
            }
            let (plan, frequent) = self.plan(length, &level);
            self.write(length, &plan)?;
            self.frequent = frequent;
        }
        self.lists.extend([0; list::SLACK]);
        Ok((self.dictionary, self.lists))
    }

    /// Lists the texts of one letter.
    fn alone(&mut self) -> Result<(), BuildFault> {
        let mut rows = vec![Vec::new(); self.texts.alphabet.len()];
        for (row, range) in self.texts.ranges() {
            if let [letter] = &self.texts.letters[range] {
                rows[usize::from(*letter)].push(row);
            }
        }
        for (letter, rows) in (0..).zip(rows) {
            if !rows.is_empty() {
                let place = self.put(&rows)?;
                self.dictionary.set_alone(letter, place);
            }
        }
        Ok(())
    }

    /// Writes a list.
    fn put(&mut self, rows: &[u32]) -> Result<Place, BuildFault> {
        if let [row] = rows {
            return Ok(Place::Row(*row));
        }
        let at = self.lists.len();
        list::encode(rows, self.texts.rows(), &mut self.scratch, &mut self.lists);
        if self.lists.len() >= LISTS_MAX {
            return Err(BuildFault::Lists);
        }
        Ok(Place::List(at as u32))
    }

    /// Finds the grams of a length that may be frequent, and counts their rows.
    fn count(&mut self, length: usize) -> Level {
        let letters = self.texts.alphabet.len();
        let parents = if length == 2 { letters } else { self.frequent.len() };
        let mut keys = Keys::begin(parents, letters);
        for (_, range) in self.texts.ranges() {
            let grams = (range.len() + 1).saturating_sub(length);
            for at in range.start..range.start + grams {
                if let [parent, suffix] = self.begun[at..at + 2]
                    && parent != NONE
                    && suffix != NONE
                {
                    keys.insert(parent, self.texts.letters[at + length - 1]);
                }
            }
        }
        keys.rank();
        let mut level = Level { counts: vec![0; keys.count()], suffixes: Vec::new(), keys };
        level.suffixes = vec![NONE; level.counts.len()];
        let mut last_rows = vec![NONE; level.counts.len()];
        for (row, range) in self.texts.ranges() {
            let grams = (range.len() + 1).saturating_sub(length);
            for at in range.start..range.start + grams {
                let (parent, suffix) = (self.begun[at], self.begun[at + 1]);
                if parent == NONE || suffix == NONE {
                    self.begun[at] = NONE;
                    continue;
                }
                let gram = level.keys.number(parent, self.texts.letters[at + length - 1]);
                self.begun[at] = gram;
                level.suffixes[gram as usize] = suffix;
                if last_rows[gram as usize] != row {
                    last_rows[gram as usize] = row;
                    level.counts[gram as usize] += 1;
                }
            }
        }
        level
    }

    /// Puts the grams of a level into the dictionary and decides which lists are written: that of a
    /// gram with the rows of a shorter one inside it is that one's.
    fn plan(&mut self, length: usize, level: &Level) -> (Plan, Vec<u32>) {
        let grams = level.counts.len();
        let (slots, frequent) = (vec![NONE; grams], vec![NONE; grams]);
        let mut plan = Plan { slots, frequent, lists: Vec::new() };
        let mut numbers = Vec::new();
        for (own, (parent, last)) in level.keys.iter().enumerate() {
            let count = level.counts[own];
            let wanted = count > self.threshold;
            if length > 2 && !wanted {
                continue;
            }
            let gram = self.dictionary.grams();
            if wanted {
                plan.frequent[own] = numbers.len() as u32;
                numbers.push(gram);
            }
            self.counts.push(count);
            if length == 2 {
                self.dictionary.push_bigram(parent as Letter, last);
                plan.list(own, gram, count);
                continue;
            }
            let parent = self.frequent[parent as usize];
            let suffix = self.frequent[level.suffixes[own] as usize];
            self.dictionary.push_longer(parent, last);
            let shorter = [parent, suffix];
            let same = shorter.into_iter().find(|it| self.counts[*it as usize] == count);
            match same.and_then(|same| self.dictionary.place(same)) {
                Some(place) => self.dictionary.set_place(gram, place),
                None => plan.list(own, gram, count),
            }
        }
        if length == 2 {
            self.dictionary.end_bigrams();
        }
        (plan, numbers)
    }

    /// Fills the lists of a level and writes them; makes `begun` the frequent grams.
    fn write(&mut self, length: usize, plan: &Plan) -> Result<(), BuildFault> {
        let mut ends = Vec::with_capacity(plan.lists.len());
        let mut all = 0usize;
        for (count, _) in &plan.lists {
            ends.push(all);
            all += *count as usize;
        }
        let mut last_rows = vec![NONE; plan.lists.len()];
        let mut rows = vec![NONE; all];
        for (row, range) in self.texts.ranges() {
            let grams = (range.len() + 1).saturating_sub(length);
            for begun in &mut self.begun[range.start..range.start + grams] {
                let gram = *begun as usize;
                let Some(slot) = plan.slots.get(gram).copied() else { continue };
                *begun = plan.frequent[gram];
                // A gram that a text has twice is listed once.
                if slot != NONE && last_rows[slot as usize] != row {
                    let end = &mut ends[slot as usize];
                    rows[*end] = row;
                    *end += 1;
                    last_rows[slot as usize] = row;
                }
            }
        }
        let mut start = 0;
        for (count, gram) in &plan.lists {
            let end = start + *count as usize;
            let place = self.put(&rows[start..end])?;
            self.dictionary.set_place(*gram, place);
            start = end;
        }
        Ok(())
    }
}

impl Plan {
    fn list(&mut self, own: usize, gram: u32, count: u32) {
        self.slots[own] = self.lists.len() as u32;
        self.lists.push((count, gram));
    }
}
