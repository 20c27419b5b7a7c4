//! HTTP to an object store: TLS settings, time limits, proxies from the environment, and short descriptions of
//! errors.

use std::error::Error;
use std::time::Duration;

use object_store::client::{ClientConfigKey, ClientOptions, HttpClient, HttpConnector};
use reqwest::redirect::Policy;
use rustls::ClientConfig;

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
    let mut cause: &dyn Error = error;
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
