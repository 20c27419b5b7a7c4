//! A keyword to the rows it stands in.

use super::LONGEST;
use super::dictionary::{ArchivedDictionary, Letter, Place};
use super::list::{Cursor, List, Probe};
use super::matches::Matches;
use crate::snapshot::{Blocks, Fault};

/// Lists that are intersected at most, the rarest ones: what a further one would drop is dropped by its
/// text.
const LISTS: usize = 6;

/// An index, open: the dictionary, which was checked, and the lists.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'s> {
    dictionary: &'s ArchivedDictionary,
    lists: &'s Blocks,
}

/// The rows of a keyword as far as the lists tell.
#[derive(Debug, Clone)]
pub struct Found<'s>(State<'s>);

#[derive(Debug, Clone)]
enum State<'s> {
    Exact(Matches<'s>),
    Candidates(Vec<u32>),
}

impl<'s> Found<'s> {
    fn exact(matches: Matches<'s>) -> Found<'s> {
        Found(State::Exact(matches))
    }

    /// Whether nothing is left to be verified.
    pub fn is_exact(&self) -> bool {
        matches!(self.0, State::Exact(_))
    }

    /// How many rows there are at most; where it is exact, how many there are.
    pub fn at_most(&self) -> usize {
        match &self.0 {
            State::Exact(matches) => matches.count(),
            State::Candidates(rows) => rows.len(),
        }
    }

    /// Drops of the candidates those that `wanted` does not hold for, so that fewer are verified. What
    /// is exact stays as it is.
    pub fn narrow(&mut self, mut wanted: impl FnMut(u32) -> bool) {
        if let State::Candidates(rows) = &mut self.0 {
            rows.retain(|row| wanted(*row));
        }
    }

    /// The rows. `contains` says of a candidate whether its text contains the keyword; it is not
    /// called where the lists have told.
    pub fn verified<E>(
        self,
        mut contains: impl FnMut(u32) -> Result<bool, E>,
    ) -> Result<Matches<'s>, E> {
        match self.0 {
            State::Exact(matches) => Ok(matches),
            State::Candidates(mut rows) => {
                let mut kept = 0;
                for read in 0..rows.len() {
                    if contains(rows[read])? {
                        rows[kept] = rows[read];
                        kept += 1;
                    }
                }
                rows.truncate(kept);
                Ok(Matches::read(rows))
            }
        }
    }
}

/// The longest listed gram that begins at some letter of a keyword.
#[derive(Debug, Clone, Copy)]
struct Longest {
    gram: u32,
    /// The letter behind it.
    end: usize,
}

impl<'s> Reader<'s> {
    /// Reads what [`ArchivedDictionary::check`] accepted, with the lists of the same snapshot.
    pub fn of(dictionary: &'s ArchivedDictionary, lists: &'s Blocks) -> Reader<'s> {
        Reader { dictionary, lists }
    }

    /// The rows whose text contains `keyword`, which is folded as the texts are. One letter finds the
    /// texts that are nothing else, as the API has it; no letter finds none.
    pub fn find(&self, keyword: &[char]) -> Result<Found<'s>, Fault> {
        let letters: Option<Vec<Letter>> =
            keyword.iter().map(|character| self.dictionary.letter(*character)).collect();
        let none = Ok(Found::exact(Matches::none()));
        let Some(letters) = letters else { return none };
        match letters.as_slice() {
            [] => none,
            [letter] => match self.dictionary.alone(*letter) {
                Some(place) => self.matches(place).map(Found::exact),
                None => none,
            },
            letters => self.find_grams(letters),
        }
    }

    fn find_grams(&self, letters: &[Letter]) -> Result<Found<'s>, Fault> {
        let mut places = Vec::new();
        let mut covered = 0;
        for start in 0..letters.len() - 1 {
            let Some(longest) = self.longest(letters, start) else {
                return Ok(Found::exact(Matches::none()));
            };
            let Some(place) = self.dictionary.place(longest.gram) else { continue };
            if start == 0 && longest.end == letters.len() {
                return self.matches(place).map(Found::exact);
            }
            // A gram inside another one's letters has all its rows, and more.
            if longest.end > covered {
                covered = longest.end;
                places.push(place);
            }
        }
        places.sort_unstable();
        places.dedup();
        let mut lists = Vec::with_capacity(places.len());
        for place in places {
            match place {
                // Fewer there cannot be, and one text is read sooner than a list.
                Place::Row(row) => return Ok(Found(State::Candidates(vec![row]))),
                Place::List(at) => lists.push(self.open(at)?),
            }
        }
        lists.sort_by_key(List::count);
        lists.truncate(LISTS);
        Ok(Found(State::Candidates(intersection(lists))))
    }

    /// None where two letters never stand side by side.
    fn longest(&self, letters: &[Letter], start: usize) -> Option<Longest> {
        let mut gram = self.dictionary.bigram(letters[start], letters[start + 1])?;
        let mut end = start + 2;
        while let Some(last) = letters.get(end)
            && end - start < LONGEST
            && let Some(child) = self.dictionary.child(gram, *last)
        {
            gram = child;
            end += 1;
        }
        Some(Longest { gram, end })
    }

    fn matches(&self, place: Place) -> Result<Matches<'s>, Fault> {
        match place {
            Place::Row(row) => Ok(Matches::read(vec![row])),
            Place::List(at) => self.open(at).map(Matches::listed),
        }
    }

    fn open(&self, at: u32) -> Result<List<'s>, Fault> {
        List::open(self.lists, at as usize, self.dictionary.rows())
    }
}

/// The rows that all lists have, of which the first is the shortest.
fn intersection(lists: Vec<List<'_>>) -> Vec<u32> {
    let mut lists = lists.into_iter();
    let mut rows = Vec::new();
    let Some(first) = lists.next() else { return rows };
    let mut others: Vec<Probe<'_>> = lists.map(Probe::begin).collect();
    let mut cursor = Cursor::begin(first);
    loop {
        let piece = cursor.next();
        if piece.is_empty() {
            return rows;
        }
        rows.extend(piece.iter().filter(|row| others.iter_mut().all(|it| it.contains(**row))));
    }
}
