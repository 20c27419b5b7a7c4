//! The threads that drive connections: one runtime a core, each of one thread.
//!
//! A connection stays on its core: no other thread ever takes its task, so its wake-ups cross no lock and its
//! memory stays in one cache. Long work must not run here, because no other thread takes over the connections that
//! wait behind it; it goes to threads of the service, or to [`tokio::task::spawn_blocking`].

use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Runtimes that are assigned connections in turn. Drop ends their threads and whatever still runs.
#[derive(Debug)]
pub struct Workers {
    threads: Vec<Worker>,
    next: AtomicUsize,
}

#[derive(Debug)]
struct Worker {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Workers {
    /// Starts one per core. Fails if the system refuses a thread.
    pub fn start() -> io::Result<Workers> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (0..cores).map(|_| Worker::start()).collect::<io::Result<_>>()?;
        Ok(Workers { threads, next: AtomicUsize::new(0) })
    }

    /// Runs the connection on the next thread in turn, which balances their number.
    pub fn spawn(&self, connection: impl Future<Output = ()> + Send + 'static) {
        let index = self.next.fetch_add(1, Relaxed) % self.threads.len();
        self.threads[index].handle.spawn(connection);
    }

    /// Waits until every connection that was woken before has run.
    pub async fn run_woken(&self) {
        for worker in &self.threads {
            // An ended thread has nothing left to wait for.
            let _ = worker.handle.spawn(async {}).await;
        }
    }
}

impl Worker {
    fn start() -> io::Result<Worker> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread =
            std::thread::Builder::new().name("connections".to_owned()).spawn(move || {
                // A message and a dropped sender both mean the end.
                let _ = runtime.block_on(stopped);
            })?;
        Ok(Worker { handle, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(Err(_panic)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("a connection thread stopped unexpectedly; please report this");
        }
    }
}
