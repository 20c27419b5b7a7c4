//! Digits that a corporate number has in a row: a test of millions of numbers for one part.
//!
//! A number is its first seven digits and its last six. Neighbours in the order of numbers share the first seven,
//! so these are examined once for a run of numbers, and the last six by one look into a table.

use std::ops::Range;

/// Digits of a corporate number.
pub const NUMBER_DIGITS: usize = 13;

/// Digits behind the split.
const BEHIND: usize = 6;
const FRONT: usize = NUMBER_DIGITS - BEHIND;
const BEHIND_VALUES: usize = 10usize.pow(BEHIND as u32);

/// The part stands whole in the digits behind the split.
const WHOLE: u16 = 1;

/// Bit `j` of both masks: the first `j` digits of the part end the front, the others begin what is behind.
pub struct PartNumber {
    digits: Vec<u8>,
    /// For each value of the digits behind the split.
    behind: Vec<u16>,
    /// The front that was asked for last, and its mask.
    front: Option<(u64, u16)>,
}

impl PartNumber {
    /// `None` unless these are 2 to 12 digits from 0 to 9.
    pub fn of(digits: Vec<u8>) -> Option<PartNumber> {
        let sound = (2..NUMBER_DIGITS).contains(&digits.len()) && digits.iter().all(|it| *it < 10);
        sound.then(|| PartNumber { behind: masks_behind(&digits), digits, front: None })
    }

    /// Whether a number of thirteen digits has the part.
    pub fn is_in(&mut self, number: u64) -> bool {
        let front = number / BEHIND_VALUES as u64;
        let mask = match self.front {
            Some((known, mask)) if known == front => mask,
            _ => {
                let mask = mask_of_front(&self.digits, front);
                self.front = Some((front, mask));
                mask
            }
        };
        let behind = self.behind[(number % BEHIND_VALUES as u64) as usize];
        // A front that has the part whole goes with everything behind it.
        mask & behind != 0 || mask == u16::MAX
    }
}

fn mask_of_front(part: &[u8], front: u64) -> u16 {
    let mut digits = [0; FRONT];
    let mut rest = front;
    for digit in digits.iter_mut().rev() {
        (*digit, rest) = ((rest % 10) as u8, rest / 10);
    }
    if digits.windows(part.len()).any(|window| window == part) {
        return u16::MAX;
    }
    let ends = (1..part.len()).filter(|length| digits.ends_with(&part[..*length]));
    ends.fold(WHOLE, |mask, length| mask | 1 << length)
}

fn masks_behind(part: &[u8]) -> Vec<u16> {
    let mut masks = vec![0; BEHIND_VALUES];
    let mut mark = |values: Option<Range<usize>>, mask: u16| {
        for of_value in values.and_then(|values| masks.get_mut(values)).into_iter().flatten() {
            *of_value |= mask;
        }
    };
    for split in 1..part.len() {
        mark(values_that_begin(0, 0, &part[split..]), 1 << split);
    }
    for at in 0..=BEHIND.saturating_sub(part.len()) {
        for before in 0..10usize.pow(at as u32) {
            mark(values_that_begin(before, at, part), WHOLE);
        }
    }
    masks
}

/// The values behind the split that begin with the `length` digits of `before` and then with `digits`; none where
/// these are too many.
fn values_that_begin(before: usize, length: usize, digits: &[u8]) -> Option<Range<usize>> {
    let open = BEHIND.checked_sub(length + digits.len())?;
    let begin = digits.iter().fold(before, |value, digit| value * 10 + usize::from(*digit));
    let unit = 10usize.pow(open as u32);
    Some(begin * unit..(begin + 1) * unit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().map(|byte| byte - b'0').collect()
    }

    #[test]
    fn a_part_is_found_wherever_it_stands() {
        for (part, number, expected) in [
            ("70", 7_010_001_000_000, true),
            ("00", 7_010_001_000_001, true),
            ("01", 7_010_001_000_001, true),
            ("10001", 7_010_001_000_000, true),
            ("1000", 7_010_001_000_000, true),
            ("1100", 7_010_001_100_000, true),
            ("1200", 7_010_001_100_000, false),
            ("010001100000", 7_010_001_100_000, true),
            ("701000110000", 7_010_001_100_000, true),
            ("701000110001", 7_010_001_100_000, false),
            ("111111", 1_111_110_111_111, true),
        ] {
            let mut searched = PartNumber::of(digits(part)).expect("a part");
            assert_eq!(searched.is_in(number), expected, "{part} in {number}");
        }
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for digits in [vec![], vec![1], vec![0; NUMBER_DIGITS], vec![1, 10]] {
            assert!(PartNumber::of(digits.clone()).is_none(), "{digits:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

        #[test]
        fn it_finds_what_a_search_in_the_written_number_finds(
            part in "[0-2]{2,12}",
            numbers in prop::collection::vec("[0-2]{13}", 1..60),
        ) {
            let mut searched = PartNumber::of(digits(&part)).expect("a part");
            for number in numbers.iter().chain([&format!("{part:0<13}"), &format!("{part:1>13}")]) {
                let found = searched.is_in(number.parse().expect("digits"));
                prop_assert_eq!(found, number.contains(&part), "{} in {}", part, number);
            }
        }
    }
}
