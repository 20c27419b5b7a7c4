//! Unix sockets, and systemd: sockets that it hands over, and the state that the server tells it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Output};

use rustix::process::Signal;

use crate::started::{DAICHO, Manager, Started, activated, ask_unix};
use crate::support::{ask, wait_until};

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn health(arguments: &[&str], listen: Option<&str>) -> Output {
    let mut command = Command::new(DAICHO);
    command.arg("health").args(arguments);
    if let Some(listen) = listen {
        command.env("DAICHO_LISTEN", listen);
    }
    command.output().expect("runs")
}

#[test]
fn a_unix_socket_serves_as_a_port_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("d.sock");
    let address = format!("unix:{}", socket.display());
    // A server that was killed left its file.
    drop(UnixListener::bind(&socket).expect("listens"));
    let start = |more: &[&str]| {
        let arguments = [&["--listen", address.as_str()], more].concat();
        Started::new(folder.path(), &mut Command::new(DAICHO), &arguments)
    };
    let mut first = start(&["--socket-mode", "666"]);
    assert_eq!(first.next_line(folder.path()), format!("listening on {address}"));
    assert_eq!(fs::metadata(&socket).expect("there").permissions().mode() & 0o777, 0o666);
    let ready = ask_unix(&socket, "/readyz");
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    let pages = ask_unix(&socket, "/docs/");
    assert!(pages.starts_with("HTTP/1.1 200"), "{pages}");
    for output in [health(&[], Some(&address)), health(&[&address], None)] {
        assert!(output.status.success(), "{}", text(&output));
    }
    let mut second = start(&[]);
    assert_eq!(second.child.wait().expect("a child").code(), Some(1));
    let log = fs::read_to_string(folder.path().join("log")).expect("a log");
    assert!(
        log.contains("another server listens on it; choose another address with --listen"),
        "{log}"
    );
    assert!(ask_unix(&socket, "/healthz").starts_with("HTTP/1.1 200"), "the first still serves");
    first.stop();
    assert!(!socket.exists(), "removed");
    let failed = text(&health(&[], Some(&address)));
    assert!(failed.contains("d.sock /readyz: expected status 200"), "{failed}");
}

#[test]
fn peers_of_a_unix_socket_may_be_trusted_proxies() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("d.sock");
    let address = format!("unix:{}", socket.display());
    let arguments = ["--listen", &address, "--trusted-proxy", "unix", "--log-format", "json"];
    let mut server = Started::new(folder.path(), &mut Command::new(DAICHO), &arguments);
    server.next_line(folder.path());
    let mut stream = UnixStream::connect(&socket).expect("listens");
    let request = "GET /x HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: 198.51.100.1\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("sent");
    stream.read_to_string(&mut String::new()).expect("an answer");
    wait_until("the log", || {
        let log = fs::read_to_string(folder.path().join("log")).expect("a log");
        log.contains("\"remote\":\"198.51.100.1\"")
    });
}

#[test]
fn a_path_that_cannot_be_a_socket_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kept");
    fs::write(&file, "kept").expect("written");
    let long = folder.path().join("a".repeat(100));
    let missing = folder.path().join("none/d.sock");
    for (path, code, parts) in [
        (file.clone(), 1, &["found a file", "remove it"][..]),
        (long, 2, &["--listen: expected a path of at most 107 bytes", "shorter path"]),
        (missing, 1, &["cannot listen on unix:", "No such file"]),
    ] {
        let address = format!("unix:{}", path.display());
        let mut command = Command::new(DAICHO);
        let mut server = Started::new(folder.path(), &mut command, &["--listen", &address]);
        assert_eq!(server.child.wait().expect("a child").code(), Some(code));
        let log = fs::read_to_string(folder.path().join("log")).expect("a log");
        assert!(parts.iter().all(|part| log.contains(part)), "{log}");
    }
    assert_eq!(fs::read_to_string(&file).expect("there"), "kept");
}

#[test]
fn sockets_of_systemd_are_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = tcp.local_addr().expect("bound");
    let kept = tcp.try_clone().expect("a copy, as systemd has");
    let mut server = activated(folder.path(), tcp, "daicho.socket", &[]);
    assert_eq!(server.next_line(folder.path()), format!("listening on http://{address}"));
    assert_eq!(ask(address, "GET /readyz").status, 200);
    server.stop();
    // The same address as an option, as in `/etc/default/daicho`: systemd listens there, and that is enough.
    let text = address.to_string();
    let again = kept.try_clone().expect("a copy");
    let arguments = ["--listen", &text, "--listen", "127.0.0.1:0"];
    let mut server = activated(folder.path(), again, "daicho.socket", &arguments);
    let other = server.next_line(folder.path());
    assert!(other.starts_with("listening on http://127.0.0.1:"), "{other}");
    assert_eq!(server.next_line(folder.path()), format!("listening on http://{address}"));
    assert_eq!(ask(address, "GET /readyz").status, 200);
    server.stop();
    drop(kept);
    let socket = folder.path().join("d.sock");
    let unix = UnixListener::bind(&socket).expect("listens");
    let arguments = ["--listen", "127.0.0.1:0"];
    let mut server = activated(folder.path(), unix, "metrics", &arguments);
    let line = server.next_line(folder.path());
    let api = line.strip_prefix("listening on http://").expect("the given address");
    let api = api.parse().expect("an address");
    let metrics = ask_unix(&socket, "/metrics");
    assert!(metrics.starts_with("HTTP/1.1 200"), "{metrics}");
    assert_eq!(ask(api, "GET /metrics").status, 404, "the metrics have a place of their own");
    server.stop();
    assert!(socket.exists(), "the file belongs to systemd");
    fs::remove_file(&socket).expect("removed");
    let unix = UnixListener::bind(&socket).expect("listens");
    let path = format!("unix:{}", socket.display());
    let mut server = activated(folder.path(), unix, "daicho.socket", &["--listen", &path]);
    assert_eq!(server.next_line(folder.path()), format!("listening on {path}"));
    assert!(ask_unix(&socket, "/readyz").starts_with("HTTP/1.1 200"));
    server.stop();
    assert!(socket.exists(), "the file belongs to systemd");
}

#[test]
fn what_systemd_hands_over_must_be_usable() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |mut server: Started, parts: &[&str]| {
        assert_eq!(server.child.wait().expect("a child").code(), Some(2));
        let log = fs::read_to_string(folder.path().join("log")).expect("a log");
        assert!(parts.iter().all(|part| log.contains(part)), "{log}");
    };
    let tcp = || TcpListener::bind("127.0.0.1:0").expect("a port");
    let name = activated(folder.path(), tcp(), "dashbord", &[]);
    refused(name, &["LISTEN_FDNAMES: expected api, dashboard, metrics", "found \"dashbord\""]);
    let file = fs::File::open("/dev/null").expect("there");
    let file = activated(folder.path(), file, "daicho.socket", &[]);
    refused(file, &["expected a listening stream socket", "ListenStream="]);
    let (connection, _other) = UnixStream::pair().expect("a pair");
    let connection = activated(folder.path(), connection, "daicho.socket", &[]);
    refused(connection, &["it is a connection", "Accept=no"]);
    let mut command = Command::new(DAICHO);
    command.env("LISTEN_FDS", "many");
    refused(Started::new(folder.path(), &mut command, &[]), &["LISTEN_FDS: expected the number"]);
    // Meant for another process: ignored.
    let mut command = Command::new(DAICHO);
    command.env("LISTEN_FDS", "1").env("LISTEN_PID", "1");
    let mut server = Started::new(folder.path(), &mut command, &["--listen", "127.0.0.1:0"]);
    assert!(server.next_line(folder.path()).starts_with("listening on http://127.0.0.1:"));
}

#[test]
fn systemd_is_told_the_state() {
    let folder = tempfile::tempdir().expect("a folder");
    let manager = Manager::new(folder.path());
    let mut command = Command::new(DAICHO);
    command.env("NOTIFY_SOCKET", &manager.path).env("WATCHDOG_USEC", "200000");
    let arguments = ["--listen", "127.0.0.1:0", "--drain", "100ms"];
    let mut server = Started::new(folder.path(), &mut command, &arguments);
    let ready = manager.wait_for("READY=1");
    assert!(ready.contains("STATUS=Serving ") && ready.contains("postal 20"), "{ready}");
    let line = server.next_line(folder.path());
    let address = line.strip_prefix("listening on http://").expect("a URL");
    assert_eq!(ask(address.parse().expect("an address"), "GET /readyz").status, 200);
    manager.wait_for("WATCHDOG=1");
    manager.wait_for("WATCHDOG=1");
    server.signal(Signal::HUP);
    let reloading = manager.wait_for("RELOADING=1");
    let since = reloading.lines().find_map(|line| line.strip_prefix("MONOTONIC_USEC="));
    assert!(
        since.is_some_and(|since| since.parse::<u64>().is_ok_and(|since| since > 0)),
        "{reloading}"
    );
    manager.wait_for("READY=1");
    server.signal(Signal::TERM);
    let stopping = manager.wait_for("STOPPING=1");
    assert!(stopping.contains("STATUS=Draining for 100ms"), "{stopping}");
    assert_eq!(server.child.wait().expect("a child").code(), Some(0));
}

#[test]
fn a_service_manager_that_does_not_listen_is_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(DAICHO);
    command.env("NOTIFY_SOCKET", folder.path().join("none"));
    let mut server = Started::new(folder.path(), &mut command, &["--listen", "127.0.0.1:0"]);
    server.next_line(folder.path());
    wait_until("a warning", || {
        let log = fs::read_to_string(folder.path().join("log")).expect("a log");
        log.contains("cannot tell systemd the state; check NOTIFY_SOCKET")
    });
}
