//! The object store or local folder that a URL names: `s3://`, `gs://`, `az://` or `file://`; and HTTP to an object
//! store: TLS settings, time limits, proxies from the environment, and short descriptions of errors.

use std::error::Error as StdError;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{ClientConfigKey, ClientOptions, HttpClient, HttpConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{BackoffConfig, Error, ObjectStore, RetryConfig};
use reqwest::redirect::Policy;
use rustls::ClientConfig;
use url::Url;

use super::error::ReleaseError;
use crate::tls;

/// How often, and for how long at most, a request is retried after a temporary failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryLimits {
    pub retries: usize,
    pub time_max: Duration,
}

impl RetryLimits {
    /// For commands: retries longer, since nothing repeats the command.
    pub const COMMAND: RetryLimits = RetryLimits { retries: 6, time_max: Duration::from_secs(60) };
    /// For servers, which poll again anyway.
    pub const SERVER: RetryLimits = RetryLimits { retries: 1, time_max: Duration::from_secs(10) };
}

pub(super) struct Location {
    pub store: Arc<dyn ObjectStore>,
    /// The path of the URL, below which all objects are.
    pub prefix: Key,
    /// The local folder of a `file://` URL; its prefix is empty.
    pub folder: Option<PathBuf>,
}

/// Opens the stores of a simulation (tests/simulation); `None` for another URL.
#[cfg(test)]
pub static SIMULATED: std::sync::OnceLock<OpenSimulated> = std::sync::OnceLock::new();

#[cfg(test)]
pub type OpenSimulated = fn(&str) -> Option<Arc<dyn ObjectStore>>;

/// Opens the store or folder with credentials from the environment. Sends no request.
pub(super) fn open_url(url: &str, limits: RetryLimits) -> Result<Location, ReleaseError> {
    #[cfg(test)]
    if let Some(store) = SIMULATED.get().and_then(|open| open(url)) {
        return Ok(Location { store, prefix: Key::default(), folder: None });
    }
    let parsed = Url::parse(url).map_err(|error| wrong_url(url, error))?;
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(wrong_url(url, "a URL with '?' or '#'"));
    }
    if !parsed.username().is_empty() && parsed.scheme() != "az" || parsed.password().is_some() {
        return Err(wrong_url(url, "a URL with a user or password"));
    }
    let has_host = parsed.host_str().is_some_and(|host| !host.is_empty());
    match parsed.scheme() {
        "file" if !has_host => open_folder(url, &parsed),
        scheme @ ("s3" | "gs" | "az") if has_host => {
            let retry = RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: limits.retries,
                retry_timeout: limits.time_max,
            };
            let shown_url = url.trim_end_matches('/');
            let store = remote_store(scheme, parsed.to_string(), shown_url, retry)?;
            let prefix = Key::from_url_path(parsed.path());
            let prefix = prefix.map_err(|error| wrong_url(url, error))?;
            Ok(Location { store, prefix, folder: None })
        }
        "file" => Err(wrong_url(url, "a host")),
        "s3" | "gs" | "az" => Err(wrong_url(url, "no bucket name")),
        scheme => Err(wrong_url(url, format_args!("the scheme {scheme}"))),
    }
}

fn open_folder(url: &str, parsed: &Url) -> Result<Location, ReleaseError> {
    let path = parsed.to_file_path().map_err(|()| wrong_url(url, "no path"))?;
    if !path.is_dir() {
        return Err(ReleaseError::NoFolder { path });
    }
    let store = LocalFileSystem::new_with_prefix(&path)
        .map_err(|error| wrong_url(url, describe(&error)))?
        .with_fsync(true);
    Ok(Location { store: Arc::new(store), prefix: Key::default(), folder: Some(path) })
}

fn wrong_url(url: &str, found: impl fmt::Display) -> ReleaseError {
    ReleaseError::Url {
        url: without_secret(url),
        expected: "s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER",
        found: found.to_string(),
        remedy: "correct the URL",
    }
}

/// The object store of a cloud, configured by the environment.
fn remote_store(
    scheme: &str,
    url: String,
    shown_url: &str,
    retry: RetryConfig,
) -> Result<Arc<dyn ObjectStore>, ReleaseError> {
    let connector = Connector { tls: tls::client_config()? };
    let opened: Result<Arc<dyn ObjectStore>, Error> = match scheme {
        "s3" => AmazonS3Builder::from_env()
            .with_url(url)
            .with_retry(retry)
            .with_disable_bulk_delete(true)
            .with_http_connector(connector)
            .build()
            .map(|store| Arc::new(store) as _),
        "gs" => GoogleCloudStorageBuilder::from_env()
            .with_url(url)
            .with_retry(retry)
            .with_http_connector(connector)
            .build()
            .map(|store| Arc::new(store) as _),
        _ => MicrosoftAzureBuilder::from_env()
            .with_url(url)
            .with_retry(retry)
            .with_http_connector(connector)
            .build()
            .map(|store| Arc::new(store) as _),
    };
    opened.map_err(|error| ReleaseError::Store {
        url: shown_url.to_owned(),
        expected: "be configured by the URL and the environment",
        found: describe(&error),
        remedy: "set what is missing: docs/operating/releases.md lists the variables",
    })
}

/// Hides everything before an `@`, which may be a password.
fn without_secret(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://…@{rest}"),
        _ => url.to_owned(),
    }
}

const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);

/// Maximum time without data while reading a response.
const READ_TIME_MAX: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Connector {
    pub tls: ClientConfig,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let requires_tls =
            options.get_config_value(&ClientConfigKey::AllowHttp).as_deref() != Some("true");
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .https_only(requires_tls)
            .http1_only()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIME_MAX)
            .read_timeout(READ_TIME_MAX)
            .build();
        let client = client.map_err(|error| object_store::Error::Generic {
            store: "HTTP",
            source: Box::new(error),
        })?;
        Ok(HttpClient::new(client))
    }
}

/// Describes an error on one line: status and code of the store if there are any, otherwise the root cause.
pub fn describe(error: &object_store::Error) -> String {
    let mut cause: &dyn StdError = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let text = cause.to_string();
    let between = |start: &str, end: &str| {
        let (_, rest) = text.split_once(start)?;
        Some(rest.split_once(end).map_or(rest, |(found, _)| found).trim().to_owned())
    };
    let status = between("status code: ", ":").map(|status| format!("status {status}"));
    let code = between("<Code>", "</Code>");
    match (status, code) {
        (Some(status), Some(code)) => format!("{status} ({code})"),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// The remedy for an error with this description.
pub fn remedy(error: &object_store::Error, found: &str) -> &'static str {
    let is_refused = ["status 401", "status 403"].iter().any(|status| found.starts_with(status));
    match error {
        // A service that issues credentials may also reject the request.
        _ if is_refused => {
            "the credentials are missing, belong to another store, or lack permission: docs/operating/releases.md \
             lists the variables and the permissions"
        }
        object_store::Error::NotFound { .. } => "create the bucket first, or correct the URL",
        _ if found.contains("URL scheme is not allowed") => {
            "the address of the store is plain HTTP: set AWS_ALLOW_HTTP=true if that is intended, or use https"
        }
        _ => "check the address, the network and the store, and try again",
    }
}

/// Whether the bucket or container is missing, not only the object.
pub fn is_bucket_missing(error: &object_store::Error) -> bool {
    let text = describe(error);
    ["NoSuchBucket", "ContainerNotFound", "bucket does not exist"]
        .iter()
        .any(|code| text.contains(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_store_is_described_on_one_line() {
        for (text, expected) in [
            (
                "Server returned non-2xx status code: 403 Forbidden: <?xml?>\n<Error><Code>AccessDenied</Code></Error>",
                "status 403 Forbidden (AccessDenied)",
            ),
            (
                "Server returned non-2xx status code: 503 Service Unavailable: ",
                "status 503 Service Unavailable",
            ),
            ("Connection refused\n  (os error 111)", "Connection refused (os error 111)"),
        ] {
            let error = object_store::Error::Generic { store: "S3", source: text.into() };
            assert_eq!(describe(&error), expected);
        }
    }
}
