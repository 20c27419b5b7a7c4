//! The grams of one length as pairs of a parent and a last letter: a bit set of all possible pairs, with rank.

use super::dictionary::LetterIndex;

/// Words per rank: one cache line.
const RANK_WORDS: usize = 8;

const BITS: usize = u64::BITS as usize;

pub struct Keys {
    letters: usize,
    words: Vec<u64>,
    /// For each stretch of words the number of bits set before it; and the total.
    ranks: Vec<u32>,
}

impl Keys {
    /// An empty set for this many parents and letters.
    pub fn new(parents: usize, letters: usize) -> Keys {
        let words = (parents * letters).div_ceil(BITS).next_multiple_of(RANK_WORDS);
        Keys { letters, words: vec![0; words], ranks: Vec::new() }
    }

    #[inline]
    pub fn insert(&mut self, parent: u32, letter: LetterIndex) {
        let bit = self.bit(parent, letter);
        self.words[bit / BITS] |= 1 << (bit % BITS);
    }

    #[inline]
    fn bit(&self, parent: u32, letter: LetterIndex) -> usize {
        parent as usize * self.letters + usize::from(letter)
    }

    /// Computes the ranks, once all pairs are inserted; the methods below need them.
    pub fn build_ranks(&mut self) {
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
        let stretch = bit / BITS / RANK_WORDS;
        let before = &self.words[stretch * RANK_WORDS..bit / BITS];
        let inside: u32 = before.iter().map(|word| word.count_ones()).sum();
        let below = self.words[bit / BITS] & !(u64::MAX << (bit % BITS));
        self.ranks[stretch] + inside + below.count_ones()
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, LetterIndex)> {
        self.words.iter().enumerate().flat_map(move |(at, word)| {
            let mut word = *word;
            std::iter::from_fn(move || {
                let bit = at * BITS + word.trailing_zeros() as usize;
                (word != 0).then(|| {
                    word &= word - 1;
                    ((bit / self.letters) as u32, (bit % self.letters) as LetterIndex)
                })
            })
        })
    }
}
