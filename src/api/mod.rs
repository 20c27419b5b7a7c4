//! The API: endpoints, handlers by resource, parameters, errors.
//!
//! [`table`] has an entry for each endpoint ([`endpoint`] defines its form), from which routing, rights, the handler and
//! the documentation come. A request goes through [`pipeline`], which finds and checks its entry and calls the handler,
//! a function of [`resource`], with the [`data`] of that moment. Expensive searches and batches run on [`executor`]s.
//! Knows neither sockets nor the dashboard.
//!
//! [`Api`] is the API of one server. A test or an agent's process may have one of its own.

pub mod age;
pub mod data;
pub mod endpoint;
pub mod error;
pub mod executor;
pub mod gaps;
pub mod holidays;
pub mod limits;
pub mod metrics;
pub mod pipeline;
pub mod prepared_files;
pub mod resource;
pub mod sources;
pub mod table;

use std::fmt::{Display, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use prometheus_client::registry::Registry;

use crate::account::store::{StoreLocation, StorePool};
use crate::account::{AccountName, Keyring, LiveKeys};
use crate::query::syntax::Grouping;
use crate::snapshot::LiveValue;
use crate::text::percent::encode;
use crate::worker::LateWaker;
use data::Data;
use executor::{ApiStore, Slots};
use metrics::{Counters, MetricsAccess, MetricsPage};

pub use crate::dataset::member::shape;

/// Texts in the languages of the documentation.
pub mod words {
    pub use crate::language::{Words, words};
}

pub struct Api {
    pub data: LiveValue<Data>,
    pub keys: Arc<LiveKeys>,
    pub slots: Slots,
    pub store: ApiStore,
    pub radar: RadarSettings,
    /// What parentheses mean in a corporate query.
    pub grouping: Grouping,
    /// The account that takes the requests without a key of foreign protocols.
    pub keyless: Option<AccountName>,
    pub counters: Arc<Counters>,
    pub metrics: Registry,
    pub metrics_access: MetricsAccess,
    pub metrics_page: MetricsPage,
    /// Whether the server is about to stop and should get no more requests.
    pub is_draining: AtomicBool,
    /// Whether the server started with a release older than the active one, and is still fetching that.
    pub is_behind: AtomicBool,
    /// Wakes the thread that closes old versions once they take too much memory.
    pub old_version_opened: LateWaker,
}

#[derive(Debug)]
pub struct RadarSettings {
    /// The snapshot folder, which also has the change lists.
    pub snapshots: PathBuf,
    pub watched_max: u64,
}

impl Api {
    /// An API of a process that serves nobody else: without an account store, a radar and metrics.
    pub fn local(data: Data, keyring: Keyring, slots: Slots, snapshots: PathBuf) -> Api {
        let nowhere = StoreLocation::File(PathBuf::new());
        Api {
            data: LiveValue::new(data),
            keys: Arc::new(LiveKeys::new(keyring)),
            slots,
            store: ApiStore::new(Arc::new(StorePool::of(nowhere))),
            radar: RadarSettings { snapshots, watched_max: 0 },
            grouping: Grouping::default(),
            keyless: None,
            counters: Arc::new(Counters::default()),
            metrics: Registry::default(),
            metrics_access: MetricsAccess::default(),
            metrics_page: MetricsPage::default(),
            is_draining: AtomicBool::new(false),
            is_behind: AtomicBool::new(false),
            old_version_opened: LateWaker::default(),
        }
    }
}

/// The target (path and query) of a request. Values are percent-encoded, so they cannot change its structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTarget {
    text: String,
    has_query: bool,
}

impl RequestTarget {
    pub fn new(path: &str) -> RequestTarget {
        RequestTarget { text: path.to_owned(), has_query: false }
    }

    /// Appends a segment to the path. Call it before adding a parameter.
    pub fn with_segment(mut self, segment: &str) -> RequestTarget {
        self.push("/", segment);
        self
    }

    pub fn with(mut self, name: &'static str, value: impl Display) -> RequestTarget {
        let mark = if self.has_query { '&' } else { '?' };
        self.has_query = true;
        self.push(format_args!("{mark}{name}="), &value.to_string());
        self
    }

    pub fn into_text(self) -> String {
        self.text
    }

    fn push(&mut self, before: impl Display, text: &str) {
        write!(self.text, "{before}{}", encode(text)).expect("writing to a string cannot fail");
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_inside_its_segment_and_its_parameter() {
        let target =
            RequestTarget::new("/v1/bank").with_segment("../x?y#z").with("q", "a&b=ち/1 %");
        assert_eq!(target.text, "/v1/bank/..%2Fx%3Fy%23z?q=a%26b%3D%E3%81%A1%2F1%20%25");
        let target = RequestTarget::new("/v1/bank").with("limit", 3);
        assert_eq!(target.with("offset", 0).text, "/v1/bank?limit=3&offset=0");
    }
}
