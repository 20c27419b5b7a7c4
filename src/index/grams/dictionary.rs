//! The dictionary of an n-gram index: the listed grams, and where their posting lists begin.
//!
//! A gram has two or more letters; a letter is the index of a character in the alphabet. All grams of two letters
//! that occur are listed, sorted: the first letter leads to a range of second ones. A longer gram is stored as its
//! parent (the gram without its last letter) and its last letter. These are sorted too, so that grams are ordered
//! by length. A look-up is a short search per letter.

use std::cmp::Ordering;
use std::ops::Range;

use rkyv::{Archive, Serialize};

pub type Letter = u16;

/// Letters of the longest listed gram; few longer ones occur in many rows.
pub const LONGEST: usize = 32;

/// Multiple of the threshold from which a gram is common. The lists of real names grow by 3 % for it. Without it
/// 番1番, which no address contains, would be compared with every address that has 番1 and 1番.
const COMMON: u32 = 8;

/// A gram in more rows than this is common. A gram whose two inner grams, of one letter less, are both common is listed
/// however rare it is, so that no keyword of up to [`LONGEST`] letters has more candidates than this. For the same
/// reason a gram that repeats one letter is always listed.
pub fn common(threshold: u32) -> u32 {
    threshold.saturating_mul(COMMON)
}

/// Flag in the archive: the list is this single number.
const ONLY: u32 = 1 << 31;

/// Upper bound on the bytes of all lists, exclusive.
pub const LISTS_MAX: usize = ONLY as usize;

const NONE: u32 = u32::MAX;

/// Where a posting list is. Grams with the same list have the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListAt {
    /// Its byte offset in the lists, below [`LISTS_MAX`].
    Byte(u32),
    /// The list is this single number, which has three bytes.
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
    /// One more than the largest number in any list.
    numbers: u32,
    /// A gram of three or more letters is listed if it occurs in more rows than this.
    threshold: u32,
    /// The characters of the letters, ascending.
    alphabet: Vec<u32>,
    /// For each letter the list of the letter by itself, see [`Listing`](super::Listing); `NONE` if there is none.
    alone: Vec<u32>,
    /// For each letter the start of its grams of two; and the end.
    firsts: Vec<u32>,
    seconds: Vec<Letter>,
    /// For each longer gram its parent, numbered among all grams.
    parents: Vec<u32>,
    lasts: Vec<Letter>,
    lists: Vec<u32>,
}

impl Dictionary {
    /// An empty dictionary over an ascending alphabet.
    pub(super) fn begin(numbers: u32, threshold: u32, alphabet: Vec<u32>) -> Dictionary {
        let alone = vec![NONE; alphabet.len()];
        Dictionary { numbers, threshold, alphabet, alone, firsts: vec![0], ..Dictionary::default() }
    }

    pub(super) fn set_alone(&mut self, letter: Letter, list: ListAt) {
        self.alone[usize::from(letter)] = list.packed();
    }

    /// Adds a gram of two letters, in order. [`Dictionary::end_bigrams`] must follow the last.
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

    /// Sets the list of a gram, in any order of grams.
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

    pub(super) fn alphabet(&self) -> &[u32] {
        &self.alphabet
    }

    pub(super) fn letter(&self, character: char) -> Option<Letter> {
        let place = self.alphabet.binary_search(&u32::from(character));
        place.ok().map(|place| place as Letter)
    }

    pub(super) fn characters(&self, letters: &[Letter]) -> Vec<char> {
        let character = |letter: &Letter| char::from_u32(self.alphabet[usize::from(*letter)]);
        letters.iter().filter_map(character).collect()
    }

    /// The number of a gram of two letters, once all of them are added.
    pub(super) fn bigram(&self, first: Letter, second: Letter) -> Option<u32> {
        let first = usize::from(first);
        let range = *self.firsts.get(first)? as usize..*self.firsts.get(first + 1)? as usize;
        let place = self.seconds.get(range.clone())?.binary_search(&second).ok()?;
        Some((range.start + place) as u32)
    }

    /// The number of a listed gram extended by one letter.
    pub(super) fn child(&self, parent: u32, last: Letter) -> Option<u32> {
        let pair = |place: usize| (self.parents[place], self.lasts[place]);
        let place = place_of((parent, last), self.parents.len(), pair)?;
        Some((self.seconds.len() + place) as u32)
    }

    /// The number of a listed gram.
    pub(super) fn gram(&self, letters: &[Letter]) -> Option<u32> {
        let [first, second, longer @ ..] = letters else { return None };
        let bigram = self.bigram(*first, *second)?;
        longer.iter().try_fold(bigram, |gram, last| self.child(gram, *last))
    }

    /// The letters of a listed gram.
    pub(super) fn letters(&self, mut gram: u32) -> Vec<Letter> {
        let mut letters = Vec::new();
        let bigrams = self.seconds.len();
        while let Some(longer) = (gram as usize).checked_sub(bigrams) {
            letters.push(self.lasts[longer]);
            gram = self.parents[longer];
        }
        letters.push(self.seconds[gram as usize]);
        let behind = self.firsts.partition_point(|start| *start <= gram);
        letters.push((behind - 1) as Letter);
        letters.reverse();
        letters
    }
}

/// The index of a pair of parent and letter in an ascending range.
fn place_of(
    wanted: (u32, Letter),
    pairs: usize,
    pair: impl Fn(usize) -> (u32, Letter),
) -> Option<usize> {
    let (mut low, mut high) = (0, pairs);
    while low < high {
        let middle = low.midpoint(high);
        match pair(middle).cmp(&wanted) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Some(middle),
        }
    }
    None
}

impl ArchivedDictionary {
    /// Checks every number that a search follows, and that `folded` is true for the alphabet.
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
        for (own, (parent, last)) in (self.seconds.len()..).zip(self.longer(0..usize::MAX)) {
            let known = (parent as usize) < own && usize::from(last) < self.alphabet.len();
            if !known || before >= Some((parent, last)) {
                return Err("longer grams in the order of their parents and letters");
            }
            before = Some((parent, last));
        }
        Ok(())
    }

    /// The parents and last letters of a range of the grams of three or more letters.
    pub(super) fn longer(&self, range: Range<usize>) -> impl Iterator<Item = (u32, Letter)> {
        let range = range.start..range.end.min(self.parents.len()).min(self.lasts.len());
        let parents = self.parents.get(range.clone()).unwrap_or_default();
        let lasts = self.lasts.get(range).unwrap_or_default();
        let parents = parents.iter().map(|parent| parent.to_native());
        parents.zip(lasts.iter().map(|last| last.to_native()))
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

    pub(super) fn alphabet(&self) -> impl Iterator<Item = u32> {
        self.alphabet.iter().map(|character| character.to_native())
    }

    pub(super) fn grams(&self) -> u32 {
        self.lists.len() as u32
    }

    pub(super) fn bigram_count(&self) -> usize {
        self.seconds.len()
    }

    /// The grams of two letters.
    pub(super) fn bigrams(&self) -> impl Iterator<Item = [Letter; 2]> {
        (0..self.alphabet.len()).flat_map(move |first| {
            let seconds = self.seconds.get(self.range(first)).unwrap_or_default();
            seconds.iter().map(move |second| [first as Letter, second.to_native()])
        })
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

    /// The number of a listed gram extended by one letter.
    pub(super) fn child(&self, parent: u32, last: Letter) -> Option<u32> {
        let pair = |place: usize| (self.parents[place].to_native(), self.lasts[place].to_native());
        let pairs = self.parents.len().min(self.lasts.len());
        let place = place_of((parent, last), pairs, pair)?;
        Some((self.seconds.len() + place) as u32)
    }

    pub(super) fn list(&self, gram: u32) -> Option<ListAt> {
        ListAt::of(self.lists.get(gram as usize)?.to_native())
    }
}
