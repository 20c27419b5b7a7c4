//! One attempt to deliver an event. No other file connects to receivers.
//!
//! ```text
//! name → addresses → only public ones → connection to the address that was checked → TLS → POST → status
//! ```
//!
//! An attempt follows no redirects and uses no proxy, because both would bypass the check of the address. It reads
//! and discards a bounded part of the answer's body, so that the receiver can finish writing it.
//!
//! Failed deliveries are retried with exponential backoff and jitter, for three days.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use super::event::DeliveryId;
use super::network::{NotPublic, check_public};
use super::webhook_url::WebhookUrl;
use crate::tls;

/// How long an attempt may take, from resolving the name to the status of the answer.
pub const ATTEMPT_TIME_MAX: Duration = Duration::from_secs(10);

/// How long to try one address if there are others.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(3);

/// How much of the answer's body is read, and for how long, in addition to the time of the attempt.
const ANSWER_BYTES_MAX: usize = 16 * 1024;
const ANSWER_TIME_MAX: Duration = Duration::from_millis(500);

const ANSWER_HEAD_BYTES_MAX: usize = 32 * 1024;

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
const AGENT: &str = concat!("daicho/", env!("CARGO_PKG_VERSION"));

#[derive(Debug, Clone)]
pub struct Message {
    pub url: WebhookUrl,
    pub id: DeliveryId,
    /// In seconds since 1970; part of what was signed.
    pub timestamp: i64,
    /// The value of `webhook-signature`, over id, timestamp and body.
    pub signatures: String,
    pub body: String,
}

/// The status of the answer, or why there was none.
pub type AttemptResult = Result<u16, AttemptFault>;

/// Whether the receiver has the event: the status is 2xx.
pub fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// Why an attempt has no status. Shown to the operator and to the account.
#[derive(Debug, thiserror::Error)]
pub enum AttemptFault {
    /// Does not say more: the account reads it, and the key is the operator's.
    #[error("this server cannot decrypt the secret of the webhook; see the log of the server")]
    NoSecret,
    #[error("cannot resolve the receiver's name: {0}")]
    Resolve(#[source] io::Error),
    #[error("expected an address for the receiver; found none")]
    NoAddress,
    #[error(transparent)]
    NotPublic(NotPublic),
    /// Does not say the addresses: an account would read the names of the operator's network that way.
    #[error(
        "expected a receiver with a public address; found a name that has none; the operator can allow it with \
         --webhook-allow-private"
    )]
    NameNotPublic,
    /// Names the address that was tried last; of a name in a network that is not public, the name.
    #[error("cannot connect to {receiver}: {cause}")]
    Connect {
        receiver: String,
        #[source]
        cause: io::Error,
    },
    /// The certificate may not be the receiver's.
    #[error("cannot set up TLS: {0}")]
    Tls(#[source] io::Error),
    #[error(transparent)]
    NoRootCertificates(#[from] tls::NoRootCertificates),
    #[error("expected an HTTP response: {0}")]
    Http(#[source] hyper::Error),
    /// The stage is what took too long.
    #[error("expected a response within {} s; found none while {stage}", .limit.as_secs_f64())]
    TimedOut { limit: Duration, stage: &'static str },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedAddresses {
    /// Addresses of the public internet only.
    Public,
    /// Private networks too, for the operator's own receivers.
    Any,
}

/// Sends messages. Loads root certificates when they are first needed.
#[derive(Debug)]
pub struct Sender {
    allowed: AllowedAddresses,
    time_max: Duration,
    tls: OnceLock<Result<Arc<ClientConfig>, tls::NoRootCertificates>>,
}

impl Sender {
    /// `time_max` bounds each attempt; usually [`ATTEMPT_TIME_MAX`].
    pub fn new(allowed: AllowedAddresses, time_max: Duration) -> Sender {
        Sender { allowed, time_max, tls: OnceLock::new() }
    }

    pub async fn send(&self, message: &Message) -> AttemptResult {
        let time_limit = self.time_limit();
        let url = &message.url;
        let tcp = self.connect(url, time_limit).await?;
        if !url.is_https() {
            return exchange(tcp, message, time_limit).await;
        }
        exchange(self.secure(url, tcp, time_limit).await?, message, time_limit).await
    }

    /// Connects as a delivery does, and sends nothing.
    pub async fn reach(&self, url: &WebhookUrl) -> Result<(), AttemptFault> {
        let time_limit = self.time_limit();
        let tcp = self.connect(url, time_limit).await?;
        if url.is_https() {
            self.secure(url, tcp, time_limit).await?;
        }
        Ok(())
    }

    fn time_limit(&self) -> TimeLimit {
        TimeLimit { deadline: Instant::now() + self.time_max, limit: self.time_max }
    }

    async fn connect(
        &self,
        url: &WebhookUrl,
        time_limit: TimeLimit,
    ) -> Result<TcpStream, AttemptFault> {
        let addresses = time_limit.run("resolving its name", self.resolve(url)).await??;
        time_limit.run("connecting", connect(url, &addresses)).await?
    }

    async fn secure(
        &self,
        url: &WebhookUrl,
        tcp: TcpStream,
        time_limit: TimeLimit,
    ) -> Result<TlsStream<TcpStream>, AttemptFault> {
        let tls = TlsConnector::from(self.tls()?);
        let handshake = tls.connect(server_name(url)?, tcp);
        let stream = time_limit.run("securing the connection", handshake).await?;
        stream.map_err(AttemptFault::Tls)
    }

    /// The addresses to connect to. The name is resolved at each attempt, because it may have stopped being public.
    async fn resolve(&self, url: &WebhookUrl) -> Result<Vec<SocketAddr>, AttemptFault> {
        let with_port = |address| SocketAddr::new(address, url.port());
        let found: Vec<SocketAddr> = match url.host() {
            Host::Ipv4(address) => vec![with_port(IpAddr::V4(address))],
            Host::Ipv6(address) => vec![with_port(IpAddr::V6(address))],
            Host::Domain(name) => {
                let found = tokio::net::lookup_host((name, url.port())).await;
                found.map_err(AttemptFault::Resolve)?.collect()
            }
        };
        if self.allowed == AllowedAddresses::Any {
            return if found.is_empty() { Err(AttemptFault::NoAddress) } else { Ok(found) };
        }
        let (mut public, mut refused) = (Vec::new(), None);
        for address in found {
            match check_public(address.ip()) {
                Ok(()) => public.push(address),
                Err(not_public) => refused = Some(not_public),
            }
        }
        match refused {
            _ if !public.is_empty() => Ok(public),
            Some(_) if matches!(url.host(), Host::Domain(_)) => Err(AttemptFault::NameNotPublic),
            Some(refused) => Err(AttemptFault::NotPublic(refused)),
            None => Err(AttemptFault::NoAddress),
        }
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, tls::NoRootCertificates> {
        self.tls.get_or_init(|| tls::client_config().map(Arc::new)).clone()
    }
}

#[derive(Clone, Copy)]
struct TimeLimit {
    deadline: Instant,
    limit: Duration,
}

impl TimeLimit {
    /// Waits for one stage of the attempt, at most until the deadline.
    async fn run<T>(
        self,
        stage: &'static str,
        work: impl Future<Output = T>,
    ) -> Result<T, AttemptFault> {
        let limit = self.limit;
        let timed_out = |_elapsed| AttemptFault::TimedOut { limit, stage };
        timeout_at(self.deadline, work).await.map_err(timed_out)
    }
}

async fn connect(url: &WebhookUrl, addresses: &[SocketAddr]) -> Result<TcpStream, AttemptFault> {
    let mut fault = AttemptFault::NoAddress;
    for address in addresses {
        let connecting = TcpStream::connect(address);
        let connected = match addresses {
            [_only] => connecting.await,
            _ => timeout(CONNECT_TIME_MAX, connecting)
                .await
                .unwrap_or_else(|_late| Err(io::ErrorKind::TimedOut.into())),
        };
        match connected {
            Ok(tcp) => return Ok(tcp),
            Err(cause) => {
                let is_shown = match url.host() {
                    Host::Domain(_) => check_public(address.ip()).is_ok(),
                    Host::Ipv4(_) | Host::Ipv6(_) => true,
                };
                let receiver =
                    if is_shown { address.to_string() } else { url.authority().to_owned() };
                fault = AttemptFault::Connect { receiver, cause };
            }
        }
    }
    Err(fault)
}

/// Sends the request and waits for the status, then discards the body. The limit ends with the status: a receiver that
/// has answered must not get the event again because its body is slow.
async fn exchange<S>(stream: S, message: &Message, time_limit: TimeLimit) -> AttemptResult
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut requests, connection) = http1::Builder::new()
        .max_buf_size(ANSWER_HEAD_BYTES_MAX)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(AttemptFault::Http)?;
    let mut answer = pin!(async {
        let responding = requests.send_request(request(message));
        let response = time_limit.run("waiting for the response", responding).await?;
        let response = response.map_err(AttemptFault::Http)?;
        let status = response.status().as_u16();
        // Only the status counts; it does not matter how the body ends.
        let _ = timeout(ANSWER_TIME_MAX, drain(response)).await;
        Ok(status)
    });
    tokio::select! {
        biased;
        result = &mut answer => result,
        // The connection may end before the body is read; `answer` reports its error.
        _ended = connection => answer.await,
    }
}

/// Reads the answer's body, up to its bound, and discards it.
async fn drain(response: Response<Incoming>) {
    let mut body = response.into_body();
    let mut count = 0;
    while let Some(Ok(frame)) = body.frame().await {
        count += frame.data_ref().map_or(0, Bytes::len);
        if count > ANSWER_BYTES_MAX {
            return;
        }
    }
}

fn request(message: &Message) -> Request<Full<Bytes>> {
    // Ids, signatures, authorities and paths consist of visible ASCII, by their types.
    let value = |text: &str| HeaderValue::try_from(text).expect("visible ASCII");
    let mut request = Request::new(Full::new(Bytes::from(message.body.clone())));
    *request.method_mut() = Method::POST;
    *request.uri_mut() =
        message.url.path_and_query().parse().expect("the path and query of a URL that was read");
    let headers = request.headers_mut();
    headers.insert(HOST, value(message.url.authority()));
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    headers.insert(WEBHOOK_ID, value(message.id.as_str()));
    headers.insert(WEBHOOK_TIMESTAMP, HeaderValue::from(message.timestamp));
    headers.insert(WEBHOOK_SIGNATURE, value(&message.signatures));
    request
}

fn server_name(url: &WebhookUrl) -> Result<ServerName<'static>, AttemptFault> {
    match url.host() {
        Host::Domain(name) => ServerName::try_from(name.to_owned())
            .map_err(|error| AttemptFault::Tls(io::Error::new(io::ErrorKind::InvalidInput, error))),
        Host::Ipv4(address) => Ok(ServerName::from(IpAddr::V4(address))),
        Host::Ipv6(address) => Ok(ServerName::from(IpAddr::V6(address))),
    }
}

/// How long a delivery is retried, in seconds: three days.
pub const RETRY_SECONDS_MAX: i64 = 3 * 24 * 60 * 60;

const DELAY_SECONDS_MIN: i64 = 10;

/// The longest delay, six hours: a receiver that is repaired at night gets its events before noon.
pub const DELAY_SECONDS_MAX: i64 = 6 * 60 * 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// Another attempt at this time, in seconds since 1970.
    RetryAt(i64),
    GiveUp,
}

/// Decides what follows a failed attempt. The delay is twice the time since the delivery was created or resent. `random`
/// shortens it by up to half, so that deliveries spread out. The last attempt is at the end of the three days. Times are
/// seconds since 1970.
pub fn next_step(now: i64, give_up_at: i64, random: u32) -> NextStep {
    if now >= give_up_at {
        return NextStep::GiveUp;
    }
    let elapsed = now.saturating_sub(give_up_at.saturating_sub(RETRY_SECONDS_MAX));
    let delay = elapsed.saturating_mul(2).clamp(DELAY_SECONDS_MIN, DELAY_SECONDS_MAX);
    let half = delay / 2;
    let jitter = (delay - half) * i64::from(random) / i64::from(u32::MAX);
    NextStep::RetryAt((now + half + jitter).min(give_up_at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn delays_grow_to_six_hours_and_end_after_three_days() {
        let mut now = 0;
        let mut delays = Vec::new();
        while let NextStep::RetryAt(retry_at) = next_step(now, RETRY_SECONDS_MAX, u32::MAX) {
            delays.push(retry_at - now);
            now = retry_at;
        }
        assert_eq!(delays[..9], [10, 20, 60, 180, 540, 1620, 4860, 14_580, 21_600]);
        assert_eq!(delays.len(), 19);
        assert_eq!(now, RETRY_SECONDS_MAX, "the last attempt falls on the end");
    }

    #[test]
    fn jitter_shortens_a_delay_by_up_to_half() {
        let step = |random| next_step(100, RETRY_SECONDS_MAX, random);
        assert_eq!(step(0), NextStep::RetryAt(200));
        assert_eq!(step(u32::MAX / 2), NextStep::RetryAt(249));
        assert_eq!(step(u32::MAX), NextStep::RetryAt(300));
    }

    proptest! {
        #[test]
        fn retries_are_in_the_future_and_not_after_the_end(
            now in 0..4_000_000_000_i64, left in -10..1_000_000_i64, random in any::<u32>(),
        ) {
            match next_step(now, now + left, random) {
                NextStep::GiveUp => prop_assert!(left <= 0),
                NextStep::RetryAt(retry_at) => {
                    prop_assert!(left > 0 && retry_at > now && retry_at <= now + left);
                    prop_assert!(retry_at <= now + DELAY_SECONDS_MAX);
                }
            }
        }
    }
}
