//! Which data with corrections a request of the command line needs. Corrected data are compiled at each start, postal codes
//! within seconds, so nothing is compiled for a dataset or a day that the request does not ask for.

use hyper::{Method, Uri};
use jiff::Timestamp;

use crate::api::pipeline::params::{DATE_PARAMETER, Params};
use crate::api::pipeline::router::route;
use crate::calendar::day_in_japan;
use crate::dataset::KINDS;
use crate::dataset::correction::{Days, Extent};
use crate::snapshot::DatasetKind;
use crate::text::codes::DataVersion;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Needed {
    kinds: Vec<DatasetKind>,
    days: Vec<DataVersion>,
}

impl Needed {
    /// The data that the endpoint of a `GET` answers from. None for a path without an endpoint, whose answer is an error.
    pub fn by(target: &Uri) -> Needed {
        let Ok(matched) = route(&Method::GET, target.path()) else { return Needed::default() };
        let (endpoint, params) = (matched.endpoint, Params::new(target.query()));
        if endpoint.uses_holidays {
            return Needed::default();
        }
        if endpoint.datasets.is_empty() {
            // It has no records, but may say which corrections each dataset has.
            return Needed { kinds: KINDS.to_vec(), days: Vec::new() };
        }
        let takes = |name| endpoint.query_parameters().any(|known| known == name);
        // It names a version of the first dataset only.
        let names_version =
            takes("version") && params.names_version() && endpoint.also_searches.is_empty();
        let kinds = [endpoint.datasets, endpoint.also_searches].concat();
        let mut needed = Needed::of(kinds, names_version);
        if takes(DATE_PARAMETER) {
            // The endpoint reports a wrong day.
            let day = params.non_empty(DATE_PARAMETER).ok().flatten();
            needed.days.extend(day.and_then(|day| DataVersion::parse(&day).ok()));
        }
        needed
    }

    /// These datasets today. A named version answers as it was published, so nothing is compiled for it.
    pub fn of(kinds: Vec<DatasetKind>, names_version: bool) -> Needed {
        let today = day_in_japan(Timestamp::now()).filter(|_| !names_version);
        Needed { kinds, days: today.into_iter().collect() }
    }

    pub fn extent(&self) -> Extent<'_> {
        Extent { kinds: &self.kinds, days: Days::Named(&self.days) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_needs_the_data_of_its_endpoint_on_its_days() {
        #[track_caller]
        fn check(target: &str, kinds: &[&str], days: usize) {
            let needed = Needed::by(&target.parse().expect("a target"));
            let names: Vec<&str> = needed.kinds.iter().map(|kind| kind.name()).collect();
            assert_eq!((&names[..], needed.days.len()), (kinds, days), "{target}");
        }
        check("/v1/bank/0001", &["bank"], 1);
        check("/v1/bank/0001?date=2999-01-01", &["bank"], 2);
        check("/v1/bank/0001?date=tomorrow", &["bank"], 1);
        check("/v1/suggest/bank?q=a&date=2999-01-01", &["bank"], 2);
        check("/v1/bank/0001?version=2026-05-25", &["bank"], 0);
        check("/v1/postalcode/1000001", &["postal"], 1);
        check("/v1/postalcode/1000001?date=2999-01-01", &["postal"], 1);
        check("/v1/houjinbangou?q=a", &["corporate", "invoice"], 1);
        // A search of issuers looks for names in the newest register of corporations.
        check("/v1/invoice?q=a", &["invoice", "corporate"], 1);
        check("/v1/invoice?q=a&version=2026-05-25", &["invoice", "corporate"], 1);
        check("/v1/sources", &KINDS.map(DatasetKind::name), 0);
        check("/v1/holidays?year=2026", &[], 0);
        check("/v1/no-such-path", &[], 0);
    }
}
