//! A per-thread cache of a few entries: for tags, and for the headers that most answers have.
//!
//! Small on purpose: entries are compared one by one. A new entry replaces the oldest.

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
