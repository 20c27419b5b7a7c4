//! Slots for work that must not block the threads of connections: batches and long searches.
//!
//! Of each kind no more run than there are cores: more would only take turns. The kinds do not wait for each other.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::{ApiError, Code};
use super::limits::BATCHES_MAX;

#[derive(Debug)]
pub struct Slots {
    batches: Arc<Semaphore>,
    batch_turns: Arc<Semaphore>,
    search_turns: Arc<Semaphore>,
}

/// A place that is free again when this is dropped. `None` where there is no bound.
pub type Slot = Option<OwnedSemaphorePermit>;

impl Default for Slots {
    fn default() -> Slots {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let of = |count| Arc::new(Semaphore::new(count));
        Slots { batches: of(BATCHES_MAX), batch_turns: of(cores), search_turns: of(cores) }
    }
}

impl Slots {
    /// Room for one batch, from its body to its last byte.
    pub fn batch(&self) -> Result<Slot, ApiError> {
        Arc::clone(&self.batches).try_acquire_owned().map(Some).map_err(|_full| {
            let detail =
                format!("the server is working on {BATCHES_MAX} batches, its most; retry later");
            ApiError::plain(Code::TooManyBatches, detail)
        })
    }

    pub async fn batch_turn(&self) -> Slot {
        turn(&self.batch_turns).await
    }

    pub async fn search_turn(&self) -> Slot {
        turn(&self.search_turns).await
    }
}

async fn turn(turns: &Arc<Semaphore>) -> Slot {
    // Nobody closes a semaphore; if somebody did, work without a bound would be right.
    Arc::clone(turns).acquire_owned().await.ok()
}
