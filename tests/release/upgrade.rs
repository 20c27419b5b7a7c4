//! Four servers behind HAProxy are upgraded one by one, by handovers and by restarts, while clients send requests and
//! releases change; none may fail. The releases are in a folder, the accounts in a file.

use std::fs;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::fleet::{Load, NODE_PORT, Running, free_port, haproxy, wait_until_listening};
use crate::serve::{Node, SAMPLE, cache_holder};
use crate::{Depot, text};

const HOSTS: [&str; 4] = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];
const BALANCER: &str = "127.0.0.1:28200";

struct Fleet {
    depot: Depot,
    url: String,
}

impl Fleet {
    fn make() -> Fleet {
        let depot = Depot::make();
        let place = depot.folder.path().join("releases");
        fs::create_dir(&place).expect("made");
        let url = format!("file://{}", text(&place));
        Fleet { depot, url }
    }

    fn release(&self, arguments: &[&str]) {
        self.depot.json(&[arguments, &["--releases", &self.url]].concat());
    }

    fn serve(&self, listen: &str, host: &str) -> Node {
        let cache = text(&self.depot.folder.path().join(host));
        let proxy = ["--trusted-proxy", "127.0.0.1/32", "--drain", "1500ms"];
        let arguments = [&["--cache", &cache, "--node-name", host][..], &proxy].concat();
        self.depot.serve_listening(&self.url, listen, &arguments)
    }

    /// The process that serves at this host now.
    fn main_process(&self, host: &str) -> Pid {
        cache_holder(&self.depot.folder.path().join(host))
    }

    /// Starts HAProxy with the documented configuration and a fourth server.
    fn balance(&self, nodes: &[Node]) -> (String, Running) {
        let address = format!("127.0.0.1:{}", free_port());
        let documented = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/drill/haproxy.cfg");
        let documented = fs::read_to_string(documented).expect("the file of the drill");
        let fourth = format!("  server d {}:{NODE_PORT}\n", HOSTS[3]);
        let mut config = documented.replace(BALANCER, &address) + &fourth;
        for (node, host) in nodes.iter().zip(HOSTS) {
            config = config.replace(&format!("{host}:{NODE_PORT}"), node.address());
        }
        let path = self.depot.folder.path().join("haproxy.cfg");
        fs::write(&path, config).expect("written");
        let mut command = Command::new(haproxy());
        let child = command.arg("-f").arg(path).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let running = Running(child.expect("HAProxy runs"));
        wait_until_listening(&address);
        (address, running)
    }
}

#[needs::haproxy]
#[test]
fn four_servers_are_upgraded_without_a_failed_request() {
    let fleet = Fleet::make();
    fleet.release(&["push", "--activate"]);
    let mut nodes = HOSTS.map(|host| fleet.serve(&format!("{host}:0"), host));
    for node in &nodes {
        node.serves_banks_of(SAMPLE);
        node.waits_for("ready", |node| node.get("/readyz").0 == 200);
    }
    let (balancer, _running) = fleet.balance(&nodes);
    let load = Load::begin(&balancer, &nodes[0].key());
    load.continues_without_failures("four servers");
    // Handed over, while the releases change.
    for (number, (node, host)) in nodes.iter_mut().zip(HOSTS).enumerate() {
        let before = fleet.main_process(host);
        node.signal(Signal::USR2);
        node.waits_for("the handover", |node| node.log().contains("handed over; finishing"));
        node.ends_by_itself();
        assert_ne!(fleet.main_process(host), before, "{host}");
        load.continues_without_failures("a handover");
        if number % 2 == 0 {
            let version = format!("2026-07-0{}", number + 1);
            fleet.depot.build_banks(&version);
            fleet.release(&["push", "--activate"]);
            load.continues_without_failures("another release");
        }
    }
    for node in &nodes {
        node.serves_banks_of("2026-07-03");
    }
    // Back, by restarts with a drain.
    for (node, host) in nodes.iter_mut().zip(HOSTS) {
        let address = node.address().to_owned();
        kill_process(fleet.main_process(host), Signal::TERM).expect("runs");
        node.waits_for("the end", |node| {
            node.log().matches("\"message\":\"stopped\"").count() >= 2
        });
        *node = fleet.serve(&address, host);
        node.waits_for("ready", |node| node.get("/readyz").0 == 200);
        node.serves_banks_of("2026-07-03");
        // Longer than between two checks of the balancer.
        std::thread::sleep(std::time::Duration::from_millis(1200));
        load.continues_without_failures("a restart");
    }
    let versions = load.end();
    assert_eq!(versions.last().map(String::as_str), Some("2026-07-03"), "{versions:?}");
}
