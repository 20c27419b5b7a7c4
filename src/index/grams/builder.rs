//! Counts the grams of all texts and writes their posting lists.
//!
//! It proceeds by gram length: a gram can only be frequent if the two grams of one letter less inside it are. For
//! each letter of the texts, the number (four bytes) of the gram that begins there is kept and replaced by the
//! number of the longer gram. For 54 million letters this takes at most about 500 MB, including the texts.

use std::ops::Range;

use super::dictionary::{Dictionary, LONGEST, Letter};
use super::growing::{Growing, NewGram};
use super::keys::Keys;
use super::listing::{Edge, Listing};
use super::texts::{BuildFault, NUMBERS_MAX, Texts};

const NONE: u32 = u32::MAX;

/// Limit on the numbers of the lists that are filled in one pass; a single longer list may exceed it. All lists of
/// a length at once would double the memory; a smaller part would need more passes over the letters.
const PART_MAX: usize = if cfg!(test) { 40 } else { 1 << 23 };

pub struct Builder {
    texts: Texts,
    /// The rows whose texts may have a gram of the present length that must be counted.
    rows: Vec<u32>,
    index: Growing,
    listing: Listing,
    /// For each letter: the gram of the present length that begins there, among those that may be frequent.
    begun: Vec<u32>,
    /// For each of those grams its number in the dictionary; empty while grams are single letters.
    frequent: Vec<u32>,
}

/// The grams of one length, numbered by parent and last letter.
struct Level {
    keys: Keys,
    grams: Vec<Counted>,
}

/// Counts of a gram in one struct, since grams occur in random order.
#[derive(Clone, Copy)]
struct Counted {
    count: u32,
    last: u32,
    /// The gram without its first letter, numbered as in `Builder::begun`.
    suffix: u32,
}

struct Plan {
    grams: Vec<Planned>,
    /// For each list to be written: its number of rows, and the gram in the dictionary.
    lists: Vec<(u32, u32)>,
}

impl Plan {
    #[inline]
    fn gram(&self, number: u32) -> Planned {
        self.grams.get(number as usize).copied().unwrap_or(Planned::NOTHING)
    }
}

#[derive(Clone, Copy)]
struct Planned {
    slot: u32,
    /// Its number among the frequent grams of the level.
    frequent: u32,
}

impl Planned {
    const NOTHING: Planned = Planned { slot: NONE, frequent: NONE };
}

struct Filling {
    end: usize,
    last: u32,
}

impl Builder {
    pub fn begin(texts: Texts, listing: Listing) -> Result<Builder, BuildFault> {
        let (numbers, threshold) = match listing {
            Listing::Rows { threshold } => (texts.rows(), threshold),
            // No gram counts as frequent, so none of three letters is listed.
            Listing::Positions(_) => {
                let numbers = texts.letters.len() + texts.rows() as usize;
                let known = u32::try_from(numbers).ok().filter(|numbers| *numbers <= NUMBERS_MAX);
                (known.ok_or(BuildFault::Letters { expected: NUMBERS_MAX })?, u32::MAX)
            }
        };
        // Names need about two bytes per letter.
        let bytes = 2 * texts.letters.len();
        let index = Growing::begin(numbers, threshold, texts.alphabet.clone(), bytes);
        let begun: Vec<u32> = texts.letters.iter().map(|letter| u32::from(*letter)).collect();
        Ok(Builder {
            rows: (0..texts.rows()).collect(),
            texts,
            index,
            listing,
            begun,
            frequent: Vec::new(),
        })
    }

    /// The number listed for a gram that begins at this letter of a row.
    #[inline]
    fn number(listing: Listing, row: u32, at: usize) -> u32 {
        match listing {
            Listing::Rows { .. } => row,
            Listing::Positions(_) => at as u32 + row,
        }
    }

    pub fn finish(mut self) -> Result<(Dictionary, Vec<u8>), BuildFault> {
        self.alone()?;
        for length in 2..=LONGEST {
            let level = self.count(length);
            if self.rows.is_empty() && length > 2 {
                break;
            }
            let (plan, frequent) = self.plan(length, &level);
            drop(level);
            self.write(length, &plan)?;
            self.frequent = frequent;
        }
        Ok(self.index.finish())
    }

    fn alone(&mut self) -> Result<(), BuildFault> {
        let mut lists = vec![Vec::new(); self.texts.alphabet.len()];
        for row in &self.rows {
            let range = self.texts.range(*row);
            let at = match self.listing {
                Listing::Rows { .. } if range.len() == 1 => range.start,
                Listing::Positions(Edge::First) if !range.is_empty() => range.start,
                Listing::Positions(Edge::Last) if !range.is_empty() => range.end - 1,
                _ => continue,
            };
            let list: &mut Vec<u32> = &mut lists[usize::from(self.texts.letters[at])];
            list.push(Builder::number(self.listing, *row, at));
        }
        for (letter, list) in (0..).zip(lists) {
            if !list.is_empty() {
                self.index.put_alone(letter, &list)?;
            }
        }
        Ok(())
    }

    /// Finds the grams of this length that may be frequent, and counts their rows.
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
        let none = Counted { count: 0, last: NONE, suffix: NONE };
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
                let number = Builder::number(self.listing, *row, at);
                if counted.last != number {
                    counted.last = number;
                    counted.count += 1;
                }
            }
        }
        level
    }

    /// Adds a level's grams to the dictionary. A gram with the same rows as a shorter one shares its list.
    fn plan(&mut self, length: usize, level: &Level) -> (Plan, Vec<u32>) {
        let mut plan = Plan { grams: vec![Planned::NOTHING; level.grams.len()], lists: Vec::new() };
        let mut numbers = Vec::new();
        for (own, (parent, last)) in level.keys.iter().enumerate() {
            let Counted { count, suffix, .. } = level.grams[own];
            let added = if length == 2 {
                Some(self.index.add_bigram(parent as Letter, last, count))
            } else {
                let shorter = [parent, suffix].map(|gram| self.frequent[gram as usize]);
                self.index.add_longer(shorter, last, count)
            };
            let Some(NewGram { gram, is_shared }) = added else { continue };
            if !is_shared {
                plan.grams[own].slot = plan.lists.len() as u32;
                plan.lists.push((count, gram));
            }
            if self.index.is_frequent(gram) {
                plan.grams[own].frequent = numbers.len() as u32;
                numbers.push(gram);
            }
        }
        if length == 2 {
            self.index.end_bigrams();
        }
        (plan, numbers)
    }

    /// Writes the lists of a level part by part; sets `begun` to the frequent grams.
    fn write(&mut self, length: usize, plan: &Plan) -> Result<(), BuildFault> {
        let mut first = 0;
        while first < plan.lists.len() {
            let mut numbers = 0;
            let part = plan.lists[first..].iter().take_while(|(count, _)| {
                let fits = numbers == 0 || numbers + *count as usize <= PART_MAX;
                numbers += *count as usize;
                fits
            });
            let slots = first..first + part.count();
            first = slots.end;
            self.write_part(length, plan, slots)?;
        }
        self.rows.retain(|row| {
            let (mut before, mut goes_on) = (NONE, false);
            let range = self.texts.grams(*row, length);
            for begun in &mut self.begun[range] {
                *begun = plan.gram(*begun).frequent;
                goes_on |= *begun != NONE && before != NONE;
                before = *begun;
            }
            goes_on
        });
        Ok(())
    }

    /// Fills the lists of these slots and writes them.
    fn write_part(
        &mut self,
        length: usize,
        plan: &Plan,
        slots: Range<usize>,
    ) -> Result<(), BuildFault> {
        let planned = &plan.lists[slots.clone()];
        let mut lists = Vec::with_capacity(planned.len());
        let mut all = 0usize;
        for (count, _) in planned {
            lists.push(Filling { end: all, last: NONE });
            all += *count as usize;
        }
        let mut numbers = vec![NONE; all];
        for row in &self.rows {
            let range = self.texts.grams(*row, length);
            for (at, begun) in (range.start..).zip(&self.begun[range]) {
                let slot = plan.gram(*begun).slot as usize;
                let list = lists.get_mut(slot.wrapping_sub(slots.start));
                let number = Builder::number(self.listing, *row, at);
                // A row with several occurrences of a gram is listed once.
                if let Some(list) = list.filter(|list| list.last != number) {
                    numbers[list.end] = number;
                    list.end += 1;
                    list.last = number;
                }
            }
        }
        let mut start = 0;
        for (count, gram) in planned {
            let end = start + *count as usize;
            self.index.put_list(*gram, &numbers[start..end])?;
            start = end;
        }
        Ok(())
    }
}
