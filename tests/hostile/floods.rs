//! HTTP/2 floods: frames without a request, and requests that the client cancels immediately.

use crate::attacker::Attacker;
use crate::cost::cpu_seconds;
use crate::http2::{
    DATA, END_HEADERS, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE, frame, get,
    head, hello, reason,
};
use crate::support::ServerProcess;

const ENHANCE_YOUR_CALM: u32 = 11;

/// The most frames that a flood sends: far more than the server accepts plus what socket buffers hold (10 MB).
const FRAMES: usize = 5_000_000;

#[test]
fn every_flood_ends_with_goaway_and_costs_little() {
    let served = ServerProcess::start();
    let post = frame(HEADERS, END_HEADERS, 1, &head("/v1/whoami", 0));
    let floods: &[(&str, Vec<u8>, Vec<u8>)] = &[
        ("PING", Vec::new(), frame(PING, 0, 0, &[0; 8])),
        ("SETTINGS", Vec::new(), frame(SETTINGS, 0, 0, &[])),
        ("PRIORITY", Vec::new(), frame(PRIORITY, 0, 1, &[0, 0, 0, 0, 1])),
        ("WINDOW_UPDATE", Vec::new(), frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])),
        ("an unknown kind", Vec::new(), frame(0xfa, 0, 0, b"x")),
        ("empty DATA", post, frame(DATA, 0, 1, &[])),
    ];
    for (name, begin, one) in floods {
        let before = cpu_seconds(served.pid());
        let mut attacker = Attacker::connect(served.address);
        assert!(attacker.send(&[hello(65_535), begin.clone()].concat()));
        let many = one.repeat(1000);
        let ended = (0..FRAMES / 1000).any(|_| !attacker.send(&many));
        assert!(ended, "{name}: the server accepted {FRAMES} frames");
        assert_eq!(reason(&attacker.read_to_end()), Some(ENHANCE_YOUR_CALM), "{name}");
        let spent = cpu_seconds(served.pid()) - before;
        assert!(spent < 2.0, "{name}: {spent} s of CPU time");
    }
    assert_eq!(served.get("/v1/postalcode/1000001").status, 200);
}

#[test]
fn requests_cancelled_immediately_end_with_goaway() {
    let served = ServerProcess::start();
    let mut attacker = Attacker::connect(served.address);
    assert!(attacker.send(&hello(65_535)));
    let reset = |stream| [get(stream, "/healthz"), frame(RST_STREAM, 0, stream, &[0, 0, 0, 8])];
    let ended = (0..5_000_u32).any(|hundred| {
        let streams = (0..100).map(|at| 2 * (100 * hundred + at) + 1);
        !attacker.send(&streams.flat_map(reset).collect::<Vec<_>>().concat())
    });
    assert!(ended, "the server accepted half a million cancelled requests");
    assert_eq!(reason(&attacker.read_to_end()), Some(ENHANCE_YOUR_CALM));
    assert_eq!(served.get("/v1/postalcode/1000001").status, 200);
}

#[test]
fn a_client_with_usual_pings_and_window_updates_is_served() {
    let served = ServerProcess::start();
    let mut client = Attacker::connect(served.address);
    assert!(client.send(&hello(65_535)));
    for stream in (1..60).step_by(2) {
        let ping = frame(PING, 0, 0, &[0; 8]);
        let update = frame(WINDOW_UPDATE, 0, 0, &[0, 1, 0, 0]);
        assert!(client.send(&[get(stream, "/healthz"), ping, update].concat()));
    }
    let goaway = frame(crate::http2::GOAWAY, 0, 0, &[0; 8]);
    assert!(client.send(&goaway));
    let sent = client.read_to_end();
    let answers = crate::http2::frames(&sent).iter().filter(|(kind, _)| *kind == HEADERS).count();
    assert_eq!(answers, 30);
}
