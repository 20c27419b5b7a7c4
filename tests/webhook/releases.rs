//! Servers that follow releases: a change is delivered only after all servers serve the data that brings it.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::receiver::Receiver;
use super::server::{Server, Site};

/// A folder of releases, in place of an object store, beside the site.
struct Store<'a> {
    site: &'a Site,
    url: String,
}

impl Store<'_> {
    /// Pushes the site's snapshots as a release.
    fn push(&self) {
        let snapshots = self.site.snapshots();
        let words = format!("push --snapshots {}", snapshots.display());
        self.release(&words);
    }

    fn release(&self, words: &str) {
        let done = self.site.run_stateless(&format!("release {words} --releases {}", self.url));
        assert!(done.status.success(), "{words}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn serve(&self, name: &str, label: &[&str]) -> Server {
        let cache = self.site.folder.path().join(name);
        let cache = cache.to_str().expect("a path of text");
        let follow = ["--cache", cache, "--node-name", name, "--release-poll", "50ms"];
        let arguments = [&["--webhook-allow-private"], &follow[..], label];
        self.site.serve_from(Path::new(&self.url), &arguments.concat(), &[])
    }
}

#[test]
fn a_change_is_delivered_once_every_server_has_its_data() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let place = site.folder.path().join("store");
    fs::create_dir(&place).expect("made");
    let store = Store { site: &site, url: format!("file://{}", place.display()) };
    store.push();
    store.release("activate 1");
    let canary = store.serve("web-1", &["--node-label", "canary"]);
    let other = store.serve("web-2", &[]);
    for server in [&canary, &other] {
        server.until("ready", |server| server.get("/readyz", "").0 == 200);
    }
    site.put_the_change();
    store.push();
    store.release("activate 2 --label canary");
    let radar = "/v1/houjinbangou/radar/2026-08-03";
    canary.until("the change", |server| server.get(radar, &site.key).0 == 200);
    assert_eq!(other.get(radar, &site.key).0, 404);
    // Longer than the canary takes to read the change lists after its reload.
    thread::sleep(Duration::from_secs(1));
    assert_eq!(receiver.received().len(), 0, "the other server does not have the data yet");
    store.release("activate 2");
    receiver.wait_for(1);
    for server in [&canary, &other] {
        assert_eq!(server.get(radar, &site.key).0, 200);
    }
    assert_eq!(site.deliveries().len(), 1);
}
