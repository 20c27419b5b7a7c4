//! Finds digit strings in corporate numbers: one pass over millions of numbers for all partial numbers of a query.
//!
//! The parts form one automaton over digits (Aho and Corasick, 1975), so that sixty parts cost as much per number
//! as one. It reads the last six digits of a number three at a time. Numbers arrive in order, so the state after
//! the leading digits is cached, per check digit, while these stay the same.

use std::collections::VecDeque;

use crate::text::codes::CorporateNumber;

/// Digits of a corporate number.
pub const NUMBER_DIGITS: usize = 13;

/// Limit on the parts of one pass: one bit each in a mask. A query has no more keywords.
pub const PARTS_MAX: usize = u64::BITS as usize;

/// Digits per step.
const STEP: usize = 3;
const STEP_VALUES: usize = 10usize.pow(STEP as u32);

/// Digits between the check digit and the last step.
const FRONT: usize = NUMBER_DIGITS - 1 - STEP;
const BODY_VALUES: u64 = 10u64.pow(NUMBER_DIGITS as u32 - 1);

/// A check digit is 1 to 9.
const CHECK_DIGITS: usize = 10;

/// The result of reading some digits.
#[derive(Debug, Clone, Copy, Default)]
struct Reached {
    state: u16,
    /// The parts that ended on the way; bit 0 is the first part.
    found: u64,
}

/// Up to [`PARTS_MAX`] parts of 2 to 12 digits.
pub struct PartNumbers {
    /// For each state and each value of the next three digits.
    steps: Vec<Reached>,
    /// For each state and the next digit.
    digits: Vec<[Reached; 10]>,
    front: Option<Front>,
}

/// The state after the leading digits of the last numbers, per check digit.
struct Front {
    digits: u64,
    of_check_digit: [Reached; CHECK_DIGITS],
}

impl PartNumbers {
    /// `None` if there are too many parts, or one of them does not have 2 to 12 digits from 0 to 9.
    pub fn of(parts: &[Vec<u8>]) -> Option<PartNumbers> {
        let is_part = |part: &Vec<u8>| {
            (2..NUMBER_DIGITS).contains(&part.len()) && part.iter().all(|digit| *digit < 10)
        };
        if parts.len() > PARTS_MAX || !parts.iter().all(is_part) {
            return None;
        }
        let digits = automaton(parts);
        let state_steps = |state: usize| {
            (0..STEP_VALUES).map(move |value| (state, [value / 100, value / 10 % 10, value % 10]))
        };
        let all = (0..digits.len()).flat_map(state_steps);
        let steps = all.map(|(state, taken)| {
            taken.into_iter().fold(Reached { state: state as u16, found: 0 }, |reached, digit| {
                follow(&digits, reached, digit)
            })
        });
        Some(PartNumbers { steps: steps.collect(), digits, front: None })
    }

    /// The parts that occur in the number with these twelve digits and their check digit, one bit each.
    pub fn found_in(&mut self, body: u64) -> u64 {
        let digits = body / STEP_VALUES as u64;
        if self.front.as_ref().is_none_or(|front| front.digits != digits) {
            self.front = Some(self.front_of(digits));
        }
        let Some(front) = &self.front else { return 0 };
        let number = CorporateNumber::from_body(body).map_or(0, CorporateNumber::number);
        let reached = front.of_check_digit[(number / BODY_VALUES) as usize % CHECK_DIGITS];
        let last = (body % STEP_VALUES as u64) as usize;
        let step = self.steps[usize::from(reached.state) * STEP_VALUES + last];
        reached.found | step.found
    }

    fn front_of(&self, digits: u64) -> Front {
        let in_order = |at: usize| (digits / 10u64.pow((FRONT - 1 - at) as u32) % 10) as usize;
        let of_check_digit = std::array::from_fn(|check| {
            let start = follow(&self.digits, Reached::default(), check);
            (0..FRONT).fold(start, |reached, at| follow(&self.digits, reached, in_order(at)))
        });
        Front { digits, of_check_digit }
    }
}

fn follow(digits: &[[Reached; 10]], reached: Reached, digit: usize) -> Reached {
    let next = digits[usize::from(reached.state)][digit];
    Reached { state: next.state, found: reached.found | next.found }
}

/// The transition of each state and digit, and the parts that end there. State 0 has read nothing.
fn automaton(parts: &[Vec<u8>]) -> Vec<[Reached; 10]> {
    let (mut next, mut ends) = (vec![[0u16; 10]], vec![0u64]);
    for (at, part) in parts.iter().enumerate() {
        let mut state = 0;
        for digit in part {
            let known = usize::from(next[state][usize::from(*digit)]);
            let to = if known == 0 { next.len() } else { known };
            if known == 0 {
                next[state][usize::from(*digit)] = to as u16;
                next.push([0; 10]);
                ends.push(0);
            }
            state = to;
        }
        ends[state] |= 1 << at;
    }
    // The state of the longest proper suffix of each state. Shorter states come first, so theirs is known.
    let mut fallback = vec![0u16; next.len()];
    let mut waiting: VecDeque<usize> = [0].into();
    while let Some(state) = waiting.pop_front() {
        let instead = next[usize::from(fallback[state])];
        for (digit, instead) in instead.into_iter().enumerate() {
            let to = usize::from(next[state][digit]);
            if to == 0 {
                next[state][digit] = if state == 0 { 0 } else { instead };
                continue;
            }
            fallback[to] = if state == 0 { 0 } else { instead };
            ends[to] |= ends[usize::from(fallback[to])];
            waiting.push_back(to);
        }
    }
    let reached = |state: u16| Reached { state, found: ends[usize::from(state)] };
    next.iter().map(|to| to.map(reached)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().map(|byte| byte - b'0').collect()
    }

    fn searched(parts: &[&str]) -> PartNumbers {
        let parts: Vec<_> = parts.iter().map(|part| digits(part)).collect();
        PartNumbers::of(&parts).expect("parts")
    }

    fn number(body: u64) -> String {
        CorporateNumber::from_body(body).expect("twelve digits").to_string()
    }

    #[test]
    fn a_part_is_found_at_any_position() {
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
            let found = searched(&[part]).found_in(body);
            assert_eq!(found, u64::from(expected), "{part} in {}", number(body));
        }
    }

    #[test]
    fn the_check_digit_is_searched_too() {
        for body in [12_050_002, 20_313_025, 21_001_052_596, 999_999_999_999] {
            let whole = number(body);
            for length in 2..NUMBER_DIGITS {
                let other = (u8::from(whole.starts_with('9')) * 7 + 1).to_string();
                let other = [other.as_str(), &whole[1..length]].concat();
                let mut searched = searched(&[&whole[..length], &other]);
                let expected = 1 | u64::from(whole.contains(&other)) << 1;
                assert_eq!(searched.found_in(body), expected, "{other} in {whole}");
            }
        }
    }

    #[test]
    fn invalid_parts_are_refused() {
        for digits in [vec![], vec![1], vec![0; NUMBER_DIGITS], vec![1, 10]] {
            let parts = [vec![1, 2], digits.clone()];
            assert!(PartNumbers::of(&parts).is_none(), "{digits:?}");
        }
        assert!(PartNumbers::of(&vec![vec![1, 2]; PARTS_MAX]).is_some());
        assert!(PartNumbers::of(&vec![vec![1, 2]; PARTS_MAX + 1]).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

        #[test]
        fn matches_equal_a_substring_search(
            parts in prop::collection::vec("[0-2]{2,12}", 1..20),
            bodies in prop::collection::vec("[0-2]{12}", 1..60),
        ) {
            let mut searched = PartNumbers::of(&parts.iter().map(|it| digits(it)).collect::<Vec<_>>())
                .expect("parts");
            let ends = parts.iter().flat_map(|it| [format!("{it:0<12}"), format!("{it:1>12}")]);
            for body in bodies.iter().cloned().chain(ends) {
                let body = body.parse().expect("digits");
                let number = number(body);
                let expected = parts.iter().enumerate().fold(0, |mask, (at, part)| {
                    mask | u64::from(number.contains(part.as_str())) << at
                });
                prop_assert_eq!(searched.found_in(body), expected, "{:?} in {}", parts, number);
            }
        }
    }
}
