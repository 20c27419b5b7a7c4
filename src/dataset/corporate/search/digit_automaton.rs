//! Finds digit strings in corporate numbers, in one pass over millions of numbers for all partial numbers of a query.
//!
//! The parts form one automaton over digits (Aho and Corasick, 1975), so that sixty parts cost as much per number
//! as one. It reads the last three digits of a number in one step. Numbers arrive in order, so the state after the
//! digits before these is cached, per check digit, while they stay the same.

use std::collections::VecDeque;

use crate::text::codes::CorporateNumber;

pub const NUMBER_DIGITS: usize = 13;

/// Limit on the parts of one pass: one bit each in a mask. A query has no more keywords.
pub const PARTS_MAX: usize = u64::BITS as usize;

/// Digits of the last step, which are read at once.
const STEP: usize = 3;
const STEP_VALUES: usize = 10usize.pow(STEP as u32);

/// Digits between the check digit and the last step.
const PREFIX_DIGITS: usize = NUMBER_DIGITS - 1 - STEP;

/// A check digit is 1 to 9, and is an index.
const CHECK_DIGITS: usize = 10;

/// The result of reading some digits.
#[derive(Debug, Clone, Copy, Default)]
struct Transition {
    state: u16,
    /// The parts that ended on the way; bit 0 is the first part.
    found: u64,
}

/// Finds up to [`PARTS_MAX`] parts of 2 to 12 digits.
pub struct DigitAutomaton {
    /// For each state and each value of the next three digits.
    steps: Vec<Transition>,
    /// For each state and the next digit.
    digits: Vec<[Transition; 10]>,
    cached_prefix: Option<CachedPrefix>,
}

/// The state after the leading digits of the last number, per check digit.
struct CachedPrefix {
    digits: u64,
    of_check_digit: [Transition; CHECK_DIGITS],
}

impl DigitAutomaton {
    /// `None` if there are too many parts, or one of them does not have 2 to 12 digits from 0 to 9.
    pub fn new(parts: &[Vec<u8>]) -> Option<DigitAutomaton> {
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
            taken
                .into_iter()
                .fold(Transition { state: state as u16, found: 0 }, |transition, digit| {
                    follow(&digits, transition, digit)
                })
        });
        Some(DigitAutomaton { steps: steps.collect(), digits, cached_prefix: None })
    }

    /// The parts that occur in the number with these twelve digits and their check digit, one bit each.
    pub fn found_in(&mut self, body: u64) -> u64 {
        let digits = body / STEP_VALUES as u64;
        if self.cached_prefix.as_ref().is_none_or(|prefix| prefix.digits != digits) {
            self.cached_prefix = Some(self.read_prefix(digits));
        }
        let Some(prefix) = &self.cached_prefix else { return 0 };
        let check = CorporateNumber::from_body(body).map_or(0, CorporateNumber::check_digit);
        let transition = prefix.of_check_digit[check % CHECK_DIGITS];
        let last = (body % STEP_VALUES as u64) as usize;
        let step = self.steps[usize::from(transition.state) * STEP_VALUES + last];
        transition.found | step.found
    }

    fn read_prefix(&self, digits: u64) -> CachedPrefix {
        let digit =
            |index: usize| (digits / 10u64.pow((PREFIX_DIGITS - 1 - index) as u32) % 10) as usize;
        let of_check_digit = std::array::from_fn(|check| {
            let start = follow(&self.digits, Transition::default(), check);
            (0..PREFIX_DIGITS)
                .fold(start, |transition, index| follow(&self.digits, transition, digit(index)))
        });
        CachedPrefix { digits, of_check_digit }
    }
}

fn follow(digits: &[[Transition; 10]], transition: Transition, digit: usize) -> Transition {
    let next = digits[usize::from(transition.state)][digit];
    Transition { state: next.state, found: transition.found | next.found }
}

/// The transition of each state and digit, and the parts that end there. State 0 has read nothing; in `next`, 0 also
/// means that no part goes on with the digit.
fn automaton(parts: &[Vec<u8>]) -> Vec<[Transition; 10]> {
    let (mut next, mut ends) = (vec![[0u16; 10]], vec![0u64]);
    for (index, part) in parts.iter().enumerate() {
        let mut state = 0;
        for digit in part {
            let known = usize::from(next[state][usize::from(*digit)]);
            let target = if known == 0 { next.len() } else { known };
            if known == 0 {
                next[state][usize::from(*digit)] = target as u16;
                next.push([0; 10]);
                ends.push(0);
            }
            state = target;
        }
        ends[state] |= 1 << index;
    }
    // The state of the longest proper suffix of each state. Shorter states come first, so theirs is known.
    let mut fallback = vec![0u16; next.len()];
    let mut waiting: VecDeque<usize> = [0].into();
    while let Some(state) = waiting.pop_front() {
        let after_fallback = next[usize::from(fallback[state])];
        for (digit, fallback_target) in after_fallback.into_iter().enumerate() {
            let fallback_target = if state == 0 { 0 } else { fallback_target };
            let target = usize::from(next[state][digit]);
            if target == 0 {
                next[state][digit] = fallback_target;
                continue;
            }
            fallback[target] = fallback_target;
            ends[target] |= ends[usize::from(fallback_target)];
            waiting.push_back(target);
        }
    }
    let transition = |state: u16| Transition { state, found: ends[usize::from(state)] };
    next.iter().map(|targets| targets.map(transition)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().map(|byte| byte - b'0').collect()
    }

    fn automaton_of(parts: &[&str]) -> DigitAutomaton {
        let parts: Vec<_> = parts.iter().map(|part| digits(part)).collect();
        DigitAutomaton::new(&parts).expect("parts")
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
            let found = automaton_of(&[part]).found_in(body);
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
                let mut automaton = automaton_of(&[&whole[..length], &other]);
                let expected = 1 | u64::from(whole.contains(&other)) << 1;
                assert_eq!(automaton.found_in(body), expected, "{other} in {whole}");
            }
        }
    }

    #[test]
    fn invalid_parts_are_refused() {
        for digits in [vec![], vec![1], vec![0; NUMBER_DIGITS], vec![1, 10]] {
            let parts = [vec![1, 2], digits.clone()];
            assert!(DigitAutomaton::new(&parts).is_none(), "{digits:?}");
        }
        assert!(DigitAutomaton::new(&vec![vec![1, 2]; PARTS_MAX]).is_some());
        assert!(DigitAutomaton::new(&vec![vec![1, 2]; PARTS_MAX + 1]).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

        #[test]
        fn matches_equal_a_substring_search(
            parts in prop::collection::vec("[0-2]{2,12}", 1..20),
            bodies in prop::collection::vec("[0-2]{12}", 1..60),
        ) {
            let mut automaton = DigitAutomaton::new(&parts.iter().map(|it| digits(it)).collect::<Vec<_>>())
                .expect("parts");
            let ends = parts.iter().flat_map(|it| [format!("{it:0<12}"), format!("{it:1>12}")]);
            for body in bodies.iter().cloned().chain(ends) {
                let body = body.parse().expect("digits");
                let number = number(body);
                let expected = parts.iter().enumerate().fold(0, |mask, (index, part)| {
                    mask | u64::from(number.contains(part.as_str())) << index
                });
                prop_assert_eq!(automaton.found_in(body), expected, "{:?} in {}", parts, number);
            }
        }
    }
}
