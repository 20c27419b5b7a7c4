//! The weight of a place: its number of corporations if the build counted them, else of its records.

use std::collections::HashMap;

/// The number of corporations by postal code.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    by_code: HashMap<u32, u32>,
}

impl Counts {
    pub fn add(&mut self, postal_code: u32) {
        *self.by_code.entry(postal_code).or_default() += 1;
    }

    pub fn of(&self, postal_code: u32) -> u32 {
        self.by_code.get(&postal_code).copied().unwrap_or_default()
    }
}

/// The weight of a count: eight steps for each power of two. Up to 15 every count has its own step.
pub(super) fn level(count: u32) -> u8 {
    let Some(power) = count.checked_ilog2() else { return 0 };
    let eighths = (u64::from(count) << 3 >> power) & 7;
    // 32 powers of eight steps, less one, fit in a byte.
    (1 + 8 * power + eighths as u32).min(255) as u8
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn larger_counts_have_larger_levels() {
        let levels: Vec<u8> =
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 1_000, 1_000_000, u32::MAX].map(level).to_vec();
        assert!(levels.is_sorted(), "{levels:?}");
        assert!(levels[..12].windows(2).all(|pair| pair[0] < pair[1]), "{levels:?}");
        assert_eq!(levels[0], 0);
    }
}
