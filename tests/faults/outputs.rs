//! The server's standard output and standard error are not read, are closed, or are on a full disk: it still serves
//! requests, counts the lost lines and ends at a signal. Another test: refused requests are logged only up to a limit.

use std::fs::File;
use std::io::{PipeReader, Write};
use std::process::Stdio;

use rustix::process::Signal;

use crate::server::{RunningProcess, ServerSetup};
use crate::support::{Client, wait_until};

/// The capacity of a pipe. The test fills it, so that the server's first byte blocks.
const PIPE_BYTES: usize = 64 * 1024;

/// A length of the query with which a few log lines fill the log's buffer.
const QUERY_BYTES: usize = 4000;

/// A full pipe for both outputs. They block while the test holds the reader, and are closed when it drops the reader.
fn pipe() -> (PipeReader, Stdio, Stdio) {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(&vec![b'x'; PIPE_BYTES]).expect("a pipe holds 64 KiB");
    (reader, writer.try_clone().expect("the same pipe").into(), writer.into())
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("there on Linux").into()
}

#[test]
fn an_unread_log_delays_neither_look_ups_nor_the_shutdown() {
    let (_unread, stdout, stderr) = pipe();
    let setup = ServerSetup::new();
    let log = setup.serve_until_lines_are_lost(stdout, stderr);
    assert_eq!(log.errors, 0, "a slow reader is not a write error");
}

#[test]
fn a_closed_log_does_not_end_the_server() {
    let (reader, stdout, stderr) = pipe();
    drop(reader);
    let log = ServerSetup::new().serve_until_lines_are_lost(stdout, stderr);
    assert!(log.errors > 0, "write errors are counted");
}

#[test]
fn a_full_disk_under_the_log_does_not_end_the_server() {
    let log = ServerSetup::new().serve_until_lines_are_lost(full(), full());
    assert!(log.errors > 0, "write errors are counted");
}

struct Lost {
    errors: u64,
}

impl ServerSetup {
    /// Sends requests until log lines are lost, together with connections that reset streams; then ends the server.
    fn serve_until_lines_are_lost(&self, stdout: Stdio, stderr: Stdio) -> Lost {
        let mut command = self.command("", &["--log-level", "debug"]);
        command.stdout(stdout).stderr(stderr);
        let mut server = RunningProcess::start_server(&mut command, self);
        drop(command);
        let target = format!("/v1/postalcode/1000001?x={}", "x".repeat(QUERY_BYTES));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| self.reset_streams());
            }
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut client = Client::connect(self.address);
                    for _ in 0..500 {
                        client.send(&format!(
                            "GET {target} HTTP/1.1\nHost: x\nAuthorization: Token {}",
                            self.key
                        ));
                        assert_eq!(client.receive().status, 200);
                    }
                });
            }
        });
        wait_until("lost lines to be counted", || {
            self.metric("daicho_log_lines_dropped_total") > 0
        });
        assert_eq!(self.get("/v1/whoami").status, 200);
        let errors = self.metric("daicho_log_write_errors_total");
        server.signal(Signal::TERM);
        assert_eq!(server.end().code(), Some(0));
        Lost { errors }
    }

    /// Opens HTTP/2 streams and resets each at once, about which the server logs warnings.
    fn reset_streams(&self) {
        let mut client = Client::connect(self.address);
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        frame(&mut bytes, 4, 0, 0, &[]);
        for stream in (1..2000).step_by(2) {
            // Headers `GET`, `/` and `http` from the static table; flags END_STREAM and END_HEADERS.
            frame(&mut bytes, 1, 5, stream, &[0x82, 0x84, 0x86]);
            frame(&mut bytes, 3, 0, stream, &8_u32.to_be_bytes());
        }
        // The server may close the connection before it has read everything.
        client.send_bytes(&bytes);
    }
}

fn frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
    out.extend_from_slice(&length[1..]);
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
}

#[test]
fn refused_requests_are_logged_up_to_a_limit_and_the_rest_are_counted() {
    let setup = ServerSetup::new();
    let path = setup.folder.path().join("log");
    let log = File::create(&path).expect("a log");
    let mut command = setup.command("", &["--log-unknown-max", "5"]);
    let mut server =
        RunningProcess::start_server(command.stdout(Stdio::null()).stderr(log), &setup);
    let mut client = Client::connect(setup.address);
    for _ in 0..300 {
        client.send("GET /v1/whoami HTTP/1.1\nHost: x\nAuthorization: Token wrong");
        assert_eq!(client.receive().status, 401);
    }
    let logged = || std::fs::read_to_string(&path).expect("a log");
    wait_until("the number of requests left out to be logged", || {
        logged().contains("requests without a valid key")
    });
    assert_eq!(setup.get("/v1/whoami").status, 200);
    wait_until("the request with a key to be logged", || logged().contains("\"account\":\"demo\""));
    let left_out = setup.metric("daicho_log_requests_left_out_total");
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
    let refusals = logged().matches("\"status\":401").count() as u64;
    assert_eq!(refusals + left_out, 300, "each request is logged or counted");
    assert!(refusals >= 5 && left_out > 0, "{refusals} lines, {left_out} left out");
}
