//! The handover (SIGUSR2): the program that is installed now takes over the listening sockets. No connection is refused, no
//! answer is lost, and a program that does not become ready leaves the running server as it was.

use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::started::{DAICHO, Manager, Started, activated, ask_unix};
use crate::support::{Client, DEADLINE, ask, sample, wait_until};
use crate::tls;

/// A server and those that took over from it. The last one is ended when this is dropped.
struct Succession {
    first: Started,
    manager: Manager,
    main: u32,
    folder: PathBuf,
}

impl Succession {
    /// Starts the program in this folder with these arguments.
    fn new(folder: &Path, arguments: &[&str]) -> Succession {
        Succession::with(folder, &[], arguments)
    }

    /// As [`new`](Self::new), with these variables.
    fn with(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Succession {
        let manager = Manager::new(folder);
        let mut command = Command::new(folder.join("daicho"));
        // As systemd does, which names the process that it watches.
        command.env("NOTIFY_SOCKET", &manager.path).env("WATCHDOG_USEC", "600000000");
        command.envs(variables.iter().copied());
        let first = Started::with(folder, &mut command, arguments);
        manager.wait_for("READY=1");
        let main = first.child.id();
        Succession { first, manager, main, folder: folder.to_owned() }
    }

    fn signal(&self, signal: Signal) {
        kill_process(process(self.main), signal).expect("runs");
    }

    /// Hands over, and returns the process that took over.
    #[track_caller]
    fn hand_over(&mut self) -> u32 {
        self.signal(Signal::USR2);
        self.manager.wait_for("RELOADING=1");
        let message = self.manager.wait_for("MAINPID=");
        let line = message.lines().find_map(|line| line.strip_prefix("MAINPID="));
        self.main = line.and_then(|id| id.parse().ok()).expect("a number");
        // What the process before says is ignored by systemd from now on, so it says nothing: the next one is ready first.
        let mut messages = std::iter::repeat_with(|| self.manager.next());
        let ready = messages.find(|message| message != "WATCHDOG=1\n").expect("endless");
        assert!(ready.contains("READY=1"), "{ready}");
        self.main
    }

    /// Tries to hand over, and returns the status that says why it failed.
    #[track_caller]
    fn refused(&self) -> String {
        self.signal(Signal::USR2);
        self.manager.wait_for("RELOADING=1");
        let status = self.manager.wait_for("READY=1");
        assert!(status.contains("STATUS=Serving "), "{status}");
        status
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).expect("a log")
    }
}

impl Drop for Succession {
    fn drop(&mut self) {
        if self.main != self.first.child.id() {
            let _ = kill_process(process(self.main), Signal::KILL);
        }
    }
}

fn process(id: u32) -> Pid {
    Pid::from_raw(i32::try_from(id).expect("an id")).expect("not 0")
}

fn is_running(id: u32) -> bool {
    test_kill_process(process(id)).is_ok()
}

/// Puts the program at its path, in place of the one that is there.
fn install(folder: &Path) {
    let path = folder.join("daicho");
    let _ = fs::remove_file(&path);
    if fs::hard_link(DAICHO, &path).is_err() {
        fs::copy(DAICHO, &path).expect("copied");
    }
}

/// Puts a script at the path of the program.
fn install_script(folder: &Path, text: &str) {
    let path = folder.join("daicho");
    fs::remove_file(&path).expect("there");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("executable");
}

fn address_of(line: &str) -> SocketAddr {
    let (_, address) = line.split_once("://").expect("an address");
    address.parse().expect("an address")
}

trait Connection: Read + Write {}
impl<T: Read + Write> Connection for T {}

/// Sends a request and reads the answer. Whether the server keeps the connection.
fn exchange(connection: &mut dyn Connection) -> io::Result<bool> {
    connection.write_all(b"GET /readyz HTTP/1.1\r\nHost: test\r\n\r\n")?;
    receive(connection)
}

fn receive(connection: &mut dyn Connection) -> io::Result<bool> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        let count = connection.read(&mut part)?;
        if count == 0 {
            return Err(io::Error::other(format!("closed after {} bytes", bytes.len())));
        }
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let length: usize = length.and_then(|it| it.parse().ok()).expect("a length");
        if body.len() >= length {
            assert!(head.starts_with("http/1.1 200"), "{text}");
            return Ok(!head.contains("connection: close"));
        }
    }
}

/// Clients that send requests until they are stopped.
struct Load {
    is_stopping: Arc<AtomicBool>,
    answers: Arc<AtomicU64>,
    clients: Vec<JoinHandle<Vec<String>>>,
}

/// How long a client keeps a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    OneRequest,
    UntilClose,
}

impl Load {
    fn start() -> Load {
        Load { is_stopping: Arc::default(), answers: Arc::default(), clients: Vec::new() }
    }

    fn add(
        &mut self,
        keep: Keep,
        connect: impl Fn() -> io::Result<Box<dyn Connection>> + Send + 'static,
    ) {
        let (is_stopping, answers) = (Arc::clone(&self.is_stopping), Arc::clone(&self.answers));
        self.clients.push(thread::spawn(move || {
            let mut faults = Vec::new();
            while !is_stopping.load(Relaxed) {
                let mut connection = match connect() {
                    Ok(connection) => connection,
                    Err(error) => {
                        faults.push(format!("cannot connect: {error}"));
                        continue;
                    }
                };
                loop {
                    match exchange(&mut *connection) {
                        Ok(is_kept) => {
                            answers.fetch_add(1, Relaxed);
                            let goes_on = is_kept && keep == Keep::UntilClose;
                            if !goes_on || is_stopping.load(Relaxed) {
                                break;
                            }
                            thread::sleep(Duration::from_millis(2));
                        }
                        Err(error) => {
                            faults.push(format!("{keep:?}: {error}"));
                            break;
                        }
                    }
                }
            }
            faults
        }));
    }

    fn wait_for_answers(&self, more: u64) {
        let before = self.answers.load(Relaxed);
        wait_until("more answers", || self.answers.load(Relaxed) >= before + more);
    }

    /// Stops the clients; returns what went wrong.
    fn stop(self) -> Vec<String> {
        self.is_stopping.store(true, Relaxed);
        self.clients.into_iter().flat_map(|client| client.join().expect("no panic")).collect()
    }
}

fn tcp(address: SocketAddr) -> io::Result<Box<dyn Connection>> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    Ok(Box::new(stream))
}

fn unix(path: &Path) -> io::Result<Box<dyn Connection>> {
    let stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    Ok(Box::new(stream))
}

#[test]
fn ten_handovers_refuse_no_connection_and_lose_no_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    install(folder.path());
    let socket = folder.path().join("d.sock");
    let unix_address = format!("unix:{}", socket.display());
    let snapshots = sample().display().to_string();
    let addresses = format!("127.0.0.1:0,{unix_address}");
    let arguments =
        ["--snapshots", &snapshots, "--listen", &addresses, "--metrics-listen", "[::1]:0"];
    let mut servers = Succession::new(folder.path(), &arguments);
    let address = address_of(&servers.first.next_line(folder.path()));
    assert_eq!(servers.first.next_line(folder.path()), format!("listening on {unix_address}"));
    let metrics = servers.first.next_line(folder.path());
    let metrics = metrics.strip_prefix("metrics on http://").expect("an address");
    let metrics: SocketAddr = metrics.trim_end_matches("/metrics").parse().expect("an address");

    let mut load = Load::start();
    for keep in [Keep::OneRequest, Keep::UntilClose, Keep::UntilClose] {
        load.add(keep, move || tcp(address));
        let socket = socket.clone();
        load.add(keep, move || unix(&socket));
    }
    for round in 0..10 {
        load.wait_for_answers(20);
        let mut slow = TcpStream::connect(address).expect("it listens");
        slow.set_read_timeout(Some(DEADLINE)).expect("a time-out");
        slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: test\r\n").expect("sent");
        thread::sleep(Duration::from_millis(20));
        install(folder.path());
        let before = servers.main;
        let main = servers.hand_over();
        assert_ne!(main, before, "round {round}");
        let program = fs::read_link(format!("/proc/{main}/exe")).expect("it runs");
        assert_eq!(program, folder.path().join("daicho"), "the program that is installed now");
        slow.write_all(b"\r\n").expect("sent");
        receive(&mut slow).expect("an answer to the request that had begun before");
        assert_eq!(ask(metrics, "GET /metrics").status, 200);
    }
    load.wait_for_answers(50);
    let answers = load.answers.load(Relaxed);
    let faults = load.stop();
    assert!(faults.is_empty(), "of {answers} requests: {faults:?}\n{}", servers.log());
    assert_eq!(servers.first.child.wait().expect("a child").code(), Some(0), "it ends by itself");
    assert!(socket.exists(), "the file is that of the server that listens");
    servers.signal(Signal::TERM);
    wait_until("the last one to end", || !socket.exists());
    wait_until("its port to be free", || TcpStream::connect(address).is_err());
}

#[test]
fn handovers_lose_no_answer_over_tls_and_take_the_certificate_of_now() {
    let folder = tempfile::tempdir().expect("a folder");
    install(folder.path());
    let files = tls::Files::new();
    let (cert, key) = (files.path("cert.pem"), files.path("key.pem"));
    let (cert, key) = (cert.display().to_string(), key.display().to_string());
    let snapshots = sample().display().to_string();
    let mut arguments = vec!["--snapshots", &snapshots, "--listen", "127.0.0.1:0"];
    arguments.extend(["--tls-cert", &cert, "--tls-key", &key]);
    let mut servers = Succession::new(folder.path(), &arguments);
    let line = servers.first.next_line(folder.path());
    assert!(line.starts_with("listening on https://"), "{line}");
    let address = address_of(&line);
    let old = files.certificate();

    let mut load = Load::start();
    for keep in [Keep::OneRequest, Keep::UntilClose, Keep::UntilClose] {
        let trusted = old.clone();
        load.add(keep, move || {
            Ok(Box::new(tls::connect(address, trusted.clone(), &["http/1.1"])?))
        });
    }
    for _ in 0..3 {
        load.wait_for_answers(20);
        servers.hand_over();
    }
    load.wait_for_answers(50);
    let answers = load.answers.load(Relaxed);
    let faults = load.stop();
    assert!(faults.is_empty(), "of {answers} requests: {faults:?}\n{}", servers.log());

    files.renew();
    servers.hand_over();
    // For a moment both servers accept connections.
    let shows = |trusted: &_| tls::connect(address, Clone::clone(trusted), &["http/1.1"]).is_ok();
    wait_until("the certificate of now", || shows(&files.certificate()));
    wait_until("the end of the certificate of before", || !shows(&old));
    servers.signal(Signal::TERM);
}

#[test]
fn a_program_that_does_not_become_ready_leaves_the_server_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    install(folder.path());
    let socket = folder.path().join("d.sock");
    let (settings, empty) = (folder.path().join("settings.toml"), folder.path().join("empty"));
    let config = settings.display().to_string();
    let write = |snapshots: &Path, more: &str| {
        let (snapshots, socket) = (snapshots.display(), socket.display());
        let text = format!(
            "snapshots = \"{snapshots}\"\nlisten = [\"127.0.0.1:0\", \"unix:{socket}\"]\n{more}\n"
        );
        fs::write(&settings, text).expect("written");
    };
    write(sample(), "");
    let mut servers = Succession::new(folder.path(), &["--config", &config]);
    let address = address_of(&servers.first.next_line(folder.path()));
    let first = servers.main;
    let refused = |install: &dyn Fn(), parts: &[&str]| {
        install();
        let status = servers.refused();
        assert!(status.contains("the last reload failed: "), "{status}");
        let log = servers.log();
        for part in parts {
            assert!(status.contains(part) || log.contains(part), "{part}: {status}\n{log}");
        }
        assert_eq!(ask(address, "GET /readyz").status, 200);
        assert!(ask_unix(&socket, "/readyz").starts_with("HTTP/1.1 200"), "the file stays");
        assert!(is_running(first));
    };
    let program = folder.path().join("daicho");
    let missing = || fs::remove_file(&program).expect("there");
    refused(&missing, &["expected to start ", "No such file", "install the program there"]);
    let no_program = || fs::write(&program, "no program").expect("written");
    refused(&no_program, &["expected to start ", "Permission denied"]);
    let dies = || install_script(folder.path(), "exit 7");
    refused(&dies, &["found that it ended (exit status: 7)"]);
    let other = || install_script(folder.path(), "head -1 >/dev/null; echo hello >&0; sleep 60");
    refused(&other, &["found that it ended (signal: 9 (SIGKILL)"]);
    let refuses_settings = || {
        install(folder.path());
        write(sample(), "age-day = 1");
    };
    refused(
        &refuses_settings,
        &["found \"age-day\"; did you mean age-days", "found that it ended (exit status: 2)"],
    );
    let has_no_data = || write(&empty, "");
    refused(&has_no_data, &["found none of postal", "build them with this program"]);
    let cannot_listen = || write(sample(), &format!("metrics-listen = \"{address}\""));
    refused(&cannot_listen, &["cannot listen on", "--metrics-listen"]);

    // With sound settings, those of now count.
    let other_socket = folder.path().join("other.sock");
    let sockets = format!("listen = [\"127.0.0.1:0\", \"unix:{}\"]", other_socket.display());
    fs::write(&settings, format!("snapshots = \"{}\"\n{sockets}\n", sample().display()))
        .expect("written");
    let main = servers.hand_over();
    assert_ne!(main, first);
    assert_eq!(ask(address, "GET /readyz").status, 200);
    assert!(ask_unix(&other_socket, "/readyz").starts_with("HTTP/1.1 200"));
    wait_until("the file of the other socket to be removed", || !socket.exists());
    assert_eq!(servers.first.child.wait().expect("a child").code(), Some(0));
    servers.signal(Signal::TERM);
    wait_until("the end", || !other_socket.exists());
}

#[test]
fn a_server_that_stops_ends_the_program_that_is_starting() {
    let folder = tempfile::tempdir().expect("a folder");
    install(folder.path());
    let snapshots = sample().display().to_string();
    // The drain does not wait for the program either.
    let arguments = ["--snapshots", &snapshots, "--listen", "127.0.0.1:0", "--drain", "1h"];
    let mut servers = Succession::new(folder.path(), &arguments);
    let mark = folder.path().join("process");
    install_script(folder.path(), &format!("echo $$ >{}; exec sleep 600", mark.display()));
    servers.signal(Signal::USR2);
    let started = || fs::read_to_string(&mark).ok()?.trim().parse::<u32>().ok();
    wait_until("the other program", || started().is_some());
    let other = started().expect("it runs");
    servers.signal(Signal::USR2);
    wait_until("the second request", || servers.log().contains("is starting already"));
    servers.signal(Signal::TERM);
    wait_until("the other program to end", || !is_running(other));
    assert!(is_running(servers.main), "it drains");
    servers.signal(Signal::TERM);
    assert_eq!(servers.first.child.wait().expect("a child").code(), Some(0));
}

#[test]
fn sockets_of_systemd_are_handed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = tcp.local_addr().expect("bound");
    let mut server = activated(folder.path(), tcp, "daicho.socket", &["--dashboard", "on"]);
    assert_eq!(server.next_line(folder.path()), format!("listening on http://{address}"));
    server.signal(Signal::USR2);
    let log = || fs::read_to_string(folder.path().join("log")).expect("a log");
    wait_until("the handover", || log().contains("handed over"));
    assert_eq!(server.child.wait().expect("a child").code(), Some(0));
    assert_eq!(ask(address, "GET /readyz").status, 200);
    let text = log();
    let line = text.lines().find(|line| line.contains("handed over; finishing")).expect("there");
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let next = u32::try_from(line["process"].as_u64().expect("a number")).expect("an id");
    kill_process(process(next), Signal::TERM).expect("runs");
    wait_until("the end", || TcpStream::connect(address).is_err());
}

#[test]
fn the_password_of_the_first_start_is_not_needed_again() {
    let folder = tempfile::tempdir().expect("a folder");
    install(folder.path());
    let snapshots = sample().display().to_string();
    let arguments = ["--snapshots", &snapshots, "--listen", "127.0.0.1:0"];
    // The server takes it out of its environment and reads it from standard input, which is the channel afterwards.
    let password = [("DAICHO_ADMIN_PASSWORD", "correct horse battery")];
    let mut servers = Succession::with(folder.path(), &password, &arguments);
    let address = address_of(&servers.first.next_line(folder.path()));
    for _ in 0..2 {
        let main = servers.hand_over();
        let environment = fs::read(format!("/proc/{main}/environ")).expect("it runs");
        assert!(!String::from_utf8_lossy(&environment).contains("horse"));
        let page = ask(address, "GET /dashboard/login");
        assert_ne!(page.status, 404, "the dashboard is on");
    }
    servers.signal(Signal::TERM);
}

#[test]
fn a_handover_needs_the_channel_of_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    for (format, part) in [
        ("2", "DAICHO_HANDOVER: expected 1; found \"2\""),
        ("1", "expected the channel of a server on standard input"),
    ] {
        let mut command = Command::new(DAICHO);
        command.env("DAICHO_HANDOVER", format).stdin(std::process::Stdio::null());
        let mut server = Started::new(folder.path(), &mut command, &["--listen", "127.0.0.1:0"]);
        assert_eq!(server.child.wait().expect("a child").code(), Some(2));
        let log = fs::read_to_string(folder.path().join("log")).expect("a log");
        assert!(log.contains(part), "{log}");
    }
}

#[test]
fn a_kept_connection_is_told_to_close_and_an_idle_one_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    install(folder.path());
    let snapshots = sample().display().to_string();
    let arguments = ["--snapshots", &snapshots, "--listen", "127.0.0.1:0"];
    let mut servers = Succession::new(folder.path(), &arguments);
    let address = address_of(&servers.first.next_line(folder.path()));
    let mut idle = Client::connect(address);
    idle.send("GET /healthz HTTP/1.1\nHost: x");
    assert_eq!(idle.receive().status, 200);
    let mut busy = Client::connect(address);
    servers.hand_over();
    wait_until("Connection: close", || {
        busy.send("GET /healthz HTTP/1.1\nHost: x");
        let answer = busy.receive();
        assert_eq!(answer.status, 200);
        answer.header("connection") == Some("close")
    });
    assert!(busy.is_closed());
    // Later than the time in which all connections are told to close.
    thread::sleep(Duration::from_secs(5));
    idle.send("GET /readyz HTTP/1.1\nHost: x");
    let answer = idle.receive();
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert_eq!(servers.first.child.wait().expect("a child").code(), Some(0));
    servers.signal(Signal::TERM);
}
