//! A typed beginning of a name as a graph of letters (an automaton): every path is one possible spelling. Text in
//! kanji has one path, text in Roman letters has many ([`reading`]).
//!
//! A set of states is a bit set in one integer, so that a step takes a few operations. Letters are 16-bit numbers.
//! Does not know which names exist.

pub mod near;
pub mod reading;

/// A UTF-16 code unit of a name in its compared form.
pub type Letter = u16;

/// A set of states, one bit each.
pub type States = u128;

/// Limit on states, one per bit. No name needs as many.
const STATES_MAX: usize = States::BITS as usize;

/// The offset of a state that lies within a letter of the typed text.
const NO_OFFSET: u32 = u32::MAX;

/// Stands for letters without a new name; no letter has this number.
const NO_LETTER: Letter = Letter::MAX;

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
    /// The index of each state's first edge, and one more entry for the end of the last.
    first_edges: Vec<u16>,
    /// For each state the byte offset up to which the text is read there, or [`NO_OFFSET`].
    offsets: Vec<u32>,
    /// The states in which all of the text is read.
    final_states: States,
    /// The final states without an unfinished letter: a name that ends here equals the text.
    exact_states: States,
}

impl Spellings {
    /// The graph of a text with one spelling: its letters, each with the byte offset up to which the text is read
    /// after it, or `None` within a character. `None` if the text is too long.
    pub fn from_letters(letters: impl Iterator<Item = (Letter, Option<u32>)>) -> Option<Spellings> {
        let (mut edges, mut offsets) = (Vec::new(), vec![0]);
        for (letter, offset) in letters {
            let (from, to) = (offsets.len() - 1, offsets.len());
            if to >= STATES_MAX {
                return None;
            }
            edges.push(Edge { from: from as u8, to: to as u8, letter });
            offsets.push(offset.unwrap_or(NO_OFFSET));
        }
        let last = 1 << (offsets.len() - 1);
        Some(Spellings::from_edges(edges, offsets, last, last))
    }

    /// Builds the graph from edges that are sorted by state.
    fn from_edges(
        edges: Vec<Edge>,
        offsets: Vec<u32>,
        final_states: States,
        exact_states: States,
    ) -> Spellings {
        let first = |state: usize| edges.partition_point(|edge| usize::from(edge.from) < state);
        let first_edges = (0..=offsets.len()).map(|state| first(state) as u16).collect();
        Spellings { edges, first_edges, offsets, final_states, exact_states }
    }

    pub fn start(&self) -> States {
        1
    }

    /// Whether no text was typed.
    pub fn is_empty(&self) -> bool {
        self.final_states & 1 != 0
    }

    /// Whether all of the text is read in one of these states.
    pub fn is_final(&self, states: States) -> bool {
        states & self.final_states != 0
    }

    /// Whether a name that ends in one of these states equals the text.
    pub fn is_exact(&self, states: States) -> bool {
        states & self.exact_states != 0
    }

    /// A copy of the graph with renamed letters. A letter without a new name never matches.
    pub fn renamed(&self, name: impl Fn(Letter) -> Option<Letter>) -> Spellings {
        let mut renamed = self.clone();
        for edge in &mut renamed.edges {
            edge.letter = name(edge.letter).unwrap_or(NO_LETTER);
        }
        renamed
    }

    /// The states after one letter.
    pub fn step(&self, states: States, letter: Letter) -> States {
        self.edges_from(states)
            .filter(|edge| edge.letter == letter)
            .fold(0, |to, edge| to | 1 << edge.to)
    }

    /// The letters that may come next, each once, with the states after it.
    pub fn next_letters(&self, states: States, out: &mut Vec<(Letter, States)>) {
        out.clear();
        for edge in self.edges_from(states).filter(|edge| edge.letter != NO_LETTER) {
            match out.iter_mut().find(|(letter, _)| *letter == edge.letter) {
                Some((_, to)) => *to |= 1 << edge.to,
                None => out.push((edge.letter, 1 << edge.to)),
            }
        }
    }

    /// The byte offsets up to which the text is read in these states.
    pub fn offsets(&self, states: States) -> impl Iterator<Item = usize> {
        let mut found: Vec<usize> = bits(states)
            .filter_map(|state| self.offsets.get(state).filter(|offset| **offset != NO_OFFSET))
            .map(|offset| *offset as usize)
            .collect();
        found.dedup();
        found.into_iter()
    }

    /// Length of the longest path, in letters.
    pub fn max_letters(&self) -> usize {
        let mut depth = vec![0; self.offsets.len()];
        for edge in &self.edges {
            depth[usize::from(edge.to)] =
                depth[usize::from(edge.to)].max(depth[usize::from(edge.from)] + 1);
        }
        depth.into_iter().max().unwrap_or_default()
    }

    /// Whether the text is a part of the name with these letters or the whole name; `None` if it is no prefix of it.
    pub fn prefix_extent(&self, letters: impl Iterator<Item = Letter>) -> Option<Extent> {
        let mut states = self.start();
        let mut is_prefix = self.is_final(states);
        for letter in letters {
            states = self.step(states, letter);
            if states == 0 {
                return is_prefix.then_some(Extent::Part);
            }
            is_prefix |= self.is_final(states);
        }
        match (self.is_exact(states), is_prefix) {
            (true, _) => Some(Extent::Whole),
            (false, true) => Some(Extent::Part),
            (false, false) => None,
        }
    }

    fn edges_from(&self, states: States) -> impl Iterator<Item = &Edge> {
        self.edge_indexes(states).map(|index| &self.edges[usize::from(index)])
    }

    /// The indexes of the edges that leave these states.
    fn edge_indexes(&self, states: States) -> impl Iterator<Item = u16> {
        let range =
            |state: usize| Some(*self.first_edges.get(state)?..*self.first_edges.get(state + 1)?);
        bits(states).filter_map(range).flatten()
    }
}

/// Whether a name was typed in part or whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    Part,
    Whole,
}

/// The numbers of the states of a set, ascending.
fn bits(mut states: States) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let state = states.trailing_zeros() as usize;
        states &= states.wrapping_sub(1);
        (state < STATES_MAX).then_some(state)
    })
}
