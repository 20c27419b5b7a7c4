//! The earlier snapshot that differences are applied to: its rows stay where they are, but for those that the files
//! change. They are read in its file and not copied.

use build_tools::corporate::PrefectureSet;

use super::prefectures::of_origin;
use crate::compile::error::CompileError;
use crate::query::CorporateData;
use crate::record::corporate::archive::ABROAD;
use crate::record::corporate::{CorporateProvenance, CorporateView};
use crate::text::codes::CorporateNumber;

pub struct Base {
    pub data: CorporateData,
    /// The prefectures whose corporations it has.
    pub prefectures: PrefectureSet,
    /// Whether the addresses of its records were normalised with the same postal data, or both with none.
    pub parts_stay: bool,
    /// The date of the register of issuers that it was made with; 0 without one.
    pub issuers_date: u32,
}

/// What a base says of a number.
#[derive(Debug, Clone, Copy)]
pub struct Before {
    pub row: u32,
    pub update_date: u32,
    /// Whether it is of one of the prefectures that are kept.
    pub kept: bool,
}

impl Base {
    /// Of a snapshot to which a build with this origin applies differences.
    pub fn of(data: CorporateData, made: &CorporateProvenance) -> Result<Base, CompileError> {
        let origin = data.provenance()?;
        let before = origin.root();
        let parts_stay = before.postal_version.to_native() == made.postal_version
            && before.postal_fingerprint.to_native() == made.postal_fingerprint;
        let (prefectures, issuers_date) = (of_origin(before), before.issuers_date.to_native());
        drop(origin);
        Ok(Base { data, prefectures, parts_stay, issuers_date })
    }

    pub fn rows(&self) -> Result<u32, CompileError> {
        Ok(self.data.row_count()? as u32)
    }

    /// What it says of a number, where some prefectures are kept; `None` where it does not know it.
    pub fn before(
        &self,
        number: CorporateNumber,
        kept: PrefectureSet,
    ) -> Result<Option<Before>, CompileError> {
        let Some(row) = self.data.row_of(number)? else { return Ok(None) };
        let view = self.data.record_at_random(row)?;
        let kept = is_in(kept, view.place().prefecture_code().unwrap_or(ABROAD), || view);
        Ok(Some(Before { row, update_date: view.update_date(), kept }))
    }

    /// Whether a number is a qualified invoice issuer by its register; all are without one.
    pub fn is_issuer(&self, number: CorporateNumber) -> Result<bool, CompileError> {
        let known = self.issuers_date != 0;
        Ok(!known || self.data.lookup(number)?.is_some_and(|view| view.is_issuer()))
    }

    /// The rows of other prefectures than these, ascending.
    pub fn others(&self, kept: PrefectureSet) -> Result<Vec<u32>, CompileError> {
        let mut others = Vec::new();
        if self.prefectures.intersection(kept) == self.prefectures {
            return Ok(others);
        }
        let mut row = 0;
        self.data.each(|view| {
            let code = view.place().prefecture_code().unwrap_or(ABROAD);
            others.extend(Some(row).filter(|_| !is_in(kept, code, || view)));
            row += 1;
        })?;
        Ok(others)
    }
}

/// Whether a corporation of a prefecture is in the file of one of these.
pub fn is_in<'a>(
    prefectures: PrefectureSet,
    code: u8,
    view: impl FnOnce() -> CorporateView<'a>,
) -> bool {
    if prefectures == PrefectureSet::ALL
        || prefectures.contains(code) == prefectures.contains(ABROAD)
    {
        return prefectures.contains(code);
    }
    // One with an office in Japan has the code of its prefecture, and is abroad all the same.
    let abroad = !view().outside().text.is_empty();
    prefectures.contains(if abroad { ABROAD } else { code })
}
