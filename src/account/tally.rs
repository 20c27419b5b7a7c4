//! Counts responses by key, endpoint and status until [`Figures`](super::figures::Figures) collects them.
//!
//! Each thread counts in one of [`SHARDS`] maps, so that lock contention is rare. A map only holds counts since
//! the last collection, so it stays small.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::identity::AccountId;
use super::key::KeyId;
use super::meter::SHARDS;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ResponseKind {
    pub account: AccountId,
    pub key: KeyId,
    /// The path with its parameters' names.
    pub endpoint: &'static str,
    pub status: u16,
}

/// No client chooses the keys of this map, so a hash that resists chosen keys would only cost time.
type ResponseCounts = FxHashMap<ResponseKind, u64>;

/// On its own cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard(Mutex<ResponseCounts>);

#[derive(Debug, Default)]
pub struct Tally([Shard; SHARDS]);

impl Tally {
    pub fn count(&self, response: ResponseKind, shard: usize) {
        let mut counts = self.0[shard % SHARDS].0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(response).or_default() += 1;
    }

    /// The counts since the last call; an entry may occur several times.
    pub(super) fn take(&self) -> impl Iterator<Item = (ResponseKind, u64)> {
        self.0.iter().flat_map(|shard| {
            std::mem::take(&mut *shard.0.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }
}
