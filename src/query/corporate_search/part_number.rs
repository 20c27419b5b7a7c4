//! Digits that a corporate number has in a row: a test of millions of numbers for one part.
//!
//! A number is its first seven digits and its last six. Neighbours in the order of numbers share the first seven but
//! for the check digit, so these are examined once for a run of numbers with each check digit, and the last six by one
//! look into a table. Only where both together may have the part is the check digit found.

use std::ops::Range;

use crate::text::codes::CorporateNumber;

/// Digits of a corporate number.
pub const NUMBER_DIGITS: usize = 13;

/// Digits behind the split.
const BEHIND: usize = 6;
const FRONT: usize = NUMBER_DIGITS - BEHIND;
const BEHIND_VALUES: usize = 10usize.pow(BEHIND as u32);

const CHECK_DIGITS: usize = 10;
const RUN_VALUES: u64 = 10u64.pow(FRONT as u32 - 1);
const BODY_VALUES: u64 = RUN_VALUES * BEHIND_VALUES as u64;

/// In the mask of a front: it has the part whole.
const WHOLE_FRONT: u16 = u16::MAX;

/// The part stands whole in the digits behind the split.
const WHOLE: u16 = 1;

/// Bit `j` of both masks: the first `j` digits of the part end the front, the others begin what is behind.
pub struct PartNumber {
    digits: Vec<u8>,
    /// For each value of the digits behind the split.
    behind: Vec<u16>,
    run: Option<Run>,
}

/// The numbers that were asked for last: those with the same digits between the check digit and the last six.
struct Run {
    digits: u64,
    /// For each check digit the mask of the front.
    masks: [u16; CHECK_DIGITS],
    /// The bits of all of them.
    any: u16,
}

impl Run {
    fn of(part: &[u8], digits: u64) -> Run {
        let front = |check: usize| check as u64 * RUN_VALUES + digits;
        let masks = std::array::from_fn(|check| mask_of_front(part, front(check)));
        // A check digit is 1 to 9.
        Run { digits, masks, any: masks[1..].iter().fold(0, |any, mask| any | mask) }
    }
}

impl PartNumber {
    /// `None` unless these are 2 to 12 digits from 0 to 9.
    pub fn of(digits: Vec<u8>) -> Option<PartNumber> {
        let sound = (2..NUMBER_DIGITS).contains(&digits.len()) && digits.iter().all(|it| *it < 10);
        sound.then(|| PartNumber { behind: masks_behind(&digits), digits, run: None })
    }

    /// Whether the number of these twelve digits and their check digit has the part.
    pub fn is_in(&mut self, body: u64) -> bool {
        let digits = body / BEHIND_VALUES as u64;
        if self.run.as_ref().is_none_or(|run| run.digits != digits) {
            self.run = Some(Run::of(&self.digits, digits));
        }
        let Some(run) = &self.run else { return false };
        let behind = self.behind[(body % BEHIND_VALUES as u64) as usize];
        if run.any != WHOLE_FRONT && run.any & behind == 0 {
            return false;
        }
        let number = CorporateNumber::from_body(body).map_or(0, CorporateNumber::number);
        let mask = run.masks[(number / BODY_VALUES) as usize % CHECK_DIGITS];
        // A front that has the part whole goes with everything behind it.
        mask == WHOLE_FRONT || mask & behind != 0
    }
}

fn mask_of_front(part: &[u8], front: u64) -> u16 {
    let mut digits = [0; FRONT];
    let mut rest = front;
    for digit in digits.iter_mut().rev() {
        (*digit, rest) = ((rest % 10) as u8, rest / 10);
    }
    if digits.windows(part.len()).any(|window| window == part) {
        return WHOLE_FRONT;
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

    fn number(body: u64) -> String {
        CorporateNumber::from_body(body).expect("twelve digits").to_string()
    }

    #[test]
    fn a_part_is_found_wherever_it_stands() {
        for (part, body, expected) in [
            ("00", 10_001_000_001, true),
            ("01", 10_001_000_001, true),
            ("10001", 10_001_000_000, true),
            ("1000", 10_001_000_000, true),
            ("1100", 10_001_100_000, true),
            ("1200", 10_001_100_000, false),
            ("010001100000", 10_001_100_000, true),
            ("010001100001", 10_001_100_000, false),
            ("111111", 111_110_111_111, true),
        ] {
            let mut searched = PartNumber::of(digits(part)).expect("a part");
            assert_eq!(searched.is_in(body), expected, "{part} in {}", number(body));
        }
    }

    #[test]
    fn the_check_digit_is_a_part_too() {
        for body in [12_050_002, 20_313_025, 21_001_052_596, 999_999_999_999] {
            let whole = number(body);
            for length in 2..NUMBER_DIGITS {
                let mut searched = PartNumber::of(digits(&whole[..length])).expect("a part");
                assert!(searched.is_in(body), "{} in {whole}", &whole[..length]);
                let other = (u8::from(whole.starts_with('9')) * 7 + 1).to_string();
                let other = [other.as_str(), &whole[1..length]].concat();
                let mut searched = PartNumber::of(digits(&other)).expect("a part");
                assert_eq!(searched.is_in(body), whole.contains(&other), "{other} in {whole}");
            }
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
            bodies in prop::collection::vec("[0-2]{12}", 1..60),
        ) {
            let mut searched = PartNumber::of(digits(&part)).expect("a part");
            for body in bodies.iter().chain([&format!("{part:0<12}"), &format!("{part:1>12}")]) {
                let body = body.parse().expect("digits");
                let number = number(body);
                prop_assert_eq!(searched.is_in(body), number.contains(&part), "{} in {}", part, number);
            }
        }
    }
}
