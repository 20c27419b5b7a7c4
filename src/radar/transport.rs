//! How the courier makes attempts: it starts them here, and hears of their results later.

use std::io;
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};

use super::webhook::{AttemptResult, Message, Sender};

/// Makes attempts, any number at once.
pub trait Transport: Send + 'static {
    /// Starts an attempt and returns. `done` gets its result, on any thread.
    fn start(&self, message: Message, done: Done);
}

pub type Done = Box<dyn FnOnce(AttemptResult) + Send>;

/// Sends over HTTP, each attempt in a task. Dropping it ends the attempts.
#[derive(Debug)]
pub struct HttpTransport {
    runtime: Runtime,
    sender: Arc<Sender>,
}

impl HttpTransport {
    pub fn new(sender: Sender) -> io::Result<HttpTransport> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("webhook")
            .enable_all()
            .build()?;
        Ok(HttpTransport { runtime, sender: Arc::new(sender) })
    }
}

impl Transport for HttpTransport {
    fn start(&self, message: Message, done: Done) {
        let sender = Arc::clone(&self.sender);
        self.runtime.spawn(async move { done(sender.send(&message).await) });
    }
}
