//! `--key-cache`, and the keys with which a server starts: the keys of its store, or the cached ones.
//!
//! With cached keys a server starts even if the store is unreachable or unreadable. It does not start if the
//! store is damaged or belongs to another program: the operator has to check that.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use jiff::Timestamp;

use crate::account::store::{
    Access, Health, IfMissing, Store, StoreError, StoreFault, StoreLocation,
};
use crate::account::{CachedKeys, KeyCache, KeyCacheError, KeyCacheFault, LiveKeys, Meters};
use crate::cli::{error::CommandError, store::StateArg};

#[derive(Debug, Args)]
pub struct KeyCacheArgs {
    /// File that caches the known API keys as hashes, readable only by this user. With it the server
    /// starts and answers look-ups while the store is unreachable. Use one file per server
    #[arg(long, value_name = "FILE", env = "DAICHO_KEY_CACHE")]
    key_cache: Option<PathBuf>,
}

/// The initial keys, and the sources of later ones.
pub struct OpenedKeys {
    pub keys: LiveKeys,
    /// `None` while it is unreachable.
    pub store: Option<Store>,
    pub cache: Option<KeyCache>,
}

impl KeyCacheArgs {
    /// Opens the store, or loads the cached keys.
    pub fn open_keys(
        &self,
        state: &StateArg,
        health: &Arc<Health>,
    ) -> Result<OpenedKeys, CommandError> {
        let location = state.location()?;
        let meters = Arc::new(Meters::new(Timestamp::now()));
        let cache = self.key_cache.clone();
        let cache = cache.map(|path| KeyCache::new(path, location.to_string()));
        let cached = cache.as_ref().map(|cache| cache.read(&meters)).transpose();
        if let Err(error) = &cached
            && error.fault.is_wrong_path()
        {
            return Err(CommandError::failed(error));
        }
        // Cached keys prove that a store existed: do not replace it with an empty one.
        let had_store = match &cached {
            Ok(cached) => {
                cached.as_ref().is_some_and(|cached| !cached.keyring.entries().is_empty())
            }
            Err(error) => !matches!(error.fault, KeyCacheFault::Missing),
        };
        let if_missing = if had_store { IfMissing::Refuse } else { IfMissing::Create };
        let opened = open_store(&location, if_missing).and_then(|mut store| {
            let keys = LiveKeys::load(&mut store, Arc::clone(health))?;
            Ok((keys, store))
        });
        match opened {
            Ok((keys, store)) => {
                if let Err(error) = cached
                    && had_store
                {
                    tracing::warn!(%error, "the key cache was not usable; it will be rewritten");
                }
                Ok(OpenedKeys { keys, store: Some(store), cache })
            }
            Err(error) if error.is_damage() => Err(error.into()),
            Err(error) => {
                let cached = require_cached_keys(&error, cached)?;
                health.mark_failing(Access::Read);
                let keys = LiveKeys::cached(cached.keyring, meters, Arc::clone(health));
                Ok(OpenedKeys { keys, store: None, cache })
            }
        }
    }
}

/// Opens the store. Logs a warning if it creates one, since a mistyped location looks like a new store.
fn open_store(location: &StoreLocation, if_missing: IfMissing) -> Result<Store, StoreError> {
    use StoreFault::{EmptyDatabase, Missing};
    match Store::open(location, IfMissing::Refuse) {
        Err(StoreError::Unusable { fault: Missing | EmptyDatabase, .. })
            if if_missing == IfMissing::Create => {}
        opened => return opened,
    }
    let store = Store::open(location, IfMissing::Create)?;
    tracing::warn!(
        "created a new store at {location}, without accounts and keys; if you meant an existing one, stop the server \
         and name it with --state"
    );
    Ok(store)
}

/// The cached keys, with one log line; the errors of store and cache if there are none.
fn require_cached_keys(
    store_error: &StoreError,
    cached: Result<Option<CachedKeys>, KeyCacheError>,
) -> Result<CachedKeys, CommandError> {
    match cached {
        Ok(Some(cached)) => {
            let (keys, written) = (cached.keyring.entries().len(), cached.written);
            tracing::warn!(
                error = %store_error, keys, %written,
                "the store is unreachable; serving with the cached keys until it is back"
            );
            Ok(cached)
        }
        Ok(None) => Err(CommandError::failed(format!(
            "{store_error}; with --key-cache FILE, a server that has run before can start without its store"
        ))),
        Err(cache_error) => Err(CommandError::failed(format!("{store_error}; {cache_error}"))),
    }
}
