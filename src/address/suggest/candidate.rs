//! A place that a typed text may mean, and the order of such places.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::mark::Marks;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// An area of the section.
    Area(u32),
    /// A town of the gazetteer.
    Town(u32),
}

/// How the text matched, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    /// Letters as written.
    Prefix,
    /// Kana.
    Reading,
    Roman,
    /// With one typing error.
    Near,
}

/// Classes of candidates; a better class comes first, whatever the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Named,
    /// After an area whose 市, 区 or the like is omitted: 箱根湯 for 箱根町湯本.
    BehindShort,
    /// A place inside an area that was typed.
    Inside,
    Near,
}

#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub place: Place,
    pub match_kind: MatchKind,
    pub marks: Marks,
    pub(super) class: Class,
    /// Whether the text is the whole name.
    pub(super) exact: bool,
    pub(super) weight: u8,
    /// Whether it is outside the preferred area.
    pub(super) far: bool,
    /// Code of the municipality or the area.
    pub(super) jisx0402: u32,
}

/// Bonus of a whole name: as if the place had four times as much. With more, small places with a short name would
/// come before well-known ones.
const EXACT: u16 = 2 * 8;

impl Candidate {
    pub(super) fn order(&self) -> impl Ord + use<> {
        let weight = u16::from(self.weight) + if self.exact { EXACT } else { 0 };
        (self.class, self.far, Reverse(weight), self.jisx0402, self.place, self.match_kind)
    }
}

/// The first of these, each place once.
pub(super) fn first(mut candidates: Vec<Candidate>, limit: usize) -> Vec<Candidate> {
    candidates.sort_by_key(Candidate::order);
    let mut seen = HashSet::new();
    candidates.retain(|candidate| seen.len() < limit && seen.insert(candidate.place));
    candidates
}
