//! The live keys in memory, which every request is checked against.
//!
//! Immutable: after a change in the store, `LiveKeys` swaps in a new keyring. Holds hashes only. A
//! look-up hashes the text, finds the hash by its first eight bytes and compares all of it in
//! constant time; it neither allocates nor locks. It does not parse the key or check its checksum.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::identity::{Account, AccountId, AccountName};
use super::key::{KeyHash, KeyId, KeyKind};
use super::meter::Meter;
use super::origin::Origin;
use super::quota::Quota;
use super::recent_digests::find_by_digest;

#[derive(Debug, Clone)]
pub struct KeyEntry {
    pub id: KeyId,
    pub hash: KeyHash,
    pub kind: KeyKind,
    pub account: Arc<Account>,
    /// The allowed origins of a public key; empty for a secret key.
    pub origins: Box<[Origin]>,
    pub quota: Quota,
    /// Shared by all keys of the account, in this keyring and in later ones.
    pub meter: Arc<Meter>,
    /// From then on the key is refused; `None`: never.
    pub expires_at: Option<Timestamp>,
}

impl KeyEntry {
    /// The time at which the key expired, if it has. `now` is called only for a key that expires.
    pub fn expired_at(&self, now: impl FnOnce() -> Timestamp) -> Option<Timestamp> {
        self.expires_at.filter(|expires_at| *expires_at <= now())
    }

    /// Whether a request with these headers may use the key (docs/rules.md#keys). A secret key works from anywhere; a
    /// public key from its registered origins (`Origin`, else `Referer`), without any from loopback origins.
    pub fn allows_origin(&self, origin: Option<&str>, referer: Option<&str>) -> bool {
        if self.kind == KeyKind::Secret {
            return true;
        }
        let is_registered = |text: &str| self.origins.iter().any(|known| known.as_str() == text);
        let sender = match (origin, referer) {
            (Some(origin), _) if is_registered(origin) => return true,
            (Some(origin), _) => Origin::parse(origin).ok(),
            (None, Some(referer)) => Origin::from_referer(referer),
            (None, None) => None,
        };
        match sender {
            Some(sender) if self.origins.is_empty() => sender.is_loopback(),
            Some(sender) => self.origins.contains(&sender),
            None => false,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Keyring {
    /// First eight bytes of each hash, ascending; in a separate array, so that a search touches few cache
    /// lines.
    leading: Box<[u64]>,
    /// In the order of `leading`.
    entries: Box<[Arc<KeyEntry>]>,
    /// For each account the index of its first public key, or of its first secret key if it has no public one.
    first_keys: HashMap<AccountName, usize>,
    /// Every origin registered on any key, ascending.
    origins: Box<[Origin]>,
    /// Whether some public key has no origin registered, and so works from loopback origins.
    allows_loopback: bool,
}

impl Keyring {
    pub fn new(entries: impl IntoIterator<Item = KeyEntry>) -> Keyring {
        let mut entries: Vec<_> = entries.into_iter().map(Arc::new).collect();
        entries.sort_by_key(|entry| entry.hash.0);
        let mut origins: Vec<_> = entries.iter().flat_map(|e| e.origins.iter().cloned()).collect();
        origins.sort_unstable();
        origins.dedup();
        let mut first_keys: HashMap<AccountName, usize> = HashMap::new();
        let order = |at: usize| (entries[at].kind == KeyKind::Secret, entries[at].id);
        for (index, entry) in entries.iter().enumerate() {
            let first = first_keys.entry(entry.account.name.clone()).or_insert(index);
            if order(index) < order(*first) {
                *first = index;
            }
        }
        let is_unbound = |e: &Arc<KeyEntry>| e.kind == KeyKind::Public && e.origins.is_empty();
        Keyring {
            leading: entries.iter().map(|entry| entry.hash.leading()).collect(),
            allows_loopback: entries.iter().any(is_unbound),
            entries: entries.into(),
            first_keys,
            origins: origins.into(),
        }
    }

    /// The entry of a key, by the text that a client presents.
    pub fn find(&self, presented: impl AsRef<[u8]>) -> Option<&Arc<KeyEntry>> {
        // Any other text has no matching hash; parsing it first would only cost time.
        find_by_digest(presented.as_ref(), |hash| self.of_hash(hash))
    }

    fn of_hash(&self, hash: KeyHash) -> Option<&Arc<KeyEntry>> {
        let leading = hash.leading();
        let start = self.leading.partition_point(|known| *known < leading);
        let same = self.leading[start..].iter().take_while(|known| **known == leading).count();
        self.entries[start..start + same].iter().find(|entry| entry.hash == hash)
    }

    /// Whether any public key may be used from this `Origin`; preflight requests carry no key.
    pub fn registers_origin(&self, origin: &str) -> bool {
        let is_registered =
            |text: &str| self.origins.binary_search_by(|o| o.as_str().cmp(text)).is_ok();
        is_registered(origin)
            || Origin::parse(origin).is_ok_and(|parsed| {
                is_registered(parsed.as_str()) || (self.allows_loopback && parsed.is_loopback())
            })
    }

    /// The key under which requests of an account without a key count: its first public key, else its first secret one.
    pub fn first_key_of(&self, account: &AccountName) -> Option<&KeyEntry> {
        self.first_keys.get(account).map(|index| &*self.entries[*index])
    }

    /// The accounts with a live key and a monthly quota.
    pub fn with_monthly_quota(&self) -> HashSet<AccountId> {
        let limited = self.entries.iter().filter(|entry| entry.quota.monthly.is_some());
        limited.map(|entry| entry.account.id).collect()
    }

    /// In the order of their hashes.
    pub fn entries(&self) -> &[Arc<KeyEntry>] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{account, entry, key};
    use super::*;
    use crate::account::Plan;

    #[test]
    fn every_key_is_found_and_no_other() {
        let account = account("demo", Plan::Standard, false);
        let ring = Keyring::new((0..500).map(|seed| entry(seed, KeyKind::Secret, &account, &[])));
        assert_eq!(ring.entries().len(), 500);
        for seed in 0..1000 {
            let found = ring.find(key(seed, KeyKind::Secret).reveal());
            assert_eq!(found.map(|entry| entry.id.0), (seed < 500).then_some(seed as i64));
            assert!(
                ring.find(key(seed, KeyKind::Public).reveal()).is_none(),
                "the kind is part of the key"
            );
        }
        for text in ["", "dk_sec_", "\u{0}", key(1, KeyKind::Secret).beginning()] {
            assert!(ring.find(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn hashes_with_the_same_first_bytes_are_distinguished() {
        let account = account("demo", Plan::Standard, false);
        let sought = entry(7, KeyKind::Secret, &account, &[]);
        let twins = (0..4_u8).map(|last| {
            let mut bytes = sought.hash.0;
            bytes[31] = bytes[31].wrapping_add(last);
            KeyEntry { id: KeyId(last.into()), hash: KeyHash(bytes), ..sought.clone() }
        });
        let ring = Keyring::new(twins.clone());
        let text = key(7, KeyKind::Secret);
        assert_eq!(ring.find(text.reveal()).map(|entry| entry.id), Some(KeyId(0)));
        let without = Keyring::new(twins.skip(1));
        assert!(without.find(text.reveal()).is_none());
    }

    #[test]
    fn an_empty_keyring_finds_nothing() {
        let ring = Keyring::default();
        assert!(ring.entries().is_empty() && ring.find(key(1, KeyKind::Public).reveal()).is_none());
        assert!(!ring.registers_origin("http://localhost"));
    }

    #[test]
    fn a_public_key_works_only_from_its_origins() {
        #[track_caller]
        fn check(registered: &[&str], origin: Option<&str>, referer: Option<&str>, expected: bool) {
            let account = account("demo", Plan::Standard, false);
            let public = entry(1, KeyKind::Public, &account, registered);
            let found = public.allows_origin(origin, referer);
            assert_eq!(found, expected, "{registered:?}: {origin:?}, {referer:?}");
            let secret = entry(1, KeyKind::Secret, &account, &[]);
            assert!(secret.allows_origin(origin, referer), "secret keys are not bound to origins");
        }
        let two = &["https://example.com", "http://localhost:3000"][..];
        let page = Some("https://example.com/page?q=1");
        check(two, Some("https://example.com"), None, true);
        check(two, Some("http://localhost:3000"), None, true);
        check(two, Some("https://EXAMPLE.com:443"), None, true);
        check(two, None, page, true);
        // Another scheme, port or host is another origin.
        check(two, Some("http://example.com"), None, false);
        check(two, Some("https://example.com:8443"), None, false);
        check(two, Some("https://www.example.com"), None, false);
        check(two, Some("https://example.com.evil.example"), None, false);
        check(two, Some("http://localhost:3001"), None, false);
        check(two, None, Some("https://evil.example/?https://example.com"), false);
        check(two, None, Some("https://example.com@evil.example/"), false);
        // The `Origin` header decides whenever it is present, even if the referer would be allowed.
        check(two, Some("null"), page, false);
        check(two, Some(""), page, false);
        check(two, Some("https://evil.example"), page, false);
        // Neither header, or an empty one.
        check(two, None, None, false);
        check(two, None, Some(""), false);
        // No registered origin: only localhost.
        check(&[], Some("http://localhost:5173"), None, true);
        check(&[], Some("http://127.0.0.1"), None, true);
        check(&[], None, Some("http://[::1]:8080/dashboard"), true);
        check(&[], Some("https://example.com"), None, false);
        check(&[], Some("null"), None, false);
        check(&[], None, None, false);
    }

    #[test]
    fn a_preflight_is_allowed_by_its_origin() {
        let account = account("demo", Plan::Standard, false);
        let bound =
            entry(1, KeyKind::Public, &account, &["https://b.example", "https://a.example"]);
        let unbound = entry(2, KeyKind::Public, &account, &[]);
        let secret = entry(3, KeyKind::Secret, &account, &[]);
        let check = |ring: &Keyring, origin: &str, expected: bool| {
            assert_eq!(ring.registers_origin(origin), expected, "{origin:?}");
        };
        let ring = Keyring::new([bound.clone(), secret]);
        check(&ring, "https://a.example", true);
        check(&ring, "https://B.example:443", true);
        check(&ring, "https://c.example", false);
        check(&ring, "http://localhost", false);
        check(&ring, "null", false);
        let ring = Keyring::new([bound, unbound]);
        check(&ring, "http://localhost", true);
        check(&ring, "https://c.example", false);
    }
}
