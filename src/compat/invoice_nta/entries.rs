//! The entries of an issuer that the loaded versions show, those of a day and those of a period.
//!
//! A version has the newest entry of each number, and the days of its earlier registrations. Two changes between two
//! versions are one entry here; the agency has both.

use super::row::{IssuerRow, deleted, past, row};
use crate::api::executor::cost_budget::CostBudget;
use crate::api::pipeline::params::ApiRequest;
use crate::api::resource::RequestedData;
use crate::compat::agency::fault::Refusal;
use crate::compat::agency::period::{Changes, Period, changed_numbers, lost_days, versions_of};
use crate::compat::agency::{distinct_entries, versions};
use crate::dataset::Catalog;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::invoice::record::{InvoiceView, Period as Registered};
use crate::query::budget::QueryError;
use crate::text::codes::{InvoiceNumber, Register};

#[derive(Clone, Copy)]
pub enum Entry<'d> {
    /// Of a version; whether its number has no newer one.
    Whole { view: InvoiceView<'d>, is_latest: bool },
    /// A registration of which only the days are known.
    Days { view: InvoiceView<'d>, registered: Registered },
}

impl<'d> Entry<'d> {
    fn view(&self) -> &InvoiceView<'d> {
        let (Entry::Whole { view, .. } | Entry::Days { view, .. }) = self;
        view
    }

    /// The first day of its registration, such as 20231001; 0 for none.
    fn registered_from(&self) -> u32 {
        match self {
            Entry::Whole { view, .. } => view.registration.registration_date,
            Entry::Days { registered, .. } => registered.start,
        }
    }

    pub fn row(&self) -> IssuerRow<'d> {
        match self {
            Entry::Whole { view, is_latest } => row(view, *is_latest),
            Entry::Days { view, registered } => past(view, *registered),
        }
    }
}

/// The entries of a number in these versions, the oldest first: earlier registrations of which no version has an entry,
/// then those of the versions.
pub fn entries<'d>(
    versions: &[&'d InvoiceData],
    number: InvoiceNumber,
    budget: &CostBudget<'_>,
) -> Result<Vec<Entry<'d>>, QueryError> {
    let key = |view: &InvoiceView<'_>| {
        (view.registration.process, view.registration.registration_date, view.update_date())
    };
    let look_up = |data: &'d InvoiceData| data.lookup(number);
    let (views, is_current) = distinct_entries(versions, &budget.work, look_up, key)?;
    let Some(newest) = views.last().copied() else { return Ok(Vec::new()) };
    let has_entry = |registered: &Registered| {
        views.iter().any(|view| view.registration.registration_date == registered.start)
    };
    let days = newest.earlier().filter(|registered| !has_entry(registered));
    let mut entries: Vec<Entry<'d>> =
        days.map(|registered| Entry::Days { view: newest, registered }).collect();
    let last = views.len() - 1;
    entries.extend(views.iter().enumerate().map(|(index, view)| {
        let is_latest = index == last && is_current && view.registration.latest;
        Entry::Whole { view: *view, is_latest }
    }));
    Ok(entries)
}

/// The entry that holds on a day: the last of the newest registration that had begun. `None` if none had.
pub fn on_day<'e, 'd>(entries: &'e [Entry<'d>], day: u32) -> Option<&'e Entry<'d>> {
    let begun = entries.iter().filter(|entry| (1..=day).contains(&entry.registered_from()));
    begun.max_by_key(|entry| entry.registered_from())
}

/// Whose entries a period has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Division {
    Individuals,
    /// Corporations and associations.
    Others,
}

/// The rows of the entries that were published in a period, by number.
pub fn changes<'d>(
    request: &'d ApiRequest<'_>,
    requested: &RequestedData<'_, InvoiceData>,
    period: Period,
    division: Option<Division>,
    budget: &CostBudget<'_>,
) -> Result<Changes<IssuerRow<'d>>, Refusal> {
    let failed = |error| Refusal::from(requested.handler_error(budget, "from", error));
    let versions = versions(request, Catalog::invoice);
    let provenance = requested.data.provenance();
    let provenance = provenance.map_err(|error| requested.damaged_error(&error))?;
    let has_individuals = provenance.root().individuals;
    let passes = |is_individual: bool| match division {
        None => true,
        Some(Division::Individuals) => is_individual,
        Some(Division::Others) => !is_individual,
    };
    let (mut rows, mut lost) = (Vec::new(), 0);
    for (number, days) in changed_numbers(request, Register::Invoice, period)? {
        let versions = versions_of(&versions, &days);
        let number = InvoiceNumber::from_corporate(number);
        let entries = entries(&versions, number, budget).map_err(failed)?;
        let in_period = |entry: &&Entry<'_>| {
            matches!(entry, Entry::Whole { .. }) && period.contains(entry.view().update_date())
        };
        let passing =
            entries.iter().filter(in_period).filter(|entry| passes(entry.view().is_individual()));
        rows.extend(passing.map(Entry::row));
        let last = days.last().copied().unwrap_or(period.to);
        let is_gone = match versions.iter().find(|data| data.version() >= last) {
            Some(data) => requested.sound(data.find_offset(number))?.is_none(),
            None => false,
        };
        // Data without individuals do not tell one that was deleted from the others.
        let is_individual = !number.corporate().is_sound();
        if is_gone && (has_individuals || !is_individual) && passes(is_individual) {
            rows.push(deleted(number, last));
        }
        let updates: Vec<u32> = entries.iter().map(|entry| entry.view().update_date()).collect();
        lost += lost_days(&days, is_gone, &updates);
    }
    Ok(Changes { rows, lost })
}
