//! The receiver of webhooks: accepts and records every delivery, and is closed from time to time.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::deliveries::{Received, read};

/// A delivery that was answered with 204.
pub struct Arrival {
    pub at: Instant,
    pub request: Received,
}

impl Arrival {
    /// The day in the body; the whole body if it has none.
    pub fn day(&self) -> String {
        let body: Option<serde_json::Value> = serde_json::from_str(&self.request.body).ok();
        let day = body.as_ref().and_then(|body| body["date"].as_str());
        day.unwrap_or(&self.request.body).to_owned()
    }
}

#[derive(Default)]
struct Shared {
    closed: AtomicBool,
    arrivals: Mutex<Vec<Arrival>>,
}

pub struct Receiver {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

impl Receiver {
    /// Starts the receiver. Its thread ends with the process.
    pub fn start() -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let shared = Arc::<Shared>::default();
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || listen(listener, address, &of_thread));
        Receiver { address, shared }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Connections are refused from now on, until [`Receiver::open`].
    pub fn close(&self) {
        self.shared.closed.store(true, Ordering::Relaxed);
    }

    pub fn open(&self) {
        self.shared.closed.store(false, Ordering::Relaxed);
    }

    /// Calls a function with the deliveries so far.
    pub fn with_arrivals<R>(&self, work: impl FnOnce(&[Arrival]) -> R) -> R {
        work(&self.shared.arrivals.lock().expect("no panic"))
    }
}

fn listen(mut listener: TcpListener, address: SocketAddr, shared: &Shared) {
    const PAUSE: Duration = Duration::from_millis(10);
    loop {
        listener.set_nonblocking(true).expect("a socket option");
        while !shared.closed.load(Ordering::Relaxed) {
            match listener.accept() {
                Ok((mut tcp, _)) => {
                    tcp.set_nonblocking(false).expect("a socket option");
                    tcp.set_read_timeout(Some(Duration::from_secs(5))).expect("a time-out");
                    let Some(request) = read(&mut tcp) else { continue };
                    if tcp.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").is_ok() {
                        let arrival = Arrival { at: Instant::now(), request };
                        shared.arrivals.lock().expect("no panic").push(arrival);
                    }
                }
                Err(_nobody) => thread::sleep(PAUSE),
            }
        }
        drop(listener);
        while shared.closed.load(Ordering::Relaxed) {
            thread::sleep(PAUSE);
        }
        // Retry: another socket of this machine may use the port for a moment.
        listener = loop {
            match TcpListener::bind(address) {
                Ok(listener) => break listener,
                Err(_taken) => thread::sleep(PAUSE),
            }
        };
    }
}
