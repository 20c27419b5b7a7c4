//! Finding names: the keys that a typed text reaches, and the items below them, the heaviest first.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use fst::raw::{Fst, Node, Output, Transition};

use super::{ArchivedBeginnings, LAST, LEADS, SHORT, bytes};
use crate::text::spellings::near::NearStates;
use crate::text::spellings::{Letter, Spellings, States};

/// A checked index with its fst open.
pub struct Names<'s> {
    index: &'s ArchivedBeginnings,
    fst: Fst<&'s [u8]>,
}

/// A place that a typed text reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// A run whose key is the text up to these states. Names in the run may be longer than the key, unless every
    /// key is a whole name.
    Run { run: Run, states: States },
    /// All of the text is read: everything below this node matches.
    Below(Place),
}

/// A place that a text with one typing error reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearlyReached {
    /// A run whose key, of this many letters, is the text up to these states. Its names may be longer than the key.
    Run {
        run: Run,
        letters: usize,
        states: NearStates,
    },
    Below(Place),
}

/// The start of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run(u32);

/// A node, and the fst output up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    address: usize,
    output: u64,
}

/// An item that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub item: u32,
    pub weight: u8,
}

impl<'s> Names<'s> {
    /// `None` if the index has an fst that was not checked.
    pub fn of(index: &'s ArchivedBeginnings) -> Option<Names<'s>> {
        Some(Names { index, fst: Fst::new(&index.fst[..]).ok()? })
    }

    /// Whether every key is a whole name, so that a run reached on the way contains only names that begin the text.
    pub fn are_whole(&self) -> bool {
        self.index.whole
    }

    /// Follows a text: first the runs on its path, then everything below its end.
    pub fn walk(&self, typed: &Spellings, mut reach: impl FnMut(Reached)) {
        let typed = typed.renamed(|letter| self.index.rank(letter));
        let mut next = Vec::new();
        let mut open = vec![(self.root(), typed.start())];
        while let Some((place, states)) = open.pop() {
            let node = self.fst.node(place.address);
            if let Some(run) = place.run(&node) {
                reach(Reached::Run { run, states });
            }
            if typed.is_final(states) {
                reach(Reached::Below(place));
                continue;
            }
            typed.next_letters(states, &mut next);
            for &(rank, states) in &next {
                open.extend(self.child(place, &node, rank).map(|place| (place, states)));
            }
        }
    }

    /// Follows a text with one typing error. A replaced first letter is not tried.
    pub fn walk_near(&self, typed: &Spellings, mut reach: impl FnMut(NearlyReached)) {
        let typed = typed.renamed(|letter| self.index.rank(letter));
        let mut next = Vec::new();
        let mut open = vec![(self.root(), typed.near_start(), 0)];
        while let Some((place, states, letters)) = open.pop() {
            let node = self.fst.node(place.address);
            if let Some(run) = place.run(&node) {
                reach(NearlyReached::Run { run, letters, states });
            }
            if typed.is_near(&states) {
                reach(NearlyReached::Below(place));
                continue;
            }
            let mut push = |rank, place| {
                let states = typed.near_step(&states, rank);
                if states.is_alive() {
                    open.push((place, states, letters + 1));
                }
            };
            if states.may_err_next() && letters > 0 {
                self.children(place, &node, &mut push);
                continue;
            }
            typed.near_next_letters(&states, &mut next);
            for &rank in &next {
                if let Some(place) = self.child(place, &node, rank) {
                    push(rank, place);
                }
            }
        }
    }

    /// The items of a run, the heaviest first.
    pub fn items(&self, run: Run) -> impl Iterator<Item = u32> {
        let mut at = Some(run.0);
        std::iter::from_fn(move || {
            let place = at?;
            let entry = self.index.entry(place);
            at = (entry & LAST == 0).then_some(place + 1);
            Some(entry & !LAST)
        })
    }

    /// The items below these places, the heaviest first, then by number; `weight` gives an item's weight. An item
    /// occurs once per name.
    pub fn below<W: Fn(u32) -> u8>(
        &self,
        places: impl Iterator<Item = Place>,
        weight: W,
    ) -> Below<'_, 's, W> {
        let mut below = Below { names: self, weight, heap: BinaryHeap::new() };
        places.for_each(|place| below.push_node(place));
        below
    }

    /// The same items, all of them, in any order.
    pub fn each_below(&self, places: Vec<Place>, mut each: impl FnMut(u32)) {
        let mut open = places;
        while let Some(place) = open.pop() {
            let node = self.fst.node(place.address);
            if let Some(run) = place.run(&node) {
                self.items(run).for_each(&mut each);
            }
            open.extend(node.transitions().map(|arc| place.behind(&arc)));
        }
    }

    fn root(&self) -> Place {
        Place { address: self.fst.root().addr(), output: 0 }
    }

    fn child(&self, place: Place, node: &Node<'_>, rank: Letter) -> Option<Place> {
        let (bytes, count) = bytes(rank);
        let place = place.step(node, bytes[0])?;
        if count == 1 {
            return Some(place);
        }
        place.step(&self.fst.node(place.address), bytes[1])
    }

    fn children(&self, place: Place, node: &Node<'_>, push: &mut impl FnMut(Letter, Place)) {
        for arc in node.transitions() {
            let behind = place.behind(&arc);
            let first = usize::from(arc.inp);
            if let Some(rank) = first.checked_sub(LEADS) {
                push(rank as Letter, behind);
                continue;
            }
            for arc in self.fst.node(behind.address).transitions() {
                let letter = (SHORT + first * 256 + usize::from(arc.inp)) as Letter;
                push(letter, behind.behind(&arc));
            }
        }
    }
}

impl Place {
    fn step(self, node: &Node<'_>, byte: u8) -> Option<Place> {
        Some(self.behind(&node.transition(node.find_input(byte)?)))
    }

    fn behind(self, arc: &Transition) -> Place {
        Place { address: arc.addr, output: self.output + arc.out.value() }
    }

    /// The run of the key that ends here.
    fn run(self, node: &Node<'_>) -> Option<Run> {
        let output: Output = node.final_output();
        node.is_final().then(|| Run((self.output + output.value()) as u32))
    }
}

/// See [`Names::below`].
pub struct Below<'n, 's, W> {
    names: &'n Names<'s>,
    weight: W,
    heap: BinaryHeap<QueueEntry>,
}

/// An entry of the queue: an item of a run, or a node with its heaviest item.
#[derive(PartialEq, Eq)]
struct QueueEntry {
    weight: u8,
    item: Reverse<u32>,
    candidate: Candidate,
}

#[derive(PartialEq, Eq)]
enum Candidate {
    Item { place: u32 },
    Node(Place),
}

impl Ord for QueueEntry {
    fn cmp(&self, other: &QueueEntry) -> Ordering {
        (self.weight, self.item).cmp(&(other.weight, other.item))
    }
}

impl PartialOrd for QueueEntry {
    fn partial_cmp(&self, other: &QueueEntry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<W: Fn(u32) -> u8> Below<'_, '_, W> {
    fn push(&mut self, place: u32, candidate: Candidate) {
        let item = self.names.index.entry(place) & !LAST;
        self.heap.push(QueueEntry { weight: (self.weight)(item), item: Reverse(item), candidate });
    }

    fn push_node(&mut self, place: Place) {
        self.push(place.output as u32, Candidate::Node(place));
    }
}

impl<W: Fn(u32) -> u8> Iterator for Below<'_, '_, W> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let QueueEntry { weight, item: Reverse(item), candidate } = self.heap.pop()?;
            match candidate {
                Candidate::Item { place } => {
                    if self.names.index.entry(place) & LAST == 0 {
                        self.push(place + 1, Candidate::Item { place: place + 1 });
                    }
                    return Some(Found { item, weight });
                }
                Candidate::Node(place) => {
                    let node = self.names.fst.node(place.address);
                    if let Some(Run(run)) = place.run(&node) {
                        self.push(run, Candidate::Item { place: run });
                    }
                    for arc in node.transitions() {
                        self.push_node(place.behind(&arc));
                    }
                }
            }
        }
    }
}
