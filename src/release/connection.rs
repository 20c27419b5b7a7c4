//! HTTP to an object store: TLS as everywhere in the program, time limits, proxies of the environment.

use std::error::Error;
use std::time::Duration;

use object_store::client::{ClientConfigKey, ClientOptions, HttpClient, HttpConnector};
use reqwest::redirect::Policy;
use rustls::ClientConfig;

const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);

/// Between two reads of an answer.
const READ_TIME_MAX: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Connector {
    pub tls: ClientConfig,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let with_tls =
            options.get_config_value(&ClientConfigKey::AllowHttp).as_deref() != Some("true");
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .https_only(with_tls)
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

/// What a store answered, on one line: its status and code where there are any, else the first cause.
pub fn told(error: &object_store::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let text = cause.to_string();
    let between = |begin: &str, end: &str| {
        let (_, rest) = text.split_once(begin)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_told_on_one_line() {
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
            assert_eq!(told(&error), expected);
        }
    }
}
