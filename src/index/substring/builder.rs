//! Counting the grams of all texts, and writing their lists.
//!
//! It goes length by length. A gram of one letter more can only be frequent where the two grams inside
//! it are, which are known by then, so that the grams that must be counted stay few. What each letter
//! of the texts begins is kept as a number of four bytes and replaced by that of the longer gram;
//! lists are filled after counting, at once, and written one after the other. For 54 million letters
//! that is some 700 MB at most, the texts included.

use super::dictionary::{Dictionary, LISTS_MAX, Letter, Place};
use super::keys::Keys;
use super::list;
use super::text::Texts;
use super::{BuildFault, LONGEST, common};

/// No gram, or none that matters.
const NONE: u32 = u32::MAX;

/// An index in the making.
pub struct Builder {
    texts: Texts,
    /// The rows whose texts may have a gram of the present length that must be counted.
    rows: Vec<u32>,
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
    grams: Vec<Counted>,
}

/// A gram as it is counted. All of it lies together: grams are met in no order, and each meeting waits for
/// the memory once.
#[derive(Clone, Copy)]
struct Counted {
    /// How many rows have it.
    rows: u32,
    /// The last of them.
    last_row: u32,
    /// The gram without its first letter, as `Builder::begun` numbers it.
    suffix: u32,
}

/// Whether a gram of three letters or more is listed: by its rows, or by the two grams of one letter less
/// that are in it and their rows. Those of 666 are the same one, which has all its candidates.
fn listed(threshold: u32, rows: u32, shorter: [u32; 2], counts: [u32; 2]) -> bool {
    let common = counts.iter().all(|rows| *rows > common(threshold));
    rows > threshold || common || shorter[0] == shorter[1]
}

/// What becomes of the grams of a level.
struct Plan {
    grams: Vec<Planned>,
    /// Of each list to be written: how many rows, and the gram in the dictionary.
    lists: Vec<(u32, u32)>,
}

/// What becomes of a gram.
#[derive(Clone, Copy)]
struct Planned {
    /// Its list among those to be written.
    slot: u32,
    /// Its number among the frequent ones of the level.
    frequent: u32,
}

impl Planned {
    const NOTHING: Planned = Planned { slot: NONE, frequent: NONE };
}

/// A list that is being filled.
struct Filling {
    /// Where its next row goes.
    end: usize,
    last_row: u32,
}

impl Builder {
    /// Takes the texts in.
    pub fn begin(texts: Texts, threshold: u32) -> Builder {
        let dictionary = Dictionary::begin(texts.rows(), threshold, texts.alphabet.clone());
        let begun = texts.letters.iter().map(|letter| u32::from(*letter)).collect();
        Builder {
            rows: (0..texts.rows()).collect(),
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
            if self.rows.is_empty() && length > 2 {
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
        for row in &self.rows {
            if let [letter] = &self.texts.letters[self.texts.range(*row)] {
                rows[usize::from(*letter)].push(*row);
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
        for row in &self.rows {
            for at in self.texts.grams(*row, length) {
                if let [parent, suffix] = self.begun[at..at + 2]
                    && parent != NONE
                    && suffix != NONE
                {
                    keys.insert(parent, self.texts.letters[at + length - 1]);
                }
            }
        }
        keys.rank();
        let none = Counted { rows: 0, last_row: NONE, suffix: NONE };
        let mut level = Level { grams: vec![none; keys.count()], keys };
        for row in &self.rows {
            for at in self.texts.grams(*row, length) {
                let (parent, suffix) = (self.begun[at], self.begun[at + 1]);
                if parent == NONE || suffix == NONE {
                    self.begun[at] = NONE;
                    continue;
                }
                let gram = level.keys.number(parent, self.texts.letters[at + length - 1]);
                self.begun[at] = gram;
                let counted = &mut level.grams[gram as usize];
                counted.suffix = suffix;
                if counted.last_row != *row {
                    counted.last_row = *row;
                    counted.rows += 1;
                }
            }
        }
        level
    }

    /// Puts the grams of a level into the dictionary and decides which lists are written: that of a
    /// gram with the rows of a shorter one inside it is that one's.
    fn plan(&mut self, length: usize, level: &Level) -> (Plan, Vec<u32>) {
        let mut plan = Plan { grams: vec![Planned::NOTHING; level.grams.len()], lists: Vec::new() };
        let mut numbers = Vec::new();
        for (own, (parent, last)) in level.keys.iter().enumerate() {
            let Counted { rows: count, suffix, .. } = level.grams[own];
            let gram = self.dictionary.grams();
            let mut shared = None;
            if length == 2 {
                self.dictionary.push_bigram(parent as Letter, last);
            } else {
                let parent = self.frequent[parent as usize];
                let shorter = [parent, self.frequent[suffix as usize]];
                let counts = shorter.map(|gram| self.counts[gram as usize]);
                if !listed(self.threshold, count, shorter, counts) {
                    continue;
                }
                self.dictionary.push_longer(parent, last);
                let same = shorter.iter().zip(counts).find(|(_, rows)| *rows == count);
                shared = same.and_then(|(gram, _)| self.dictionary.place(*gram));
            }
            match shared {
                Some(place) => self.dictionary.set_place(gram, place),
                None => plan.list(own, gram, count),
            }
            self.counts.push(count);
            if count > self.threshold {
                plan.grams[own].frequent = numbers.len() as u32;
                numbers.push(gram);
            }
        }
        if length == 2 {
            self.dictionary.end_bigrams();
        }
        (plan, numbers)
    }

    /// Fills the lists of a level and writes them; makes `begun` the frequent grams.
    fn write(&mut self, length: usize, plan: &Plan) -> Result<(), BuildFault> {
        let mut lists = Vec::with_capacity(plan.lists.len());
        let mut all = 0usize;
        for (count, _) in &plan.lists {
            lists.push(Filling { end: all, last_row: NONE });
            all += *count as usize;
        }
        let mut rows = vec![NONE; all];
        self.rows.retain(|row| {
            let (mut before, mut goes_on) = (NONE, false);
            for begun in &mut self.begun[self.texts.grams(*row, length)] {
                let planned = plan.grams.get(*begun as usize).unwrap_or(&Planned::NOTHING);
                *begun = planned.frequent;
                goes_on |= *begun != NONE && before != NONE;
                before = *begun;
                let list = lists.get_mut(planned.slot as usize);
                // A gram that a text has twice is listed once.
                if let Some(list) = list.filter(|list| list.last_row != *row) {
                    rows[list.end] = *row;
                    list.end += 1;
                    list.last_row = *row;
                }
            }
            goes_on
        });
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
        self.grams[own].slot = self.lists.len() as u32;
        self.lists.push((count, gram));
    }
}
