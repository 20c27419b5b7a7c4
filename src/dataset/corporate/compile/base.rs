//! The base: the previous snapshot, to which differences are applied. Rows that the files do not change are read from
//! its file and not copied into memory.

use build_tools::corporate::PrefectureSet;

use super::prefectures::prefectures_of;
use crate::compile::error::Result;
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
