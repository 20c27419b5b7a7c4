//! The base: the previous snapshot, to which differences are applied. Rows that the files do not change are read from its
//! file, not copied into memory.

use build_tools::corporate::PrefectureSet;

use super::prefectures::of_origin;
use crate::compile::error::CompileError;
use crate::query::CorporateData;
use crate::record::corporate::archive::ABROAD;
use crate::record::corporate::{CorporateProvenance, CorporateView};
use crate::text::codes::CorporateNumber;

pub struct Base {
    pub data: CorporateData,
    /// The prefectures of its corporations.
    pub prefectures: PrefectureSet,
    /// Whether its addresses were normalised with the postal data of this build, so that their parts can be copied. Also
    /// true if neither has postal data.
    pub keeps_parts: bool,
    /// The date of its register of issuers; 0 if it was built without one.
    pub issuers_date: u32,
}

/// The row of a number in a base.
#[derive(Debug, Clone, Copy)]
pub struct BaseRow {
    pub row: u32,
    pub update_date: u32,
    /// Whether its prefecture is kept.
    pub kept: bool,
}

impl Base {
    /// `made` is the provenance of the snapshot that the build will write.
    pub fn of(data: CorporateData, made: &CorporateProvenance) -> Result<Base, CompileError> {
        let origin = data.provenance()?;
        let before = origin.root();
        let keeps_parts = before.postal_version.to_native() == made.postal_version
            && before.postal_fingerprint.to_native() == made.postal_fingerprint;
        let (prefectures, issuers_date) = (of_origin(before), before.issuers_date.to_native());
        drop(origin);
        Ok(Base { data, prefectures, keeps_parts, issuers_date })
    }

    pub fn rows(&self) -> Result<u32, CompileError> {
        Ok(self.data.row_count()? as u32)
    }

    /// The row of a number, or `None`. `kept` are the prefectures that the build keeps.
    pub fn row(
        &self,
        number: CorporateNumber,
        kept: PrefectureSet,
    ) -> Result<Option<BaseRow>, CompileError> {
        let Some(row) = self.data.row_of(number)? else { return Ok(None) };
        let view = self.data.record_at_random(row)?;
        let kept = is_in(kept, view.place().prefecture_code().unwrap_or(ABROAD), || view);
        Ok(Some(BaseRow { row, update_date: view.update_date(), kept }))
    }

    /// Whether a number is a qualified invoice issuer by its register; always true without a register.
    pub fn is_issuer(&self, number: CorporateNumber) -> Result<bool, CompileError> {
        let known = self.issuers_date != 0;
        Ok(!known || self.data.lookup(number)?.is_some_and(|view| view.is_issuer()))
    }

    /// The rows outside these prefectures, ascending.
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

/// Whether the tax agency's files of these prefectures have a corporation with this prefecture code.
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
    // A corporation abroad with an office in Japan has the prefecture code of the office, but is in the file of those
    // abroad.
    let abroad = !view().outside().text.is_empty();
    prefectures.contains(if abroad { ABROAD } else { code })
}
