//! The prefectures of a snapshot: all that its full files or its base cover, or fewer.
//!
//! A snapshot of some prefectures keeps to them: rows of other prefectures in the differences, which are for the whole
//! country, are left out.

use build_tools::corporate::PrefectureSet;

use crate::compile::error::{CompileError, Result};
use crate::dataset::corporate::record::CorporateProvenance;

/// The prefectures that a build is told to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefectures {
    /// All that the full files or the base cover.
    #[default]
    Covered,
    /// Every row of every file.
    All,
    /// Only these, as far as the full files or the base have them.
    Only(PrefectureSet),
}

impl Prefectures {
    /// The prefectures to keep. `covered` are the prefectures of the full files or the base.
    pub(super) fn kept(self, covered: PrefectureSet) -> Result<PrefectureSet> {
        let kept = match self {
            Prefectures::Covered => covered,
            Prefectures::All => PrefectureSet::ALL,
            Prefectures::Only(wanted) => covered.intersection(wanted),
        };
        if kept.is_empty() { Err(CompileError::NoCorporation) } else { Ok(kept) }
    }
}

/// The codes of prefectures for a snapshot's provenance: an empty list means all.
pub(super) fn provenance_codes(prefectures: PrefectureSet) -> Vec<u8> {
    match prefectures {
        PrefectureSet::ALL => Vec::new(),
        some => some.codes().collect(),
    }
}

pub(super) fn prefectures_of(provenance: &rkyv::Archived<CorporateProvenance>) -> PrefectureSet {
    match provenance.prefectures.is_empty() {
        true => PrefectureSet::ALL,
        false => provenance.prefectures.iter().copied().collect(),
    }
}

/// The number of rows and corporations that were left out because their prefecture is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OtherPrefectures {
    pub rows: usize,
    pub corporations: usize,
    /// Corporations among them that a base or full file had in a kept prefecture, and that have moved away since.
    pub moved_away: usize,
}

impl OtherPrefectures {
    /// Adds a corporation with this many rows. `moved_away`: a base or full file had it in a kept prefecture.
    pub(super) fn add(&mut self, rows: usize, moved_away: bool) {
        self.rows += rows;
        self.corporations += 1;
        self.moved_away += usize::from(moved_away);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_prefectures_are_covered_and_wanted() {
        let set = |codes: &[u8]| codes.iter().copied().collect::<PrefectureSet>();
        #[track_caller]
        fn check(wanted: Prefectures, covered: PrefectureSet, expected: Option<PrefectureSet>) {
            assert_eq!(wanted.kept(covered).ok(), expected, "{wanted:?} of {covered:?}");
        }
        let all = PrefectureSet::ALL;
        check(Prefectures::Covered, all, Some(all));
        check(Prefectures::Covered, set(&[31]), Some(set(&[31])));
        check(Prefectures::All, set(&[31]), Some(all));
        check(Prefectures::Only(set(&[31, 32])), all, Some(set(&[31, 32])));
        check(Prefectures::Only(set(&[31, 32])), set(&[31]), Some(set(&[31])));
        check(Prefectures::Only(set(&[13])), set(&[31]), None);
        check(Prefectures::Covered, PrefectureSet::default(), None);
        assert_eq!(provenance_codes(all), [0u8; 0]);
        assert_eq!(provenance_codes(set(&[99, 31])), [31, 99]);
    }
}
