//! Snapshots that another program writes to in place while they are served, although none should: the server goes on,
//! and every answer is valid JSON. Truncating a file of which a large section is mapped ends the process, so that is
//! done to small files only.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;

use serde_json::Value;

use super::shared_data::official;
use super::support::{Answer, Client, ServerProcess, ask, encoded, sample, wait_until};

/// Threads that ask until they are dropped.
struct Askers {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

impl Askers {
    fn start(served: &ServerProcess, targets: &[String]) -> Askers {
        let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let ask = |number: usize| {
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            let (address, key) = (served.address, served.premium.clone());
            let mut targets = targets.to_vec();
            targets.rotate_left(number);
            move || {
                let mut client = Client::connect(address);
                let mut targets = targets.iter().cycle();
                while !stop.load(Relaxed) {
                    let target = targets.next().expect("a cycle has no end");
                    client.send(&format!(
                        "GET {target} HTTP/1.1\nHost: x\nAuthorization: Token {key}"
                    ));
                    let answer = client.receive();
                    let text = answer.text();
                    assert!([200, 404, 500, 503].contains(&answer.status), "{target}: {text}");
                    serde_json::from_str::<Value>(&text)
                        .unwrap_or_else(|error| panic!("{target}: {error} in {text}"));
                    answered.fetch_add(1, Relaxed);
                }
            }
        };
        let threads = (0..3).map(|number| std::thread::spawn(ask(number))).collect();
        Askers { stop, answered, threads }
    }

    /// Waits until every thread has likely been answered.
    fn wait_for_answers(&self) {
        let before = self.answered.load(Relaxed);
        wait_until("more answers", || {
            self.answered.load(Relaxed) > before + 30
                || self.threads.iter().any(JoinHandle::is_finished)
        });
    }

    fn end(self) {
        self.stop.store(true, Relaxed);
        for thread in self.threads {
            thread.join().expect("every answer was right");
        }
    }
}

fn get(served: &ServerProcess, target: &str) -> Answer {
    ask(served.address, &format!("GET {target}\nAuthorization: Token {}", served.premium))
}

/// The targets that are answered with an error, and the errors.
fn refused(served: &ServerProcess, targets: &[String]) -> Vec<String> {
    let answers = targets.iter().map(|target| (target, get(served, target)));
    let refused = answers.filter(|(_, answer)| answer.status != 200);
    refused.map(|(target, answer)| format!("{target}: {}", answer.text())).collect()
}

fn snapshots_below(folder: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).expect("a folder").flatten();
    let datasets = entries(folder).filter(|entry| entry.path().is_dir());
    let files = datasets.flat_map(|dataset| entries(&dataset.path()).map(|file| file.path()));
    files.filter(|path| path.extension().is_some_and(|it| it == "daicho")).collect()
}

/// Bytes that differ from round to round, and are valid nowhere.
fn garbage(length: usize, round: usize) -> Vec<u8> {
    (0..length).map(|at| (at.wrapping_mul(2_654_435_761) >> 7) as u8 ^ round as u8).collect()
}

#[test]
fn truncated_and_overwritten_small_snapshots_leave_the_server_alive() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in snapshots_below(sample()) {
        let dataset = path.parent().and_then(Path::file_name).expect("a folder");
        let place = folder.path().join(dataset);
        fs::create_dir_all(&place).expect("a folder");
        fs::copy(&path, place.join(path.file_name().expect("a name"))).expect("copied");
    }
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let targets: Vec<String> = [
        "/v1/postalcode/1000001".to_owned(),
        format!("/v1/postalcode?t={}", encoded("東京都千代田区千代田")),
        "/v1/postalcode/1000001?version=2022-06-30".to_owned(),
        "/v1/houjinbangou/6010001999901".to_owned(),
        format!("/v1/houjinbangou?q={}", encoded("台帳")),
        "/v1/invoice/T6010001999901".to_owned(),
        "/v1/bank".to_owned(),
        format!("/v1/school?q={}", encoded("小学校")),
    ]
    .into();
    assert_eq!(refused(&served, &targets), [""; 0]);
    let askers = Askers::start(&served, &targets);
    let files: Vec<(PathBuf, Vec<u8>)> = snapshots_below(folder.path())
        .into_iter()
        .map(|path| (path.clone(), fs::read(path).expect("a file")))
        .collect();
    for round in 0..3 {
        for (path, _) in &files {
            File::options().write(true).truncate(true).open(path).expect("truncated");
        }
        askers.wait_for_answers();
        for (path, bytes) in &files {
            fs::write(path, garbage(bytes.len(), round)).expect("overwritten");
        }
        askers.wait_for_answers();
        for (path, bytes) in &files {
            fs::write(path, bytes).expect("written again");
        }
        askers.wait_for_answers();
    }
    askers.end();
    wait_until("every answer from the restored files", || refused(&served, &targets).is_empty());
}

#[needs::official_data]
#[test]
fn mapped_records_that_are_overwritten_give_errors_or_other_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let built = Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(["build", "corporate", "--force", "--version", "2026-08-21", "--full"])
        .arg(official("corporate/companies-2026-08-21.csv.xz"))
        .arg("--out")
        .arg(folder.path())
        .output()
        .expect("the program runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let target = |q: &str| format!("/v1/houjinbangou?q={}&limit=100", encoded(q));
    let mut targets = vec![
        target("銀行"),
        target("トヨタ"),
        target("東京都 AND 建設"),
        target("furigana:ニホン"),
        format!("/v1/suggest/corporation?q={}", encoded("日本")),
    ];
    let found = get(&served, &target("銀行")).json();
    let records = found["data"].as_array().expect("records");
    let numbers = records.iter().map(|it| it["corporate_number"].as_str().expect("a number"));
    targets.extend(numbers.map(|number| format!("/v1/houjinbangou/{number}")));
    assert!(targets.len() > 50);
    assert_eq!(refused(&served, &targets), [""; 0]);
    let path = folder.path().join("corporate/2026-08-21.daicho");
    let sound = fs::read(&path).expect("a file");
    let askers = Askers::start(&served, &targets);
    for round in 0..6 {
        let file = File::options().write(true).open(&path).expect("a file");
        // The length stays. Half of the rounds change single bytes, so that most of a record looks right.
        let mut damaged = sound.clone();
        match round % 2 {
            0 => damaged = garbage(sound.len(), round),
            _ => damaged.iter_mut().skip(round).step_by(61).for_each(|byte| *byte ^= 0x15),
        }
        for bytes in [&damaged, &sound] {
            for (part, start) in bytes.chunks(1 << 20).zip((0..).step_by(1 << 20)) {
                file.write_all_at(part, start).expect("overwritten");
            }
            askers.wait_for_answers();
        }
        (&file).flush().expect("written");
    }
    askers.end();
    wait_until("every answer from the restored file", || refused(&served, &targets).is_empty());
}
