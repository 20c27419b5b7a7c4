//! Candidates: the places that a typed text may mean, and their order.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::mark::{Mark, Marks};
use super::names::TypedText;
use crate::text::typed_keys::MatchKind;

/// A place that can be suggested, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SuggestedPlace {
    /// An area of the section.
    Area(u32),
    /// A town of the gazetteer.
    Town(u32),
}

/// Candidates of a better tier come first, whatever their weights. The best tier is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// The text is the beginning of the name.
    Name,
    /// The text after an area whose 市, 区 or the like is omitted is the beginning of the name: 箱根湯 for 箱根町湯本.
    AfterShortName,
    /// A place inside an area that was typed.
    InsideArea,
    /// With one typing error.
    Typo,
}

/// The rest of the text after the areas at its beginning, and how these were read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    /// The last of these areas; `None` for the whole text.
    pub area: Option<u32>,
    /// The byte at which the rest begins.
    pub start: usize,
    pub match_kind: MatchKind,
    pub marks: Marks,
    pub tier: Tier,
}

impl Rest {
    /// The whole text.
    pub fn whole(match_kind: MatchKind, tier: Tier) -> Rest {
        Rest { area: None, start: 0, match_kind, marks: Marks::default(), tier }
    }

    /// The rest, read as the name of a town.
    pub fn in_town(self, typed: &TypedText) -> Rest {
        let marks = self.marks.with(Mark { part: None, units: typed.units() });
        Rest { match_kind: typed.match_kind.max(self.match_kind), marks, ..self }
    }

    /// A place that the rest may mean, whose name goes on after it.
    pub fn candidate(&self, place: SuggestedPlace, weight: u8, jisx0402: u32) -> Candidate {
        Candidate {
            place,
            match_kind: self.match_kind,
            marks: self.marks,
            tier: self.tier,
            is_whole_name: false,
            weight,
            is_outside_preferred: false,
            jisx0402,
        }
    }
}

/// A place that the text may mean.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub place: SuggestedPlace,
    pub match_kind: MatchKind,
    pub marks: Marks,
    pub(super) tier: Tier,
    /// Whether the text is the whole name.
    pub(super) is_whole_name: bool,
    pub(super) weight: u8,
    /// Whether it is outside the preferred area.
    pub(super) is_outside_preferred: bool,
    /// Code of the municipality or the area.
    pub(super) jisx0402: u32,
}

/// Added to the weight of a whole name: it counts as if the place had four times as many corporations. With more, small
/// places with a short name would come before well-known ones.
const WHOLE_NAME_BONUS: u16 = 2 * 8;

impl Candidate {
    /// The key by which candidates are sorted.
    pub(super) fn order(&self) -> impl Ord + use<> {
        let weight = u16::from(self.weight) + if self.is_whole_name { WHOLE_NAME_BONUS } else { 0 };
        (
            self.tier,
            self.is_outside_preferred,
            Reverse(weight),
            self.jisx0402,
            self.place,
            self.match_kind,
        )
    }
}

/// The best candidates in order, each place once.
pub(super) fn best(mut candidates: Vec<Candidate>, limit: usize) -> Vec<Candidate> {
    candidates.sort_by_key(Candidate::order);
    let mut seen = HashSet::new();
    candidates.retain(|candidate| seen.len() < limit && seen.insert(candidate.place));
    candidates
}
