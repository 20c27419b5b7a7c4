//! What a look-up by number will read, fetched into the caches before it is read.
//!
//! The slot of a number and its record are in memory and nearly never in a cache, and the slot tells
//! where the record is: a look-up waits for memory twice, for longer than it works. The number stands
//! in the first bytes that a client sends: its slot comes while the head is taken apart, and the record
//! while the key is looked at.
//!
//! Hints only: they answer nothing, take no part in what is right or wrong, and know no version but
//! the latest, which most requests mean. A request that comes in other pieces goes without.

use std::sync::Arc;

use crate::api::route::Route;
use crate::api::served::Served;
use crate::api::service::App;
use crate::query::CorporateData;
use crate::text::codes::CorporateNumber;

/// How the head of a look-up begins, up to the number.
const LOOK_UP: &[u8] = b"GET /v1/houjinbangou/";

/// Fetches ahead for one connection.
#[derive(Debug)]
pub struct Foresight(Arc<App>);

impl Foresight {
    /// For a connection of this server.
    pub fn of(app: Arc<App>) -> Foresight {
        Foresight(app)
    }

    /// Begins to fetch the slot of the number that these bytes, just read, ask for.
    #[inline]
    pub fn look_at(&self, bytes: &[u8]) {
        let number =
            bytes.strip_prefix(LOOK_UP).and_then(|rest| rest.get(..CorporateNumber::DIGITS));
        let Some(number) = number.and_then(|number| std::str::from_utf8(number).ok()) else {
            return;
        };
        let served = self.0.served.load();
        if let Some((data, number)) = meant(number, &served) {
            data.foresee(number);
        }
    }
}

/// Begins to fetch the record that a request for this route reads.
pub fn fetch_record(route: Route<'_>, served: &Served) {
    if let Route::Corporation(number) = route
        && let Some((data, number)) = meant(number, served)
    {
        data.foresee_record(number);
    }
}

/// The number, and the data that most requests for it mean.
#[inline]
fn meant<'s>(number: &str, served: &'s Served) -> Option<(&'s CorporateData, CorporateNumber)> {
    let data = served.catalog.corporate().latest()?;
    Some((data, CorporateNumber::parse(number).ok()?))
}
