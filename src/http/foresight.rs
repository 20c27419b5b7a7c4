//! What a look-up by number will read, fetched into the caches while the key is looked at.
//!
//! The slot of a number and its record are in memory and nearly never in a cache, and the slot tells
//! where the record is: a look-up waits for memory twice, for longer than it works. What is asked for
//! is known from the path before the key is looked at, and that takes about as long.
//!
//! A hint only: it answers nothing, and knows no version but the latest, which most requests mean.

use super::route::Route;
use super::served::Served;
use crate::query::CorporateData;
use crate::text::codes::CorporateNumber;

/// What is on its way.
#[derive(Debug, Clone, Copy)]
pub enum Foresight<'s> {
    /// Nothing.
    Nothing,
    /// The slot of a number.
    Slot(&'s CorporateData, CorporateNumber),
}

impl<'s> Foresight<'s> {
    /// Begins to fetch what a request for this route reads.
    pub fn of(route: Route<'_>, served: &'s Served) -> Foresight<'s> {
        let Route::Corporation(number) = route else { return Foresight::Nothing };
        let number = CorporateNumber::parse(number).ok();
        let Some((data, number)) = served.catalog.corporate().latest().zip(number) else {
            return Foresight::Nothing;
        };
        data.foresee(number);
        Foresight::Slot(data, number)
    }

    /// Begins to fetch what lies behind it, once the key is good and the slot has had time to come.
    pub fn go_on(self) {
        if let Foresight::Slot(data, number) = self {
            data.foresee_record(number);
        }
    }
}
