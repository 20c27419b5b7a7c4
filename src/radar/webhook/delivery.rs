//! One attempt to deliver an event: the only place from which the server speaks to others.
//!
//! ```text
//! name → addresses → only public ones → connection to the very address checked → TLS → POST → status
//! ```
//!
//! All of it within [`TIME_MAX`]. Redirects are not followed, since they would lead past the check;
//! no proxy of the environment is used, for the same reason. Certificates are verified against the
//! system's roots, or those that `SSL_CERT_FILE` names. The answer's body is read to a small bound,
//! so that the receiver is not cut off, and thrown away.

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
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use url::Host;

use super::event::DeliveryId;
use super::network::{NotPublic, check_public};
use super::target::WebhookUrl;

/// From the look-up of the name to the status of the answer.
pub const TIME_MAX: Duration = Duration::from_secs(10);

/// How long an address of several is tried before the next one.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(3);

/// How much of an answer's body is read, and for how long, before the connection is closed.
const ANSWER_BYTES_MAX: usize = 16 * 1024;
const ANSWER_TIME_MAX: Duration = Duration::from_millis(500);

/// The longest head of an answer.
const ANSWER_HEAD_BYTES_MAX: usize = 32 * 1024;

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
const AGENT: &str = concat!("daicho/", env!("CARGO_PKG_VERSION"));

/// What is sent, signed.
#[derive(Debug, Clone)]
pub struct Message {
    /// Where to.
    pub url: WebhookUrl,
    /// Which delivery it is.
    pub id: DeliveryId,
    /// The second since 1970 that was signed.
    pub timestamp: i64,
    /// The signatures over id, second and body.
    pub signatures: String,
    /// The body, JSON.
    pub body: String,
}

/// How one attempt ended: with a status, or without.
pub type Attempt = Result<u16, AttemptFault>;

/// Whether a status says that the event was taken.
pub fn is_taken(status: u16) -> bool {
    (200..300).contains(&status)
}

/// Why an attempt has no status. The text is for the operator and for the account.
#[derive(Debug, thiserror::Error)]
pub enum AttemptFault {
    /// The name leads nowhere.
    #[error("the name of the receiver cannot be resolved: {0}")]
    Resolve(#[source] io::Error),
    /// It leads to no address at all.
    #[error("an address of the receiver was expected, found none")]
    NoAddress,
    /// It leads only to addresses that nothing is sent to.
    #[error(transparent)]
    NotPublic(NotPublic),
    /// Nobody takes the connection.
    #[error("cannot connect to {address}: {cause}")]
    Connect {
        /// The address that was tried last.
        address: SocketAddr,
        /// Why not.
        #[source]
        cause: io::Error,
    },
    /// The connection cannot be secured; the certificate may not be the receiver's.
    #[error("cannot secure the connection: {0}")]
    Tls(#[source] io::Error),
    /// No root certificate is known to verify against.
    #[error("root certificates were expected, found none; install them or set SSL_CERT_FILE")]
    NoRoots,
    /// What came back is no HTTP.
    #[error("an HTTP answer was expected: {0}")]
    Http(#[source] hyper::Error),
    /// It took too long.
    #[error("an answer within {} s was expected, found none while {stage}", .limit.as_secs_f64())]
    TimedOut {
        /// The time for everything.
        limit: Duration,
        /// What was under way.
        stage: &'static str,
    },
}

/// Where events may be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The public internet only.
    Public,
    /// Wherever a URL leads; for receivers in the operator's own network.
    Anywhere,
}

/// Sends messages. Certificates are loaded when they are first needed.
#[derive(Debug)]
pub struct Sender {
    reach: Reach,
    time_max: Duration,
    tls: OnceLock<Option<Arc<ClientConfig>>>,
}

impl Sender {
    /// Sends within [`TIME_MAX`] to where `reach` allows.
    pub fn new(reach: Reach) -> Sender {
        Sender { reach, time_max: TIME_MAX, tls: OnceLock::new() }
    }

    /// The same with another limit of time.
    pub fn within(self, time_max: Duration) -> Sender {
        Sender { time_max, ..self }
    }

    /// Makes one attempt.
    pub async fn send(&self, message: &Message) -> Attempt {
        let clock = Clock { deadline: Instant::now() + self.time_max, limit: self.time_max };
        let url = &message.url;
        let addresses = clock.bound("resolving its name", self.resolve(url)).await??;
        let tcp = clock.bound("connecting", connect(&addresses)).await??;
        if !url.is_https() {
            return clock.bound("waiting for the answer", exchange(tcp, message)).await?;
        }
        let tls = TlsConnector::from(self.tls().ok_or(AttemptFault::NoRoots)?);
        let secured = tls.connect(server_name(url)?, tcp);
        let secured = clock.bound("securing the connection", secured).await?;
        let secured = secured.map_err(AttemptFault::Tls)?;
        clock.bound("waiting for the answer", exchange(secured, message)).await?
    }

    /// The addresses of a receiver that may be connected to. They are asked for at each attempt: a
    /// name that was public an hour ago need not be now.
    async fn resolve(&self, url: &WebhookUrl) -> Result<Vec<SocketAddr>, AttemptFault> {
        let at = |address| SocketAddr::new(address, url.port());
        let found: Vec<SocketAddr> = match url.host() {
            Host::Ipv4(address) => vec![at(IpAddr::V4(address))],
            Host::Ipv6(address) => vec![at(IpAddr::V6(address))],
            Host::Domain(name) => {
                let found = tokio::net::lookup_host((name, url.port())).await;
                found.map_err(AttemptFault::Resolve)?.collect()
            }
        };
        if self.reach == Reach::Anywhere {
            return if found.is_empty() { Err(AttemptFault::NoAddress) } else { Ok(found) };
        }
        let mut refused = None;
        let (mut allowed, fault) = (Vec::new(), &mut refused);
        for address in found {
            match check_public(address.ip()) {
                Ok(()) => allowed.push(address),
                Err(not_public) => *fault = Some(not_public),
            }
        }
        match (allowed.is_empty(), refused) {
            (false, _) => Ok(allowed),
            (true, Some(refused)) => Err(AttemptFault::NotPublic(refused)),
            (true, None) => Err(AttemptFault::NoAddress),
        }
    }

    fn tls(&self) -> Option<Arc<ClientConfig>> {
        self.tls.get_or_init(client_config).clone()
    }
}

/// What is left of the time of an attempt.
#[derive(Clone, Copy)]
struct Clock {
    deadline: Instant,
    limit: Duration,
}

impl Clock {
    async fn bound<T>(
        self,
        stage: &'static str,
        work: impl Future<Output = T>,
    ) -> Result<T, AttemptFault> {
        let limit = self.limit;
        let late = |_elapsed| AttemptFault::TimedOut { limit, stage };
        timeout_at(self.deadline, work).await.map_err(late)
    }
}

/// Connects to the first address that answers.
async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, AttemptFault> {
    let mut fault = AttemptFault::NoAddress;
    for address in addresses {
        let tried = TcpStream::connect(address);
        let connected = match addresses {
            [_only] => tried.await,
            _ => timeout(CONNECT_TIME_MAX, tried)
                .await
                .unwrap_or_else(|_late| Err(io::ErrorKind::TimedOut.into())),
        };
        match connected {
            Ok(tcp) => return Ok(tcp),
            Err(cause) => fault = AttemptFault::Connect { address: *address, cause },
        }
    }
    Err(fault)
}

/// Sends the request and waits for the status.
async fn exchange<S>(stream: S, message: &Message) -> Attempt
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut requests, connection) = http1::Builder::new()
        .max_buf_size(ANSWER_HEAD_BYTES_MAX)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(AttemptFault::Http)?;
    let mut asked = pin!(async {
        let response = requests.send_request(request(message)).await?;
        let status = response.status().as_u16();
        // The status decides; how the body ends changes nothing.
        let _ = timeout(ANSWER_TIME_MAX, drain(response)).await;
        Ok(status)
    });
    let status = tokio::select! {
        biased;
        status = &mut asked => status,
        // It may end before the body is read; a fault of its own shows in what was asked.
        _ended = connection => asked.await,
    };
    status.map_err(AttemptFault::Http)
}

/// Reads the answer's body to its bound.
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
    // Ids, signatures, authorities and paths are ASCII without white space by their types.
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

/// Whose certificate is expected.
fn server_name(url: &WebhookUrl) -> Result<ServerName<'static>, AttemptFault> {
    match url.host() {
        Host::Domain(name) => ServerName::try_from(name.to_owned())
            .map_err(|error| AttemptFault::Tls(io::Error::new(io::ErrorKind::InvalidInput, error))),
        Host::Ipv4(address) => Ok(ServerName::from(IpAddr::V4(address))),
        Host::Ipv6(address) => Ok(ServerName::from(IpAddr::V6(address))),
    }
}

/// What connections are secured with; `None` where no root certificate can be read.
fn client_config() -> Option<Arc<ClientConfig>> {
    let loaded = rustls_native_certs::load_native_certs();
    for error in &loaded.errors {
        tracing::warn!(%error, "root certificates cannot be read");
    }
    let mut roots = RootCertStore::empty();
    let (added, _unusable) = roots.add_parsable_certificates(loaded.certs);
    if added == 0 {
        return None;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the default versions");
    Some(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}
