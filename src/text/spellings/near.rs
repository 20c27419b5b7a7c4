//! Matching with one typing error: a letter missing, extra, replaced, or two swapped.

use super::{Letter, NEVER, Spellings, States};

/// Limit on candidates for swapped letters.
const SWAPPED_MAX: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NearStates {
    /// States reached without an error.
    exact: States,
    /// States reached with one error.
    slipped: States,
    /// For swapped letters: the index of the edge whose letter must follow, and the states after it. Unused entries
    /// have no states.
    swapped: [(u16, States); SWAPPED_MAX],
}

impl NearStates {
    pub fn is_alive(&self) -> bool {
        (self.exact | self.slipped) != 0 || self.swapped.iter().any(|(_, states)| *states != 0)
    }

    /// Whether the error may be at the next letter, so that any letter is possible.
    pub fn may_slip(&self) -> bool {
        self.exact != 0
    }
}

impl Spellings {
    pub fn near_start(&self) -> NearStates {
        NearStates { exact: self.start(), ..NearStates::default() }
    }

    pub fn near_step(&self, states: &NearStates, letter: Letter) -> NearStates {
        let NearStates { exact, slipped, swapped } = *states;
        let behind = self.after(exact);
        let mut next = NearStates {
            exact: self.step(exact, letter),
            // In order: no error here; an extra letter in the name; a replaced letter; a letter missing in the
            // name.
            slipped: self.step(slipped, letter) | exact | behind | self.step(behind, letter),
            ..NearStates::default()
        };
        for (wanted, behind) in swapped {
            if behind != 0 && self.letter(wanted) == letter {
                next.slipped |= behind;
            }
        }
        let mut free = next.swapped.iter_mut();
        for number in self.numbers_of(exact).filter(|number| self.letter(*number) != letter) {
            let behind = self.step(1 << self.edges[usize::from(number)].to, letter);
            if behind != 0
                && let Some(free) = free.next()
            {
                *free = (number, behind);
            }
        }
        next
    }

    fn letter(&self, edge: u16) -> Letter {
        self.edges[usize::from(edge)].letter
    }

    /// The letters that can come next without an error at them, each once.
    pub fn near_next(&self, states: &NearStates, out: &mut Vec<Letter>) {
        out.clear();
        let NearStates { exact, slipped, swapped } = *states;
        let mut push = |letter| {
            if letter != NEVER && !out.contains(&letter) {
                out.push(letter);
            }
        };
        let from = exact | slipped | self.after(exact);
        self.edges_of(from).for_each(|edge| push(edge.letter));
        let swapped = swapped.iter().filter(|(_, states)| *states != 0);
        swapped.for_each(|(edge, _)| push(self.letter(*edge)));
    }

    /// Whether all of the text is read, with at most one error.
    pub fn is_near(&self, states: &NearStates) -> bool {
        self.is_done(states.exact | states.slipped | self.after(states.exact))
    }

    /// Whether the text, read up to these states, continues as a prefix of these letters with at most one error.
    pub fn nearly_begins(
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
    fn after(&self, states: States) -> States {
        self.edges_of(states).fold(0, |to, edge| to | 1 << edge.to)
    }
}
