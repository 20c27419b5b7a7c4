//! What the dashboard of one server works with.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, Semaphore};

use super::error::PageError;
use super::history::History;
use crate::account::random::random_bytes;
use crate::account::store::StorePool;
use crate::account::{Password, PasswordHash, SALT_LENGTH};
use crate::api::ask::Api;
use crate::server::metrics::{Label, Metrics};

/// Most requests to the dashboard at once; above it 503. Each may hold a connection to the store.
const REQUESTS_MAX: usize = 32;

/// The text of the label that requests to the dashboard count under.
pub const LABEL: &str = "/dashboard";

#[derive(Debug)]
pub struct Dashboard {
    pub(super) api: Arc<Api>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) label: Label,
    pub(super) store: Arc<StorePool>,
    /// Notified when the operator asks for a reload of the snapshot folder.
    pub reload: Notify,
    pub(super) behind_proxy: bool,
    /// The API's address, where it is not the dashboard's.
    pub(super) api_base: Option<String>,
    pub(super) history: History,
    pub(super) requests: Semaphore,
    /// Held while a password is hashed, which takes 19 MiB and a core: one at a time.
    hashing: Mutex<()>,
}

impl Dashboard {
    /// A dashboard over these metrics, counting under this label; `behind_proxy`: a proxy with HTTPS.
    pub fn new(
        api: Arc<Api>,
        (metrics, label): (Arc<Metrics>, Label),
        store: Arc<StorePool>,
        behind_proxy: bool,
        api_base: Option<String>,
    ) -> Dashboard {
        Dashboard {
            api,
            metrics,
            label,
            store,
            reload: Notify::new(),
            behind_proxy,
            api_base,
            history: History::default(),
            requests: Semaphore::new(REQUESTS_MAX),
            hashing: Mutex::new(()),
        }
    }

    pub(super) fn hash(&self, password: &Password) -> Result<PasswordHash, PageError> {
        let salt = random::<SALT_LENGTH>()?;
        let _turn = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        password.hash(salt).map_err(PageError::system)
    }

    pub(super) fn matches(&self, hash: &PasswordHash, presented: &str) -> bool {
        let _turn = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        hash.matches(presented)
    }
}

pub fn random<const N: usize>() -> Result<[u8; N], PageError> {
    random_bytes().map_err(PageError::system)
}
