//! `--age-days`: when the newest postal data count as old, by the system clock.

use clap::Args;
use jiff::Timestamp;

use crate::api::age::{AGE_DAYS_MAX, old_postal};
use crate::api::data::Data;
use crate::calendar::day_in_japan;

#[derive(Debug, Clone, Copy, Args)]
pub struct AgeArgs {
    /// Age in days from which the newest postal data are reported as old: in the log, the dashboard and
    /// the header Daicho-Notice; 0 to never report them
    #[arg(long, value_name = "DAYS", env = "DAICHO_AGE_DAYS", default_value_t = AGE_DAYS_MAX)]
    age_days: u32,
}

impl AgeArgs {
    /// Marks the newest postal data if they are old. Logs a warning unless the same version was already marked in `before`.
    pub fn mark_old_data(self, data: &mut Data, before: Option<&Data>) {
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
