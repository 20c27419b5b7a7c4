//! The soak: the real server under mixed load for an hour, while data are published and pruned, and its store and
//! webhook receiver go down and come back. The server is never restarted, so leaks become visible.
//!
//! Writes `samples.tsv`, `events.tsv`, `soak.svg`, `report.txt`, and `server.log` with the log lines above the level
//! `info`. Exit code 1 if an answer was wrong, a delivery is missing, or memory, descriptors or threads grew.
//! `benches/README.md` describes a good result.

mod chart;
#[path = "../../tests/api/support/client.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod client;
#[path = "../../tests/account_store/cluster.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod cluster;
mod connection;
#[path = "../../tests/webhook/receiver.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod deliveries;
mod events;
mod leavers;
mod load;
#[path = "../support/process.rs"]
#[allow(dead_code, reason = "shared with the benches, which use more of it")]
mod process;
mod questions;
mod radar;
mod receiver;
mod record;
#[path = "../support/seeded.rs"]
mod seeded;
mod site;
#[path = "../support/snapshot_version.rs"]
mod snapshot_version;
mod streams;
mod tally;
mod verdict;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;

use self::events::{EventRunner, Events};
use self::questions::{Questions, WATCHED, ask, head};
use self::receiver::Receiver;
use self::record::{Sample, Sampler};
use self::site::{Accounts, Server, Site, Store};
use self::tally::{Load, Outages, Tally};
use self::verdict::{LogTally, Verdict, wait_for_all};

/// How long a client waits for a response: longer than any time limit of the server.
const DEADLINE: Duration = Duration::from_secs(90);

/// Runs the server under mixed load while its data change and its store and webhook receiver go down and come back.
#[derive(Debug, Parser)]
struct Args {
    /// How long the load lasts
    #[arg(long, default_value_t = 3600, value_parser = clap::value_parser!(u64).range(30..=86_400))]
    seconds: u64,
    /// Number of clients that look up, a multiple of four; about as many clients of other kinds run beside them
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    clients: u16,
    /// The server program [default: the one built beside this program]
    #[arg(long)]
    server: Option<PathBuf>,
    /// Keep the accounts in a SQLite file even if PostgreSQL is installed
    #[arg(long)]
    sqlite: bool,
    /// Folder for the data and the results
    #[arg(long, default_value = "target/soak")]
    out: PathBuf,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let program = args.server.clone().unwrap_or_else(beside_this);
    if !program.is_file() {
        eprintln!("soak: {} is missing; build it, or pass its path as --server", program.display());
        return ExitCode::from(2);
    }
    fs::create_dir_all(&args.out).expect("--out is a folder that can be created");
    let verdict = run(&args, Site::prepare(program, args.out.clone()));
    let faults = match verdict.faults.as_slice() {
        [] => "good: no fault found\n".to_owned(),
        faults => format!("{} faults:\n  {}\n", faults.len(), faults.join("\n  ")),
    };
    let report = format!("soak, {} s\n{}{faults}", args.seconds, verdict.text);
    print!("{report}");
    println!("chart: {}", args.out.join("soak.svg").display());
    fs::write(args.out.join("report.txt"), report).expect("written");
    if verdict.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `target/PROFILE/daicho`, given that this program is `target/PROFILE/examples/soak`.
fn beside_this() -> PathBuf {
    let this = std::env::current_exe().expect("this program has a path");
    this.ancestors().nth(2).unwrap_or(Path::new(".")).join("daicho")
}

fn run(args: &Args, site: Site) -> Verdict {
    let receiver = Receiver::start();
    let store = Store::start(&site.folder, args.sqlite);
    let accounts = site.make_accounts(store.state(), &receiver.url());
    let log = Arc::<LogTally>::default();
    let mut server = Server::start(&site, store.state(), keep_log(&site.folder, &log));
    let load = Arc::new(prepare(&server, &accounts, receiver));
    println!(
        "expected answers of {} look-ups recorded; the load begins",
        load.questions.look_ups.len()
    );

    let store = Mutex::new(store);
    let events = Events::new(Instant::now());
    let clients = load::start(&load, usize::from(args.clients.div_ceil(4)));
    let over = AtomicBool::new(false);
    let samples = thread::scope(|scope| {
        let runner = EventRunner {
            site: &site,
            server: &server,
            store: &store,
            load: &load,
            events: &events,
        };
        let over = &over;
        scope.spawn(move || runner.run(over));
        let _events_end = SetOnDrop(over);
        sample(&server, &load, &events, Duration::from_secs(args.seconds))
    });
    load.stopping.store(true, Ordering::Relaxed);
    for client in clients {
        if client.join().is_err() {
            load.tally
                .count_wrong("client", "a client thread panicked; see standard error".to_owned());
        }
    }
    let published = load.published.lock().expect("no panic").clone();
    wait_for_all(&published, &load.receiver);

    record::write_tables(&site.folder, &samples, &events.all()).expect("written");
    chart::draw(&site.folder.join("soak.svg"), &samples, &events.all()).expect("drawn");
    let mut verdict = Verdict::default();
    if server.has_ended() {
        verdict.faults.push("the server has ended by itself".to_owned());
    }
    verdict.check_answers(&load.tally, args.seconds as f64);
    let secret = &accounts.webhook_secret;
    load.receiver
        .with_arrivals(|all| verdict.check_deliveries(&published, all, secret, &load.outages));
    verdict.check_growth(&samples);
    verdict.check_stop(server.stop());
    verdict.check_log(&log);
    verdict
}

/// Sets a flag on drop, so that after a panic the other threads do not wait for it.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes the log lines above the level `info` into a file.
fn keep_log(folder: &Path, log: &Arc<LogTally>) -> impl FnMut(&str) + Send + use<> {
    let log = Arc::clone(log);
    let mut file = File::create(folder.join("server.log")).expect("in the folder of the run");
    move |line| {
        if log.count(line) {
            writeln!(file, "{line}").expect("the disk has room");
        }
    }
}

/// Sets the watch list, and records the answers of the server without load.
fn prepare(server: &Server, accounts: &Accounts, receiver: Receiver) -> Load {
    let mut client = client::Client::connect(server.address);
    let add = "/v1/houjinbangou/radar/corporate_numbers/add";
    let body = format!("{{\"data\":[\"{WATCHED}\"]}}");
    let added = ask(&mut client, &head("POST", add, Some(&accounts.secret)), Some(&body));
    assert_eq!(added.map(|answer| answer.status), Some(200), "the number is watched");
    Load {
        address: server.address,
        questions: Questions::record(server.address, accounts),
        key: accounts.secret.clone(),
        receiver,
        published: Mutex::default(),
        tally: Tally::default(),
        outages: Outages::default(),
        stopping: AtomicBool::new(false),
    }
}

/// Takes a sample each second until the time is over or the server ends.
fn sample(server: &Server, load: &Load, events: &Events, time: Duration) -> Vec<Sample> {
    let mut sampler = Sampler::new(server.id(), &load.tally);
    let mut samples = Vec::new();
    for second in 1..=time.as_secs() {
        let next = events.started + Duration::from_secs(second);
        thread::sleep(next.saturating_duration_since(Instant::now()));
        let Some(sample) = sampler.sample(events.started.elapsed(), &load.tally) else { break };
        if second % 60 == 0 {
            println!(
                "{second:>6} s  {:.0} MiB  {:.0} descriptors  {:.0} answers/s  p99 {:.1} ms  {} wrong",
                sample.resident_mib,
                sample.descriptors,
                sample.answers,
                sample.p99_ms,
                sample.wrong
            );
        }
        samples.push(sample);
    }
    samples
}
