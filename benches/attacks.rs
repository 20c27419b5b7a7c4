//! What one caller's costly requests leave of others' look-ups: requests that are answered, or refused, outside the lanes
//! of searches and batches.
//!
//! Eight connections send one such request again and again, and eight others look up postal codes with another account.
//! Baseline of the same run: the eight send look-ups too. Printed is the rate of the others beside each request as a share
//! of their rate beside look-ups, the median over the rounds; the bound is 0.75 for each.
//!
//! It serves the data that are included in the program, and the bank directory of `build sample`. wrk makes the load and
//! shares the cores with the server.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use daicho::text::percent::encode;
use support::load::{latency, median, script, serve_with};
use support::{daicho, folder, secret_key};

/// Connections that send costly requests, and as many that look up.
const CONNECTIONS: usize = 8;

const ROUNDS: usize = 1;
const ROUND_SECONDS: u32 = 1;

const BOUND: f64 = 0.75;

/// A costly request: what it is, its method, target, headers and body.
struct Attack {
    name: &'static str,
    method: &'static str,
    target: String,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Attack {
    fn get(
        name: &'static str,
        target: impl Into<String>,
        headers: &[(&'static str, &str)],
    ) -> Attack {
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Attack { name, method: "GET", target: target.into(), headers, body: String::new() }
    }

    fn message(name: &'static str, key: &str, body: String) -> Attack {
        let headers = [
            ("Authorization", format!("Token {key}")),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("MCP-Protocol-Version", "2025-06-18".to_owned()),
        ];
        Attack { name, method: "POST", target: "/mcp".to_owned(), headers: headers.into(), body }
    }

    /// Writes it as a script of wrk; returns the script's path.
    fn write(&self, folder: &Path) -> PathBuf {
        let mut script =
            format!("wrk.method = \"{}\"\nwrk.path = \"{}\"\n", self.method, self.target);
        for (name, value) in &self.headers {
            let _ = writeln!(script, "wrk.headers[\"{name}\"] = \"{value}\"");
        }
        if !self.body.is_empty() {
            let _ = writeln!(script, "wrk.body = [==[{}]==]", self.body);
        }
        let path = folder.join("attack.lua");
        fs::write(&path, script).expect("below the target folder");
        path
    }
}

fn main() {
    let folder = folder("attacks");
    for (build, out) in [("included", "snapshots"), ("sample", "made-up")] {
        let built = daicho().args(["build", build, "--out"]).arg(folder.join(out)).output();
        assert!(built.expect("the program runs").status.success(), "{build}");
    }
    for dataset in ["bank", "school"] {
        let [from, to] = ["made-up", "snapshots"].map(|place| folder.join(place).join(dataset));
        fs::rename(from, to).expect("the sample has it");
    }
    let calm = secret_key(&folder, "calm", "premium");
    let hostile = secret_key(&folder, "hostile", "premium");

    let (mut server, address) = serve_with(&folder, &["--compat", "all"]);
    let paths: Vec<String> =
        ["1000001", "6800011"].map(|code| format!("/v1/postalcode/{code}")).into();
    let look_ups = script(&folder, "calm", &calm, &paths);
    let control = Attack::get(
        "look-ups",
        paths[0].clone(),
        &[("Authorization", &format!("Token {hostile}"))],
    );
    println!(
        "look-ups of eight connections beside eight of another account, {ROUNDS} rounds of {ROUND_SECONDS} s (bound: at least {BOUND})"
    );
    latency(address, &look_ups, (CONNECTIONS, 1));
    for attack in attacks(&hostile) {
        let mut shares = Vec::new();
        let mut answered = 0.0;
        for _ in 0..ROUNDS {
            let (with_control, _) = beside(address, &look_ups, &control.write(&folder));
            let (with_attack, rate) = beside(address, &look_ups, &attack.write(&folder));
            shares.push(with_attack / with_control);
            answered = rate;
        }
        println!(
            "  {:<52} {:>5.2}   ({answered:.0} answers/s)",
            attack.name,
            median(shares.into_iter())
        );
    }
    server.kill().expect("our own child");
    server.wait().expect("our own child");
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// Rates of the look-ups, and of the requests of a script, both at once.
fn beside(address: SocketAddr, look_ups: &Path, attack: &Path) -> (f64, f64) {
    let attacking = start(address, attack);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let (rate, _) = latency(address, look_ups, (CONNECTIONS, ROUND_SECONDS));
    let output = attacking.wait_with_output().expect("our own child");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    let answered = report.split("Requests/sec:").nth(1).and_then(|rest| rest.lines().next());
    let answered = answered.and_then(|text| text.trim().parse().ok());
    (rate, answered.unwrap_or_else(|| panic!("wrk says: {report}")))
}

/// Runs wrk with a script, for a little longer than a round.
fn start(address: SocketAddr, script: &Path) -> Child {
    Command::new("wrk")
        .args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{}s", ROUND_SECONDS + 1), "-s"])
        .arg(script)
        .arg(format!("http://{address}/"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("this bench needs wrk, of Debian's package of that name")
}

fn attacks(secret: &str) -> Vec<Attack> {
    let token = format!("Token {secret}");
    let keyed: &[(&str, &str)] = &[("Authorization", &token)];
    let gzip = &[("Accept-Encoding", "gzip")];
    let letters = |count: usize| encode(&"あ".repeat(count)).to_string();
    let unknown: Vec<String> = (0..8_000).map(|n| format!("{n:x}")).collect();
    let arguments = |text: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"normalize_address\",\"arguments\":{{\"address\":\"{text}\"}}}}}}"
        )
    };
    let many: Vec<String> = (0..6_000).map(|n| format!("\"a{n}\":1")).collect();
    vec![
        Attack::message("POST /mcp, 64 KB of arguments", secret, arguments(&"あ".repeat(21_000))),
        Attack::message(
            "POST /mcp, 6,000 members",
            secret,
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{{{}}}}}",
                many.join(",")
            ),
        ),
        Attack::message("POST /mcp, broken JSON", secret, format!("{}[", "{\"a\":[".repeat(60))),
        Attack::message(
            "POST /mcp, 64 KB of broken JSON",
            secret,
            format!("[{}", "1,".repeat(32_000)),
        ),
        Attack::message(
            "POST /mcp, tools/list",
            secret,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}".to_owned(),
        ),
        Attack::message("POST /mcp, tools/call", secret, arguments("千代田区千代田1-1")),
        Attack::get(
            "8,000 unknown parameters",
            format!("/v1/postalcode/1000001?{}", unknown[..5_500].join("&")),
            keyed,
        ),
        Attack::get("holidays of 145 years", "/v1/holidays?from=1955-01-01&to=2099-12-31", keyed),
        Attack::get(
            "32 KB of a=b& without a key",
            format!("/v1/postalcode/1000001?{}", "a=b&".repeat(8_000)),
            &[],
        ),
        Attack::get("/openapi.json, gzip, no key", "/openapi.json", gzip),
        Attack::get("/docs/ page, gzip, no key", "/docs/rules", gzip),
        Attack::get("an unknown page of /docs/, gzip, no key", "/docs/nothing", gzip),
        Attack::get("/, gzip, no key", "/", gzip),
        Attack::get("bank q of 3,400 letters", format!("/v1/bank?q={}", letters(3_400)), keyed),
        Attack::get("bank q of 250 letters", format!("/v1/bank?q={}", letters(250)), keyed),
        Attack::get(
            "corporate keyword of 1,600 letters",
            format!("/v1/houjinbangou?q={}", letters(1_600)),
            keyed,
        ),
        Attack::get(
            "suggestions of 3,400 letters",
            format!("/v1/suggest/corporation?q={}", letters(3_400)),
            keyed,
        ),
        Attack::get(
            "suggestions of 250 letters",
            format!("/v1/suggest/corporation?q={}", letters(250)),
            keyed,
        ),
        Attack::get(
            "parent of 3,000 letters",
            format!("/v1/suggest/address?parent=13101{}", letters(3_000)),
            keyed,
        ),
        Attack::get(
            "address of 3,000 letters",
            format!("/v1/postalcode?t={}", letters(3_000)),
            keyed,
        ),
        Attack::get("address of 100 letters", format!("/v1/postalcode?t={}", letters(100)), keyed),
        Attack::get("/metrics, gzip, no key", "/metrics", gzip),
        Attack::get("/v1/sources, gzip", "/v1/sources", &[keyed[0], gzip[0]]),
        Attack::get(
            "100 corporations, gzip",
            format!("/v1/houjinbangou?q={}&limit=100", encode("株式会社")),
            &[keyed[0], gzip[0]],
        ),
        Attack::get("the form script, gzip, no key", "/js/daicho.js", gzip),
        Attack::get("sign-in page, gzip, no key", "/dashboard/login", gzip),
        Attack::get("401 without a key", "/v1/postalcode/1000001", &[]),
        Attack::get("404 of a path of 30 KB", format!("/{}", "a".repeat(30_000)), &[]),
        Attack::get(
            "a key of 30 KB",
            "/v1/postalcode/1000001",
            &[("Authorization", &format!("Token {}", "a".repeat(30_000)))],
        ),
        Attack::get(
            "Accept-Encoding of 30 KB",
            "/v1/postalcode/1000001",
            &[keyed[0], ("Accept-Encoding", &"a;q=0.1,".repeat(3_750))],
        ),
        Attack::get(
            "If-None-Match of 30 KB",
            "/v1/postalcode/1000001",
            &[keyed[0], ("If-None-Match", &"W/a, ".repeat(6_000))],
        ),
        Attack::get(
            "Accept-Language of 30 KB",
            "/v1/postalcode/1",
            &[keyed[0], ("Accept-Language", &"ab;q=0.1,".repeat(3_300))],
        ),
    ]
}
