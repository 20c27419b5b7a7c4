//! The base: the previous snapshot, to which differences are applied. Rows that the files do not change are read from
//! its file and not copied into memory.
//!
//! The prefectures of a snapshot are all that its full files or its base cover, or fewer. A snapshot of some
//! prefectures keeps to them: rows of other prefectures in the differences, which are for the whole country, are left
//! out.

use build_tools::corporate::PrefectureSet;

use crate::compile::{CompileError, Result};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::archive::ABROAD;
use crate::dataset::corporate::record::{CorporateProvenance, CorporateView};
use crate::text::codes::CorporateNumber;

pub struct Base {
    pub data: CorporateData,
    /// The prefectures of its corporations.
    pub prefectures: PrefectureSet,
    /// Whether its addresses were normalised with the postal data of this build, so that their parts can be copied.
    /// Also true if neither has postal data.
    pub has_same_postal: bool,
    /// The date of its register of issuers; 0 if it was built without one.
    pub issuers_date: u32,
}

#[derive(Debug, Clone, Copy)]
pub struct BaseRow {
    pub row: u32,
    pub update_date: u32,
    /// Whether its prefecture is kept.
    pub kept: bool,
}

impl Base {
    /// `provenance` belongs to the snapshot that the build will write.
    pub fn new(data: CorporateData, provenance: &CorporateProvenance) -> Result<Base> {
        let section = data.provenance()?;
        let own = section.root();
        let has_same_postal = own.postal_version.to_native() == provenance.postal_version
            && own.postal_fingerprint.to_native() == provenance.postal_fingerprint;
        let (prefectures, issuers_date) = (prefectures_of(own), own.issuers_date.to_native());
        drop(section);
        Ok(Base { data, prefectures, has_same_postal, issuers_date })
    }

    pub fn row_count(&self) -> Result<u32> {
        Ok(self.data.row_count()? as u32)
    }

    /// The row of a number, or `None`. `kept` are the prefectures that the build keeps.
    pub fn row(&self, number: CorporateNumber, kept: PrefectureSet) -> Result<Option<BaseRow>> {
        let Some(row) = self.data.row_of(number)? else { return Ok(None) };
        let view = self.data.record_at_random(row)?;
        let kept = is_in_files_of(kept, view.place().prefecture_code().unwrap_or(ABROAD), || view);
        Ok(Some(BaseRow { row, update_date: view.update_date(), kept }))
    }

    /// Whether a number is a qualified invoice issuer by its register; always true without a register.
    pub fn is_issuer(&self, number: CorporateNumber) -> Result<bool> {
        let has_register = self.issuers_date != 0;
        Ok(!has_register || self.data.lookup(number)?.is_some_and(|view| view.is_issuer))
    }

    /// The rows outside these prefectures, ascending.
    pub fn rows_outside(&self, kept: PrefectureSet) -> Result<Vec<u32>> {
        let mut outside = Vec::new();
        if self.prefectures.intersection(kept) == self.prefectures {
            return Ok(outside);
        }
        let mut row = 0;
        self.data.for_each(|view| {
            let code = view.place().prefecture_code().unwrap_or(ABROAD);
            if !is_in_files_of(kept, code, || view) {
                outside.push(row);
            }
            row += 1;
        })?;
        Ok(outside)
    }
}

/// Whether the tax agency's files of these prefectures have the corporation with this prefecture code. Its record is
/// read only if the code does not decide.
pub fn is_in_files_of<'a>(
    prefectures: PrefectureSet,
    code: u8,
    view: impl FnOnce() -> CorporateView<'a>,
) -> bool {
    if prefectures == PrefectureSet::ALL
        || prefectures.contains(code) == prefectures.contains(ABROAD)
    {
        return prefectures.contains(code);
    }
    // A corporation abroad with an office in Japan has the prefecture code of the office, but is in the file of those
    // abroad.
    let abroad = !view().outside().text.is_empty();
    prefectures.contains(if abroad { ABROAD } else { code })
}

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

fn prefectures_of(provenance: &rkyv::Archived<CorporateProvenance>) -> PrefectureSet {
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
