//! How a server opens the data of a folder: what it reads ahead, the operator's own holidays, and from which age the
//! newest postal data count as old, by the system clock.

use std::path::PathBuf;
#[cfg(feature = "object-store")]
use std::{path::Path, sync::Arc};

use jiff::Timestamp;

use super::warm::CatalogOpener;
use crate::api::{age::old_postal, data::Data};
use crate::calendar::day_in_japan;
#[cfg(feature = "object-store")]
use crate::dataset::CatalogError;

#[derive(Debug, Clone)]
pub struct DataSettings {
    pub opener: CatalogOpener,
    /// The operator's own holidays.
    pub holidays: Option<PathBuf>,
    pub age_days: u32,
}

impl DataSettings {
    /// Opens a folder that is not served yet, and prepares everything that a scan and the first requests would.
    #[cfg(feature = "object-store")]
    pub fn open_ahead(&self, folder: &Path, before: &Arc<Data>) -> Result<Data, CatalogError> {
        let catalog = self.opener.open(folder, &before.catalog)?;
        let mut data = Data::new(catalog, Some(before));
        data.holidays = before.holidays.scan(folder, self.holidays.as_deref());
        self.mark_old_data(&mut data, Some(before));
        data.cache_newest();
        Ok(data)
    }

    /// Marks the newest postal data if they are old. Logs a warning unless the same version was already marked in `before`.
    pub fn mark_old_data(&self, data: &mut Data, before: Option<&Data>) {
        let today = day_in_japan(Timestamp::now());
        data.old_postal = today.and_then(|day| old_postal(&data.catalog, day, self.age_days));
        let Some(old) = &data.old_postal else { return };
        let marked_before = before.and_then(|before| before.old_postal.as_ref());
        if marked_before.is_none_or(|marked| marked.version != old.version) {
            tracing::warn!(
                version = %old.version,
                days = old.days,
                "the newest postal data are old; run 'daicho update' to get newer data"
            );
        }
    }
}
