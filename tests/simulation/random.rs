//! The random numbers of a simulation: xorshift64*, which needs a state other than 0.

#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Neighbouring seeds give unrelated numbers.
    pub fn of_seed(seed: u64) -> Random {
        // The finaliser of SplitMix64.
        let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Random((mixed ^ (mixed >> 31)).max(1))
    }

    /// Numbers for what a plan got later, so that its other parts stay what they were. The number of the part is one for which
    /// the seeds in docs/operating/trust.md still have no such part.
    pub fn of_later_part(seed: u64, part: u64) -> Random {
        Random::of_seed(Random::of_seed(seed).next() ^ part)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, or 0 if that is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { (self.next() >> 11) % end }
    }

    /// A number from `first` to `last`.
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// `true` in so many of a hundred cases.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    pub fn choose<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        let index = self.below(choices.len() as u64);
        &choices[usize::try_from(index).expect("an index")]
    }

    /// A number from `first` on, of which large ones are rare: each doubling is half as likely.
    pub fn skewed(&mut self, first: u64, last: u64) -> u64 {
        let doublings = self.next().trailing_zeros().min(40);
        let end = first.saturating_mul(2 << doublings).min(last);
        self.between(first, end.max(first))
    }
}
