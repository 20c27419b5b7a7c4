//! The key that encrypts secrets of webhooks, tested with the built program: created, missing, wrong, and given by an
//! environment variable or a file.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use daicho::radar::delivery::{Delivery, DeliveryState};

use super::receiver::Receiver;
use super::server::Site;

const PRIVATE: &[&str] = &["--webhook-allow-private"];
const RADAR: &str = "/v1/houjinbangou/radar/corporate_numbers";

fn is_delivered(found: &[Delivery]) -> bool {
    !found.is_empty() && found.iter().all(|one| one.state == DeliveryState::Delivered)
}

#[test]
fn secret_is_encrypted_with_a_key_beside_the_state_file() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let key = site.folder.path().join("daicho.db.webhook-key");
    assert_eq!(key.metadata().expect("made").permissions().mode() & 0o777, 0o600);
    let rotated = site.command("account set shop --webhook-secret rotate");
    let secret = rotated["webhook"]["secret"].as_str().expect("shown once").to_owned();
    let plain = secret.strip_prefix("whsec_").expect("a secret");
    let plain = data_encoding::BASE64.decode(plain.as_bytes()).expect("base64");
    for name in ["daicho.db", "daicho.db-wal"] {
        let bytes = std::fs::read(site.folder.path().join(name)).unwrap_or_default();
        assert!(!bytes.windows(plain.len()).any(|part| part == plain), "{name}");
    }
    let server = site.serve(PRIVATE, &[]);
    site.command("webhook test shop");
    assert!(receiver.wait_for(1)[0].is_signed_with(&secret));
    assert!(!server.logged().contains("key of webhook secrets"), "{}", server.logged());
}

#[test]
fn key_is_created_at_the_first_start() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let key = site.folder.path().join("daicho.db.webhook-key");
    site.command("account set shop --webhook none");
    std::fs::remove_file(&key).expect("there");
    let server = site.serve(PRIVATE, &[]);
    assert_eq!(key.metadata().expect("made").permissions().mode() & 0o777, 0o600);
    server.wait_for_log("created the key of webhook secrets");
}

#[test]
fn lost_key_is_reported_and_the_rest_of_the_server_works() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let key = site.folder.path().join("daicho.db.webhook-key");
    let kept = site.folder.path().join("kept");
    std::fs::rename(&key, &kept).expect("moved");
    let server = site.serve(PRIVATE, &[]);
    let told = format!("expected the file {}, found none", key.display());
    let log = server.wait_for_log(&told);
    assert!(log.contains("restore it from a backup"), "{log}");
    assert!(!key.exists(), "no new key, because it could not decrypt the old secrets");
    assert_eq!(server.get(RADAR, &site.key).0, 200);
    assert_eq!(server.get("/readyz", "").0, 200);
    // Commands that need no key work.
    site.command(&format!("account set shop --webhook {}", receiver.url()));
    site.command("webhook test shop");
    let found = site.until("an attempt", |found| found.iter().any(|one| one.attempts > 0));
    let error =
        found[0].last_attempt.as_ref().and_then(|last| last.error.clone()).expect("refused");
    assert_eq!(
        error,
        "this server cannot decrypt the secret of the webhook; see the log of the server"
    );
    // A command that needs the key fails and changes nothing.
    let refused = site.run("account set shop --plan enterprise --webhook-secret rotate");
    let told_too = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told_too.contains(&told), "{told_too}");
    assert_eq!(site.command("account show shop")["plan"], "premium");
    // The server finds the restored key without a restart.
    std::fs::rename(&kept, &key).expect("moved back");
    site.command("webhook test shop");
    assert!(receiver.wait_for(1)[0].is_signed_with(&site.secret.reveal()));
    site.until("its record", is_delivered);
}

#[test]
fn wrong_key_is_reported_and_a_new_secret_replaces_the_undecryptable_one() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let key = site.folder.path().join("daicho.db.webhook-key");
    for (text, part) in [
        (format!("{}=", "I".repeat(43)), "was encrypted with another key"),
        ("I forgot it".to_owned(), "expected 32 bytes in base64"),
        (String::new(), "found nothing"),
    ] {
        std::fs::write(&key, &text).expect("written");
        let server = site.serve(PRIVATE, &[]);
        let log = server.wait_for_log(part);
        assert!(log.contains(&*key.to_string_lossy()), "{text}: {log}");
        assert!(text.is_empty() || !log.contains(&text), "the key is repeated: {log}");
        assert_eq!(server.get(RADAR, &site.key).0, 200, "{text}");
    }
    std::fs::write(&key, format!("{}=\n", "I".repeat(43))).expect("written");
    let server = site.serve(PRIVATE, &[]);
    let rotated = site.command("account set shop --webhook-secret rotate");
    let secret = rotated["webhook"]["secret"].as_str().expect("shown once").to_owned();
    site.command("webhook test shop");
    let request = receiver.wait_for(1).remove(0);
    assert!(request.is_signed_with(&secret));
    assert_eq!(request.header("webhook-signature").split(' ').count(), 1);
    drop(server);
}

#[test]
fn key_can_come_from_a_variable_or_a_file() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let key = site.folder.path().join("daicho.db.webhook-key");
    let named = site.folder.path().join("named");
    std::fs::rename(&key, &named).expect("moved");
    let text = std::fs::read_to_string(&named).expect("a key");
    for (arguments, environment) in [
        (vec!["--webhook-key-file", named.to_str().expect("text")], vec![]),
        (vec![], vec![("DAICHO_WEBHOOK_KEY", Path::new(text.trim()))]),
        (vec![], vec![("DAICHO_WEBHOOK_KEY_FILE", named.as_path())]),
    ] {
        let arguments = [PRIVATE, &arguments].concat();
        let _server = site.serve(&arguments, &environment);
        let before = receiver.received().len();
        site.command("webhook test shop");
        assert!(receiver.wait_for(before + 1)[before].is_signed_with(&site.secret.reveal()));
    }
    assert!(!key.exists());
    let both = std::process::Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(["serve", "--webhook-key-file", "x", "--state"])
        .arg(site.folder.path().join("daicho.db"))
        .env("DAICHO_WEBHOOK_KEY", text.trim())
        .output()
        .expect("it runs");
    let told = String::from_utf8_lossy(&both.stderr);
    assert!(both.status.code() == Some(2) && told.contains("found both"), "{told}");
    assert!(!told.contains(text.trim()));
}
