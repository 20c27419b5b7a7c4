//! How many requests a server answers in its first second on a cold disk: look-ups of random numbers, searches of two
//! words that many names have, searches of two words of a random name, and look-ups and searches at once.
//!
//! The disk is limited to 125 MB/s and 3,000 reads a second, like the cheapest cloud disks, with a read-ahead of 128 KB
//! or 8 MB. Baseline of the same run: the same without limits. The limits need root; without root the bench says so and
//! measures without limits. It uses the snapshot that `cargo bench --bench corporate` leaves.

mod support;

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use daicho::dataset::corporate::CorporateData;
use daicho::text::fold::Level;
use daicho::text::kind_words::split;
use daicho::text::percent::encode;
use support::client::Client;
use support::corporations::COMMON_WORDS;
use support::disk::{Disk, Speed};
use support::kept_corporations;
use support::load::{median, serve_as};
use support::source::SeededRandom;
use support::{daicho, folder, month, secret_key};

const SPEED: Speed = Speed { bytes: 125_000_000, reads: 3_000 };

const READ_AHEAD_KB: [u64; 2] = [128, 8_192];

/// Number of clients that look up; as many search.
const CLIENTS: usize = 16;

const ROUNDS: usize = 3;

/// Bounds: answers in the first second on the limited disk.
const LOOK_UPS_BOUND: usize = 2_000;
const SEARCHES_BOUND: usize = 200;

/// More requests than any disk allows in a second.
const LOOK_UPS: usize = 100_000;
const SEARCHES: usize = 10_000;

fn main() {
    let Some(built) = kept_corporations::path() else { return };
    let folder = folder("cold");
    let key = secret_key(&folder, "bench", "premium");
    let (postal, _) = month(&folder);
    let asked = Asked::of(&kept_corporations::open(&built));
    let bytes = |path: &Path| fs::metadata(path).expect("it was built").len();
    let disk = Disk::create(&folder, bytes(&built) + bytes(&postal));
    let snapshots = disk.as_ref().map_or(folder.join("copies"), |disk| disk.folder.clone());
    for (path, dataset) in [(&built, "corporate"), (&postal, "postal")] {
        let place = snapshots.join(dataset);
        fs::create_dir_all(&place).expect("on a disk of the bench");
        let copy = place.join(path.file_name().expect("a snapshot has a name"));
        fs::copy(path, &copy).expect("there is room");
        File::open(&copy).and_then(|file| file.sync_all()).expect("it is written");
    }
    let bench = Bench { folder: folder.clone(), snapshots, key, asked };
    println!(
        "answers in the first second of a server, {CLIENTS} clients each, median of {ROUNDS} starts \
         (bounds: {LOOK_UPS_BOUND} look-ups, {SEARCHES_BOUND} searches)"
    );
    match &disk {
        Ok(disk) => {
            let limited = "125 MB/s, 3,000 reads/s";
            for read_ahead in READ_AHEAD_KB {
                for (name, speed) in [(limited, Some(SPEED)), ("baseline: no limits", None)] {
                    disk.set(read_ahead, speed).expect("it could be set up");
                    bench.measure(&format!("{name}, {read_ahead} KB ahead"), || {
                        disk.command(env!("CARGO_BIN_EXE_daicho"))
                    });
                }
            }
        }
        Err(missing) => {
            println!("  NOT LIMITED: cannot set up a limited disk ({missing})");
            bench.measure("no limits, the system's read-ahead", daicho);
        }
    }
    drop(disk);
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// The paths that clients request.
struct Asked {
    look_ups: Arc<[String]>,
    /// A page of 100 records.
    common: Arc<[String]>,
    /// A page of ten records.
    random: Arc<[String]>,
}

impl Asked {
    fn of(data: &CorporateData) -> Asked {
        let mut random = SeededRandom::new(19);
        let rows = data.counts().expect("sound").corporations;
        let mut row = || data.row(random.below(rows) as u32).expect("sound").expect("a row");
        let look_up = |_| format!("/v1/houjinbangou/{}", row().number());
        let look_ups = (0..LOOK_UPS).map(look_up).collect();
        let mut of_names = Vec::new();
        while of_names.len() < SEARCHES {
            let name = row().name().to_string();
            let (body, _) = split(&name, Level::Kanji);
            let letters: Vec<char> = body.chars().collect();
            if letters.len() < 4 || !letters.iter().all(|letter| letter.is_alphabetic()) {
                continue;
            }
            let [first, last] = [&letters[..2], &letters[letters.len() - 2..]];
            let [first, last] = [first, last].map(|letters| letters.iter().collect::<String>());
            of_names.push(format!("{}&limit=10", search(&first, &last)));
        }
        let pairs = COMMON_WORDS.iter().flat_map(|left| COMMON_WORDS.map(|right| (*left, right)));
        let pairs = pairs.filter(|(left, right)| left < right);
        let common = pairs.map(|(left, right)| search(left, right)).collect();
        Asked { look_ups, common, random: of_names.into() }
    }
}

/// The path of a search for names with both words.
fn search(left: &str, right: &str) -> String {
    format!("/v1/houjinbangou?q=name:{}+name:{}", encode(left), encode(right))
}

struct Bench {
    folder: PathBuf,
    snapshots: PathBuf,
    key: String,
    asked: Asked,
}

impl Bench {
    fn measure(&self, name: &str, program: impl Fn() -> std::process::Command) {
        let Asked { look_ups, common, random } = &self.asked;
        let none: Arc<[String]> = Arc::default();
        println!("  {name}");
        for (what, kinds) in [
            ("look-ups", [look_ups, &none]),
            ("common words, 100 records", [&none, common]),
            ("words at random, 10 records", [&none, random]),
            ("look-ups beside common words", [look_ups, common]),
            ("look-ups beside words at random", [look_ups, random]),
        ] {
            let starts = (0..ROUNDS).map(|_| self.start(program(), kinds));
            let starts: Vec<Start> = starts.collect();
            let of = |figure: fn(&Start) -> f64| median(starts.iter().map(figure));
            println!(
                "    {what:<32} {:>6.0} look-ups  {:>6.0} searches   ready in {:>5.0} ms",
                of(|start| start.answers[0] as f64),
                of(|start| start.answers[1] as f64),
                of(|start| start.ready.as_secs_f64() * 1e3),
            );
        }
    }

    /// Starts a server on cold files and asks for each kind of path for a second.
    fn start(&self, program: std::process::Command, kinds: [&Arc<[String]>; 2]) -> Start {
        self.forget();
        let begun = Instant::now();
        let (mut server, address) = serve_as(program, &self.folder, &self.snapshots);
        while Client::connect(address).get("", "/readyz").0 != 200 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let ready = begun.elapsed();
        let end = Instant::now() + Duration::from_secs(1);
        let clients = kinds.map(|paths| {
            let next = Arc::new(AtomicUsize::new(0));
            let clients = if paths.is_empty() { 0 } else { CLIENTS };
            let client = |_| {
                let (paths, next, key) = (Arc::clone(paths), Arc::clone(&next), self.key.clone());
                std::thread::spawn(move || ask_until(address, &key, &paths, &next, end))
            };
            (0..clients).map(client).collect::<Vec<_>>()
        });
        let answers = clients.map(|clients| {
            clients.into_iter().map(|client| client.join().expect("no panic")).sum::<usize>()
        });
        server.kill().expect("our own child");
        server.wait().expect("our own child");
        Start { answers, ready }
    }

    /// Drops the snapshots, and nothing else, from the page cache.
    fn forget(&self) {
        for dataset in ["corporate", "postal"] {
            for entry in fs::read_dir(self.snapshots.join(dataset)).expect("it was made") {
                let file = File::open(entry.expect("an entry").path()).expect("a snapshot");
                rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)
                    .expect("fadvise works on the file system");
            }
        }
    }
}

/// The result of one start.
struct Start {
    answers: [usize; 2],
    ready: Duration,
}

/// Counts the answers until a deadline.
fn ask_until(
    address: SocketAddr,
    key: &str,
    paths: &[String],
    next: &AtomicUsize,
    end: Instant,
) -> usize {
    let mut client = Client::connect(address);
    let mut answers = 0;
    loop {
        let path = &paths[next.fetch_add(1, Relaxed) % paths.len()];
        let (status, _) = client.get(key, path);
        if Instant::now() > end {
            return answers;
        }
        assert_eq!(status, 200, "{path}");
        answers += 1;
    }
}
