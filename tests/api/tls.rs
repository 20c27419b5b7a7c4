//! HTTPS by the server itself: certificates, renewals, and clients that do not speak it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::support::{ServerProcess, ask, sample};

const HANDSHAKE: u8 = 22;

/// The files of a certificate for `localhost`, which a test may replace.
pub struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    pub fn new() -> Files {
        let files = Files { folder: tempfile::tempdir().expect("a folder") };
        files.renew();
        files
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn renew(&self) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
        let made = made.expect("a certificate");
        std::fs::write(self.path("cert.pem"), made.cert.pem()).expect("written");
        std::fs::write(self.path("key.pem"), made.signing_key.serialize_pem()).expect("written");
    }

    pub fn certificate(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_file(self.path("cert.pem")).expect("a certificate")
    }

    fn serve(&self) -> ServerProcess {
        let (cert, key) = (self.path("cert.pem"), self.path("key.pem"));
        let options = ["--tls-cert", text(&cert), "--tls-key", text(&key)];
        ServerProcess::with_snapshots(Some(sample()), &options)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Connects as a client that trusts this certificate alone.
pub fn connect(
    address: SocketAddr,
    trusted: CertificateDer<'static>,
    protocols: &[&str],
) -> Result<StreamOwned<ClientConnection, TcpStream>, std::io::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted).expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has them");
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let name = ServerName::try_from("localhost").expect("a name");
    let session = ClientConnection::new(Arc::new(config), name).expect("a session");
    let tcp = TcpStream::connect(address)?;
    tcp.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut stream = StreamOwned::new(session, tcp);
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock)?;
    }
    Ok(stream)
}

/// The whole answer to a request that closes the connection.
fn get(address: SocketAddr, trusted: CertificateDer<'static>, target: &str, key: &str) -> String {
    let mut stream = connect(address, trusted, &["http/1.1"]).expect("connected");
    let request = format!(
        "GET {target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token {key}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("closed by the protocol of TLS");
    String::from_utf8(answer).expect("text")
}

#[test]
fn requests_are_answered_through_tls() {
    let files = Files::new();
    let served = files.serve();
    let get = |target: &str| get(served.address, files.certificate(), target, &served.secret);
    let answer = get("/v1/postalcode/1000001");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("千代田"), "{answer}");
    let page = get("/demo");
    assert!(page.contains("https://localhost") && !page.contains("http://localhost"), "{page}");
    // Longer than what the server holds for a client.
    let clear = ServerProcess::start();
    let expected = ask(clear.address, "GET /openapi.json").text();
    let (_, body) = get("/openapi.json")
        .split_once("\r\n\r\n")
        .map(|(a, b)| (a.len(), b.to_owned()))
        .expect("a body");
    assert!(body.len() > 100_000);
    assert_eq!(body, expected);
}

#[test]
fn a_client_chooses_http2_by_alpn() {
    let files = Files::new();
    let served = files.serve();
    let connect = |protocols: &[&str]| connect(served.address, files.certificate(), protocols);
    let mut stream = connect(&["h2", "http/1.1"]).expect("connected");
    assert_eq!(stream.conn.alpn_protocol(), Some(&b"h2"[..]));
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").expect("sent");
    let mut head = [0; 9];
    stream.read_exact(&mut head).expect("a frame");
    assert_eq!(head[3], 4, "SETTINGS");
    assert_eq!(connect(&[]).expect("without ALPN").conn.alpn_protocol(), None);
    assert!(connect(&["spdy/3"]).is_err());
}

#[test]
fn a_client_without_tls_is_told_to_use_https() {
    let files = Files::new();
    let served = files.serve();
    let answer = ask(served.address, "GET /v1/postalcode/1000001");
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("begin the URL with https://"), "{}", answer.text());
    // Bytes that begin as TLS does.
    for rubbish in [
        &[HANDSHAKE][..],
        &[HANDSHAKE, 3, 1, 0xff, 0xff, 1, 0xff, 0xff, 0xff],
        &[HANDSHAKE; 70_000],
    ] {
        let mut tcp = TcpStream::connect(served.address).expect("connected");
        // The server may have closed the connection before it has taken everything.
        let _ = tcp.write_all(rubbish);
        let _ = tcp.shutdown(std::net::Shutdown::Write);
        tcp.set_read_timeout(Some(Duration::from_secs(30))).expect("set");
        let _ = tcp.read_to_end(&mut Vec::new());
    }
    let answer = get(served.address, files.certificate(), "/healthz", "");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn a_renewed_certificate_is_used_for_new_connections() {
    let files = Files::new();
    let served = files.serve();
    let mut open = connect(served.address, files.certificate(), &[]).expect("connected");
    let old = files.certificate();
    std::fs::write(files.path("key.pem"), "").expect("written");
    served.signal(rustix::process::Signal::HUP);
    let log = served.wait_for_log("keeping the earlier certificate");
    assert!(log.contains("expected a private key without a passphrase"), "{log}");
    assert!(connect(served.address, old.clone(), &[]).is_ok());
    files.renew();
    served.signal(rustix::process::Signal::HUP);
    served.wait_for_log("new connections use the certificate");
    assert!(connect(served.address, old, &[]).is_err());
    assert!(connect(served.address, files.certificate(), &[]).is_ok());
    open.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("sent");
    let mut status = [0; 12];
    open.read_exact(&mut status).expect("the open connection goes on");
    assert_eq!(&status, b"HTTP/1.1 200");
}

#[test]
fn health_asks_by_https_where_a_certificate_is_given() {
    let files = Files::new();
    let served = files.serve();
    let health = |cert: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
        command.args(["health", "--listen", &served.address.to_string()]);
        if cert {
            command.args(["--tls-cert", text(&files.path("cert.pem"))]);
        }
        let done = command.output().expect("the binary runs");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    assert_eq!(health(true), (Some(0), String::new()));
    let (code, error) = health(false);
    assert!(code == Some(1) && error.contains("begin the URL with https://"), "{error}");
}
