//! A store that answers slowly, wrongly or not at all: look-ups go on, what needs the store is 503 in its time, and all
//! works again once the store does.
//!
//! A proxy stands between the server and a PostgreSQL of the test's own, on a Unix socket like the real one.

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
use crate::server::{Place, Running};
use crate::support::{ask, until};

/// What the proxy does with what the database says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Whole,
    /// Every piece comes half a second late.
    Slow,
    /// Every byte is another one.
    Wrong,
    /// Nothing comes.
    Silent,
    /// Half of a piece comes, then the connection ends.
    Cut,
}

const MOODS: [Mood; 5] = [Mood::Whole, Mood::Slow, Mood::Wrong, Mood::Silent, Mood::Cut];

struct Proxy {
    mood: Arc<AtomicU8>,
}

impl Proxy {
    /// Listens in `folder` under the name that PostgreSQL's socket has.
    fn start(folder: &Path, database: PathBuf) -> Proxy {
        let mood = Arc::new(AtomicU8::new(Mood::Whole as u8));
        let proxy = Proxy { mood: Arc::clone(&mood) };
        let listener = UnixListener::bind(folder.join(NAME)).expect("a socket");
        // The threads end with the test's process.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = UnixStream::connect(database.join(NAME)) else { continue };
                let (to_client, to_server) = (client.try_clone(), server.try_clone());
                let (to_client, to_server) =
                    (to_client.expect("a clone"), to_server.expect("a clone"));
                let mood = Arc::clone(&mood);
                thread::spawn(move || forward(server, to_client, &mood));
                thread::spawn(move || {
                    forward(client, to_server, &AtomicU8::new(Mood::Whole as u8))
                });
            }
        });
        proxy
    }

    fn set(&self, mood: Mood) {
        self.mood.store(mood as u8, Relaxed);
    }
}

const NAME: &str = ".s.PGSQL.5432";

/// Hands on what comes, as the mood of the moment is.
fn forward(mut from: UnixStream, mut to: UnixStream, mood: &AtomicU8) {
    let mut piece = [0; 1 << 14];
    while let Ok(length @ 1..) = from.read(&mut piece) {
        let piece = &mut piece[..length];
        let handed = match MOODS[usize::from(mood.load(Relaxed))] {
            Mood::Whole => to.write_all(piece),
            Mood::Slow => {
                thread::sleep(Duration::from_millis(500));
                to.write_all(piece)
            }
            Mood::Wrong => {
                piece.iter_mut().for_each(|byte| *byte ^= 0x55);
                to.write_all(piece)
            }
            Mood::Silent => Ok(()),
            Mood::Cut => {
                drop(to.write_all(&piece[..length / 2]));
                break;
            }
        };
        if handed.is_err() {
            break;
        }
    }
    // The other direction ends with it.
    drop(to.shutdown(Shutdown::Both));
    drop(from.shutdown(Shutdown::Both));
}

#[test]
fn a_store_that_answers_slowly_wrongly_or_not_at_all_harms_no_look_up() {
    let Some(cluster) = Cluster::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let url = cluster.empty_schema();
    let host = url.split("host=").nth(1).and_then(|rest| rest.split('&').next());
    let host = host.expect("a folder as host").to_owned();
    let proxy = Proxy::start(folder.path(), PathBuf::from(&host));
    let log = folder.path().join("log");
    let here = folder.path().to_str().expect("text").to_owned();
    let place = Place::over(url.replace(&host, &here), folder);
    let mut command = place.command("", &[]);
    let mut server = Running::serving(command.stderr(File::create(&log).expect("a log")), &place);
    let status = |target: &str| {
        ask(place.address, &format!("GET {target}\nAuthorization: Token {}", place.key)).status
    };
    // The account has no right to it, which only the store can say.
    let needs_store = || status("/v1/houjinbangou/radar/2026-08-03");
    until("what needs the store to work", || needs_store() == 403);
    for mood in [Mood::Slow, Mood::Wrong, Mood::Silent, Mood::Cut] {
        proxy.set(mood);
        for _ in 0..20 {
            assert_eq!(status("/v1/postalcode/1000001"), 200, "{mood:?}");
        }
        let found = needs_store();
        let expected: &[u16] = if mood == Mood::Slow { &[403, 503] } else { &[503] };
        assert!(expected.contains(&found), "{mood:?}: {found}");
        assert_eq!(status("/v1/postalcode/1000001"), 200, "{mood:?}");
        proxy.set(Mood::Whole);
        until("the store to be used again", || needs_store() == 403);
    }
    proxy.set(Mood::Silent);
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
    let told = std::fs::read_to_string(&log).expect("a log");
    assert!(!told.contains("panicked"), "{told}");
}
