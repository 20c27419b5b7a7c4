//! A per-thread cache of a few entries: for tags, and for the headers that most answers have.
//!
//! Small on purpose: entries are compared one by one. A new entry replaces the oldest.

/// Capacity: the latest versions of three datasets, in two shapes each, and some more.
const KEPT: usize = 8;

#[derive(Debug)]
pub struct ThreadCache<K, V> {
    made: Vec<(K, V)>,
    oldest: usize,
}

impl<K: PartialEq, V: Clone> ThreadCache<K, V> {
    pub const fn none() -> ThreadCache<K, V> {
        ThreadCache { made: Vec::new(), oldest: 0 }
    }

    /// The cached value of this key, else the result of `make`, which is then cached.
    pub fn get(&mut self, key: K, make: impl FnOnce(&K) -> V) -> V {
        if let Some((_, value)) = self.made.iter().find(|(known, _)| *known == key) {
            return value.clone();
        }
        let value = make(&key);
        if self.made.len() < KEPT {
            self.made.push((key, value.clone()));
        } else {
            self.made[self.oldest] = (key, value.clone());
            self.oldest = (self.oldest + 1) % KEPT;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_values_are_made_once() {
        let mut made = 0;
        let mut cache = ThreadCache::none();
        let mut get = |key: usize| {
            let value = cache.get(key, |key| {
                made += 1;
                key.to_string()
            });
            assert_eq!(value, key.to_string());
            made
        };
        assert_eq!((0..KEPT).map(&mut get).last(), Some(KEPT));
        assert_eq!((0..KEPT).map(&mut get).last(), Some(KEPT), "all are cached");
        assert_eq!(get(KEPT), KEPT + 1);
        assert_eq!((1..=KEPT).map(&mut get).last(), Some(KEPT + 1), "only the oldest was replaced");
        assert_eq!(get(0), KEPT + 2);
        assert_eq!(get(2), KEPT + 2);
        assert_eq!(get(1), KEPT + 3, "the next oldest was replaced");
    }
}
