//! Which grams are listed, and where each list lies.
//!
//! A gram is two letters or more, a letter the number of a character in the alphabet. All grams of two
//! that occur are listed, sorted: the first letter leads to a range of second ones. A longer gram is
//! its parent, the gram without its last letter, and that letter; these are sorted too, so that the
//! grams of one length follow those that are shorter. A look-up is a short search for each letter.

use std::ops::Range;

use rkyv::{Archive, Serialize};

pub type Letter = u16;

/// Letters of the longest gram that is listed; few longer ones are in many rows.
pub const LONGEST: usize = 32;

/// How many times the threshold. The lists of real names grow by 3 % for it; without it 番1番, which no
/// address has, would be looked for in each that has 番1 and 1番.
const COMMON: u32 = 8;

/// A gram that more rows than this have is common. The gram that two common ones make, of one letter more, is
/// listed however rare it is, so that no keyword of up to [`LONGEST`] letters has more candidates than this.
/// The same holds for a gram of one letter again and again.
pub fn common(threshold: u32) -> u32 {
    threshold.saturating_mul(COMMON)
}

/// In the archive: the list has one number, this one.
const ONLY: u32 = 1 << 31;

/// Bytes of all lists, and one more.
pub const LISTS_MAX: usize = ONLY as usize;

const NONE: u32 = u32::MAX;

/// Where a posting list lies; two grams with the same one have the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListAt {
    /// It begins at this byte of the lists, which is below [`LISTS_MAX`].
    Byte(u32),
    /// It has only this number; numbers have three bytes.
    Only(u32),
}

impl ListAt {
    fn packed(self) -> u32 {
        match self {
            ListAt::Byte(at) => at,
            ListAt::Only(number) => number | ONLY,
        }
    }

    fn of(packed: u32) -> Option<ListAt> {
        match packed {
            NONE => None,
            number if number & ONLY != 0 => Some(ListAt::Only(number & !ONLY)),
            at => Some(ListAt::Byte(at)),
        }
    }
}

#[derive(Debug, Default, Archive, Serialize)]
#[rkyv(derive(Debug))]
pub struct Dictionary {
    /// One more than the largest number that a list may have.
    numbers: u32,
    /// With more rows than this a gram of three letters or more is listed.
    threshold: u32,
    /// The characters of the letters, ascending.
    alphabet: Vec<u32>,
    alone: Vec<u32>,
    /// Of each letter: where the grams of two begin that begin with it; and the end.
    firsts: Vec<u32>,
    seconds: Vec<Letter>,
    /// Of each longer gram: its parent, by its number among all grams.
    parents: Vec<u32>,
    lasts: Vec<Letter>,
    lists: Vec<u32>,
}

impl Dictionary {
    /// A dictionary without grams, of an ascending alphabet.
    pub(super) fn begin(numbers: u32, threshold: u32, alphabet: Vec<u32>) -> Dictionary {
        let alone = vec![NONE; alphabet.len()];
        Dictionary { numbers, threshold, alphabet, alone, firsts: vec![0], ..Dictionary::default() }
    }

    pub(super) fn set_alone(&mut self, letter: Letter, list: ListAt) {
        self.alone[usize::from(letter)] = list.packed();
    }

    /// Adds a gram of two. They come in order; [`Dictionary::end_bigrams`] comes behind the last.
    pub(super) fn push_bigram(&mut self, first: Letter, second: Letter) {
        self.firsts.resize(usize::from(first) + 1, self.seconds.len() as u32);
        self.seconds.push(second);
    }

    pub(super) fn end_bigrams(&mut self) {
        self.firsts.resize(self.alphabet.len() + 1, self.seconds.len() as u32);
    }

    pub(super) fn push_longer(&mut self, parent: u32, last: Letter) {
        self.parents.push(parent);
        self.lasts.push(last);
    }

    /// Sets where the list of a gram lies. Grams come in any order.
    pub(super) fn set_list(&mut self, gram: u32, list: ListAt) {
        let gram = gram as usize;
        self.lists.resize(self.lists.len().max(gram + 1), NONE);
        self.lists[gram] = list.packed();
    }

    pub(super) fn list(&self, gram: u32) -> Option<ListAt> {
        self.lists.get(gram as usize).copied().and_then(ListAt::of)
    }

    pub(super) fn numbers(&self) -> u32 {
        self.numbers
    }

    pub(super) fn grams(&self) -> u32 {
        (self.seconds.len() + self.parents.len()) as u32
    }
}

impl ArchivedDictionary {
    /// Checks every number that a search follows, and that `folded` holds for the alphabet.
    pub fn check(
        &self,
        numbers: usize,
        lists: usize,
        folded: impl Fn(char) -> bool,
    ) -> Result<(), &'static str> {
        if self.numbers.to_native() as usize != numbers {
            return Err("an index of as many rows as the table has");
        }
        let characters = self.alphabet.iter().map(|character| character.to_native());
        let ascending = characters.clone().is_sorted_by(|left, right| left < right);
        if !ascending || self.alphabet.len() > usize::from(Letter::MAX) {
            return Err("characters, ascending");
        }
        if !characters.map(char::from_u32).all(|it| it.is_some_and(&folded)) {
            return Err("characters as this program folds them");
        }
        self.check_bigrams()?;
        self.check_longer()?;
        let sound = |list: ListAt| match list {
            ListAt::Byte(at) => (at as usize) < lists,
            ListAt::Only(number) => (number as usize) < numbers,
        };
        let whole = self.lists.len() == self.seconds.len() + self.parents.len()
            && self.alone.len() == self.alphabet.len();
        let mut of_grams = self.lists.iter().map(|list| ListAt::of(list.to_native()));
        if !whole || !of_grams.all(|list| list.is_some_and(sound)) {
            return Err("a list for each gram, inside the lists");
        }
        let mut alone = self.alone.iter().filter_map(|list| ListAt::of(list.to_native()));
        if !alone.all(sound) {
            return Err("a list for each letter that is a text, inside the lists");
        }
        Ok(())
    }

    fn check_bigrams(&self) -> Result<(), &'static str> {
        let letters = self.alphabet.len();
        let firsts = self.firsts.iter().map(|first| first.to_native() as usize);
        let end = self.firsts.last().map(|end| end.to_native() as usize);
        let whole = self.firsts.len() == letters + 1 && end == Some(self.seconds.len());
        if !whole || !firsts.is_sorted() || self.firsts.first().is_none_or(|first| *first != 0) {
            return Err("grams of each letter, one range behind the other");
        }
        for first in 0..letters {
            let seconds = self.seconds.get(self.range(first)).unwrap_or_default();
            let ascending = seconds.is_sorted_by(|left, right| left < right);
            let known = seconds.last().is_none_or(|last| usize::from(last.to_native()) < letters);
            if !ascending || !known {
                return Err("second letters of the alphabet, ascending");
            }
        }
        Ok(())
    }

    fn check_longer(&self) -> Result<(), &'static str> {
        if self.lasts.len() != self.parents.len() {
            return Err("a last letter for each longer gram");
        }
        let mut before = None;
        for (own, (parent, last)) in (self.seconds.len()..).zip(self.longer()) {
            let known = (parent as usize) < own && usize::from(last) < self.alphabet.len();
            if !known || before >= Some((parent, last)) {
                return Err("longer grams in the order of their parents and letters");
            }
            before = Some((parent, last));
        }
        Ok(())
    }

    fn longer(&self) -> impl Iterator<Item = (u32, Letter)> {
        let parents = self.parents.iter().map(|parent| parent.to_native());
        parents.zip(self.lasts.iter().map(|last| last.to_native()))
    }

    pub(super) fn numbers(&self) -> u32 {
        self.numbers.to_native()
    }

    pub(super) fn threshold(&self) -> u32 {
        self.threshold.to_native()
    }

    pub fn letter(&self, character: char) -> Option<Letter> {
        let probe = u32::from(character);
        let place = self.alphabet.binary_search_by(|known| known.to_native().cmp(&probe));
        place.ok().and_then(|place| Letter::try_from(place).ok())
    }

    pub(super) fn alone(&self, letter: Letter) -> Option<ListAt> {
        ListAt::of(self.alone.get(usize::from(letter))?.to_native())
    }

    fn range(&self, first: usize) -> Range<usize> {
        let bound = |letter: usize| self.firsts.get(letter).map_or(0, |first| first.to_native());
        bound(first) as usize..bound(first + 1) as usize
    }

    pub fn bigram(&self, first: Letter, second: Letter) -> Option<u32> {
        let range = self.range(usize::from(first));
        let seconds = self.seconds.get(range.clone())?;
        let place = seconds.binary_search_by(|probe| probe.to_native().cmp(&second)).ok()?;
        Some((range.start + place) as u32)
    }

    /// The number of a listed gram with one more letter.
    pub(super) fn child(&self, parent: u32, last: Letter) -> Option<u32> {
        let (mut low, mut high) = (0, self.parents.len().min(self.lasts.len()));
        while low < high {
            let middle = low.midpoint(high);
            let found = (self.parents[middle].to_native(), self.lasts[middle].to_native());
            match found.cmp(&(parent, last)) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some((self.seconds.len() + middle) as u32),
            }
        }
        None
    }

    pub(super) fn list(&self, gram: u32) -> Option<ListAt> {
        ListAt::of(self.lists.get(gram as usize)?.to_native())
    }
}
