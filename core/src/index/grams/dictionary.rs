//! The dictionary of an n-gram index: the listed grams, and where their posting lists begin.
//!
//! A gram has two or more letters; a letter is the index of a character in the alphabet. All grams of two letters
//! that occur are listed, sorted: the first letter leads to a range of second ones. A longer gram is stored as its
//! parent (the gram without its last letter) and its last letter. These are sorted too, so that grams are ordered
//! by length. A look-up is a short search per letter.

use std::cmp::Ordering;
use std::ops::Range;

use rkyv::{Archive, Serialize};

/// The index of a character in the alphabet.
pub type LetterIndex = u16;

/// Letters of the longest listed gram; few longer ones occur in many rows.
pub const LONGEST: usize = 32;

/// Which grams have a list of rows, and in which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLists {
    /// A gram in more rows than this is frequent. A frequent gram of three or more letters is listed.
    pub threshold: u32,
    /// A gram in more rows than this is common, see `is_listed_if_rare`.
    pub common: u32,
    /// A list is a bitmap if that takes at most so many times the bytes of a packed list. Bitmaps are united several times
    /// as fast.
    pub bitmap_factor: usize,
}

impl RowLists {
    /// Lists in the form that takes fewer bytes.
    pub const fn smallest(threshold: u32, common: u32) -> RowLists {
        RowLists { threshold, common, bitmap_factor: 1 }
    }
}

/// Whether a gram is listed however rare it is, by the two thresholds of [`RowLists`] and the rows of its inner grams, of one
/// letter less. They must be frequent and one of them common: finding its rows in their lists would mean to read the longer
/// list. Or they are frequent and the same, as in a repetition such as 666: their lists would not reduce the candidates.
pub fn is_listed_if_rare(threshold: u32, common: u32, inner: [u32; 2], are_same: bool) -> bool {
    let has_common = inner.iter().any(|rows| *rows > common);
    inner.iter().all(|rows| *rows > threshold) && (has_common || are_same)
}

/// Flag in the archive: the list is this single number.
const SINGLE: u32 = 1 << 31;

/// Upper bound on the bytes of all lists, exclusive.
pub const LIST_BYTES_MAX: usize = SINGLE as usize;

/// In the archive: there is no list.
const NONE: u32 = u32::MAX;

/// Where a posting list is. Grams with the same list have the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListRef {
    /// Its byte offset in the lists, below [`LIST_BYTES_MAX`].
    Offset(u32),
    /// The list is this single number, which has three bytes.
    Single(u32),
}

impl ListRef {
    fn pack(self) -> u32 {
        match self {
            ListRef::Offset(offset) => offset,
            ListRef::Single(number) => number | SINGLE,
        }
    }

    fn unpack(packed: u32) -> Option<ListRef> {
        match packed {
            NONE => None,
            number if number & SINGLE != 0 => Some(ListRef::Single(number & !SINGLE)),
            offset => Some(ListRef::Offset(offset)),
        }
    }
}

#[derive(Debug, Default, Archive, Serialize)]
#[rkyv(derive(Debug))]
pub struct Dictionary {
    /// An exclusive upper bound of the numbers in the lists: how many rows or positions there are.
    pub(super) universe: u32,
    /// See [`RowLists::threshold`].
    pub(super) threshold: u32,
    /// See [`RowLists::common`].
    pub(super) common: u32,
    /// The characters of the letters, ascending.
    pub(super) alphabet: Vec<u32>,
    /// For each letter the list of the single letter, see [`Listing`](super::Listing); [`NONE`] if there is none.
    single_letters: Vec<u32>,
    /// For each letter the start of its grams of two; and the end.
    bigram_starts: Vec<u32>,
    /// For each gram of two letters its second.
    second_letters: Vec<LetterIndex>,
    /// For each longer gram its parent, numbered among all grams.
    parents: Vec<u32>,
    last_letters: Vec<LetterIndex>,
    /// For each gram its list, packed.
    lists: Vec<u32>,
}

impl Dictionary {
    /// An empty dictionary over an ascending alphabet.
    pub(super) fn new(universe: u32, rule: RowLists, alphabet: Vec<u32>) -> Dictionary {
        let RowLists { threshold, common, .. } = rule;
        let (single_letters, bigram_starts) = (vec![NONE; alphabet.len()], vec![0]);
        let empty = Dictionary::default();
        Dictionary { universe, threshold, common, alphabet, single_letters, bigram_starts, ..empty }
    }

    pub(super) fn set_single_letter(&mut self, letter: LetterIndex, list: ListRef) {
        self.single_letters[usize::from(letter)] = list.pack();
    }

    /// Adds a gram of two letters, in order. [`Dictionary::end_bigrams`] must follow the last.
    pub(super) fn push_bigram(&mut self, first: LetterIndex, second: LetterIndex) {
        self.bigram_starts.resize(usize::from(first) + 1, self.second_letters.len() as u32);
        self.second_letters.push(second);
    }

    pub(super) fn end_bigrams(&mut self) {
        self.bigram_starts.resize(self.alphabet.len() + 1, self.second_letters.len() as u32);
    }

    pub(super) fn push_longer(&mut self, parent: u32, last: LetterIndex) {
        self.parents.push(parent);
        self.last_letters.push(last);
    }

    /// Sets the list of a gram, in any order of grams.
    pub(super) fn set_list(&mut self, gram: u32, list: ListRef) {
        let gram = gram as usize;
        self.lists.resize(self.lists.len().max(gram + 1), NONE);
        self.lists[gram] = list.pack();
    }

    pub(super) fn list(&self, gram: u32) -> Option<ListRef> {
        self.lists.get(gram as usize).copied().and_then(ListRef::unpack)
    }

    pub(super) fn grams(&self) -> u32 {
        (self.second_letters.len() + self.parents.len()) as u32
    }

    pub(super) fn letter(&self, character: char) -> Option<LetterIndex> {
        let letter = self.alphabet.binary_search(&u32::from(character)).ok()?;
        Some(letter as LetterIndex)
    }

    pub(super) fn characters(&self, letters: &[LetterIndex]) -> Vec<char> {
        let character = |letter: &LetterIndex| char::from_u32(self.alphabet[usize::from(*letter)]);
        letters.iter().filter_map(character).collect()
    }

    /// The number of a gram of two letters, once all of them are added.
    pub(super) fn bigram(&self, first: LetterIndex, second: LetterIndex) -> Option<u32> {
        let first = usize::from(first);
        let range =
            *self.bigram_starts.get(first)? as usize..*self.bigram_starts.get(first + 1)? as usize;
        let offset = self.second_letters.get(range.clone())?.binary_search(&second).ok()?;
        Some((range.start + offset) as u32)
    }

    /// The number of a listed gram extended by one letter.
    pub(super) fn child(&self, parent: u32, last: LetterIndex) -> Option<u32> {
        let pair = |longer: usize| (self.parents[longer], self.last_letters[longer]);
        let longer = find_pair((parent, last), self.parents.len(), pair)?;
        Some((self.second_letters.len() + longer) as u32)
    }

    /// The number of a listed gram.
    pub(super) fn gram(&self, letters: &[LetterIndex]) -> Option<u32> {
        let [first, second, longer @ ..] = letters else { return None };
        let bigram = self.bigram(*first, *second)?;
        longer.iter().try_fold(bigram, |gram, last| self.child(gram, *last))
    }

    pub(super) fn letters(&self, mut gram: u32) -> Vec<LetterIndex> {
        let mut letters = Vec::new();
        let bigrams = self.second_letters.len();
        while let Some(longer) = (gram as usize).checked_sub(bigrams) {
            letters.push(self.last_letters[longer]);
            gram = self.parents[longer];
        }
        letters.push(self.second_letters[gram as usize]);
        let after = self.bigram_starts.partition_point(|start| *start <= gram);
        letters.push((after - 1) as LetterIndex);
        letters.reverse();
        letters
    }
}

/// The index of a pair of parent and letter among `pairs` ascending ones.
fn find_pair(
    wanted: (u32, LetterIndex),
    pairs: usize,
    pair: impl Fn(usize) -> (u32, LetterIndex),
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
    /// Checks every number that a search follows, and that `is_folded` is true for the alphabet. `universe` is the
    /// number of rows or positions.
    pub fn check(
        &self,
        universe: usize,
        list_bytes: usize,
        is_folded: impl Fn(char) -> bool,
    ) -> Result<(), &'static str> {
        if self.universe.to_native() as usize != universe {
            return Err("an index of as many rows as the table has");
        }
        let characters = self.alphabet.iter().map(|character| character.to_native());
        let ascending = characters.clone().is_sorted_by(|left, right| left < right);
        if !ascending || self.alphabet.len() > usize::from(LetterIndex::MAX) {
            return Err("characters, ascending");
        }
        if !characters.map(char::from_u32).all(|character| character.is_some_and(&is_folded)) {
            return Err("characters as this program folds them");
        }
        self.check_bigrams()?;
        self.check_longer()?;
        let is_inside = |list: ListRef| match list {
            ListRef::Offset(offset) => (offset as usize) < list_bytes,
            ListRef::Single(number) => (number as usize) < universe,
        };
        let is_complete = self.lists.len() == self.second_letters.len() + self.parents.len()
            && self.single_letters.len() == self.alphabet.len();
        let mut gram_lists = self.lists.iter().map(|list| ListRef::unpack(list.to_native()));
        if !is_complete || !gram_lists.all(|list| list.is_some_and(is_inside)) {
            return Err("a list for each gram, inside the lists");
        }
        let single_letters = self.single_letters.iter();
        if !single_letters.filter_map(|list| ListRef::unpack(list.to_native())).all(is_inside) {
            return Err("a list for each letter that is a text, inside the lists");
        }
        Ok(())
    }

    fn check_bigrams(&self) -> Result<(), &'static str> {
        let letters = self.alphabet.len();
        let bigram_starts = self.bigram_starts.iter().map(|first| first.to_native() as usize);
        let end = self.bigram_starts.last().map(|end| end.to_native() as usize);
        let whole =
            self.bigram_starts.len() == letters + 1 && end == Some(self.second_letters.len());
        if !whole
            || !bigram_starts.is_sorted()
            || self.bigram_starts.first().is_none_or(|first| *first != 0)
        {
            return Err("grams of each letter, one range after the other");
        }
        for first in 0..letters {
            let second_letters =
                self.second_letters.get(self.bigrams_of(first)).unwrap_or_default();
            let ascending = second_letters.is_sorted_by(|left, right| left < right);
            let known =
                second_letters.last().is_none_or(|last| usize::from(last.to_native()) < letters);
            if !ascending || !known {
                return Err("second letters of the alphabet, ascending");
            }
        }
        Ok(())
    }

    fn check_longer(&self) -> Result<(), &'static str> {
        if self.last_letters.len() != self.parents.len() {
            return Err("a last letter for each longer gram");
        }
        let mut before = None;
        for (gram, (parent, last)) in (self.second_letters.len()..).zip(self.longer(0..usize::MAX))
        {
            let known = (parent as usize) < gram && usize::from(last) < self.alphabet.len();
            if !known || before >= Some((parent, last)) {
                return Err("longer grams in the order of their parents and letters");
            }
            before = Some((parent, last));
        }
        Ok(())
    }

    /// The parents and last letters of a range of the grams of three or more letters.
    pub(super) fn longer(&self, range: Range<usize>) -> impl Iterator<Item = (u32, LetterIndex)> {
        let range = range.start..range.end.min(self.parents.len()).min(self.last_letters.len());
        let parents = self.parents.get(range.clone()).unwrap_or_default();
        let last_letters = self.last_letters.get(range).unwrap_or_default();
        let parents = parents.iter().map(|parent| parent.to_native());
        parents.zip(last_letters.iter().map(|last| last.to_native()))
    }

    pub fn letter(&self, character: char) -> Option<LetterIndex> {
        let probe = u32::from(character);
        let letter = self.alphabet.binary_search_by(|known| known.to_native().cmp(&probe)).ok()?;
        LetterIndex::try_from(letter).ok()
    }

    pub(super) fn alphabet(&self) -> impl Iterator<Item = u32> {
        self.alphabet.iter().map(|character| character.to_native())
    }

    pub(super) fn grams(&self) -> u32 {
        self.lists.len() as u32
    }

    pub(super) fn bigram_count(&self) -> usize {
        self.second_letters.len()
    }

    pub(super) fn bigrams(&self) -> impl Iterator<Item = [LetterIndex; 2]> {
        (0..self.alphabet.len()).flat_map(move |first| {
            let second_letters =
                self.second_letters.get(self.bigrams_of(first)).unwrap_or_default();
            second_letters.iter().map(move |second| [first as LetterIndex, second.to_native()])
        })
    }

    pub(super) fn single_letter(&self, letter: LetterIndex) -> Option<ListRef> {
        ListRef::unpack(self.single_letters.get(usize::from(letter))?.to_native())
    }

    /// The grams of two letters with this first letter.
    fn bigrams_of(&self, first: usize) -> Range<usize> {
        let bound =
            |letter: usize| self.bigram_starts.get(letter).map_or(0, |first| first.to_native());
        bound(first) as usize..bound(first + 1) as usize
    }

    pub fn bigram(&self, first: LetterIndex, second: LetterIndex) -> Option<u32> {
        let range = self.bigrams_of(usize::from(first));
        let second_letters = self.second_letters.get(range.clone())?;
        let offset =
            second_letters.binary_search_by(|known| known.to_native().cmp(&second)).ok()?;
        Some((range.start + offset) as u32)
    }

    pub(super) fn child(&self, parent: u32, last: LetterIndex) -> Option<u32> {
        let pair = |longer: usize| {
            (self.parents[longer].to_native(), self.last_letters[longer].to_native())
        };
        let pairs = self.parents.len().min(self.last_letters.len());
        let longer = find_pair((parent, last), pairs, pair)?;
        Some((self.second_letters.len() + longer) as u32)
    }

    pub(super) fn list(&self, gram: u32) -> Option<ListRef> {
        ListRef::unpack(self.lists.get(gram as usize)?.to_native())
    }
}
