//! The accept loops: accept sockets, start connections within the limits, and shut down gracefully.
//!
//! Where the PROXY protocol is expected, its header is read first. HTTP/1.1 and HTTP/2 share a port; all are in clear text, or through TLS where the server has a certificate. Above
//! [`ServerConfig::connections_max`] a connection is answered 503 and closed. To stop, listeners and idle connections close, requests in flight get their answer, and after
//! [`Timeouts::stop`] the rest is dropped. A server whose listening sockets another process has taken over accepts nothing more, lets its connections close after their next answers, and
//! ends with the last one.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::certificate::Certificate;
use super::connection::{Connection, Remote};
use super::connection_service::Telemetry;
use super::connection_table::{ConnectionTable, Registration};
use super::driver::{
    Drain, DrainReason, Driver, EndUnseen, Phase, wait_for_end, wait_for_last_accept,
};
use super::http1::answer::refusal_bytes;
use super::limits::{
    CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS, REFUSALS_MAX, SLOT_TIME_MAX, Timeouts,
};
use super::listener::Listener;
use super::proxies::{Peer, TrustedProxies};
use super::proxy_header::{self, ProxyHeaderError};
use super::service::{HttpService, Refusal};
use super::stream::{Stream, send_refusal};

/// Pause after the system could not open another socket.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, Clone)]
pub struct ServerConfig {
    pub connections_max: usize,
    pub per_address_max: Option<u32>,
    /// Exempt from the limit: all clients behind a proxy share its address.
    pub proxies: TrustedProxies,
    /// With a certificate, every TCP address speaks HTTPS.
    pub certificate: Option<Arc<Certificate>>,
    pub timeouts: Timeouts,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            connections_max: CONNECTIONS_MAX,
            per_address_max: Some(CONNECTIONS_PER_ADDRESS),
            proxies: TrustedProxies::default(),
            certificate: None,
            timeouts: Timeouts::default(),
        }
    }
}

struct Shared<S> {
    config: ServerConfig,
    driver: Driver<S>,
    table: Arc<ConnectionTable>,
    /// One permit for each connection that may be open.
    slots: Arc<Semaphore>,
    /// One permit for each connection that may be answered 503 at once.
    refusals: Arc<Semaphore>,
    last_number: AtomicU64,
    /// Whether a fault in a header of the PROXY protocol was logged.
    has_reported_header: AtomicBool,
}

/// Serves on these listeners until `stop` is ready, then shuts down gracefully. Once `drain` is ready,
/// connections close within its time; new ones are still served, unless another process does that.
pub async fn serve<S: HttpService>(
    listeners: Vec<Listener>,
    config: ServerConfig,
    service: Arc<S>,
    telemetry: Telemetry,
    drain: impl Future<Output = (Duration, DrainReason)>,
    stop: impl Future<Output = ()>,
) {
    let timeouts = config.timeouts;
    let table = ConnectionTable::new(config.per_address_max, config.proxies.clone());
    let shared = Arc::new(Shared {
        driver: Driver::new(
            service,
            telemetry,
            timeouts,
            config.certificate.clone(),
            Arc::clone(&table),
        ),
        table,
        slots: Arc::new(Semaphore::new(config.connections_max)),
        config,
        refusals: Arc::new(Semaphore::new(REFUSALS_MAX)),
        last_number: AtomicU64::new(0),
        has_reported_header: AtomicBool::new(false),
    });
    let (phase, phase_receiver) = watch::channel(Phase::Serve);
    for (index, listener) in listeners.into_iter().enumerate() {
        let phase = phase_receiver.clone();
        tokio::spawn(accept(index, listener, shared.clone(), phase));
    }
    drop(phase_receiver);
    let memory_limit = {
        let shared = shared.clone();
        tokio::spawn(async move {
            let memory = &shared.driver.telemetry.metrics.memory;
            shared.table.enforce_memory_limit(memory).await;
        })
    };
    let enter = |next| {
        shared.driver.announce_phase_change();
        phase.send_replace(next);
    };
    let mut stop = pin!(stop);
    tokio::select! {
        biased;
        () = &mut stop => {}
        (time, reason) = drain => {
            enter(Phase::Drain(Drain { began: Instant::now(), time, reason }));
            tokio::select! {
                () = &mut stop => {}
                // The accept loops hold the receivers too: after a handover they have ended.
                () = phase.closed() => {}
            }
        }
    }
    enter(Phase::Finish);
    // Accept loops and connections hold the receivers: when all are dropped, everything has ended.
    if tokio::time::timeout(timeouts.stop, phase.closed()).await.is_err() {
        tracing::warn!(
            connections = phase.receiver_count(),
            "closing connections that did not finish within {:?}",
            timeouts.stop
        );
        enter(Phase::Drop);
        phase.closed().await;
    }
    memory_limit.abort();
}

async fn accept<S: HttpService>(
    index: usize,
    listener: Listener,
    shared: Arc<Shared<S>>,
    mut phase: watch::Receiver<Phase>,
) {
    let connection_phase = phase.clone();
    let expects_proxy_header = listener.expects_proxy_header;
    let (end_unseen, end_seen) = EndUnseen::new();
    let mut failing = false;
    loop {
        let accepted = tokio::select! {
            biased;
            is_handed_over = wait_for_last_accept(&mut phase) => {
                // The listener closes after that: a client that is refused must not get another answer on an old
                // connection that does not say that it is the last one. After a handover no client is refused.
                if !is_handed_over {
                    drop(end_unseen);
                    end_seen.by_all().await;
                }
                return;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                failing = false;
                let remote = shared.table.remote(peer);
                let (phase, end_unseen) = (connection_phase.clone(), end_unseen.clone());
                let accepted = Accepted {
                    stream,
                    remote,
                    listener: index,
                    expects_proxy_header,
                    phase,
                    end_unseen,
                };
                admit(accepted, &shared);
            }
            // The client disconnected while it waited; accept the next one.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                if !failing {
                    tracing::warn!(%error, "cannot accept connections; retrying");
                }
                failing = true;
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// An accepted connection that is not admitted yet.
struct Accepted {
    stream: Stream,
    remote: Remote,
    listener: usize,
    expects_proxy_header: bool,
    phase: watch::Receiver<Phase>,
    end_unseen: EndUnseen,
}

/// Admits a connection. If there are too many, an idle one is closed for it; otherwise it is answered 503.
fn admit<S: HttpService>(accepted: Accepted, shared: &Arc<Shared<S>>) {
    let registration = match shared.table.admit(accepted.remote) {
        Ok(registration) => registration,
        Err(connections_max) => {
            let refusal = Refusal::TooManyOfAddress { connections_max };
            shared.driver.telemetry.metrics.connections_refused.fetch_add(1, Relaxed);
            return if let Ok(permit) = shared.refusals.clone().try_acquire_owned() {
                tokio::spawn(refuse(accepted.stream, shared.clone(), refusal, permit));
            };
        }
    };
    if let Ok(slot) = shared.slots.clone().try_acquire_owned() {
        return start(accepted, slot, registration, shared);
    }
    let is_one_closing = shared.table.close_longest_idle();
    let Ok(permit) = shared.refusals.clone().try_acquire_owned() else {
        shared.driver.telemetry.metrics.connections_refused.fetch_add(1, Relaxed);
        return;
    };
    let shared = shared.clone();
    tokio::spawn(async move {
        let freed = shared.slots.clone().acquire_owned();
        if is_one_closing && let Ok(Ok(slot)) = tokio::time::timeout(SLOT_TIME_MAX, freed).await {
            return start(accepted, slot, registration, &shared);
        }
        shared.driver.telemetry.metrics.connections_refused.fetch_add(1, Relaxed);
        let connections_max = shared.config.connections_max;
        let refusal = Refusal::TooManyConnections { connections_max };
        refuse(accepted.stream, shared, refusal, permit).await;
    });
}

fn start<S: HttpService>(
    accepted: Accepted,
    slot: OwnedSemaphorePermit,
    registration: Registration,
    shared: &Arc<Shared<S>>,
) {
    if !accepted.expects_proxy_header {
        return drive(accepted, slot, registration, shared);
    }
    let shared = shared.clone();
    tokio::spawn(async move {
        if let Some((accepted, registration)) = identify(accepted, registration, &shared).await {
            drive(accepted, slot, registration, &shared);
        }
    });
}

/// Reads the header of the PROXY protocol, and counts the connection for the client that a trusted proxy names there. From
/// any other peer the header is read and ignored. `None` if the connection is refused.
async fn identify<S: HttpService>(
    mut accepted: Accepted,
    registration: Registration,
    shared: &Arc<Shared<S>>,
) -> Option<(Accepted, Registration)> {
    let time_max = shared.config.timeouts.proxy_header;
    let read = tokio::select! {
        biased;
        () = wait_for_end(&mut accepted.phase) => return None,
        read = tokio::time::timeout(time_max, proxy_header::read(&mut accepted.stream)) => read,
    };
    let seconds = time_max.as_secs();
    let read = read.unwrap_or(Err(ProxyHeaderError::TimedOut { seconds }));
    let refusal = match read {
        Ok(Some(client)) if accepted.remote.is_proxy => {
            accepted.remote = shared.table.remote(Peer::Network(client));
            drop(registration);
            match shared.table.admit(accepted.remote) {
                Ok(registration) => return Some((accepted, registration)),
                Err(connections_max) => Refusal::TooManyOfAddress { connections_max },
            }
        }
        Ok(_) => return Some((accepted, registration)),
        Err(error) => {
            shared.report_proxy_header(accepted.remote, &error);
            Refusal::NoProxyHeader
        }
    };
    shared.driver.telemetry.metrics.connections_refused.fetch_add(1, Relaxed);
    if let Ok(permit) = shared.refusals.clone().try_acquire_owned() {
        refuse(accepted.stream, shared.clone(), refusal, permit).await;
    }
    None
}

impl<S> Shared<S> {
    /// Logs a fault of a trusted proxy: the operator has to correct it. Once as a warning, because every connection has it.
    fn report_proxy_header(&self, remote: Remote, error: &ProxyHeaderError) {
        let peer = remote.address;
        if remote.is_proxy && !self.has_reported_header.swap(true, Relaxed) {
            tracing::warn!(%peer, %error, "refused a connection; more of these are logged at the level debug");
        } else {
            tracing::debug!(%peer, %error, "refused a connection");
        }
    }
}

fn drive<S: HttpService>(
    Accepted { stream, remote, listener, phase, end_unseen, .. }: Accepted,
    slot: OwnedSemaphorePermit,
    mut registration: Registration,
    shared: &Arc<Shared<S>>,
) {
    let number = shared.last_number.fetch_add(1, Relaxed) + 1;
    let metrics = shared.driver.telemetry.metrics.clone();
    let connection = Arc::new(Connection::open(number, remote, listener, metrics));
    registration.enter(&connection);
    let shared = shared.clone();
    tokio::spawn(async move {
        let _until_end = (slot, registration);
        shared.driver.run(stream, connection, phase, end_unseen).await;
    });
}

/// Sends the refusal. A client that waits for TLS could not read it: its connection is closed.
async fn refuse<S: HttpService>(
    stream: Stream,
    shared: Arc<Shared<S>>,
    refusal: Refusal,
    _permit: OwnedSemaphorePermit,
) {
    if !shared.driver.expects_tls(&stream) {
        let answer = refusal_bytes(shared.driver.service.refuse(refusal));
        send_refusal(stream, &answer).await;
    }
}
