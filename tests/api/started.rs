//! Servers that a test starts as it needs: with a command of its own, as systemd does, with a socket that systemd would listen
//! on for their state.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{DEADLINE, sample};

pub const DAICHO: &str = env!("CARGO_BIN_EXE_daicho");

/// A server that is started with a command of the test.
pub struct Started {
    pub child: Child,
    lines: Box<dyn Iterator<Item = String>>,
}

impl Started {
    /// Starts it with the sample and a state in this folder, and with these arguments.
    pub fn new(folder: &Path, command: &mut Command, arguments: &[&str]) -> Started {
        let snapshots = sample().display().to_string();
        let own = ["--snapshots", &snapshots];
        Started::with(folder, command, &[&own, arguments].concat())
    }

    /// Starts it with a state in this folder, and with these arguments.
    pub fn with(folder: &Path, command: &mut Command, arguments: &[&str]) -> Started {
        let log = fs::File::options().create(true).append(true).open(folder.join("log"));
        let mut child = command
            .args(["serve", "--age-days", "0", "--state"])
            .arg(folder.join("daicho.db"))
            .args(arguments)
            .env("DAICHO_METRICS_INTERVAL", "0s")
            .stdout(Stdio::piped())
            .stderr(log.expect("a log"))
            .spawn()
            .expect("runs");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Started { child, lines: Box::new(lines.map_while(Result::ok)) }
    }

    pub fn next_line(&mut self, folder: &Path) -> String {
        let line = self.lines.next();
        line.unwrap_or_else(|| panic!("{}", fs::read_to_string(folder.join("log")).expect("a log")))
    }

    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).expect("an id");
        kill_process(Pid::from_raw(id).expect("not 0"), signal).expect("runs");
    }

    pub fn stop(mut self) {
        self.signal(Signal::TERM);
        assert_eq!(self.child.wait().expect("a child").code(), Some(0));
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn ask_unix(path: &Path, target: &str) -> String {
    let mut stream = UnixStream::connect(path).expect("listens");
    stream.set_read_timeout(Some(DEADLINE)).expect("a time-out");
    let request = format!("GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// Starts a server as systemd does: with these as descriptor 3, under this name.
pub fn activated(
    folder: &Path,
    socket: impl Into<OwnedFd>,
    name: &str,
    arguments: &[&str],
) -> Started {
    let script = "exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=$1; shift; \
                  export LISTEN_PID LISTEN_FDS LISTEN_FDNAMES; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", name, DAICHO]).stdin(Stdio::from(socket.into()));
    Started::new(folder, &mut command, arguments)
}

/// The socket on which systemd listens for the state of services.
pub struct Manager {
    socket: UnixDatagram,
    pub path: PathBuf,
}

impl Manager {
    pub fn new(folder: &Path) -> Manager {
        let path = folder.join("notify");
        let socket = UnixDatagram::bind(&path).expect("bound");
        socket.set_read_timeout(Some(DEADLINE)).expect("a time-out");
        Manager { socket, path }
    }

    /// Waits for the next message.
    #[track_caller]
    pub fn next(&self) -> String {
        self.receive().expect("a message")
    }

    fn receive(&self) -> io::Result<String> {
        let mut bytes = [0; 4096];
        let count = self.socket.recv(&mut bytes)?;
        String::from_utf8(bytes[..count].to_vec()).map_err(io::Error::other)
    }

    /// Waits for a message with a line that begins so.
    #[track_caller]
    pub fn wait_for(&self, start: &str) -> String {
        loop {
            let message = self.receive().unwrap_or_else(|error| panic!("no {start}: {error}"));
            if message.lines().any(|line| line.starts_with(start)) {
                return message;
            }
        }
    }
}
