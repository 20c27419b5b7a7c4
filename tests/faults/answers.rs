//! The store answers slowly, wrongly or not at all: look-ups still work, requests that need the store are answered with
//! 503, and they work again after the store has recovered.
//!
//! A proxy between the server and the test's own PostgreSQL makes the faults. It listens on a Unix socket, as
//! PostgreSQL does.

use std::fs::File;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::cluster::Cluster;
use crate::server::{RunningProcess, ServerSetup};
use crate::support::{ask, wait_until};

/// What the proxy does with the data that the database sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Delays each piece by half a second.
    Slow,
    /// Changes every byte.
    Wrong,
    /// Drops everything.
    Silent,
    /// Forwards half of a piece, then closes the connection.
    Cut,
}

const FAULTS: [Fault; 5] = [Fault::None, Fault::Slow, Fault::Wrong, Fault::Silent, Fault::Cut];

struct Proxy {
    fault: Arc<AtomicU8>,
}

impl Proxy {
    /// Listens in `folder` under the name that PostgreSQL's socket has.
    fn start(folder: &Path, database: PathBuf) -> Proxy {
        let fault = Arc::new(AtomicU8::new(Fault::None as u8));
        let proxy = Proxy { fault: Arc::clone(&fault) };
        let listener = UnixListener::bind(folder.join(NAME)).expect("a socket");
        // The threads end when the test's process ends.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = UnixStream::connect(database.join(NAME)) else { continue };
                let (to_client, to_server) = (client.try_clone(), server.try_clone());
                let (to_client, to_server) =
                    (to_client.expect("a clone"), to_server.expect("a clone"));
                let fault = Arc::clone(&fault);
                thread::spawn(move || forward(server, to_client, &fault));
                thread::spawn(move || {
                    forward(client, to_server, &AtomicU8::new(Fault::None as u8))
                });
            }
        });
        proxy
    }

    fn set(&self, fault: Fault) {
        self.fault.store(fault as u8, Relaxed);
    }
}

const NAME: &str = ".s.PGSQL.5432";

/// Forwards data until a side closes the connection, with the fault that is set at the moment.
fn forward(mut from: UnixStream, mut to: UnixStream, fault: &AtomicU8) {
    let mut piece = [0; 1 << 14];
    while let Ok(length @ 1..) = from.read(&mut piece) {
        let piece = &mut piece[..length];
        let forwarded = match FAULTS[usize::from(fault.load(Relaxed))] {
            Fault::None => to.write_all(piece),
            Fault::Slow => {
                thread::sleep(Duration::from_millis(500));
                to.write_all(piece)
            }
            Fault::Wrong => {
                piece.iter_mut().for_each(|byte| *byte ^= 0x55);
                to.write_all(piece)
            }
            Fault::Silent => Ok(()),
            Fault::Cut => {
                drop(to.write_all(&piece[..length / 2]));
                break;
            }
        };
        if forwarded.is_err() {
            break;
        }
    }
    // Ends the thread of the other direction too.
    drop(to.shutdown(Shutdown::Both));
    drop(from.shutdown(Shutdown::Both));
}

#[needs::postgresql_server]
#[test]
fn look_ups_work_while_the_store_answers_slowly_wrongly_or_not_at_all() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().expect("a folder");
    let url = cluster.empty_schema();
    let host = url.split("host=").nth(1).and_then(|rest| rest.split('&').next());
    let host = host.expect("a folder as host").to_owned();
    let proxy = Proxy::start(folder.path(), PathBuf::from(&host));
    let log = folder.path().join("log");
    let here = folder.path().to_str().expect("text").to_owned();
    let setup = ServerSetup::with_state(url.replace(&host, &here), folder);
    let mut command = setup.command("", &[]);
    let mut server =
        RunningProcess::start_server(command.stderr(File::create(&log).expect("a log")), &setup);
    let status = |target: &str| {
        ask(setup.address, &format!("GET {target}\nAuthorization: Token {}", setup.key)).status
    };
    // The account may not call this endpoint: 403. The server has to ask the store for that.
    let needs_store = || status("/v1/houjinbangou/radar/2026-08-03");
    wait_until("requests that need the store to work", || needs_store() == 403);
    for fault in [Fault::Slow, Fault::Wrong, Fault::Silent, Fault::Cut] {
        proxy.set(fault);
        for _ in 0..20 {
            assert_eq!(status("/v1/postalcode/1000001"), 200, "{fault:?}");
        }
        let found = needs_store();
        let expected: &[u16] = if fault == Fault::Slow { &[403, 503] } else { &[503] };
        assert!(expected.contains(&found), "{fault:?}: {found}");
        assert_eq!(status("/v1/postalcode/1000001"), 200, "{fault:?}");
        proxy.set(Fault::None);
        wait_until("the store to be used again", || needs_store() == 403);
    }
    proxy.set(Fault::Silent);
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
    let log_text = std::fs::read_to_string(&log).expect("a log");
    assert!(!log_text.contains("panicked"), "{log_text}");
}
