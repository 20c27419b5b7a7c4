//! Every code of the country: what zipcloud, yubinbango and jpostal answer, against a derivation from Japan Post's files
//! that shares no code with the program.
//!
//! The server's data are built from the file in UTF-8 with full-width readings. The derivation reads the file in Shift_JIS,
//! whose readings are half-width and whose long rows are split over several lines.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use crate::shared_data::official;
use crate::support::ServerProcess;

/// Requests that are sent before the first answer is read.
const SENT_AT_ONCE: usize = 64;

const CONNECTIONS: usize = 4;

/// The newest edition of which both files are there.
const EDITION: &str = "postal/2026-05";

/// The snapshots of the edition, with coordinates. The first call of a process builds them.
pub fn snapshots() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("country");
        let built = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["build", "postal", "--version", "2026-05-29", "--no-download", "--area"])
            .arg(official(&format!("{EDITION}/utf_ken_all.csv.xz")))
            .arg("--business")
            .arg(official(&format!("{EDITION}/JIGYOSYO.CSV.xz")))
            .arg("--towns")
            .arg(official("towns/towns.csv.xz"))
            .arg("--out")
            .arg(&folder)
            .output()
            .expect("the program runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        folder
    })
}

/// A server over these that answers anyone, without a limit.
pub fn serve_country() -> ServerProcess {
    let served = ServerProcess::with_snapshots(
        Some(snapshots()),
        // A line for each of 140,000 requests would take longer than the answers.
        &["--compat", "all", "--compat-account", "demo", "--log-level", "warn"],
    );
    assert!(served.run("account set demo --rate none --monthly none").status.success());
    served
}

#[needs::official_data]
#[test]
fn every_code_of_the_country_is_answered_by_the_rules() {
    let served = serve_country();
    let country = Country::read();
    assert!(country.codes.len() > 140_000, "the files were read");
    let mut differences = Differences::default();

    let mut prefixes: BTreeMap<&str, Vec<&Code>> = BTreeMap::new();
    for code in &country.codes {
        prefixes.entry(&code.code[..3]).or_default().push(code);
    }
    let data = prefixes.keys().map(|prefix| format!("/data/{prefix}.js")).collect();
    let json = prefixes.keys().map(|prefix| format!("/json/{prefix}.json")).collect();
    for (found, codes) in get(served.address, data).iter().zip(prefixes.values()) {
        differences.compare(found, &yubinbango(codes));
    }
    for (found, (prefix, codes)) in get(served.address, json).iter().zip(&prefixes) {
        differences.compare(found, &jpostal(prefix, codes, &country.readings));
    }

    let search = |code: &Code| format!("/api/search?zipcode={}&limit=1000", code.code);
    let searches = country.codes.iter().map(search).collect();
    for (found, code) in get(served.address, searches).iter().zip(&country.codes) {
        // The data keep the parts of a town in an order of their own.
        differences.compare(&sorted(found), &sorted(&zipcloud(code, &country.readings)));
    }
    assert_eq!(differences.compared, 2 * prefixes.len() + country.codes.len());
    assert!(
        differences.count == 0,
        "{} answers differ, found and expected: {:#?}",
        differences.count,
        differences.first
    );
}

#[derive(Default)]
struct Differences {
    compared: usize,
    count: usize,
    first: Vec<[String; 2]>,
}

impl Differences {
    fn compare(&mut self, found: &str, expected: &str) {
        self.compared += 1;
        if found == expected {
            return;
        }
        self.count += 1;
        if self.first.len() < 10 {
            let same = found.chars().zip(expected.chars()).take_while(|(a, b)| a == b).count();
            let part = |text: &str| text.chars().skip(same.saturating_sub(60)).take(160).collect();
            self.first.push([part(found), part(expected)]);
        }
    }
}

/// A row of the area file; readings are half-width.
struct Area {
    city: String,
    kana: [String; 3],
    names: [String; 3],
}

struct Office {
    city: String,
    name: String,
    place: [String; 3],
    lot: String,
}

#[derive(Default)]
struct Code {
    code: String,
    areas: Vec<Area>,
    offices: Vec<Office>,
}

struct Country {
    /// Ascending.
    codes: Vec<Code>,
    /// The readings of prefecture and municipality by the code of the latter, which the file of offices lacks.
    readings: Readings,
}

type Readings = BTreeMap<String, [String; 2]>;

impl Country {
    fn read() -> Country {
        let mut codes: BTreeMap<String, Code> = BTreeMap::new();
        let mut readings = Readings::new();
        for row in joined(rows("KEN_ALL.CSV.xz")) {
            // The file in UTF-8 has other characters for two marks.
            let text = |at: usize| row[at].replace('～', "〜").replace('－', "−");
            readings.entry(text(0)).or_insert_with(|| [text(3), text(4)]);
            let area = Area {
                city: text(0),
                kana: [text(3), text(4), text(5)],
                names: [text(6), text(7), text(8)],
            };
            codes.entry(text(2)).or_default().areas.push(area);
        }
        for row in rows("JIGYOSYO.CSV.xz") {
            let text = |at: usize| row[at].clone();
            let place = [text(3), text(4), text(5)];
            let office = Office { city: text(0), name: text(2), place, lot: text(6) };
            codes.entry(text(7)).or_default().offices.push(office);
        }
        let codes = codes.into_iter().map(|(code, rows)| Code { code, ..rows }).collect();
        Country { codes, readings }
    }
}

fn rows(name: &str) -> Vec<Vec<String>> {
    let file = File::open(official(&format!("{EDITION}/{name}"))).expect("an official file");
    let mut bytes = Vec::new();
    liblzma::read::XzDecoder::new(file).read_to_end(&mut bytes).expect("an xz file");
    let (text, _, had_errors) = encoding_rs::SHIFT_JIS.decode(&bytes);
    assert!(!had_errors, "{name} is Shift_JIS");
    text.lines().map(fields).collect()
}

/// The fields of a line, of which some are in quotes.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for character in line.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            other => fields.last_mut().expect("one").push(other),
        }
    }
    fields.into_iter().map(|field| field.trim().to_owned()).collect()
}

/// Joins the lines over which a town with a long bracket is split.
fn joined(lines: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let (opens, closes) = (line[8].contains('（'), line[8].contains('）'));
        match rows.last_mut().filter(|_| is_open) {
            Some(row) => {
                row[8].push_str(&line[8]);
                // A line repeats a reading that is whole already.
                if row[5] != line[5] {
                    row[5].push_str(&line[5]);
                }
                is_open = !closes;
            }
            None => {
                is_open = opens && !closes;
                rows.push(line);
            }
        }
    }
    rows
}

static FLOOR: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [r"^(.*)（([０-９]+階)）$", r"^(.*)\(([^()]*)\)$"].map(|it| Regex::new(it).expect("sound"))
});

static LOTS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [r"^(.*?)第?[０-９]+地割", r"^(.*?)(ﾀﾞｲ)?[0-9]+ﾁﾜﾘ"].map(|it| Regex::new(it).expect("sound"))
});

static NUMBERED_LOTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("第[０-９]+地割").expect("sound"));

/// The town of a row and its reading, by rule 2.
fn town(area: &Area) -> [String; 2] {
    let [_, _, name] = &area.names;
    let [_, _, kana] = &area.kana;
    let is_whole_village = name.ends_with("一円") && name != "一円";
    let before = |text: &str, bracket: char| text.split(bracket).next().unwrap_or("").to_owned();
    let is_next_lots = name.contains("の次に") && before(name, '（').ends_with("場合");
    if name == "以下に掲載がない場合" || is_next_lots || is_whole_village {
        return [String::new(), String::new()];
    }
    let part = |text: &str, regex: &Regex, groups: &[usize]| {
        let found = regex.captures(text)?;
        Some(groups.iter().map(|group| found[*group].to_owned()).collect::<String>())
    };
    if name.ends_with("階）")
        && let Some(floor) = part(name, &FLOOR[0], &[1, 2])
    {
        return [floor, part(kana, &FLOOR[1], &[1, 2]).unwrap_or_else(|| kana.clone())];
    }
    let (name, kana) = (before(name, '（'), before(kana, '('));
    match name.contains("地割").then(|| part(&name, &LOTS[0], &[1])).flatten() {
        Some(town) => [town, part(&kana, &LOTS[1], &[1]).unwrap_or(kana)],
        None => [name, kana],
    }
}

fn has_numbered_lots(area: &Area) -> bool {
    let name = area.names[2].split('（').next().unwrap_or("");
    name.contains("地割") && NUMBERED_LOTS.is_match(name)
}

fn prefecture(city: &str) -> u32 {
    city[..2].parse().expect("digits")
}

fn yubinbango(codes: &[&Code]) -> String {
    let entry = |code: &&Code| match (code.areas.first(), code.offices.first()) {
        (Some(area), _) => {
            let [_, city, _] = &area.names;
            format!(
                "\"{}\":[{},\"{city}\",\"{}\"]",
                code.code,
                prefecture(&area.city),
                town(area)[0]
            )
        }
        (None, Some(office)) => {
            let ([_, city, town], lot) = (&office.place, &office.lot);
            let prefecture = prefecture(&office.city);
            format!("\"{}\":[{prefecture},\"{city}\",\"{town}\",\"{lot}\"]", code.code)
        }
        (None, None) => String::new(),
    };
    format!("$yubin({{{}}});", codes.iter().map(entry).collect::<Vec<_>>().join(","))
}

fn jpostal(prefix: &str, codes: &[&Code], readings: &Readings) -> String {
    let mut lines = Vec::new();
    let mut cities = Vec::new();
    for code in codes {
        let (city, texts) = match (code.areas.first(), code.offices.first()) {
            (Some(area), _) => {
                let [prefecture, city, _] = &area.names;
                let [town, kana] = match has_numbered_lots(area) {
                    true => [String::new(), String::new()],
                    false => town(area),
                };
                (&area.city, ([prefecture, city], [town, String::new(), String::new()], kana))
            }
            (None, Some(office)) => {
                let [prefecture, city, town] = &office.place;
                let texts = [town.clone(), office.lot.clone(), office.name.clone()];
                (&office.city, ([prefecture, city], texts, String::new()))
            }
            (None, None) => continue,
        };
        let ([prefecture, name], [town, lot, office], kana) = texts;
        let [prefecture_kana, city_kana] = &readings[city];
        cities.push((
            city.clone(),
            [prefecture, name, prefecture_kana, city_kana].map(String::clone),
        ));
        lines.push(format!(
            "[\"_{}\",\"{prefecture}\",\"{name}\",\"{town}\",\"{lot}\",\"{office}\",\"{prefecture_kana}\",\"{city_kana}\",\"{kana}\"]",
            code.code
        ));
    }
    let (first, [prefecture, city, prefecture_kana, city_kana]) = &cities[0];
    let shared = match cities.iter().all(|(city, _)| city == first) {
        true => [city.as_str(), city_kana],
        false => ["", ""],
    };
    let [city, city_kana] = shared;
    lines.push(format!(
        "[\"_{prefix}\",\"{prefecture}\",\"{city}\",\"\",\"\",\"\",\"{prefecture_kana}\",\"{city_kana}\",\"\"]"
    ));
    format!("jQuery_jpostal_callback(\n[{}]\n);", lines.join(","))
}

static NAMES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[\p{Han}\p{Hiragana}\p{Katakana}々〆ヶー]+$").expect("sound"));

static NO_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    let parts = "その他|番地|丁目|地割|除く|以上|以下|以内|以外|全域|階|[上下][るル]|[東西]入|含む";
    Regex::new(parts).expect("sound")
});

/// The towns of a row, by rule 1: plain names in the brackets are towns of their own.
fn listed(area: &Area) -> Vec<[String; 2]> {
    fn inside(text: &str, open: char, close: char) -> Option<&str> {
        let inside = text.split_once(open)?.1.strip_suffix(close)?;
        (!inside.contains([open, close])).then_some(inside)
    }
    let [name, kana] = town(area);
    let whole = vec![[name.clone(), kana.clone()]];
    let (Some(names), Some(kanas)) =
        (inside(&area.names[2], '（', '）'), inside(&area.kana[2], '(', ')'))
    else {
        return whole;
    };
    let (names, kanas): (Vec<&str>, Vec<&str>) =
        (names.split('、').collect(), kanas.split('､').collect());
    let are_plain = names.iter().all(|name| NAMES.is_match(name) && !NO_NAMES.is_match(name));
    if name.is_empty() || !are_plain || names.len() != kanas.len() {
        return whole;
    }
    let pairs = names.into_iter().zip(kanas);
    pairs.map(|(part, reading)| [[&name, part].concat(), [&kana, reading].concat()]).collect()
}

/// An answer of zipcloud with its results sorted.
fn sorted(answer: &str) -> String {
    const START: &str = "{\"message\":null,\"results\":[{";
    const END: &str = "}],\"status\":200}";
    let results = answer.strip_prefix(START).and_then(|rest| rest.strip_suffix(END));
    // Anything else is compared as it is.
    let mut results: Vec<&str> = results.map_or(vec![answer], |it| it.split("},{").collect());
    results.sort_unstable();
    results.join("\n")
}

fn zipcloud(code: &Code, readings: &Readings) -> String {
    let mut results = Vec::new();
    let mut push = |city: &str, names: [&str; 3], kana: [&str; 3]| {
        let ([name1, name2, name3], [kana1, kana2, kana3]) = (names, kana);
        results.push(format!(
            "{{\"address1\":\"{name1}\",\"address2\":\"{name2}\",\"address3\":\"{name3}\",\"kana1\":\"{kana1}\",\
             \"kana2\":\"{kana2}\",\"kana3\":\"{kana3}\",\"prefcode\":\"{}\",\"zipcode\":\"{}\"}}",
            prefecture(city),
            code.code
        ));
    };
    for area in &code.areas {
        for [town, kana] in listed(area) {
            let ([name1, name2, _], [kana1, kana2, _]) = (&area.names, &area.kana);
            push(&area.city, [name1, name2, &town], [kana1, kana2, &kana]);
        }
    }
    for office in &code.offices {
        let [kana1, kana2] = &readings[&office.city];
        let [name1, name2, town] = &office.place;
        let town = [town.as_str(), &office.lot].concat();
        push(&office.city, [name1, name2, &town], [kana1, kana2, ""]);
    }
    format!("{{\"message\":null,\"results\":[{}],\"status\":200}}", results.join(","))
}

/// The bodies of the answers, in order. Each of some connections is kept for its share of the requests.
fn get(address: SocketAddr, targets: Vec<String>) -> Vec<String> {
    let share = targets.len().div_ceil(CONNECTIONS);
    std::thread::scope(|scope| {
        let shares = targets.chunks(share);
        let threads: Vec<_> =
            shares.map(|share| scope.spawn(move || Connection::open(address).get(share))).collect();
        threads.into_iter().flat_map(|it| it.join().expect("answers")).collect()
    })
}

/// One connection, which is kept.
struct Connection {
    reader: BufReader<TcpStream>,
}

impl Connection {
    fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).expect("the server listens");
        Connection { reader: BufReader::new(stream) }
    }

    /// The bodies of the answers, in order; several requests are under way at a time.
    fn get(&mut self, targets: &[String]) -> Vec<String> {
        let mut bodies = Vec::new();
        for some in targets.chunks(SENT_AT_ONCE) {
            let requests: String = some
                .iter()
                .map(|target| format!("GET {target} HTTP/1.1\r\nHost: test\r\n\r\n"))
                .collect();
            self.reader.get_mut().write_all(requests.as_bytes()).expect("the server reads");
            bodies.extend(some.iter().map(|target| self.answer(target)));
        }
        bodies
    }

    fn answer(&mut self, target: &str) -> String {
        let mut line = || {
            let mut line = String::new();
            self.reader.read_line(&mut line).expect("an answer");
            line.trim_end().to_owned()
        };
        let status = line();
        assert!(status.starts_with("HTTP/1.1 200"), "{target}: {status}");
        let mut length = 0;
        loop {
            let header = line().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).expect("the whole body");
        String::from_utf8(body).expect("UTF-8")
    }
}
