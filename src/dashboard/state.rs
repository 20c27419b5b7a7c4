//! The shared state of the dashboard.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::error::PageError;
use super::headers::ProxySettings;
use super::history::History;
use super::request_slots::RequestSlots;
use crate::account::random_bytes;
use crate::account::store::StorePool;
use crate::account::{Password, PasswordHash, SALT_LENGTH};
use crate::api::service::Api;
use crate::radar::secret_cipher::SecretCipher;
use crate::server::metrics::{Label, Metrics};

/// Metrics label of requests to the dashboard.
pub const LABEL: &str = "/dashboard";

#[derive(Debug)]
pub struct DashboardParts {
    pub api: Arc<Api>,
    pub metrics: Arc<Metrics>,
    /// The label under which its own requests are counted.
    pub label: Label,
    pub store: Arc<StorePool>,
    pub cipher: SecretCipher,
    pub proxies: ProxySettings,
    /// The API's address, if it differs from the dashboard's.
    pub api_base: Option<String>,
}

#[derive(Debug)]
pub struct Dashboard {
    pub(super) parts: DashboardParts,
    /// Notified when the operator asks for a reload of the snapshot folder.
    pub reload: Notify,
    pub(super) history: History,
    pub(super) slots: RequestSlots,
    /// Locked while a password is hashed, which takes 19 MiB and a core: one at a time.
    hashing: Mutex<()>,
}

impl Dashboard {
    pub fn new(parts: DashboardParts) -> Dashboard {
        Dashboard {
            parts,
            reload: Notify::new(),
            history: History::default(),
            slots: RequestSlots::default(),
            hashing: Mutex::new(()),
        }
    }

    pub(super) fn hash(&self, password: &Password) -> Result<PasswordHash, PageError> {
        let salt = random::<SALT_LENGTH>()?;
        let _guard = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        password.hash(salt).map_err(PageError::system)
    }

    pub(super) fn matches(&self, hash: &PasswordHash, password: &str) -> bool {
        let _guard = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        hash.matches(password)
    }
}

pub fn random<const N: usize>() -> Result<[u8; N], PageError> {
    random_bytes().map_err(PageError::system)
}
