//! Entity tags of answers, and whether the client already has the answer (`If-None-Match`).
//!
//! The tag of data consists of the program's release, the data version, the build of its snapshot and the API version.
//! It is weak, because the compressed and the plain form share it. A [`ThreadCache`] keeps a few tags.

use std::cell::RefCell;

use hyper::header::{HeaderMap, HeaderValue, IF_NONE_MATCH};

use crate::text::codes::{ApiVersion, DataVersion};

/// An entity tag, with its `W/` and quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityTag(HeaderValue);

type DataTag = (DataVersion, u32, ApiVersion);

thread_local! {
    /// Cache of data tags: most requests are for the latest version of some dataset.
    static TAGS: RefCell<ThreadCache<DataTag, EntityTag>> = const { RefCell::new(ThreadCache::empty()) };
}

impl EntityTag {
    /// The tag of answers from one build of one data version in one API version.
    pub fn of_data(version: DataVersion, fingerprint: u32, api: ApiVersion) -> EntityTag {
        TAGS.with_borrow_mut(|cache| {
            cache.get((version, fingerprint, api), |(version, fingerprint, api)| {
                let release = env!("CARGO_PKG_VERSION");
                EntityTag::new(format!("W/\"{release}-{version}-{fingerprint:08x}-{api}\""))
            })
        })
    }

    pub fn combine(one: u32, other: u32) -> u32 {
        crc32fast::hash(&[one.to_le_bytes(), other.to_le_bytes()].concat())
    }

    /// The tag of an answer that is not from one data version, made of its bytes.
    pub fn of_bytes(body: &[u8]) -> EntityTag {
        EntityTag::new(format!("W/\"{:08x}-{:x}\"", crc32fast::hash(body), body.len()))
    }

    /// The strong tag of a file: equal tags mean equal bytes.
    pub fn of_file(version: DataVersion, checksum: u32, length: u64) -> EntityTag {
        EntityTag::new(format!("\"{version}-{checksum:08x}-{length:x}\""))
    }

    pub fn value(&self) -> &HeaderValue {
        &self.0
    }

    /// Whether the client has the tagged answer; compared weakly, as RFC 9110 requires for `If-None-Match`.
    pub fn is_held_by_client(&self, headers: &HeaderMap) -> bool {
        let tag = self.0.as_bytes();
        headers.get_all(IF_NONE_MATCH).iter().any(|list| {
            // Our tags have no comma, so a list can be split at commas.
            let mut found = list.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
            found.any(|found| found == b"*" || opaque(found) == opaque(tag))
        })
    }

    fn new(text: String) -> EntityTag {
        EntityTag(HeaderValue::try_from(text).expect("a tag is visible ASCII"))
    }
}

/// A tag without the `W/` of weak tags.
fn opaque(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}

/// Capacity: the latest versions of five datasets in one API version, and some more.
const CAPACITY: usize = 8;

#[derive(Debug)]
pub struct ThreadCache<K, V> {
    entries: Vec<(K, V)>,
    oldest: usize,
}

impl<K: PartialEq, V: Clone> ThreadCache<K, V> {
    pub const fn empty() -> ThreadCache<K, V> {
        ThreadCache { entries: Vec::new(), oldest: 0 }
    }

    /// The cached value of this key, else the result of `compute`, which is then cached.
    pub fn get(&mut self, key: K, compute: impl FnOnce(&K) -> V) -> V {
        if let Some((_, value)) = self.entries.iter().find(|(known, _)| *known == key) {
            return value.clone();
        }
        let value = compute(&key);
        if self.entries.len() < CAPACITY {
            self.entries.push((key, value.clone()));
        } else {
            self.entries[self.oldest] = (key, value.clone());
            self.oldest = (self.oldest + 1) % CAPACITY;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_changes_with_the_data_and_the_api_version() {
        let version = |text| DataVersion::parse(text).expect("a date");
        let base = EntityTag::of_data(version("2026-05-29"), 1, ApiVersion::NEWEST);
        for other in [
            EntityTag::of_data(version("2026-06-30"), 1, ApiVersion::NEWEST),
            EntityTag::of_data(version("2026-05-29"), 2, ApiVersion::NEWEST),
            EntityTag::of_data(version("2026-05-29"), 1, ApiVersion::V2025_01_01),
        ] {
            assert_ne!(base, other);
        }
        let text = base.0.to_str().expect("ASCII");
        assert!(text.starts_with("W/\"") && text.ends_with('"'), "{text}");
        assert!(!text.contains(','), "a comma would split the tag in If-None-Match");
    }

    #[test]
    fn tags_compare_weakly() {
        #[track_caller]
        fn check(values: &[&'static str], expected: bool) {
            let headers =
                values.iter().map(|value| (IF_NONE_MATCH, HeaderValue::from_static(value)));
            let tag = EntityTag(HeaderValue::from_static("W/\"a-1\""));
            assert_eq!(tag.is_held_by_client(&headers.collect()), expected, "{values:?}");
        }
        check(&[], false);
        check(&["W/\"a-1\""], true);
        check(&["\"a-1\""], true);
        check(&["\"x\", W/\"a-1\""], true);
        check(&["\"x\"", "\"a-1\""], true);
        check(&["*"], true);
        check(&["\"a-2\"", "a-1", "\"a-1", "w/\"a-1\""], false);
    }
}

#[cfg(test)]
mod thread_cache_tests {
    use super::*;

    #[test]
    fn a_recent_value_is_computed_once() {
        let mut computed = 0;
        let mut cache = ThreadCache::empty();
        let mut get = |key: usize| {
            let value = cache.get(key, |key| {
                computed += 1;
                key.to_string()
            });
            assert_eq!(value, key.to_string());
            computed
        };
        assert_eq!((0..CAPACITY).map(&mut get).last(), Some(CAPACITY));
        assert_eq!((0..CAPACITY).map(&mut get).last(), Some(CAPACITY), "all are cached");
        assert_eq!(get(CAPACITY), CAPACITY + 1);
        assert_eq!(
            (1..=CAPACITY).map(&mut get).last(),
            Some(CAPACITY + 1),
            "only the oldest was replaced"
        );
        assert_eq!(get(0), CAPACITY + 2);
        assert_eq!(get(2), CAPACITY + 2);
        assert_eq!(get(1), CAPACITY + 3, "the next oldest was replaced");
    }
}
