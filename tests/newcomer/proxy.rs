//! The server behind a proxy, below a path and on a Unix socket.

use super::{daicho, printed, shows, walk};
use crate::support::{ServerProcess, ask, sample};

#[test]
fn a_newcomer_puts_it_behind_a_proxy() {
    let options = [
        "--trusted-proxy",
        "127.0.0.1",
        "--public-url",
        "https://host.example/daicho",
        "--dashboard",
        "on",
    ];
    let served = ServerProcess::with_snapshots(Some(sample()), &options);
    let bare = ServerProcess::with_snapshots(Some(sample()), &[]);
    let client =
        |served: &ServerProcess, header: &str| served.get_with("/v1/whoami", header).text();
    let page = |path: &str| {
        let answer = ask(served.address, &format!("GET {path}\nAccept: text/html"));
        format!("{answer:?}{}", answer.text())
    };
    let forwarded = "X-Forwarded-For: 203.0.113.9, 198.51.100.1";
    walk(
        7,
        [
            shows("whoami is the client", client(&served, forwarded), "198.51.100.1"),
            shows(
                "also by Forwarded",
                client(&served, "Forwarded: for=203.0.113.9"),
                "203.0.113.9",
            ),
            shows("a stranger's header does not count", client(&bare, forwarded), "127.0.0.1"),
            shows("pages link below the path", page("/daicho/"), "/daicho/docs/"),
            shows("also if the proxy strips it", page("/"), "/daicho/docs/"),
            shows(
                "programs learn the address",
                page("/openapi.json"),
                "https://host.example/daicho",
            ),
            shows(
                "the dashboard is below it",
                page("/daicho/dashboard/login"),
                "/daicho/dashboard",
            ),
        ],
    );
}

#[test]
fn a_newcomer_uses_a_unix_socket() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = format!("unix:{}", folder.path().join("daicho.sock").display());
    let _served = ServerProcess::with_snapshots(Some(sample()), &["--listen", &socket]);
    let asked = daicho(folder.path(), &["health", &socket], &[]);
    walk(1, [shows("health asks the socket", printed(&asked), "{")]);
}
