//! Names by which people know a corporation and no register does (JAL, NHK, JR東海): the operator gives them. Loose searches,
//! suggestions and matches compare them with what was typed as they compare names.
//!
//! They are held in memory beside the snapshot, which is too large to be compiled again.

use crate::text::loose_name::{TypedName, loose_key};

/// The aliases of a version, by their loose keys.
#[derive(Debug, Default)]
pub struct Aliases {
    entries: Vec<Alias>,
    /// Differs between different lists; 0 for none.
    pub fingerprint: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alias {
    key: String,
    pub name: String,
    pub row: u32,
}

impl Aliases {
    pub fn new(mut entries: Vec<Alias>) -> Aliases {
        entries.sort();
        let mut checksum = crc32fast::Hasher::new();
        for entry in &entries {
            checksum.update(entry.name.as_bytes());
            checksum.update(&entry.row.to_le_bytes());
        }
        let fingerprint = if entries.is_empty() { 0 } else { checksum.finalize().max(1) };
        Aliases { entries, fingerprint }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The aliases with this loose key.
    pub fn equal(&self, key: &str) -> impl Iterator<Item = &Alias> {
        self.beginning(key).filter(move |alias| alias.key == key)
    }

    /// The aliases whose loose keys begin with this one.
    pub fn beginning(&self, key: &str) -> impl Iterator<Item = &Alias> {
        let start = self.entries.partition_point(|alias| alias.key.as_str() < key);
        self.entries[start..].iter().take_while(move |alias| alias.key.starts_with(key))
    }

    /// The aliases of a row, each with its index.
    pub fn of_row(&self, row: u32) -> impl Iterator<Item = (u32, &Alias)> {
        (0..).zip(&self.entries).filter(move |(_, alias)| alias.row == row)
    }

    pub fn get(&self, index: u32) -> Option<&Alias> {
        self.entries.get(index as usize)
    }
}

impl Alias {
    pub fn new(name: &str, row: u32) -> Alias {
        Alias { key: key_of(name), name: name.to_owned(), row }
    }

    pub fn begins_with(&self, key: &str) -> bool {
        self.key.starts_with(key)
    }
}

/// The key with which aliases are compared: that of a typed name, which leaves out legal forms.
pub fn key_of(name: &str) -> String {
    TypedName::parse(name).map_or_else(|| loose_key(name), |typed| typed.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aliases(names: &[(&str, u32)]) -> Aliases {
        Aliases::new(names.iter().map(|(name, row)| Alias::new(name, *row)).collect())
    }

    #[test]
    fn aliases_are_found_by_their_loose_keys() {
        let aliases =
            aliases(&[("JAL", 7), ("JR東海", 3), ("ＪＡＬグループ", 7), ("株式会社NHK", 9)]);
        let rows = |found: Vec<&Alias>| found.iter().map(|alias| alias.row).collect::<Vec<_>>();
        let key = |text: &str| TypedName::parse(text).expect("a name").key;
        for (typed, equal, beginning) in [
            ("ＪＡＬ", &[7][..], &[7, 7][..]),
            ("jr東海", &[3], &[3]),
            ("J", &[], &[7, 7, 3]),
            ("NHK", &[9], &[9]),
            ("ANA", &[], &[]),
        ] {
            assert_eq!(rows(aliases.equal(&key(typed)).collect()), equal, "{typed}");
            assert_eq!(rows(aliases.beginning(&key(typed)).collect()), beginning, "{typed}");
        }
        assert_eq!(aliases.of_row(7).count(), 2);
        assert_ne!(aliases.fingerprint, 0);
        assert_eq!(Aliases::new(Vec::new()).fingerprint, 0);
    }
}
