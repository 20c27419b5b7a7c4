//! The grams of one part: which there are, and where each stands.
//!
//! A gram is two letters, a letter the number of a character in the alphabet of the snapshot. The
//! table is sorted by both: the first letter leads to a range of second ones, a second one to its
//! list. That is six bytes a gram and two short searches, where an fst takes as much and a walk.

use std::ops::Range;

use rkyv::{Archive, Serialize};

use super::postings::{List, encode};
use super::{Letter, Spot};
use crate::index::packing::SLACK;

/// The letter that stands before the first of a text and behind the last.
pub const EDGE: Letter = 0;

/// Which edges of its texts a part is searched by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// None.
    None,
    /// The first letter.
    First,
    /// The last letter.
    Last,
}

/// The grams of one part.
#[derive(Debug, Default, Archive, Serialize)]
pub struct GramTable {
    /// Of each letter: where the grams begin that begin with it; and the end.
    firsts: Vec<u32>,
    /// Of each gram: its second letter, ascending within one first letter.
    seconds: Vec<Letter>,
    /// Of each gram: where its list begins.
    lists: Vec<u32>,
    /// The lists.
    postings: Vec<u8>,
}

/// A table in the making: a gram as one number, and where it stands.
#[derive(Debug)]
pub struct GramTableBuilder {
    edges: Edges,
    spots: Vec<(u32, Spot)>,
}

impl GramTableBuilder {
    /// An empty table.
    pub fn begin(edges: Edges) -> GramTableBuilder {
        GramTableBuilder { edges, spots: Vec::new() }
    }

    /// Adds the text of a unit. Units come in order.
    pub fn add(&mut self, unit: u32, text: &[Letter]) {
        let gram = |first: Letter, second: Letter| u32::from(first) << 16 | u32::from(second);
        let last = text.len().saturating_sub(1);
        for (position, pair) in (0..).zip(text.windows(2)) {
            self.spots.push((gram(pair[0], pair[1]), Spot::of(unit, position)));
        }
        match (self.edges, text) {
            (Edges::First, [first, ..]) => {
                self.spots.push((gram(EDGE, *first), Spot::of(unit, 0)));
            }
            (Edges::Last, [.., end]) => {
                self.spots.push((gram(*end, EDGE), Spot::of(unit, last as u32)));
            }
            _ => {}
        }
    }

    /// The table, for an alphabet of so many letters.
    pub fn finish(mut self, letters: usize) -> GramTable {
        self.spots.sort_unstable();
        let number = |count: usize| u32::try_from(count).expect("a month's lists are megabytes");
        let mut table = GramTable { firsts: vec![0; letters + 1], ..GramTable::default() };
        let mut list = Vec::new();
        for run in self.spots.chunk_by(|left, right| left.0 == right.0) {
            let gram = run[0].0;
            table.firsts[(gram >> 16) as usize + 1] += 1;
            table.seconds.push(gram as Letter);
            table.lists.push(number(table.postings.len()));
            list.clear();
            list.extend(run.iter().map(|(_, spot)| *spot));
            encode(&list, &mut table.postings);
        }
        let mut sum = 0;
        for first in &mut table.firsts {
            sum += *first;
            *first = sum;
        }
        table.postings.extend([0; SLACK]);
        table
    }
}

impl ArchivedGramTable {
    /// Checks everything that reading relies on. `length` gives the letters of a unit's text, none
    /// past the last unit.
    pub fn check(
        &self,
        letters: usize,
        edges: Edges,
        length: impl Fn(u32) -> Option<u32>,
    ) -> Result<(), &'static str> {
        let firsts = self.firsts.iter().map(|first| first.to_native() as usize);
        let bounds = (self.firsts.first(), self.firsts.last());
        let (Some(start), Some(end)) = bounds else { return Err("grams of each letter") };
        let whole = start.to_native() == 0 && end.to_native() as usize == self.seconds.len();
        if self.firsts.len() != letters + 1 || !firsts.is_sorted() || !whole {
            return Err("grams of each letter, one range behind the other");
        }
        if self.lists.len() != self.seconds.len() {
            return Err("a list for each gram");
        }
        let mut next = 0;
        for first in 0..letters {
            let mut before = None;
            for gram in self.range(first as Letter) {
                let second = self.seconds[gram].to_native();
                if usize::from(second) >= letters || before >= Some(second) {
                    return Err("letters of the alphabet, ascending");
                }
                before = Some(second);
                let edge = first == usize::from(EDGE) || second == EDGE;
                let allowed = match edges {
                    Edges::None => !edge,
                    Edges::First => second != EDGE,
                    Edges::Last => first != usize::from(EDGE),
                };
                let taken = if edge { 1 } else { 2 };
                let holds = |spot: Spot| {
                    length(spot.unit()).is_some_and(|length| spot.position() + taken <= length)
                };
                if !allowed || self.lists[gram].to_native() as usize != next {
                    return Err("lists that follow one another");
                }
                let end = List::at(&self.postings, next).check(holds);
                next = end.ok_or("ascending places inside the texts")?;
            }
        }
        match next + SLACK == self.postings.len() {
            true => Ok(()),
            false => Err("lists up to the end"),
        }
    }

    fn range(&self, first: Letter) -> Range<usize> {
        let bound = |letter: usize| self.firsts.get(letter).map_or(0, |first| first.to_native());
        bound(usize::from(first)) as usize..bound(usize::from(first) + 1) as usize
    }

    fn list(&self, first: Letter, second: Letter) -> Option<List<'_>> {
        let range = self.range(first);
        let seconds = self.seconds.get(range.clone())?;
        let place = seconds.binary_search_by(|probe| probe.to_native().cmp(&second)).ok()?;
        let list = self.lists.get(range.start + place)?;
        Some(List::at(&self.postings, list.to_native() as usize))
    }

    /// Where `letters` stand one behind the other, ascending, at their beginnings. Of a single letter
    /// only the places are known that the table's edges give.
    pub fn find(&self, letters: &[Letter], found: &mut Vec<Spot>) {
        found.clear();
        if let [letter] = letters {
            let list = self.list(EDGE, *letter).or_else(|| self.list(*letter, EDGE));
            if let Some(list) = list {
                list.for_each(|spot| found.push(spot));
            }
            return;
        }
        // Every second gram covers a text; an odd last letter is covered by the gram before.
        let last = letters.len().saturating_sub(2);
        let places = (0..last).step_by(2).chain([last]);
        let mut lists = Vec::with_capacity(letters.len() / 2 + 1);
        for place in places {
            let Some([first, second]) = letters.get(place..place + 2) else { return };
            let Some(list) = self.list(*first, *second) else { return };
            lists.push((list.count(), place as u32, list));
        }
        lists.sort_unstable_by_key(|(length, place, _)| (*length, *place));
        let mut lists = lists.into_iter();
        let Some((length, place, list)) = lists.next() else { return };
        found.reserve(length);
        match place {
            0 => list.for_each(|spot| found.push(spot)),
            _ => list.for_each(|spot| found.extend(spot.moved_back(place))),
        }
        for (_, place, list) in lists {
            if found.is_empty() {
                return;
            }
            list.retain(place, found);
        }
    }

    /// Bytes of the dictionary and of the lists.
    pub fn sizes(&self) -> (usize, usize) {
        let dictionary = self.firsts.len() * 4 + self.seconds.len() * 2 + self.lists.len() * 4;
        (dictionary, self.postings.len())
    }
}
