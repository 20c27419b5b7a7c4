//! Access to the store for handlers: on threads that may block, with a limit on concurrent calls and on time.
//!
//! A store that is slow, locked, full or down costs only its own callers a 503. The work is one transaction: after
//! a 503 either all of it happened or nothing.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::account::store::{Store, StoreError, StoreFault, StorePool, TransactionError};
use crate::api::error::{ApiError, Code};
use crate::server::blocking::blocking;

/// Most concurrent calls. A store that hangs blocks as many threads.
const CALLS_MAX: usize = 16;

/// How long a caller waits, for its permit and for the result. Longer than the store waits for a lock.
const TIME_MAX: Duration = Duration::from_secs(8);

#[derive(Debug)]
pub struct ApiStore {
    pool: Arc<StorePool>,
    calls: Arc<Semaphore>,
}

impl ApiStore {
    pub fn new(pool: Arc<StorePool>) -> ApiStore {
        ApiStore { pool, calls: Arc::new(Semaphore::new(CALLS_MAX)) }
    }

    /// Runs `work` with a store connection of its own. If the store fails, the caller answers with [`unavailable`].
    pub async fn run<T, E>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: TransactionError + Send + 'static,
    {
        let call = async {
            // The semaphore is never closed; if it were, going on without a limit would be right.
            let permit = Arc::clone(&self.calls).acquire_owned().await.ok();
            let pool = Arc::clone(&self.pool);
            let work = move || {
                let result = pool.run(work);
                drop(permit);
                result
            };
            blocking(work).await
        };
        match tokio::time::timeout(TIME_MAX, call).await {
            Ok(result) => result,
            Err(_elapsed) => Err(E::from(StoreError::Unusable {
                location: self.pool.location.clone(),
                fault: StoreFault::Slow(TIME_MAX.as_secs()),
            })),
        }
    }
}

/// The error of a failed store. The cause is logged, not sent to the client.
pub fn unavailable(error: &StoreError) -> ApiError {
    tracing::debug!(%error, "a request failed because of the store");
    ApiError::new(Code::StateUnavailable, "the account store is unavailable; retry later")
}
