//! Matching with one typing error: a letter missing, extra, replaced, or two swapped.

use super::{Letter, NO_LETTER, Spellings, States};

/// Limit on candidates for swapped letters.
const SWAPS_MAX: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NearStates {
    /// States reached without an error.
    exact: States,
    /// States reached with one error.
    with_error: States,
    /// Letters that may be swapped. Unused entries have no states.
    swaps: [Swap; SWAPS_MAX],
}

/// Two letters that may be swapped, of which the name has had the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Swap {
    /// The edge of the first letter, which must follow.
    edge: u16,
    /// The states after both.
    states: States,
}

impl NearStates {
    pub fn is_alive(&self) -> bool {
        (self.exact | self.with_error) != 0 || self.swaps.iter().any(|swap| swap.states != 0)
    }

    /// Whether the error may be at the next letter, so that any letter is possible.
    pub fn may_err_next(&self) -> bool {
        self.exact != 0
    }
}

impl Spellings {
    pub fn near_start(&self) -> NearStates {
        NearStates { exact: self.start(), ..NearStates::default() }
    }

    pub fn near_step(&self, states: &NearStates, letter: Letter) -> NearStates {
        let NearStates { exact, with_error, swaps } = *states;
        let after_exact = self.after_any(exact);
        let mut next = NearStates {
            exact: self.step(exact, letter),
            // In order: no error here; an extra letter in the name; a replaced letter; a letter missing in the
            // name.
            with_error: self.step(with_error, letter)
                | exact
                | after_exact
                | self.step(after_exact, letter),
            ..NearStates::default()
        };
        for swap in swaps {
            if swap.states != 0 && self.letter(swap.edge) == letter {
                next.with_error |= swap.states;
            }
        }
        let mut unused = next.swaps.iter_mut();
        for edge in self.edge_indexes(exact).filter(|edge| self.letter(*edge) != letter) {
            let states = self.step(1 << self.edges[usize::from(edge)].to, letter);
            if states != 0
                && let Some(unused) = unused.next()
            {
                *unused = Swap { edge, states };
            }
        }
        next
    }

    fn letter(&self, edge: u16) -> Letter {
        self.edges[usize::from(edge)].letter
    }

    /// The letters that can come next without an error at them, each once.
    pub fn near_next_letters(&self, states: &NearStates, out: &mut Vec<Letter>) {
        out.clear();
        let NearStates { exact, with_error, swaps } = *states;
        let mut push = |letter| {
            if letter != NO_LETTER && !out.contains(&letter) {
                out.push(letter);
            }
        };
        let from = exact | with_error | self.after_any(exact);
        self.edges_from(from).for_each(|edge| push(edge.letter));
        let swaps = swaps.iter().filter(|swap| swap.states != 0);
        swaps.for_each(|swap| push(self.letter(swap.edge)));
    }

    /// Whether all of the text is read, with at most one error.
    pub fn is_near(&self, states: &NearStates) -> bool {
        self.is_final(states.exact | states.with_error | self.after_any(states.exact))
    }

    /// Whether the text, read up to these states, continues as a prefix of these letters with at most one error.
    pub fn is_near_prefix(
        &self,
        mut states: NearStates,
        letters: impl Iterator<Item = Letter>,
    ) -> bool {
        for letter in letters {
            if self.is_near(&states) {
                return true;
            }
            states = self.near_step(&states, letter);
            if !states.is_alive() {
                return false;
            }
        }
        self.is_near(&states)
    }

    /// The states after these, by any letter.
    fn after_any(&self, states: States) -> States {
        self.edges_from(states).fold(0, |to, edge| to | 1 << edge.to)
    }
}
