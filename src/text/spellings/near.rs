//! The same text with one slip: a letter left out, one too many, another one, or two in the other order.

use super::{Letter, NEVER, Spellings, States};

/// Letters of which the first two were typed the other way round.
const SWAPPED_MAX: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NearStates {
    /// Without a slip so far.
    exact: States,
    /// With one.
    slipped: States,
    /// The number of the edge whose letter must follow, and the states behind it; none where these are none.
    swapped: [(u16, States); SWAPPED_MAX],
}

impl NearStates {
    pub fn is_alive(&self) -> bool {
        (self.exact | self.slipped) != 0 || self.swapped.iter().any(|(_, states)| *states != 0)
    }

    /// Whether any letter may come next, because the slip may be here.
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
            // In turn: no slip here; the letter is too many in the name; another letter; one left out of the name.
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

    /// The letters that can come next without a slip at them, once each.
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

    /// Whether all of the text is read, with one slip at most.
    pub fn is_near(&self, states: &NearStates) -> bool {
        self.is_done(states.exact | states.slipped | self.after(states.exact))
    }

    /// Whether the text, read up to these states, goes on as a beginning of these letters but for one slip.
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

    /// The states behind these, whatever the letter.
    fn after(&self, states: States) -> States {
        self.edges_of(states).fold(0, |to, edge| to | 1 << edge.to)
    }
}
