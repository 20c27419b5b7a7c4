//! Counts the grams of all texts and writes their posting lists.
//!
//! It proceeds by gram length: a gram can only be frequent if the two grams of one letter less inside it are. For
//! each letter of the texts it keeps the number (four bytes) of the gram that begins there, and replaces it by the
//! number of the gram of one letter more. For 54 million letters this takes at most about 500 MB, including the texts.

use std::ops::Range;

use super::dictionary::{Dictionary, LONGEST, LetterIndex, RowLists};
use super::writer::{IndexWriter, NewGram, Numbers};
use super::{BuildFault, Texts, UNIVERSE_MAX};

/// What the posting lists of an index contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// The rows whose text contains the gram. For a single letter: the rows whose whole text is that letter.
    Rows(RowLists),
    /// The positions at which the gram begins. Texts are numbered consecutively with one unused position after
    /// each, so that no match spans two texts. For a single letter: the positions at `edge`. A gram of three or more
    /// letters is listed if it begins at more positions than `threshold`.
    Positions { edge: Edge, threshold: u32 },
}

/// The edge of a text at which single letters are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    None,
    First,
    Last,
}

/// Indexes the texts of this many rows, which `text` writes folded. Returns the dictionary to archive and the
/// lists' bytes.
pub fn build(
    rows: u32,
    listing: Listing,
    text: impl FnMut(u32, &mut Vec<char>),
) -> Result<(Dictionary, Vec<u8>), BuildFault> {
    Builder::new(Texts::read(rows, text)?, listing)?.build()
}

const NONE: u32 = u32::MAX;

/// Limit on the numbers of the lists that are filled in one pass; a single longer list may exceed it. All lists of
/// a length at once would double the memory; a smaller part would need more passes over the letters.
const PART_MAX: usize = if cfg!(test) { 40 } else { 1 << 23 };

struct Builder {
    texts: Texts,
    /// The rows whose texts may have a gram of the present length that must be counted.
    rows: Vec<u32>,
    index: IndexWriter,
    listing: Listing,
    /// For each letter of the texts: the frequent gram of the present length that begins there, or [`NONE`].
    grams: Vec<u32>,
    /// For each of those grams its number in the dictionary; empty while grams are single letters.
    dictionary_numbers: Vec<u32>,
}

/// The grams of one length, numbered by parent and last letter.
struct GramsOfLength {
    keys: Keys,
    counts: Vec<GramCount>,
}

/// In one struct, since grams occur in random order.
#[derive(Clone, Copy)]
struct GramCount {
    count: u32,
    /// The number that was counted last.
    last: u32,
    /// The gram without its first letter, numbered as in `Builder::grams`.
    suffix: u32,
}

/// What to do with the grams of one length.
struct Plan {
    grams: Vec<PlannedGram>,
    /// For each list to be written: its number of rows, and the gram in the dictionary.
    lists: Vec<(u32, u32)>,
}

impl Plan {
    #[inline]
    fn gram(&self, number: u32) -> PlannedGram {
        self.grams.get(number as usize).copied().unwrap_or(PlannedGram::NOTHING)
    }
}

#[derive(Clone, Copy)]
struct PlannedGram {
    /// Its list among those to be written, or [`NONE`].
    list: u32,
    /// Its number among the frequent grams of this length, or [`NONE`].
    frequent: u32,
}

impl PlannedGram {
    const NOTHING: PlannedGram = PlannedGram { list: NONE, frequent: NONE };
}

struct PartialList {
    /// Where its next number goes.
    end: usize,
    /// The number that was added last.
    last: u32,
}

impl Builder {
    fn new(texts: Texts, listing: Listing) -> Result<Builder, BuildFault> {
        let (universe, rule, numbers) = match listing {
            Listing::Rows(rule) => (texts.rows(), rule, Numbers::Rows),
            Listing::Positions { threshold, .. } => {
                let positions = u32::try_from(texts.letters.len() + texts.rows() as usize);
                let positions = positions.ok().filter(|positions| *positions <= UNIVERSE_MAX);
                let positions = positions.ok_or(BuildFault::Letters { expected: UNIVERSE_MAX })?;
                (positions, RowLists::smallest(threshold, u32::MAX), Numbers::Positions)
            }
        };
        // Names need about two bytes per letter.
        let bytes = 2 * texts.letters.len();
        let index = IndexWriter::new(universe, rule, numbers, texts.alphabet.clone(), bytes);
        let grams = texts.letters.iter().map(|letter| u32::from(*letter)).collect();
        let (rows, dictionary_numbers) = ((0..texts.rows()).collect(), Vec::new());
        Ok(Builder { texts, rows, index, listing, grams, dictionary_numbers })
    }

    /// The number listed for a gram that begins at this letter of the texts, which is in this row.
    #[inline]
    fn number(listing: Listing, row: u32, letter: usize) -> u32 {
        match listing {
            Listing::Rows(_) => row,
            // One position after each text is unused.
            Listing::Positions { .. } => letter as u32 + row,
        }
    }

    fn build(mut self) -> Result<(Dictionary, Vec<u8>), BuildFault> {
        self.write_single_letters()?;
        for length in 2..=LONGEST {
            let counted = self.count_grams(length);
            if self.rows.is_empty() && length > 2 {
                break;
            }
            let (plan, dictionary_numbers) = self.add_grams(length, &counted);
            drop(counted);
            self.write_lists(length, &plan)?;
            self.keep_frequent(length, &plan);
            self.dictionary_numbers = dictionary_numbers;
        }
        Ok(self.index.finish())
    }

    fn write_single_letters(&mut self) -> Result<(), BuildFault> {
        let mut lists = vec![Vec::new(); self.texts.alphabet.len()];
        for row in &self.rows {
            let range = self.texts.range(*row);
            let letter = match self.listing {
                Listing::Rows(_) if range.len() == 1 => range.start,
                Listing::Positions { edge: Edge::First, .. } if !range.is_empty() => range.start,
                Listing::Positions { edge: Edge::Last, .. } if !range.is_empty() => range.end - 1,
                _ => continue,
            };
            let list: &mut Vec<u32> = &mut lists[usize::from(self.texts.letters[letter])];
            list.push(Builder::number(self.listing, *row, letter));
        }
        for (letter, list) in (0..).zip(lists) {
            if !list.is_empty() {
                self.index.write_single_letter(letter, &list)?;
            }
        }
        Ok(())
    }

    /// Finds the grams of this length that may be frequent, and counts their rows.
    fn count_grams(&mut self, length: usize) -> GramsOfLength {
        let letters = self.texts.alphabet.len();
        let parents = if length == 2 { letters } else { self.dictionary_numbers.len() };
        let mut keys = Keys::new(parents, letters);
        for row in &self.rows {
            for start in self.texts.gram_starts(*row, length) {
                if let [parent, suffix] = self.grams[start..start + 2]
                    && parent != NONE
                    && suffix != NONE
                {
                    keys.insert(parent, self.texts.letters[start + length - 1]);
                }
            }
        }
        keys.build_ranks();
        let none = GramCount { count: 0, last: NONE, suffix: NONE };
        let mut counted = GramsOfLength { counts: vec![none; keys.count()], keys };
        for row in &self.rows {
            for start in self.texts.gram_starts(*row, length) {
                let (parent, suffix) = (self.grams[start], self.grams[start + 1]);
                if parent == NONE || suffix == NONE {
                    self.grams[start] = NONE;
                    continue;
                }
                let gram = counted.keys.rank(parent, self.texts.letters[start + length - 1]);
                self.grams[start] = gram;
                let count = &mut counted.counts[gram as usize];
                count.suffix = suffix;
                let number = Builder::number(self.listing, *row, start);
                if count.last != number {
                    count.last = number;
                    count.count += 1;
                }
            }
        }
        counted
    }

    /// Adds the grams of a length to the dictionary, as far as they are listed. Returns also the numbers of the frequent
    /// ones there.
    fn add_grams(&mut self, length: usize, counted: &GramsOfLength) -> (Plan, Vec<u32>) {
        let grams = vec![PlannedGram::NOTHING; counted.counts.len()];
        let mut plan = Plan { grams, lists: Vec::new() };
        let mut frequent = Vec::new();
        for (number, (parent, last)) in counted.keys.iter().enumerate() {
            let GramCount { count, suffix, .. } = counted.counts[number];
            let added = if length == 2 {
                Some(self.index.add_bigram(parent as LetterIndex, last, count))
            } else {
                let shorter = [parent, suffix].map(|gram| self.dictionary_numbers[gram as usize]);
                self.index.add_longer(shorter, last, count)
            };
            let Some(NewGram { gram, is_shared }) = added else { continue };
            if !is_shared {
                plan.grams[number].list = plan.lists.len() as u32;
                plan.lists.push((count, gram));
            }
            if self.index.is_frequent(gram) {
                plan.grams[number].frequent = frequent.len() as u32;
                frequent.push(gram);
            }
        }
        if length == 2 {
            self.index.end_bigrams();
        }
        (plan, frequent)
    }

    fn write_lists(&mut self, length: usize, plan: &Plan) -> Result<(), BuildFault> {
        let mut first = 0;
        while first < plan.lists.len() {
            let mut numbers = 0;
            let part = plan.lists[first..].iter().take_while(|(count, _)| {
                let fits = numbers == 0 || numbers + *count as usize <= PART_MAX;
                numbers += *count as usize;
                fits
            });
            let lists = first..first + part.count();
            first = lists.end;
            self.write_part(length, plan, lists)?;
        }
        Ok(())
    }

    /// Keeps the frequent grams of a length, and the rows in which two of them may form a gram of one letter more.
    fn keep_frequent(&mut self, length: usize, plan: &Plan) {
        self.rows.retain(|row| {
            let (mut previous, mut has_longer) = (NONE, false);
            let range = self.texts.gram_starts(*row, length);
            for gram in &mut self.grams[range] {
                *gram = plan.gram(*gram).frequent;
                has_longer |= *gram != NONE && previous != NONE;
                previous = *gram;
            }
            has_longer
        });
    }

    /// Fills a range of the lists to be written, and writes them.
    fn write_part(
        &mut self,
        length: usize,
        plan: &Plan,
        part: Range<usize>,
    ) -> Result<(), BuildFault> {
        let planned = &plan.lists[part.clone()];
        let mut lists = Vec::with_capacity(planned.len());
        let mut total = 0usize;
        for (count, _) in planned {
            lists.push(PartialList { end: total, last: NONE });
            total += *count as usize;
        }
        let mut numbers = vec![NONE; total];
        for row in &self.rows {
            let range = self.texts.gram_starts(*row, length);
            for (letter, gram) in (range.start..).zip(&self.grams[range]) {
                let list = plan.gram(*gram).list as usize;
                let list = lists.get_mut(list.wrapping_sub(part.start));
                let number = Builder::number(self.listing, *row, letter);
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
            self.index.write_list(*gram, &numbers[start..end])?;
            start = end;
        }
        Ok(())
    }
}

/// Words per rank: one cache line.
const RANK_WORDS: usize = 8;

const KEYS_A_WORD: usize = u64::BITS as usize;

pub struct Keys {
    letters: usize,
    words: Vec<u64>,
    /// For each stretch of words the number of bits set before it; and the total.
    ranks: Vec<u32>,
}

impl Keys {
    /// An empty set for this many parents and letters.
    pub fn new(parents: usize, letters: usize) -> Keys {
        let words = (parents * letters).div_ceil(KEYS_A_WORD).next_multiple_of(RANK_WORDS);
        Keys { letters, words: vec![0; words], ranks: Vec::new() }
    }

    #[inline]
    pub fn insert(&mut self, parent: u32, letter: LetterIndex) {
        let bit = self.bit(parent, letter);
        self.words[bit / KEYS_A_WORD] |= 1 << (bit % KEYS_A_WORD);
    }

    #[inline]
    fn bit(&self, parent: u32, letter: LetterIndex) -> usize {
        parent as usize * self.letters + usize::from(letter)
    }

    /// Computes the ranks, once all pairs are inserted; the methods below need them.
    fn build_ranks(&mut self) {
        let mut rank = 0;
        self.ranks = vec![rank];
        for stretch in self.words.chunks(RANK_WORDS) {
            rank += stretch.iter().map(|word| word.count_ones()).sum::<u32>();
            self.ranks.push(rank);
        }
    }

    pub fn count(&self) -> usize {
        self.ranks.last().map_or(0, |rank| *rank as usize)
    }

    /// How many pairs come before this one: its number among the grams of its length.
    #[inline]
    pub fn rank(&self, parent: u32, letter: LetterIndex) -> u32 {
        let bit = self.bit(parent, letter);
        let stretch = bit / KEYS_A_WORD / RANK_WORDS;
        let before = &self.words[stretch * RANK_WORDS..bit / KEYS_A_WORD];
        let inside: u32 = before.iter().map(|word| word.count_ones()).sum();
        let below = self.words[bit / KEYS_A_WORD] & !(u64::MAX << (bit % KEYS_A_WORD));
        self.ranks[stretch] + inside + below.count_ones()
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, LetterIndex)> {
        self.words.iter().enumerate().flat_map(move |(at, word)| {
            let mut word = *word;
            std::iter::from_fn(move || {
                let bit = at * KEYS_A_WORD + word.trailing_zeros() as usize;
                (word != 0).then(|| {
                    word &= word - 1;
                    ((bit / self.letters) as u32, (bit % self.letters) as LetterIndex)
                })
            })
        })
    }
}
