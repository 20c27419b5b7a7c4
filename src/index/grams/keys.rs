//! Numbers the existing pairs of a parent and a letter, in order: a bit set of all possible pairs, with rank.

use super::dictionary::Letter;

const STRETCH: usize = 8;

const BITS: usize = u64::BITS as usize;

pub struct Keys {
    letters: usize,
    words: Vec<u64>,
    /// For each stretch of words the number of bits set before it; and the total.
    ranks: Vec<u32>,
}

impl Keys {
    /// An empty set for this many parents and letters.
    pub fn begin(parents: usize, letters: usize) -> Keys {
        let words = (parents * letters).div_ceil(BITS).next_multiple_of(STRETCH);
        Keys { letters, words: vec![0; words], ranks: Vec::new() }
    }

    #[inline]
    pub fn insert(&mut self, parent: u32, letter: Letter) {
        let bit = parent as usize * self.letters + usize::from(letter);
        self.words[bit / BITS] |= 1 << (bit % BITS);
    }

    pub fn rank(&mut self) {
        let mut rank = 0;
        self.ranks = vec![rank];
        for stretch in self.words.chunks(STRETCH) {
            rank += stretch.iter().map(|word| word.count_ones()).sum::<u32>();
            self.ranks.push(rank);
        }
    }

    pub fn count(&self) -> usize {
        self.ranks.last().map_or(0, |rank| *rank as usize)
    }

    #[inline]
    pub fn number(&self, parent: u32, letter: Letter) -> u32 {
        let bit = parent as usize * self.letters + usize::from(letter);
        let stretch = bit / BITS / STRETCH;
        let before = &self.words[stretch * STRETCH..bit / BITS];
        let inside: u32 = before.iter().map(|word| word.count_ones()).sum();
        let below = self.words[bit / BITS] & !(u64::MAX << (bit % BITS));
        self.ranks[stretch] + inside + below.count_ones()
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, Letter)> {
        self.words.iter().enumerate().flat_map(move |(at, word)| {
            let mut word = *word;
            std::iter::from_fn(move || {
                let bit = at * BITS + word.trailing_zeros() as usize;
                (word != 0).then(|| {
                    word &= word - 1;
                    ((bit / self.letters) as u32, (bit % self.letters) as Letter)
                })
            })
        })
    }
}
