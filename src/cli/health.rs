//! `daicho health`: checks that a running server has data, for containers, load balancers and scripts.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, builder::FalseyValueParser};
use ureq::tls::TlsConfig;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, RustlsConnector, TcpConnector};

use super::health_connection::{LocalHeader, UnixConnector};
use super::{error::CommandError, print::print};
use crate::server::listener::ListenAddress;
use crate::text::printable::printable_lines;

/// A healthy server responds within milliseconds.
const TIME_MAX: Duration = Duration::from_secs(3);

/// Maximum part of the response body in an error message.
const BODY_BYTES_MAX: u64 = 1_000;

/// Check that a running server is ready: exit code 0 if it is, otherwise 1
#[derive(Debug, Args)]
pub struct HealthArgs {
    /// URL of the server, or unix:PATH of its socket [default: the first address of --listen]
    #[arg(value_name = "URL", env = "DAICHO_HEALTH_URL")]
    url: Option<String>,
    /// The addresses that the server listens on, as in 'daicho serve', also unix:PATH; the first is asked
    #[arg(long, value_name = "ADDR", env = "DAICHO_LISTEN", default_value = "127.0.0.1:8080")]
    listen: String,
    /// The certificate of the server, as in 'daicho serve'; the server is then asked by HTTPS
    #[arg(long, value_name = "FILE", env = "DAICHO_TLS_CERT")]
    tls_cert: Option<PathBuf>,
    /// The server expects the PROXY protocol, as in 'daicho serve'
    #[arg(long, env = "DAICHO_PROXY_PROTOCOL", value_parser = FalseyValueParser::new())]
    proxy_protocol: bool,
}

impl HealthArgs {
    /// The URL to ask, and the socket if it is a Unix socket.
    fn target(&self) -> Result<(String, Option<PathBuf>), CommandError> {
        let first = self.listen.split(',').next().unwrap_or_default().trim();
        let given = self.url.as_deref().unwrap_or(first);
        if let Some(path) = ListenAddress::parse_unix(given) {
            let path = path.map_err(|fault| CommandError::Usage(format!("health: {fault}")))?;
            // The host is not used to connect.
            return Ok(("http://127.0.0.1".to_owned(), Some(path)));
        }
        let scheme = if self.tls_cert.is_some() { "https" } else { "http" };
        Ok((self.url.clone().unwrap_or_else(|| url_of(scheme, first)), None))
    }
}

/// The URL of an address. A server that listens on every address of the machine is asked on its own.
fn url_of(scheme: &str, first: &str) -> String {
    let (host, port) = first.rsplit_once(':').unwrap_or((first, ""));
    let host = match host {
        "0.0.0.0" | "" => "127.0.0.1",
        "[::]" => "[::1]",
        host => host,
    };
    format!("{scheme}://{host}:{port}")
}

pub fn run(args: &HealthArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let (url, socket) = args.target()?;
    if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
        let message = format!(
            "health: expected a URL of http or https, such as http://127.0.0.1:8080, or unix:PATH; found {url:?}"
        );
        return Err(CommandError::Usage(message));
    }
    let url = format!("{}/readyz", url.trim_end_matches('/'));
    let shown = match &socket {
        Some(path) => format!("unix:{} /readyz", path.display()),
        None => url.clone(),
    };
    let failed = |found: String| {
        let seconds = TIME_MAX.as_secs();
        CommandError::Failed(format!(
            "{shown}: expected status 200 within {seconds} seconds; found {found}"
        ))
    };
    let expects_proxy_header = args.proxy_protocol;
    let (status, body) = get(&Asked { url, socket, expects_proxy_header }).map_err(&failed)?;
    match status {
        200 => print(stdout, format!("{}\n", printable_lines(&body))),
        status => Err(failed(format!("{status}: {body}"))),
    }
}

/// What is asked of which server.
struct Asked {
    url: String,
    /// The Unix socket that the server listens on, if it is not the host of the URL.
    socket: Option<PathBuf>,
    expects_proxy_header: bool,
}

/// The status and the beginning of the body of a server's answer, or why there is none.
fn get(server: &Asked) -> Result<(u16, String), String> {
    // The server is asked by its address, which its certificate seldom names, and is sent no secret.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .unversioned_rustls_crypto_provider(provider)
        .disable_verification(true)
        .build();
    let config = ureq::Agent::config_builder().timeout_global(Some(TIME_MAX)).proxy(None);
    let config = config.tls_config(tls).http_status_as_error(false).max_redirects(0).build();
    let connector =
        ().chain(UnixConnector { path: server.socket.clone(), time_max: TIME_MAX })
            .chain(TcpConnector::default())
            .chain(LocalHeader { is_expected: server.expects_proxy_header })
            .chain(RustlsConnector::default());
    let agent = ureq::Agent::with_parts(config, connector, DefaultResolver::default());
    let mut answer = agent.get(&server.url).call().map_err(|error| error.to_string())?;
    let mut body = Vec::new();
    // The status decides; what arrives of the body explains it.
    let _ = answer.body_mut().as_reader().take(BODY_BYTES_MAX).read_to_end(&mut body);
    Ok((answer.status().as_u16(), String::from_utf8_lossy(&body).into_owned()))
}

/// The version of the server at an address; `None` if none answers there as daicho does.
pub fn running_version(scheme: &str, address: &str) -> Option<String> {
    let url = format!("{}/version", url_of(scheme, address));
    let (_status, body) = get(&Asked { url, socket: None, expects_proxy_header: false }).ok()?;
    let answer: serde_json::Value = serde_json::from_str(&body).ok()?;
    Some(answer["version"].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// The result of the command against a server that sends these bytes and closes the connection.
    fn health(answer: Vec<u8>) -> Result<String, String> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let server = thread::spawn(move || {
            let (mut tcp, _) = listener.accept().expect("a connection");
            let mut lines = BufReader::new(&tcp).lines();
            while lines.next().is_some_and(|line| !line.expect("a line").is_empty()) {}
            // The client may close the connection before it has read everything.
            let _ = tcp.write_all(&answer);
        });
        let mut out = Vec::new();
        let args = HealthArgs {
            url: Some(url),
            listen: String::new(),
            tls_cert: None,
            proxy_protocol: false,
        };
        let result = run(&args, &mut out);
        server.join().expect("served");
        result.map(|()| String::from_utf8(out).expect("text")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_listening_address_is_asked() {
        for (listen, expected) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("0.0.0.0:9000", "http://127.0.0.1:9000"),
            ("[::]:80", "http://[::1]:80"),
            ("[fe80::1]:80", "http://[fe80::1]:80"),
            ("localhost:8081", "http://localhost:8081"),
            (":8082", "http://127.0.0.1:8082"),
        ] {
            assert_eq!(url_of("http", listen), expected, "{listen}");
        }
        assert_eq!(url_of("https", "[::]:443"), "https://[::1]:443");
    }

    #[test]
    fn the_status_decides_whatever_the_body_is() {
        let answer = |head: &str, body: &[u8]| {
            let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len());
            [head.as_bytes(), body].concat()
        };
        let page = "<html>あ".to_owned() + &"x".repeat(5_000);
        assert_eq!(health(answer("200 OK", b"{}")), Ok("{}\n".to_owned()));
        let ready = health(answer("200 OK", page.as_bytes())).expect("ready");
        assert_eq!(ready.len(), BODY_BYTES_MAX as usize + 1, "shortened, and a line end");
        let shortened = answer("200 OK", page.as_bytes())[..200].to_vec();
        assert!(health(shortened).expect("ready").starts_with("<html>あx"));
        for body in [page.as_bytes(), b"\xff\xfe", b""] {
            let failed = health(answer("502 Bad Gateway", body)).expect_err("not ready");
            assert!(
                failed.contains("expected status 200 within 3 seconds; found 502: "),
                "{failed}"
            );
        }
    }
}
