//! How long to wait between attempts to sign in after wrong passwords. Open sessions are not affected.
//!
//! Attempts count for the name that was typed, known or not, and for the address. Each has some free attempts;
//! every further one doubles the wait, up to a bound: guessing comes to a handful of guesses an hour.
//! Pure: the store keeps the counts, so that all servers share them and a restart resets nothing.

use std::net::IpAddr;

use jiff::SignedDuration;

/// The first wait; each further attempt doubles it.
const FIRST_WAIT_SECONDS: i64 = 2;

const WAIT_SECONDS_MAX: i64 = 15 * 60;

/// Attempts are forgotten when none was made for this long. Longer than the longest wait.
pub const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(1);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The name that was typed; `None` is the operator.
    Name(Option<String>),
    Address(IpAddr),
}

impl Subject {
    /// The key of the counts in the store: an IPv6 client controls a whole /64, one subject.
    pub fn key(&self) -> String {
        match self {
            Subject::Name(None) => "operator".to_owned(),
            Subject::Name(Some(name)) => format!("account:{name}"),
            Subject::Address(IpAddr::V4(address)) => format!("address:{address}"),
            Subject::Address(IpAddr::V6(address)) => {
                let [a, b, c, d, ..] = address.segments();
                format!("address:{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        }
    }

    /// Attempts without a wait. An address may be that of a whole office.
    fn free(&self) -> i64 {
        match self {
            Subject::Name(_) => 5,
            Subject::Address(_) => 20,
        }
    }

    /// How long the next attempt must wait after this many.
    pub fn wait_after(&self, attempts: i64) -> SignedDuration {
        let Some(beyond) = attempts.checked_sub(self.free()).filter(|beyond| *beyond >= 0) else {
            return SignedDuration::ZERO;
        };
        let seconds = FIRST_WAIT_SECONDS << beyond.min(20);
        SignedDuration::from_secs(seconds.min(WAIT_SECONDS_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_grows_to_its_bound() {
        #[track_caller]
        fn check(subject: &Subject, attempts: i64, expected: i64) {
            assert_eq!(subject.wait_after(attempts).as_secs(), expected, "after {attempts}");
        }
        let name = Subject::Name(Some("demo".to_owned()));
        for (attempts, expected) in
            [(0, 0), (4, 0), (5, 2), (6, 4), (10, 64), (13, 512), (14, 900), (i64::MAX, 900)]
        {
            check(&name, attempts, expected);
            check(&Subject::Name(None), attempts, expected);
        }
        let address = Subject::Address(IpAddr::from([192, 0, 2, 1]));
        check(&address, 19, 0);
        check(&address, 20, 2);
        assert!(FORGOTTEN_AFTER > name.wait_after(i64::MAX));
    }

    #[test]
    fn an_ipv6_network_is_one_subject() {
        let key = |text: &str| Subject::Address(text.parse().expect("an address")).key();
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_ne!(key("192.0.2.1"), key("192.0.2.2"));
        let name = |text: &str| Subject::Name(Some(text.to_owned())).key();
        assert_ne!(Subject::Name(None).key(), name("operator"));
    }
}
