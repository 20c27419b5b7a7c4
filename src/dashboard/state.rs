//! The shared state of the dashboard.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::error::PageError;
use super::headers::Front;
use super::history::History;
use super::slots::Slots;
use crate::account::random::random_bytes;
use crate::account::store::StorePool;
use crate::account::{Password, PasswordHash, SALT_LENGTH};
use crate::api::ask::Api;
use crate::radar::secret_cipher::SecretCipher;
use crate::server::metrics::{Label, Metrics};

/// Metrics label of requests to the dashboard.
pub const LABEL: &str = "/dashboard";

#[derive(Debug)]
pub struct Dashboard {
    pub(super) api: Arc<Api>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) label: Label,
    pub(super) store: Arc<StorePool>,
    /// Notified when the operator asks for a reload of the snapshot folder.
    pub reload: Notify,
    pub(super) front: Front,
    /// Encrypts the secrets of webhooks.
    pub(super) cipher: SecretCipher,
    /// The API's address, if it differs from the dashboard's.
    pub(super) api_base: Option<String>,
    pub(super) history: History,
    pub(super) slots: Slots,
    /// Locked while a password is hashed, which takes 19 MiB and a core: one at a time.
    hashing: Mutex<()>,
}

impl Dashboard {
    /// A dashboard that shows these metrics and counts under this label.
    pub fn new(
        api: Arc<Api>,
        (metrics, label): (Arc<Metrics>, Label),
        store: Arc<StorePool>,
        front: Front,
        cipher: SecretCipher,
        api_base: Option<String>,
    ) -> Dashboard {
        Dashboard {
            api,
            metrics,
            label,
            store,
            reload: Notify::new(),
            front,
            cipher,
            api_base,
            history: History::default(),
            slots: Slots::default(),
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
