//! The digests of the keys that this thread has found last, so that the next request with the same key need not compute
//! its SHA-256.
//!
//! Processors without instructions for SHA-256 take 3,400 others for it, more than for all other checks of a request.
//! A text is recognised by its SipHash-2-4 of 128 bits under a random secret of the thread, and never kept itself. Who
//! does not know that secret finds another text with the same tag only by guessing: one chance in 2^128 for each request,
//! and the tags of texts that are tried tell nothing about others. Tags are compared in constant time. That a known key
//! is found sooner the second time tells only those who have it.
//!
//! An entry has no end: the digest of a text never changes, and whether it is that of a live key is looked up in the
//! keyring each time. Only keys that are found are kept, so that texts which are none displace nothing.

use std::cell::RefCell;

use siphasher::sip128::{Hash128, SipHasher24};

use super::key::{KEY_LENGTH, KeyHash};

/// Most digests of a thread; a new one takes the place of the one with the same slot. A power of two: 7 KiB.
const SLOTS: usize = 128;

struct RecentDigests {
    secret: SipHasher24,
    slots: Box<[Option<(Hash128, KeyHash)>]>,
}

thread_local! {
    /// `None` if the system has no random bytes: then every digest is computed. They are not those of a simulation's seed,
    /// since nothing but the time depends on them.
    static RECENT: Option<RefCell<RecentDigests>> = {
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).ok().map(|()| RefCell::new(RecentDigests::new(secret)))
    };
}

/// What `find` returns for the digest of a text; `None` unless the text is as long as a key.
pub fn find_by_digest<T>(text: &[u8], find: impl Fn(KeyHash) -> Option<T>) -> Option<T> {
    RECENT.with(|recent| match recent {
        Some(recent) => recent.borrow_mut().find(text, find),
        None => find(KeyHash::of(text)?),
    })
}

impl RecentDigests {
    fn new(secret: [u8; 16]) -> RecentDigests {
        RecentDigests {
            secret: SipHasher24::new_with_key(&secret),
            slots: vec![None; SLOTS].into(),
        }
    }

    fn find<T>(&mut self, text: &[u8], find: impl Fn(KeyHash) -> Option<T>) -> Option<T> {
        if text.len() != KEY_LENGTH {
            return None;
        }
        let tag = self.secret.hash(text);
        let slot = &mut self.slots[tag.h1 as usize % SLOTS];
        if let Some((known, digest)) = slot
            && *known == tag
        {
            return find(*digest);
        }
        let digest = KeyHash::of(text)?;
        let found = find(digest)?;
        *slot = Some((tag, digest));
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::KeyKind;
    use super::super::tests::key;
    use super::*;

    fn kept(recent: &RecentDigests) -> usize {
        recent.slots.iter().flatten().count()
    }

    #[test]
    fn only_keys_that_are_found_are_kept_and_each_is_looked_up_again() {
        let mut recent = RecentDigests::new([1; 16]);
        let keys = [1, 2].map(|seed| key(seed, KeyKind::Secret));
        let is_live = Cell::new(true);
        let find = |digest: KeyHash| (is_live.get() && digest == keys[0].hash()).then_some(7);
        for (text, live, expected, expected_kept) in [
            (keys[1].reveal(), true, None, 0),
            (keys[0].reveal(), false, None, 0),
            (keys[0].reveal(), true, Some(7), 1),
            (keys[0].reveal(), true, Some(7), 1),
            // A key that was revoked since.
            (keys[0].reveal(), false, None, 1),
            (keys[1].reveal(), true, None, 1),
            (&keys[0].reveal()[1..], true, None, 1),
            ("", true, None, 1),
        ] {
            is_live.set(live);
            assert_eq!(recent.find(text.as_bytes(), find), expected, "{text}");
            assert_eq!(kept(&recent), expected_kept, "{text}");
        }
    }

    #[test]
    fn more_keys_than_slots_are_all_found_with_their_own_digest() {
        let mut recent = RecentDigests::new([1; 16]);
        for _ in 0..2 {
            for seed in 0..3 * SLOTS as u64 {
                let key = key(seed, KeyKind::Public);
                let found = recent.find(key.reveal().as_bytes(), Some);
                assert_eq!(found, Some(key.hash()), "{seed}");
            }
        }
        assert!(kept(&recent) <= SLOTS);
    }

    #[test]
    fn a_key_has_another_tag_under_another_secret() {
        let tag = |secret| SipHasher24::new_with_key(&[secret; 16]).hash(b"a key");
        assert!(tag(1) == tag(1) && tag(1) != tag(2));
    }
}
