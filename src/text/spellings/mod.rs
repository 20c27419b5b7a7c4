//! What somebody has typed of a name so far, as a graph of letters: every way through it is one spelling of the
//! beginning. A text of kanji has one way, one of Roman letters many ([`reading`]).
//!
//! A set of states is the bits of a number, so that stepping is a few operations. Knows letters as numbers of 16 bits;
//! does not know which names there are.

pub mod near;
pub mod reading;
mod roman;

/// A UTF-16 unit of a name as it is compared.
pub type Letter = u16;

/// States that a text may be in, one a bit.
pub type States = u128;

/// More states than bits cannot be told apart; no name needs as many.
const STATES_MAX: usize = States::BITS as usize;

/// A place in the typed text that no state stands for: within a letter.
const WITHIN: u32 = u32::MAX;

/// The name of letters that have no other name; no letter has this number.
const NEVER: Letter = Letter::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: u8,
    pub to: u8,
    pub letter: Letter,
}

/// A typed text. The first state is 0.
#[derive(Debug, Clone, Default)]
pub struct Spellings {
    /// By state.
    edges: Vec<Edge>,
    /// Of each state where its edges begin, and behind the last state where they end.
    first: Vec<u16>,
    /// Of each state, how many bytes of the text are read, or [`WITHIN`].
    places: Vec<u32>,
    /// The states in which all of the text is read.
    done: States,
    /// Those of them in which no letter is unfinished: a name that ends here is the text.
    whole: States,
}

impl Spellings {
    /// A text of one spelling: each letter, and how many bytes of the text are read behind it. `None` if it is too long.
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

    /// Of edges by state.
    fn of(edges: Vec<Edge>, places: Vec<u32>, done: States, whole: States) -> Spellings {
        let first = |state: usize| edges.partition_point(|edge| usize::from(edge.from) < state);
        let first = (0..=places.len()).map(|state| first(state) as u16).collect();
        Spellings { edges, first, places, done, whole }
    }

    pub fn start(&self) -> States {
        1
    }

    /// Whether nothing was typed.
    pub fn is_empty(&self) -> bool {
        self.done & 1 != 0
    }

    pub fn is_done(&self, states: States) -> bool {
        states & self.done != 0
    }

    pub fn is_whole(&self, states: States) -> bool {
        states & self.whole != 0
    }

    /// The same text with its letters renamed; a letter that has no other name is never met.
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

    /// Every letter that may come next, once, and the states behind it.
    pub fn next(&self, states: States, out: &mut Vec<(Letter, States)>) {
        out.clear();
        for edge in self.edges_of(states).filter(|edge| edge.letter != NEVER) {
            match out.iter_mut().find(|(letter, _)| *letter == edge.letter) {
                Some((_, to)) => *to |= 1 << edge.to,
                None => out.push((edge.letter, 1 << edge.to)),
            }
        }
    }

    /// The places of the text that these states stand for, in bytes.
    pub fn places(&self, states: States) -> impl Iterator<Item = usize> {
        let mut found: Vec<usize> = bits(states)
            .filter_map(|state| self.places.get(state).filter(|place| **place != WITHIN))
            .map(|place| *place as usize)
            .collect();
        found.dedup();
        found.into_iter()
    }

    /// How many letters the longest way has.
    pub fn letters(&self) -> usize {
        let mut depth = vec![0; self.places.len()];
        for edge in &self.edges {
            depth[usize::from(edge.to)] =
                depth[usize::from(edge.to)].max(depth[usize::from(edge.from)] + 1);
        }
        depth.into_iter().max().unwrap_or_default()
    }

    /// Whether the text is a beginning of these letters, and whether it is all of them.
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

    /// The edges of these states by their numbers.
    fn numbers_of(&self, states: States) -> impl Iterator<Item = u16> {
        let ends = |state: usize| Some(*self.first.get(state)?..*self.first.get(state + 1)?);
        bits(states).filter_map(ends).flatten()
    }
}

/// How much of a name was typed.
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
