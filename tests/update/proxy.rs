//! Updates through a proxy that is given by `--proxy` or by the usual environment variables.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::{fs, thread};

use daicho::update::ProxyChoice;

use crate::files::sample_may;
use crate::replica::{Replica, abr, japanpost};
use crate::{POSTAL, options, published};

/// A proxy that opens tunnels and records their targets.
struct Proxy {
    address: SocketAddr,
    targets: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// The threads end with the test's process.
    fn start() -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let targets = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&targets);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                thread::spawn(move || tunnel(client, &noted));
            }
        });
        Proxy { address, targets }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn tunnel(client: TcpStream, targets: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(client.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let target = line.strip_prefix("CONNECT ")?.split(' ').next()?.to_owned();
    let mut header = String::from("-");
    while !header.trim().is_empty() {
        header.clear();
        reader.read_line(&mut header).ok()?;
    }
    let server = TcpStream::connect(&target).ok()?;
    targets.lock().expect("no panic").push(target);
    let (mut to_client, mut to_server) = (client, server.try_clone().ok()?);
    to_client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").ok()?;
    let mut from_server = server;
    thread::spawn(move || io::copy(&mut reader, &mut to_server));
    io::copy(&mut from_server, &mut to_client).ok().map(|_bytes| ())
}

#[test]
fn the_proxy_option_is_used_for_every_request() {
    let (replica, proxy) = (Replica::start(), Proxy::start());
    let folder = tempfile::tempdir().expect("a folder");
    japanpost::publish(&replica, &sample_may());
    abr::refuse(&replica);
    let mut options = options(folder.path(), &replica, &[POSTAL]);
    options.proxy = ProxyChoice::Url(proxy.url());
    let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
    assert_eq!(published(reports[0].result.as_ref().expect("published")), "2026-05-29");
    let targets = proxy.targets.lock().expect("no panic").clone();
    let port = replica.origin().port().expect("a port");
    assert!(!targets.is_empty());
    assert!(targets.iter().all(|target| *target == format!("127.0.0.1:{port}")), "{targets:?}");
}

#[test]
fn the_proxy_variables_of_the_environment_are_used() {
    let (replica, proxy) = (Replica::start(), Proxy::start());
    let folder = tempfile::tempdir().expect("a folder");
    japanpost::publish(&replica, &sample_may());
    let sources = folder.path().join("sources.toml");
    fs::write(&sources, "[manners]\npause-ms = 0\nattempts = 1\n").expect("written");
    let check = |variable: &str, value: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
        command.args(["update", "postal", "--check", "--from", replica.origin().as_str()]);
        command.arg("--sources").arg(&sources).arg("--snapshots").arg(folder.path().join("s"));
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        let output = command.env(variable, value).output().expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), errors)
    };
    let (code, errors) = check("ALL_PROXY", &proxy.url());
    assert_eq!(code, Some(10), "{errors}");
    assert!(!proxy.targets.lock().expect("no panic").is_empty(), "the proxy was used");
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let closed = format!("http://{}", closed.expect("a port"));
    let (code, errors) = check("HTTP_PROXY", &closed);
    assert_eq!(code, Some(1));
    assert!(errors.contains("check the network and the proxy"), "{errors}");
}
