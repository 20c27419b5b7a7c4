//! The overhead of CSV around the normaliser: `daicho normalize` over a million rows, compared with the normaliser
//! alone over the same addresses, on one core and on all.
//!
//! The addresses are of the official files if `DAICHO_SHARED` or the folder beside the repository has them, else of a
//! seeded month.

mod support;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::thread;
use std::time::Instant;

use daicho::address::{Address, AddressScratch};
use daicho::dataset::postal::PostalData;
use daicho::snapshot::{Dataset, SnapshotFile};
use support::process::{children_cpu_seconds, cpu_seconds};
use support::source::SeededRandom;
use support::{daicho, folder, month};

/// Rows of the CSV.
const ROWS: usize = 1_000_000;
/// Number of addresses for the normaliser alone.
const ALONE: usize = 200_000;
/// Runs of each; the fastest is used, to leave out the machine's other work.
const RUNS: usize = 3;

fn main() {
    let folder = folder("normalize-csv");
    let (path, _) = month(&folder);
    let data = PostalData::from_file(SnapshotFile::open(&path).expect("built a moment ago"));
    let addresses = addresses(&data);
    let placed = addresses.iter().take(1_000).filter(|text| code(&data, text).is_some()).count();
    assert!(placed > 900, "a bench of addresses that are not found measures nothing: {placed}");
    let cores = thread::available_parallelism().map_or(1, usize::from);
    println!("daicho normalize, {ROWS} rows, {cores} cores");
    let one = alone(&data, &addresses[..ALONE], 1);
    let all = alone(&data, &addresses[..ALONE], cores);
    one.print("baseline: normaliser and postal code, one core");
    all.print("baseline: the same on all cores at once");
    for (name, encoding) in [("UTF-8", "utf-8"), ("Shift_JIS", "shift_jis")] {
        let csv = folder.join(format!("{encoding}.csv"));
        write_csv(&csv, &addresses, encoding);
        let found = command(&folder, &csv, &[]);
        found.print(&format!("daicho normalize, {name} to {name}"));
        found.compare(&all);
    }
    let json = command(&folder, &folder.join("utf-8.csv"), &["--json"]);
    json.print("daicho normalize --json");
    json.compare(&all);
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// The cost of some rows.
#[derive(Debug, Clone, Copy)]
struct Cost {
    rows_per_second: f64,
    /// Microseconds of CPU time; other work on the machine hardly changes it.
    cpu_us: f64,
}

impl Cost {
    /// The cost of rows that take so many seconds of time and of CPU time.
    fn of(rows: usize, seconds: f64, cpu_seconds: f64) -> Cost {
        Cost { rows_per_second: rows as f64 / seconds, cpu_us: cpu_seconds * 1e6 / rows as f64 }
    }

    /// The best of several runs.
    fn best(runs: impl Iterator<Item = Cost>) -> Cost {
        let worst = Cost { rows_per_second: 0.0, cpu_us: f64::INFINITY };
        runs.fold(worst, |best, run| Cost {
            rows_per_second: best.rows_per_second.max(run.rows_per_second),
            cpu_us: best.cpu_us.min(run.cpu_us),
        })
    }

    fn print(&self, name: &str) {
        let Cost { rows_per_second, cpu_us } = self;
        println!("  {name:<52} {rows_per_second:>9.0} rows/s   {cpu_us:>6.2} us of CPU a row");
    }

    fn compare(&self, alone: &Cost) {
        println!(
            "  {:<52} {:>9.2} of its rows/s {:>6.2} of its speed by CPU",
            "compared with the baseline on all cores",
            self.rows_per_second / alone.rows_per_second,
            alone.cpu_us / self.cpu_us,
        );
    }
}

/// Addresses of random records: a business as the file writes it, or a town with a generated lot.
fn addresses(data: &PostalData) -> Vec<String> {
    let records: Vec<_> = data.records().expect("checked").collect();
    let mut random = SeededRandom::new(11);
    let mut addresses = Vec::with_capacity(ROWS);
    while addresses.len() < ROWS {
        let record = records[random.below(records.len())];
        let city = record.city();
        let mut address = format!("{}{}", city.prefecture().name.text, city.city().name.text);
        address += record.town().name.text;
        match record.corporation() {
            Some(corporation) => address += corporation.block_lot().text,
            None => {
                let mut number = || random.below(30) + 1;
                let lot = [number(), number(), number()];
                address += &format!("{}丁目{}番{}号", lot[0], lot[1], lot[2]);
            }
        }
        addresses.push(address);
    }
    addresses
}

fn code(data: &PostalData, text: &str) -> Option<u32> {
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    let mut rows = Vec::new();
    data.normalize(text, &mut scratch, &mut address).expect("checked");
    data.address_rows(&address, &mut scratch, &mut rows).expect("checked");
    data.rows(&rows).expect("checked").next().map(|row| row.postal_code())
}

/// The normaliser with the look-up of the code.
fn alone(data: &PostalData, addresses: &[String], threads: usize) -> Cost {
    let run = |part: &[String]| {
        let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
        let (mut rows, mut codes) = (Vec::new(), 0u64);
        for text in part {
            data.normalize(text, &mut scratch, &mut address).expect("checked");
            data.address_rows(&address, &mut scratch, &mut rows).expect("checked");
            let first = &rows[..rows.len().min(1)];
            let code = data.rows(first).expect("checked").next().map(|row| row.postal_code());
            codes += u64::from(code.unwrap_or_default());
        }
        codes
    };
    let own = std::process::id();
    Cost::best((0..RUNS).map(|_| {
        let (started, before) = (Instant::now(), cpu_seconds(own));
        thread::scope(|scope| {
            for part in addresses.chunks(addresses.len().div_ceil(threads)) {
                scope.spawn(move || std::hint::black_box(run(part)));
            }
        });
        let took = started.elapsed().as_secs_f64();
        Cost::of(addresses.len(), took, cpu_seconds(own) - before)
    }))
}

/// A table of customers: a number, a name in quotes, the address, a telephone number.
fn write_csv(path: &Path, addresses: &[String], encoding: &str) {
    let mut out = BufWriter::new(File::create(path).expect("below the target folder"));
    let mut write = |text: &str| {
        let bytes = match encoding {
            "shift_jis" => encoding_rs::SHIFT_JIS.encode(text).0,
            _ => text.as_bytes().into(),
        };
        out.write_all(&bytes).expect("below the target folder");
    };
    write("番号,氏名,住所,電話\r\n");
    for (number, address) in (1..).zip(addresses) {
        write(&format!("{number},\"見本, 太郎\",{address},03-1234-{:04}\r\n", number % 10_000));
    }
}

/// The cost of the command, including its start.
fn command(folder: &Path, csv: &Path, options: &[&str]) -> Cost {
    let output = folder.join("out");
    let best = Cost::best((0..RUNS).map(|_| {
        let (started, before) = (Instant::now(), children_cpu_seconds());
        let status = daicho()
            .arg("normalize")
            .arg(csv)
            .args(["--column", "住所", "--quiet", "--output"])
            .arg(&output)
            .arg("--snapshots")
            .arg(folder.join("snapshots"))
            .args(options)
            .status()
            .expect("the program runs");
        assert!(status.success(), "the rows are read");
        Cost::of(ROWS, started.elapsed().as_secs_f64(), children_cpu_seconds() - before)
    }));
    let rows = fs::read(&output).expect("it was written").iter().filter(|&&b| b == b'\n').count();
    assert!(rows >= ROWS, "every row came out: {rows}");
    best
}
