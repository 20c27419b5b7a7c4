//! Delivery of a change by the built server: from the data version that brings it to the receiver. Also retries,
//! secrets, addresses and certificates.

use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use daicho::radar::delivery::{self, Delivery, DeliveryKind, DeliveryState};
use daicho::radar::watch_list;
use daicho::text::codes::Register;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::receiver::{Receiver, read};
use super::server::{CHANGED, Site, UNCHANGED};

/// An issuer in the difference of 2026-08-04.
const CHANGED_ISSUER: &str = "T5430001999901";

const PRIVATE: &[&str] = &["--webhook-allow-private"];

fn is_delivered(delivery: &Delivery) -> bool {
    delivery.state == DeliveryState::Delivered
}

#[test]
fn a_change_is_delivered_after_its_data_is_served() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let server = site.serve(PRIVATE, &[]);
    let radar = "/v1/houjinbangou/radar/2026-08-03";
    // The change list alone must not be delivered: the receiver could not request the data yet.
    site.put("corporate/changes/2026-08-03.txt");
    assert_eq!(server.get(radar, &site.key).0, 404);
    site.put("corporate/2026-08-03.daicho");
    let received = receiver.wait_for(1);
    let url = format!("http://{}{radar}", server.address);
    assert_eq!(received[0].body, format!("{{\"url\":\"{url}\",\"date\":\"2026-08-03\"}}"));
    assert!(received[0].is_signed_with(&site.secret.reveal()));
    let (status, body) = server.get(radar, &site.key);
    assert_eq!((status, body.as_str()), (200, &*format!("{{\"data\":[\"{CHANGED}\"]}}")));
    let found = site.until("its record", |found| found.iter().all(is_delivered));
    let [delivery] = &found[..] else { panic!("{found:?}") };
    assert_eq!(delivery.id.as_str(), received[0].header("webhook-id"));
    assert_eq!(delivery.last_attempt.as_ref().and_then(|last| last.status), Some(204));
    let (_, metrics) = server.get("/metrics", "");
    assert!(
        metrics.contains("daicho_webhook_attempts_total{outcome=\"delivered\"} 1"),
        "{metrics}"
    );
    let log = server.wait_for_log("webhook delivered");
    assert!(log.contains(delivery.id.as_str()), "{log}");
    assert!(!log.contains("/hook"), "the path of a webhook may be a secret: {log}");
    server.stop();
    // A restarted server does not deliver it again.
    let server = site.serve(PRIVATE, &[]);
    assert_eq!(server.get(radar, &site.key).0, 200);
    site.command("webhook test shop");
    receiver.wait_for(2);
    assert_eq!(site.deliveries().len(), 2, "the change and the test");
}

#[test]
fn two_servers_on_one_store_deliver_a_change_once() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    site.put_the_change();
    let servers = [site.serve(PRIVATE, &[]), site.serve(PRIVATE, &[])];
    receiver.wait_for(1);
    // The test delivery is last in the queue: a duplicate of the change would arrive before it.
    site.command("webhook test shop");
    let received = receiver.wait_for(2);
    let days: Vec<&str> = received.iter().map(|one| one.header("webhook-id")).collect();
    assert_ne!(days[0], days[1]);
    site.until("both records", |found| found.len() == 2 && found.iter().all(is_delivered));
    let matched = |server: &super::server::Server| {
        server.logged().matches("matched the changes of a day").count()
    };
    let matched = || servers.iter().map(matched).sum::<usize>();
    // The other server may send deliveries before the one that made them has logged the match.
    site.until("a line of the log", |_| matched() > 0);
    assert_eq!(matched(), 1);
}

#[test]
fn changes_of_unwatched_numbers_are_not_delivered() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let number = |text| daicho::text::codes::CorporateNumber::parse(text).expect("a number");
    let mut store = site.store();
    watch_list::remove(&mut store, site.account, Register::Corporate, &[number(CHANGED)])
        .expect("removed");
    watch_list::add(
        &mut store,
        site.account,
        Register::Corporate,
        &[number(UNCHANGED)],
        10,
        jiff::Timestamp::now(),
    )
    .expect("added");
    site.put_the_change();
    let server = site.serve(PRIVATE, &[]);
    site.command("webhook test shop");
    receiver.wait_for(1);
    assert_eq!(site.deliveries().len(), 1, "the test delivery only");
    let (status, body) = server.get("/v1/houjinbangou/radar/2026-08-03", &site.key);
    assert_eq!((status, body.as_str()), (200, "{\"data\":[]}"));
}

#[test]
fn a_change_of_an_issuer_is_delivered_with_the_url_of_its_register() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let (now, register) = (jiff::Timestamp::now(), Register::Invoice);
    let number = register.parse_number(CHANGED_ISSUER).expect("a number");
    watch_list::add(&mut site.store(), site.account, register, &[number], 10, now).expect("added");
    let servers = [site.serve(PRIVATE, &[]), site.serve(PRIVATE, &[])];
    std::fs::create_dir_all(site.snapshots().join("invoice/changes")).expect("made");
    site.put("invoice/changes/2026-08-04.txt");
    site.put("invoice/2026-08-04.daicho");
    let received = receiver.wait_for(1);
    assert!(received[0].is_signed_with(&site.secret.reveal()));
    let body: serde_json::Value = serde_json::from_str(&received[0].body).expect("JSON");
    let url = body["url"].as_str().expect("a URL");
    let path = "/v1/invoice/radar/2026-08-04";
    assert!(url.ends_with(path), "{url}");
    assert_eq!(body["date"], "2026-08-04");
    // The other server may load the version later.
    servers[0].until("the day's data", |server| server.get(path, &site.key).0 == 200);
    let (_status, body) = servers[0].get(path, &site.key);
    assert_eq!(body, format!("{{\"data\":[\"{CHANGED_ISSUER}\"]}}"));
    // The test delivery is last in the queue: a second one of the change would arrive before it.
    site.command("webhook test shop");
    receiver.wait_for(2);
    let found = site.until("both records", |found| found.iter().all(is_delivered));
    let of_invoice = found.iter().filter(|one| one.register == Register::Invoice).count();
    assert_eq!((found.len(), of_invoice), (2, 1), "{found:?}");
}

#[test]
fn a_failed_delivery_is_retried_with_the_same_id() {
    let receiver = Receiver::start(|number| match number {
        0 => "HTTP/1.1 503 Service Unavailable\r\n\r\n",
        _ => "HTTP/1.1 200 OK\r\n\r\n",
    });
    let site = Site::with_webhook(&receiver.url());
    let server =
        site.serve(&["--webhook-allow-private", "--public-url", "https://api.example/"], &[]);
    site.put_the_change();
    let received = receiver.wait_for(2);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_ne!(received[0].header("webhook-timestamp"), received[1].header("webhook-timestamp"));
    assert_ne!(received[0].header("webhook-signature"), received[1].header("webhook-signature"));
    assert_eq!(received[0].body, received[1].body);
    assert!(received[0].body.starts_with("{\"url\":\"https://api.example/v1/houjinbangou/radar/"));
    let found = site.until("its record", |found| found.iter().all(is_delivered));
    let attempts = site.command(&format!("webhook show {}", found[0].id));
    let status = |at: usize| attempts[at]["status"].as_u64();
    assert_eq!((status(0), status(1)), (Some(503), Some(200)));
    // Sent again by command.
    let again = site.command(&format!("webhook redeliver {}", found[0].id));
    assert_eq!(again[0]["state"], "waiting");
    let received = receiver.wait_for(3);
    assert_eq!(received[0].header("webhook-id"), received[2].header("webhook-id"));
    drop(server);
}

#[test]
fn both_secrets_sign_while_one_is_replaced() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let server = site.serve(PRIVATE, &[]);
    let account = site.command("account set shop --webhook-secret rotate");
    let newer = account["webhook"]["secret"].as_str().expect("shown once").to_owned();
    let shown = site.command("account show shop");
    assert_eq!(shown["webhook"]["url"], receiver.url());
    assert_eq!(shown["webhook"].get("secret"), None);
    site.command("webhook test shop");
    let request = receiver.wait_for(1).remove(0);
    assert_eq!(request.header("webhook-signature").split(' ').count(), 2);
    assert!(request.is_signed_with(&newer) && request.is_signed_with(&site.secret.reveal()));
    drop(server);
}

#[test]
fn private_addresses_are_refused_with_a_reason() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let _server = site.serve(&[], &[]);
    site.command("webhook test shop");
    let found = site.until("an attempt", |found| found.iter().any(|one| one.attempts > 0));
    let error =
        found[0].last_attempt.as_ref().and_then(|last| last.error.clone()).expect("refused");
    assert!(error.contains("127.0.0.1, which is this machine"), "{error}");
    assert_eq!(found[0].state, DeliveryState::Waiting, "the operator may allow it yet");
    assert!(receiver.received().is_empty());
}

#[test]
fn silent_receivers_do_not_delay_the_others() {
    let live = Receiver::willing();
    let site = Site::with_webhook(&live.url());
    let mut store = site.store();
    // Connections are accepted and get no response.
    let dead: Vec<TcpListener> =
        (0..10).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    for (at, listener) in dead.iter().enumerate() {
        let name = format!("dead{at}");
        let url = format!("http://{}/", listener.local_addr().expect("bound"));
        site.command(&format!("account create {name} --plan premium"));
        site.command(&format!("account set {name} --webhook {url}"));
        let id = store.account(&daicho::account::AccountName::parse(&name).expect("a name"));
        for seed in 0..30_u8 {
            announce(&mut store, id.as_ref().expect("there").id, [at as u8 + 1, seed]);
        }
    }
    for seed in 0..50 {
        announce(&mut store, site.account, [0, seed]);
    }
    let _server = site.serve(PRIVATE, &[]);
    live.wait_for(50);
    let of_dead = |one: &&Delivery| one.account.as_str() != "shop";
    let left = site.deliveries();
    assert_eq!(left.iter().filter(of_dead).filter(|one| !is_delivered(one)).count(), 300);
}

fn announce(
    store: &mut daicho::account::store::Store,
    account: daicho::account::AccountId,
    seed: [u8; 2],
) {
    let random = std::array::from_fn(|at| if at < 2 { seed[at] } else { 9 });
    let id = daicho::radar::webhook::DeliveryId::from_random(random);
    let day = daicho::text::codes::DataVersion::parse("2026-08-03").expect("a date");
    let now = jiff::Timestamp::now();
    store
        .write(|tx| {
            delivery::insert(tx, &id, account, DeliveryKind::Radar, Register::Corporate, day, now)
        })
        .expect("made");
}

/// A certificate authority of the test.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Authority {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("signed").pem();
        Authority { issuer: Issuer::new(params, key), pem }
    }

    /// TLS configuration of a server with a certificate for this name.
    fn certify(&self, name: &str) -> Arc<ServerConfig> {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("signed");
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key);
        Arc::new(config.expect("a certificate and its key"))
    }
}

fn secured(config: Arc<ServerConfig>) -> Receiver {
    Receiver::with(move |tcp, received| {
        let tls = ServerConnection::new(Arc::clone(&config)).expect("a connection");
        let mut stream = StreamOwned::new(tls, tcp);
        let Some(request) = read(&mut stream) else { return };
        received.lock().expect("no panic").push(request);
        let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
        stream.conn.send_close_notify();
        let _ = stream.flush();
    })
}

#[test]
fn certificates_are_verified() {
    let (ours, other) = (Authority::new(), Authority::new());
    let trusted = secured(ours.certify("localhost"));
    let site = Site::with_webhook(&format!("https://localhost:{}/", trusted.address.port()));
    let roots = site.folder.path().join("roots.pem");
    std::fs::write(&roots, &ours.pem).expect("written");
    let _server = site.serve(PRIVATE, &[("SSL_CERT_FILE", Path::new(&roots))]);
    site.command("webhook test shop");
    let received = trusted.wait_for(1);
    assert!(received[0].is_signed_with(&site.secret.reveal()));
    site.until("its record", |found| found.iter().all(is_delivered));
    for config in [other.certify("localhost"), ours.certify("elsewhere.example")] {
        let wrong = secured(config);
        let url = format!("https://localhost:{}/", wrong.address.port());
        site.command(&format!("account set shop --webhook {url}"));
        let made = site.command("webhook test shop");
        let id = made[0]["id"].as_str().expect("an id").to_owned();
        let of = |found: &[Delivery]| {
            found.iter().find(|one| one.id.as_str() == id).and_then(|one| one.last_attempt.clone())
        };
        let found = site.until("an attempt", |found| of(found).is_some());
        let error = of(&found).and_then(|last| last.error).expect("refused");
        assert!(error.contains("cannot set up TLS: invalid peer certificate"), "{error}");
        assert!(wrong.received().is_empty());
    }
}
