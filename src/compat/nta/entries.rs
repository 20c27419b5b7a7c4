//! The entries of a number that the loaded versions show, and those of a period.
//!
//! A version has the newest entry of each number on its day. Two changes between two versions are one entry here; the
//! agency has both.

use super::narrowing::Narrowing;
use super::row::{CorporateRow, row, withdrawn};
use crate::api::executor::cost_budget::CostBudget;
use crate::api::pipeline::params::ApiRequest;
use crate::api::resource::RequestedData;
use crate::compat::agency::fault::Refusal;
use crate::compat::agency::period::{Changes, Period, changed_numbers, lost_days, versions_of};
use crate::compat::agency::{distinct_entries, versions};
use crate::dataset::Catalog;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::CorporateView;
use crate::query::budget::QueryError;
use crate::text::codes::{CorporateNumber, Register};

/// An entry, and whether its number has no newer one.
pub struct Entry<'d> {
    pub view: CorporateView<'d>,
    pub is_latest: bool,
}

impl<'d> Entry<'d> {
    pub fn row(&self) -> CorporateRow<'d> {
        row(&self.view, self.is_latest)
    }
}

/// The entries of a number in these versions, the oldest first. The last is the latest if the newest version has it.
pub fn entries<'d>(
    versions: &[&'d CorporateData],
    number: CorporateNumber,
    budget: &CostBudget<'_>,
) -> Result<Vec<Entry<'d>>, QueryError> {
    let key = |view: &CorporateView<'_>| (view.process(), view.change_date());
    let look_up = |data: &'d CorporateData| data.lookup(number);
    let (views, is_current) = distinct_entries(versions, &budget.work, look_up, key)?;
    let last = views.len().checked_sub(1).filter(|_| is_current);
    let entries = views.into_iter().enumerate();
    Ok(entries.map(|(index, view)| Entry { view, is_latest: Some(index) == last }).collect())
}

/// The rows of the entries that were published in a period, by number.
pub fn changes<'d>(
    request: &'d ApiRequest<'_>,
    requested: &RequestedData<'_, CorporateData>,
    period: Period,
    narrowing: &Narrowing,
    budget: &CostBudget<'_>,
) -> Result<Changes<CorporateRow<'d>>, Refusal> {
    let failed = |error| Refusal::from(requested.handler_error(budget, "from", error));
    let versions = versions(request, Catalog::corporate);
    let newest = requested.data;
    let provenance = newest.provenance().map_err(|error| requested.damaged_error(&error))?;
    let has_whole_country = provenance.root().prefectures.is_empty();
    let (mut rows, mut lost) = (Vec::new(), 0);
    for (number, days) in changed_numbers(request, Register::Corporate, period)? {
        let versions = versions_of(&versions, &days);
        let entries = entries(&versions, number, budget).map_err(failed)?;
        let in_period = |entry: &&Entry<'_>| period.contains(entry.view.update_date());
        let passing =
            entries.iter().filter(in_period).filter(|entry| narrowing.passes(&entry.view));
        rows.extend(passing.map(Entry::row));
        let last = days.last().copied().unwrap_or(period.to);
        let is_gone = match versions.iter().find(|data| data.version() >= last) {
            Some(data) => requested.sound(data.lookup(number))?.is_none(),
            None => false,
        };
        // Data of some prefectures do not tell a withdrawn number from one that is elsewhere.
        if is_gone && has_whole_country && narrowing.passes_unknown() {
            rows.push(withdrawn(number, last));
        }
        let updates: Vec<u32> = entries.iter().map(|entry| entry.view.update_date()).collect();
        lost += lost_days(&days, is_gone, &updates);
    }
    Ok(Changes { rows, lost })
}
