//! Limits of sign-in attempts: per name and address, for known devices, behind proxies, and during a flood of
//! attempts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::site::{OPERATOR, Site, get, send};
use crate::support::{Answer, wait_until};

const PROXY: &[&str] = &["--trusted-proxy", "127.0.0.1,::1"];

fn sign_in(site: &Site, name: &str, password: &str, cookie: &str, headers: &str) -> Answer {
    let escape = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let body = format!("name={}&password={}", escape(name), escape(password));
    send(site.served.address, "/dashboard/login", cookie, headers, body.as_bytes())
}

/// Guesses until the next attempt must wait 4 seconds or more, so that the wait outlasts the checks that follow.
fn lock(site: &Site, name: &str, headers: &str) {
    wait_until("a wait", || {
        let answer = sign_in(site, name, "a wrong guess", "", headers);
        let seconds: u64 =
            answer.header("retry-after").map_or(0, |it| it.parse().expect("seconds"));
        answer.status == 429 && seconds >= 4
    });
}

/// The cookies of a response, as a browser would send them back.
fn cookies(answer: &Answer) -> Vec<String> {
    let set = answer.headers.iter().filter(|(name, _)| name == "set-cookie");
    set.map(|(_, value)| value.split(';').next().expect("a value").to_owned()).collect()
}

fn device(answer: &Answer) -> String {
    let cookies = cookies(answer);
    let device = cookies.into_iter().find(|cookie| cookie.contains("daicho-device="));
    device.expect("a cookie of the device")
}

#[test]
fn guesses_from_one_address_do_not_lock_out_other_addresses() {
    let site = Site::with(PROXY);
    let from = |address: &str| format!("X-Forwarded-For: {address}");
    let here = from("198.51.100.1");
    lock(&site, "", &here);
    assert_eq!(sign_in(&site, "", OPERATOR, "", &here).status, 429);
    // A client can send any X-Forwarded-For; the proxy appends the address that it sees.
    let forged = from("203.0.113.9, 198.51.100.1");
    assert_eq!(sign_in(&site, "", OPERATOR, "", &forged).status, 429);
    let elsewhere = from("198.51.100.1, 203.0.113.9");
    assert_eq!(sign_in(&site, "", OPERATOR, "", &elsewhere).status, 303);
    // Addresses of one IPv6 network count as one client.
    lock(&site, "", &from("2001:db8:1:2::1"));
    assert_eq!(sign_in(&site, "", OPERATOR, "", &from("2001:db8:1:2:ffff::1")).status, 429);
    assert_eq!(sign_in(&site, "", OPERATOR, "", &from("2001:db8:1:3::1")).status, 303);
}

#[test]
fn forwarded_address_is_used_only_from_trusted_proxies() {
    for arguments in [&[][..], &["--trusted-proxy", "10.0.0.0/8"]] {
        let site = Site::with(arguments);
        let statuses: Vec<u16> = (0..12)
            .map(|at| {
                let headers = format!("X-Forwarded-For: 198.51.100.{at}");
                sign_in(&site, "", "a wrong guess", "", &headers).status
            })
            .collect();
        assert!(statuses.contains(&429), "{arguments:?}: {statuses:?}");
    }
}

#[test]
fn known_device_is_admitted_while_its_address_must_wait() {
    let site = Site::start();
    let first = sign_in(&site, "", OPERATOR, "", "");
    assert_eq!(first.status, 303);
    let set = first.headers.iter().filter(|(name, _)| name == "set-cookie");
    let set = set.map(|(_, value)| value).find(|value| value.starts_with("daicho-device="));
    let set = set.expect("a cookie of the device");
    assert!(set.ends_with("; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict"), "{set}");
    let device = device(&first);
    // The device cookie alone does not sign in.
    assert_eq!(get(site.served.address, "/dashboard/figures", &device).status, 303);
    lock(&site, "", "");
    assert_eq!(sign_in(&site, "", OPERATOR, "", "").status, 429);
    let unknown = format!("daicho-device={}", "a".repeat(52));
    for cookie in [unknown.as_str(), "daicho-device=x", "daicho-device="] {
        assert_eq!(sign_in(&site, "", OPERATOR, cookie, "").status, 429, "{cookie}");
    }
    // The device is known for the operator only.
    lock(&site, "somebody", "");
    assert_eq!(sign_in(&site, "somebody", "a wrong guess", &device, "").status, 429);
    for _ in 0..3 {
        assert_eq!(sign_in(&site, "", "mistyped it", &device, "").status, 403);
    }
    let again = sign_in(&site, "", OPERATOR, &device, "");
    assert_eq!(again.status, 303);
    assert_eq!(self::device(&again), device, "it keeps its cookie");
    // A stolen cookie allows 20 guesses; then the device is no longer known.
    for guess in 0..20 {
        let status = sign_in(&site, "", "a wrong guess", &device, "").status;
        assert_eq!(status, 403, "guess {guess}");
    }
    sign_in(&site, "", "a wrong guess", &device, "");
    lock(&site, "", "");
    assert_eq!(sign_in(&site, "", OPERATOR, &device, "").status, 429);
}

#[test]
fn unknown_device_cookie_is_replaced() {
    let site = Site::start();
    let planted = format!("daicho-device={}", "a".repeat(52));
    let answer = sign_in(&site, "", OPERATOR, &planted, "");
    assert_eq!(answer.status, 303);
    assert_ne!(device(&answer), planted);
}

#[test]
fn flood_of_sign_ins_does_not_block_pages_or_known_devices() {
    let site = Arc::new(Site::start());
    let first = sign_in(&site, "", OPERATOR, "", "");
    let (all, device) = (cookies(&first).join("; "), device(&first));
    let (stop, refused) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let guessers: Vec<_> = (0..48)
        .map(|at| {
            let (site, stop, refused) = (site.clone(), stop.clone(), refused.clone());
            std::thread::spawn(move || {
                // A cookie without a session still needs a look-up in the store.
                let cookie = format!("daicho={}", "a".repeat(52));
                while !stop.load(Relaxed) {
                    let name = format!("name {at}");
                    let answer = sign_in(&site, &name, "a wrong guess", &cookie, "");
                    assert!([403, 429, 503].contains(&answer.status), "{}", answer.status);
                    if answer.status == 503 {
                        assert_eq!(answer.header("retry-after"), Some("5"));
                        refused.fetch_add(1, Relaxed);
                    }
                }
            })
        })
        .collect();
    wait_until("guesses are refused for want of a slot", || refused.load(Relaxed) > 20);
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(2) {
        for page in ["/dashboard/figures", "/dashboard/accounts", "/dashboard/login"] {
            let answer = get(site.served.address, page, &all);
            assert!([200, 303].contains(&answer.status), "{page}: {}", answer.status);
        }
    }
    assert_eq!(sign_in(&site, "", OPERATOR, &device, "").status, 303);
    stop.store(true, Relaxed);
    for guesser in guessers {
        guesser.join().expect("no other status");
    }
}
