//! Finds names: the runs and subtrees of the fst that match a typed text, and the items in them, the heaviest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fst::raw::{Fst, Node, Output, Transition};

use super::{ArchivedBeginnings, LAST, LEAD_BYTES, ONE_BYTE_RANKS, rank_bytes};
use crate::text::spellings::near::NearStates;
use crate::text::spellings::{Letter, Spellings, States};

pub struct BeginningsReader<'s> {
    index: &'s ArchivedBeginnings,
    fst: Fst<&'s [u8]>,
}

/// A part of the index that matches a typed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// A run whose key is the text up to these states. Names in the run may be longer than the key, unless every
    /// key is a whole name.
    Run { run: ItemRun, states: States },
    /// All of the text is read: every name in this subtree begins with it.
    Subtree(Subtree),
}

/// A part of the index that matches a text with one typing error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearMatch {
    /// A run whose key, of this many letters, is the text up to these states. Its names may be longer than the key.
    Run {
        run: ItemRun,
        letters: usize,
        states: NearStates,
    },
    Subtree(Subtree),
}

/// A run of items, by the index of its first entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemRun(u32);

/// The keys from a node of the fst on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subtree {
    address: usize,
    /// The sum of the outputs on the path to the node: the index of the subtree's heaviest item in `runs`.
    output: u64,
}

impl<'s> BeginningsReader<'s> {
    /// `None` if the index was not checked and has no valid fst.
    pub fn new(index: &'s ArchivedBeginnings) -> Option<BeginningsReader<'s>> {
        Some(BeginningsReader { index, fst: Fst::new(&index.fst[..]).ok()? })
    }

    /// Calls `each` with the runs on the path of a text and with the subtree at its end, for each of its spellings.
    pub fn walk(&self, typed: &Spellings, mut each: impl FnMut(Match)) {
        let typed = typed.renamed(|letter| self.index.rank(letter));
        let mut next = Vec::new();
        let mut open = vec![(self.root(), typed.start())];
        while let Some((subtree, states)) = open.pop() {
            let node = self.fst.node(subtree.address);
            if let Some(run) = subtree.run(&node) {
                each(Match::Run { run, states });
            }
            if typed.is_final(states) {
                each(Match::Subtree(subtree));
                continue;
            }
            typed.next_letters(states, &mut next);
            for &(rank, states) in &next {
                open.extend(self.child(subtree, &node, rank).map(|subtree| (subtree, states)));
            }
        }
    }

    /// As [`walk`](Self::walk), for a text with one typing error. A replaced first letter is not tried.
    pub fn walk_near(&self, typed: &Spellings, mut each: impl FnMut(NearMatch)) {
        let typed = typed.renamed(|letter| self.index.rank(letter));
        let mut next = Vec::new();
        let mut open = vec![(self.root(), typed.near_start(), 0)];
        while let Some((subtree, states, letters)) = open.pop() {
            let node = self.fst.node(subtree.address);
            if let Some(run) = subtree.run(&node) {
                each(NearMatch::Run { run, letters, states });
            }
            if typed.is_near(&states) {
                each(NearMatch::Subtree(subtree));
                continue;
            }
            let mut push = |rank, subtree| {
                let states = typed.near_step(&states, rank);
                if states.is_alive() {
                    open.push((subtree, states, letters + 1));
                }
            };
            if states.may_err_next() && letters > 0 {
                self.children(subtree, &node, &mut push);
                continue;
            }
            typed.near_next_letters(&states, &mut next);
            for &rank in &next {
                if let Some(subtree) = self.child(subtree, &node, rank) {
                    push(rank, subtree);
                }
            }
        }
    }

    /// The items of a run, the heaviest first.
    pub fn items(&self, run: ItemRun) -> impl Iterator<Item = u32> {
        let mut next = Some(run.0);
        std::iter::from_fn(move || {
            let index = next?;
            let entry = self.index.entry(index);
            next = (entry & LAST == 0).then_some(index + 1);
            Some(entry & !LAST)
        })
    }

    /// The items in these subtrees, the heaviest first, then by number; `weight` gives an item's weight. An item
    /// occurs once per name.
    pub fn items_below(
        &self,
        subtrees: impl Iterator<Item = Subtree>,
        weight: impl Fn(u32) -> u8,
    ) -> impl Iterator<Item = u32> {
        let queued = move |candidate: Candidate| {
            let item = self.index.entry(candidate.heaviest()) & !LAST;
            (weight(item), Reverse(item), candidate)
        };
        let mut queue: BinaryHeap<_> = subtrees.map(Candidate::Subtree).map(&queued).collect();
        std::iter::from_fn(move || {
            loop {
                let (_, Reverse(item), candidate) = queue.pop()?;
                match candidate {
                    Candidate::Item { index } => {
                        if self.index.entry(index) & LAST == 0 {
                            queue.push(queued(Candidate::Item { index: index + 1 }));
                        }
                        return Some(item);
                    }
                    Candidate::Subtree(subtree) => {
                        let node = self.fst.node(subtree.address);
                        if let Some(ItemRun(index)) = subtree.run(&node) {
                            queue.push(queued(Candidate::Item { index }));
                        }
                        let below = node.transitions().map(|arc| subtree.follow(&arc));
                        queue.extend(below.map(Candidate::Subtree).map(&queued));
                    }
                }
            }
        })
    }

    /// Calls `each` with every item below these subtrees, in any order.
    pub fn for_each_below(&self, subtrees: Vec<Subtree>, mut each: impl FnMut(u32)) {
        let mut open = subtrees;
        while let Some(subtree) = open.pop() {
            let node = self.fst.node(subtree.address);
            if let Some(run) = subtree.run(&node) {
                self.items(run).for_each(&mut each);
            }
            open.extend(node.transitions().map(|arc| subtree.follow(&arc)));
        }
    }

    fn root(&self) -> Subtree {
        Subtree { address: self.fst.root().addr(), output: 0 }
    }

    /// The subtree after the letter of this rank.
    fn child(&self, subtree: Subtree, node: &Node<'_>, rank: Letter) -> Option<Subtree> {
        let (bytes, count) = rank_bytes(rank);
        let subtree = subtree.step(node, bytes[0])?;
        if count == 1 {
            return Some(subtree);
        }
        subtree.step(&self.fst.node(subtree.address), bytes[1])
    }

    /// Calls `push` with the rank of each next letter and the subtree after it.
    fn children(&self, subtree: Subtree, node: &Node<'_>, push: &mut impl FnMut(Letter, Subtree)) {
        for arc in node.transitions() {
            let child = subtree.follow(&arc);
            let first = usize::from(arc.inp);
            if let Some(rank) = first.checked_sub(LEAD_BYTES) {
                push(rank as Letter, child);
                continue;
            }
            for arc in self.fst.node(child.address).transitions() {
                let rank = (ONE_BYTE_RANKS + first * 256 + usize::from(arc.inp)) as Letter;
                push(rank, child.follow(&arc));
            }
        }
    }
}

impl Subtree {
    fn step(self, node: &Node<'_>, byte: u8) -> Option<Subtree> {
        Some(self.follow(&node.transition(node.find_input(byte)?)))
    }

    fn follow(self, arc: &Transition) -> Subtree {
        Subtree { address: arc.addr, output: self.output + arc.out.value() }
    }

    /// The run of the key that ends at the node; `None` if none does.
    fn run(self, node: &Node<'_>) -> Option<ItemRun> {
        let output: Output = node.final_output();
        node.is_final().then(|| ItemRun((self.output + output.value()) as u32))
    }
}

/// An entry of the queue of [`BeginningsReader::items_below`], which has it by its heaviest item.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Candidate {
    Item { index: u32 },
    Subtree(Subtree),
}

impl Candidate {
    /// The index in `runs` of its heaviest item.
    fn heaviest(&self) -> u32 {
        match self {
            Candidate::Item { index } => *index,
            Candidate::Subtree(subtree) => subtree.output as u32,
        }
    }
}
