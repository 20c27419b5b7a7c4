//! The threads on which messages over HTTP are answered: parsing a message, finding a tool and writing the list of tools
//! takes too long for the thread of a connection. They have the priority of short searches. The API requests of a tool are
//! answered on them, and long ones in the lanes.

use std::future::Future;
use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::api::error::{ApiError, Code};
use crate::api::executor::SHORT_LANE_NICENESS;
use crate::system::process::lower_thread_priority;

/// Started at the first message, and never stopped.
static THREADS: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Builder::new_multi_thread()
        .worker_threads(cores)
        .thread_name("agents")
        .on_thread_start(|| {
            if lower_thread_priority(SHORT_LANE_NICENESS).is_err() {
                tracing::warn!("cannot lower the priority of a thread of agents");
            }
        })
        .enable_all()
        .build()
});

/// Runs work on these threads. Dropping the future cancels it.
pub async fn run<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, "a message of an agent has no answer");
        ApiError::new(Code::Internal, "the message cannot be answered")
    };
    let threads = THREADS.as_ref().map_err(|error| failed(error))?;
    let mut tasks = JoinSet::new();
    tasks.spawn_on(work, threads.handle());
    let done = tasks.join_next().await.expect("one task was started");
    done.map_err(|error| failed(&error))?
}
