//! Standard output and standard error that nobody reads, that are closed, or on a full disk.

use std::fs::File;
use std::io::{PipeReader, Write};
use std::process::Stdio;

use rustix::process::Signal;

use crate::server::{Place, Running};
use crate::support::{Client, until};

/// Fills a pipe that is 64 KiB large, so that the first byte of the server waits.
const PIPE_BYTES: usize = 64 * 1024;

/// Lines of this much fill what the log may buffer soon.
const QUERY_BYTES: usize = 4000;

/// A pipe for both outputs; who holds the reader stalls them, who drops it closes them.
fn pipe() -> (PipeReader, Stdio, Stdio) {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(&vec![b'x'; PIPE_BYTES]).expect("a pipe holds 64 KiB");
    (reader, writer.try_clone().expect("the same pipe").into(), writer.into())
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("there on Linux").into()
}

#[test]
fn look_ups_and_the_end_do_not_wait_for_a_reader_of_the_log() {
    let (_unread, stdout, stderr) = pipe();
    let place = Place::make();
    let log = place.metric_of_lost_lines(stdout, stderr);
    assert_eq!(log.errors, 0, "a reader that is slow is no error");
}

#[test]
fn a_closed_log_does_not_end_the_server() {
    let (reader, stdout, stderr) = pipe();
    drop(reader);
    let log = Place::make().metric_of_lost_lines(stdout, stderr);
    assert!(log.errors > 0, "not counted");
}

#[test]
fn a_full_disk_under_the_log_does_not_end_the_server() {
    let log = Place::make().metric_of_lost_lines(full(), full());
    assert!(log.errors > 0, "not counted");
}

struct Lost {
    errors: u64,
}

impl Place {
    /// Asks until lines are lost, meets hostile connections meanwhile, and has the server stop.
    fn metric_of_lost_lines(&self, stdout: Stdio, stderr: Stdio) -> Lost {
        let mut command = self.command("", &["--log-level", "debug"]);
        command.stdout(stdout).stderr(stderr);
        let mut server = Running::serving(&mut command, self);
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
        until("lost lines to be counted", || self.metric("daicho_log_lines_dropped_total") > 0);
        assert_eq!(self.get("/v1/whoami").status, 200);
        let errors = self.metric("daicho_log_write_errors_total");
        server.signal(Signal::TERM);
        assert_eq!(server.end().code(), Some(0));
        Lost { errors }
    }

    /// Begins HTTP/2 requests and gives each up at once, of which the server warns.
    fn reset_streams(&self) {
        let mut client = Client::connect(self.address);
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        frame(&mut bytes, 4, 0, 0, &[]);
        for stream in (1..2000).step_by(2) {
            // `GET / http` of the static table, with the end of the stream and of the headers.
            frame(&mut bytes, 1, 5, stream, &[0x82, 0x84, 0x86]);
            frame(&mut bytes, 3, 0, stream, &8_u32.to_be_bytes());
        }
        // The server may have hung up before it has read all of it.
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
fn requests_without_a_key_are_sampled_and_the_rest_is_told() {
    let place = Place::make();
    let path = place.folder.path().join("log");
    let log = File::create(&path).expect("a log");
    let mut command = place.command("", &["--log-unknown-max", "5"]);
    let mut server = Running::serving(command.stdout(Stdio::null()).stderr(log), &place);
    let mut client = Client::connect(place.address);
    for _ in 0..300 {
        client.send("GET /v1/whoami HTTP/1.1\nHost: x\nAuthorization: Token wrong");
        assert_eq!(client.receive().status, 401);
    }
    let logged = || std::fs::read_to_string(&path).expect("a log");
    until("the rest to be told", || logged().contains("requests without a valid key"));
    assert_eq!(place.get("/v1/whoami").status, 200);
    let left_out = place.metric("daicho_log_requests_left_out_total");
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
    let refusals = logged().matches("\"status\":401").count() as u64;
    assert_eq!(refusals + left_out, 300, "each is a line or counted");
    assert!(refusals >= 5 && left_out > 0, "{refusals} lines, {left_out} left out");
    assert!(logged().contains("\"account\":\"demo\""), "{}", logged());
}
