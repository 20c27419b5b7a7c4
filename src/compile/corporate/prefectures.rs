//! Which prefectures a snapshot has corporations of: those that its full files or its base cover, or fewer.
//!
//! A state of some prefectures stays one of these: what the differences of the whole country say of others
//! is left out.

use build_tools::corporate::PrefectureSet;

use crate::compile::error::CompileError;
use crate::record::corporate::CorporateProvenance;

/// What a build is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefectures {
    /// Those that the full files or the base cover.
    #[default]
    Covered,
    /// Every row of every file.
    All,
    /// Of those that are covered only these.
    Only(PrefectureSet),
}

impl Prefectures {
    /// The prefectures to keep, where full files and base cover these.
    pub(super) fn keep(self, covered: PrefectureSet) -> Result<PrefectureSet, CompileError> {
        let kept = match self {
            Prefectures::Covered => covered,
            Prefectures::All => PrefectureSet::ALL,
            Prefectures::Only(wanted) => covered.intersection(wanted),
        };
        if kept.is_empty() { Err(CompileError::NoCorporation) } else { Ok(kept) }
    }
}

/// As a snapshot's origin lists them: no code for all.
pub(super) fn listed(prefectures: PrefectureSet) -> Vec<u8> {
    match prefectures {
        PrefectureSet::ALL => Vec::new(),
        some => some.codes().collect(),
    }
}

/// The prefectures that a snapshot's origin lists.
pub(super) fn of_origin(origin: &rkyv::Archived<CorporateProvenance>) -> PrefectureSet {
    match origin.prefectures.is_empty() {
        true => PrefectureSet::ALL,
        false => origin.prefectures.iter().copied().collect(),
    }
}

/// What was left out because it is of other prefectures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OtherPrefectures {
    /// Rows of such corporations.
    pub rows: usize,
    pub corporations: usize,
    /// Of these corporations, those that a base or full file had and that moved away since.
    pub moved_away: usize,
}

impl OtherPrefectures {
    /// Adds a corporation of so many rows; whether a base or full file had it in the prefectures that are kept.
    pub(super) fn add(&mut self, rows: usize, stood: bool) {
        self.rows += rows;
        self.corporations += 1;
        self.moved_away += usize::from(stood);
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
            assert_eq!(wanted.keep(covered).ok(), expected, "{wanted:?} of {covered:?}");
        }
        let all = PrefectureSet::ALL;
        check(Prefectures::Covered, all, Some(all));
        check(Prefectures::Covered, set(&[31]), Some(set(&[31])));
        check(Prefectures::All, set(&[31]), Some(all));
        check(Prefectures::Only(set(&[31, 32])), all, Some(set(&[31, 32])));
        check(Prefectures::Only(set(&[31, 32])), set(&[31]), Some(set(&[31])));
        check(Prefectures::Only(set(&[13])), set(&[31]), None);
        check(Prefectures::Covered, PrefectureSet::default(), None);
        assert_eq!(listed(all), [0u8; 0]);
        assert_eq!(listed(set(&[99, 31])), [31, 99]);
    }
}
