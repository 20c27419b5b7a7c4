//! A typed beginning of a name as a graph of letters (an automaton): every path is one possible spelling. Text in
//! kanji has one path, text in Roman letters has many ([`reading`]).
//!
//! A set of states is a bit set in one integer, so that a step takes a few operations. Letters are 16-bit numbers.
//! Does not know which names exist.

pub mod near;
pub mod reading;
mod roman;

/// A UTF-16 code unit of a name in its compared form.
pub type Letter = u16;

/// A set of states, one bit each.
pub type States = u128;

/// Limit on states, one per bit. No name needs as many.
const STATES_MAX: usize = States::BITS as usize;

/// The place of a state that lies within a letter of the typed text.
const WITHIN: u32 = u32::MAX;

/// Stands for letters without a new name; no letter has this number.
const NEVER: Letter = Letter::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: u8,
    pub to: u8,
    pub letter: Letter,
}

/// Spellings of a typed text. State 0 is the start.
#[derive(Debug, Clone, Default)]
pub struct Spellings {
    /// Sorted by state.
    edges: Vec<Edge>,
    /// Start of each state's edges, and one more entry for the end of the last.
    first: Vec<u16>,
    /// Bytes of the text read in each state, or [`WITHIN`].
    places: Vec<u32>,
    /// The final states: all of the text is read.
    done: States,
    /// The final states without an unfinished letter: a name that ends here equals the text.
    whole: States,
}

impl Spellings {
    /// The graph of a text with one spelling: its letters, each with the bytes of text read after it. `None` if it
    /// is too long.
    pub fn spelling(letters: impl Iterator<Item = (Letter, Option<u32>)>) -> Option<Spellings> {
        let (mut edges, mut places) = (Vec::new(), vec![0]);
        for (letter, place) in letters {
            let (from, to) = (places.len() - 1, places.len());
            if to >= STATES_MAX {
                return None;
            }
            edges.push(Edge { from: from as u8, to: to as u8, letter });
            places.push(place.unwrap_or(WITHIN));
        }
        let done = 1 << (places.len() - 1);
        Some(Spellings::of(edges, places, done, done))
    }

    /// Builds the graph; `edges` are sorted by state.
    fn of(edges: Vec<Edge>, places: Vec<u32>, done: States, whole: States) -> Spellings {
        let first = |state: usize| edges.partition_point(|edge| usize::from(edge.from) < state);
        let first = (0..=places.len()).map(|state| first(state) as u16).collect();
        Spellings { edges, first, places, done, whole }
    }

    pub fn start(&self) -> States {
        1
    }

    /// Whether no text was typed.
    pub fn is_empty(&self) -> bool {
        self.done & 1 != 0
    }

    pub fn is_done(&self, states: States) -> bool {
        states & self.done != 0
    }

    pub fn is_whole(&self, states: States) -> bool {
        states & self.whole != 0
    }

    /// The same graph with its letters renamed. A letter without a new name never matches.
    pub fn renamed(&self, name: impl Fn(Letter) -> Option<Letter>) -> Spellings {
        let mut renamed = self.clone();
        for edge in &mut renamed.edges {
            edge.letter = name(edge.letter).unwrap_or(NEVER);
        }
        renamed
    }

    pub fn step(&self, states: States, letter: Letter) -> States {
        self.edges_of(states)
            .filter(|edge| edge.letter == letter)
            .fold(0, |to, edge| to | 1 << edge.to)
    }

    /// The letters that may come next, each once, with the states after it.
    pub fn next(&self, states: States, out: &mut Vec<(Letter, States)>) {
        out.clear();
        for edge in self.edges_of(states).filter(|edge| edge.letter != NEVER) {
            match out.iter_mut().find(|(letter, _)| *letter == edge.letter) {
                Some((_, to)) => *to |= 1 << edge.to,
                None => out.push((edge.letter, 1 << edge.to)),
            }
        }
    }

    /// The byte positions in the text of these states.
    pub fn places(&self, states: States) -> impl Iterator<Item = usize> {
        let mut found: Vec<usize> = bits(states)
            .filter_map(|state| self.places.get(state).filter(|place| **place != WITHIN))
            .map(|place| *place as usize)
            .collect();
        found.dedup();
        found.into_iter()
    }

    /// Length of the longest path, in letters.
    pub fn letters(&self) -> usize {
        let mut depth = vec![0; self.places.len()];
        for edge in &self.edges {
            depth[usize::from(edge.to)] =
                depth[usize::from(edge.to)].max(depth[usize::from(edge.from)] + 1);
        }
        depth.into_iter().max().unwrap_or_default()
    }

    /// Whether the text is a prefix of these letters, and whether it is all of them.
    pub fn begins(&self, letters: impl Iterator<Item = Letter>) -> Option<Extent> {
        let mut states = self.start();
        let mut done = self.is_done(states);
        for letter in letters {
            states = self.step(states, letter);
            if states == 0 {
                return done.then_some(Extent::Part);
            }
            done |= self.is_done(states);
        }
        match (self.is_whole(states), done) {
            (true, _) => Some(Extent::Whole),
            (false, true) => Some(Extent::Part),
            (false, false) => None,
        }
    }

    fn edges_of(&self, states: States) -> impl Iterator<Item = &Edge> {
        self.numbers_of(states).map(|number| &self.edges[usize::from(number)])
    }

    /// The indexes of the edges that leave these states.
    fn numbers_of(&self, states: States) -> impl Iterator<Item = u16> {
        let ends = |state: usize| Some(*self.first.get(state)?..*self.first.get(state + 1)?);
        bits(states).filter_map(ends).flatten()
    }
}

/// Whether a name was typed in part or whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    Part,
    Whole,
}

fn bits(mut states: States) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let state = states.trailing_zeros() as usize;
        states &= states.wrapping_sub(1);
        (state < STATES_MAX).then_some(state)
    })
}
