//! How long to wait between attempts to sign in after wrong passwords. Open sessions are not affected.
//!
//! Attempts count for the typed name (known or not) at its network, and for the network as a whole. Each has
//! some free attempts; every further one doubles the wait, up to a limit. A name alone is never locked, so that
//! guesses from one place do not lock out users elsewhere. A known device, one that signed in before, never
//! waits: it has a number of attempts, after which it counts as unknown. Pure: the store keeps the counts, so that
//! all servers share them and a restart resets nothing.

use jiff::SignedDuration;

use super::session::{TokenHash, Who};
use crate::text::network::Network;

/// The first wait; each further attempt doubles it.
const FIRST_WAIT_SECONDS: i64 = 2;

const WAIT_SECONDS_MAX: i64 = 15 * 60;

/// Attempts are forgotten when none was made for this long. Longer than the longest wait.
pub const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// How long a device is known after it last signed in: a year, near what browsers keep a cookie.
pub const DEVICE_TIME: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Wrong passwords in a row after which a device is forgotten, so that a stolen cookie is worth no more guesses.
pub const DEVICE_ATTEMPTS_MAX: i64 = 20;

/// Known devices of the operator, and of each account; beyond them, the one not used for longest is dropped.
pub const DEVICES_MAX: i64 = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The owner of the typed name; `None` if there is none.
    pub who: Option<Who>,
    /// The cookie of a device that may have signed in before.
    pub device: Option<TokenHash>,
    /// The network comes first: one that must wait adds no count for each name that is tried from it.
    pub subjects: [Subject; 2],
}

impl Attempt {
    /// `name` is the typed name; `None` is the operator.
    pub fn new(
        name: Option<&str>,
        network: Network,
        who: Option<Who>,
        device: Option<TokenHash>,
    ) -> Attempt {
        let name = Subject::Name(name.map(str::to_owned), network);
        Attempt { who, device, subjects: [Subject::Network(network), name] }
    }
}

/// What attempts are counted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The typed name (`None` is the operator) and its network.
    Name(Option<String>, Network),
    Network(Network),
}

impl Subject {
    /// The key of the counts in the store. The network comes first because it contains no spaces; a name may.
    pub fn key(&self) -> String {
        match self {
            Subject::Name(None, network) => format!("{network} operator"),
            Subject::Name(Some(name), network) => format!("{network} account:{name}"),
            Subject::Network(network) => network.to_string(),
        }
    }

    /// Attempts without a wait. A network gets more: it may be a whole office.
    fn free_attempts(&self) -> i64 {
        match self {
            Subject::Name(..) => 5,
            Subject::Network(_) => 20,
        }
    }

    pub fn wait_after(&self, attempts: i64) -> SignedDuration {
        let excess = attempts.saturating_sub(self.free_attempts());
        if excess < 0 {
            return SignedDuration::ZERO;
        }
        let seconds = FIRST_WAIT_SECONDS << excess.min(20);
        SignedDuration::from_secs(seconds.min(WAIT_SECONDS_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        Network::of_client(text.parse().expect("an address"))
    }

    #[test]
    fn the_wait_doubles_up_to_its_limit() {
        #[track_caller]
        fn check(subject: &Subject, attempts: i64, expected: i64) {
            assert_eq!(subject.wait_after(attempts).as_secs(), expected, "after {attempts}");
        }
        let here = network("192.0.2.1");
        let name = Subject::Name(Some("demo".to_owned()), here);
        for (attempts, expected) in
            [(0, 0), (4, 0), (5, 2), (6, 4), (10, 64), (13, 512), (14, 900), (i64::MAX, 900)]
        {
            check(&name, attempts, expected);
            check(&Subject::Name(None, here), attempts, expected);
        }
        let address = Subject::Network(here);
        check(&address, 19, 0);
        check(&address, 20, 2);
        assert!(FORGOTTEN_AFTER > name.wait_after(i64::MAX));
    }

    #[test]
    fn attempts_for_a_name_count_per_network() {
        let key = |text: &str| Subject::Network(network(text)).key();
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_ne!(key("192.0.2.1"), key("192.0.2.2"));
        let name = |name: Option<&str>, at: &str| {
            Subject::Name(name.map(str::to_owned), network(at)).key()
        };
        let all = [
            name(None, "192.0.2.1"),
            name(None, "192.0.2.2"),
            name(Some("operator"), "192.0.2.1"),
            name(Some("demo"), "192.0.2.1"),
            name(Some("demo"), "192.0.2.2"),
            name(Some("192.0.2.1/32 demo"), "192.0.2.2"),
            key("192.0.2.1"),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{one}");
        }
    }
}
