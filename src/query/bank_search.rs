//! Search in the bank directory by name or reading, with a way of matching and a kind of institution.
//!
//! An entry matches if the key of its name, katakana or Latin letters begins with or contains the searched key. All
//! entries are scanned: some 1,200 banks, or at most 1,000 branches of one.

use memchr::memmem::Finder;

use crate::record::bank::EntryView;
use crate::record::bank::archive::KEY_START;
use crate::text::name_key::name_key;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Match {
    #[default]
    Prefix,
    Contains,
}

impl Match {
    pub const ALL: [(Match, &'static str); 2] =
        [(Match::Prefix, "prefix"), (Match::Contains, "contains")];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BankType {
    Bank,
    Shinkin,
    ShinkumiRokin,
    NokyoGyokyo,
    Yucho,
}

impl BankType {
    pub const ALL: [(BankType, &'static str); 5] = [
        (BankType::Bank, "bank"),
        (BankType::Shinkin, "shinkin"),
        (BankType::ShinkumiRokin, "shinkumi_rokin"),
        (BankType::NokyoGyokyo, "nokyo_gyokyo"),
        (BankType::Yucho, "yucho"),
    ];

    pub fn includes(self, code: u16) -> bool {
        match self {
            BankType::Bank => (1..=999).contains(&code),
            BankType::Shinkin => (1_000..=1_999).contains(&code),
            BankType::ShinkumiRokin => (2_000..=2_999).contains(&code),
            BankType::NokyoGyokyo => (3_000..=9_899).contains(&code),
            BankType::Yucho => (9_900..=9_999).contains(&code),
        }
    }
}

/// The entries to search, which decides the word that may be dropped from the end of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// Institutions: 銀行 and 信用金庫 are dropped.
    Banks,
    /// Branches: 支店 is dropped.
    Branches,
}

impl Among {
    fn suffixes(self) -> &'static [&'static str] {
        match self {
            Among::Banks => &["銀行", "信用金庫", "ギンコウ", "シンヨウキンコ"],
            Among::Branches => &["支店", "シテン"],
        }
    }
}

#[derive(Debug, Clone)]
pub struct NameQuery {
    /// Finds the key, preceded by [`KEY_START`] if it must be a prefix. `None` if nothing matches.
    finder: Option<Finder<'static>>,
}

impl NameQuery {
    /// Searches for `q` without a final 銀行, 信用金庫 or 支店, which the directory does not write.
    pub fn of(q: &str, how: Match, among: Among) -> NameQuery {
        let mut key = wanted_key(q, among);
        // A text without searchable characters, such as a lone long-vowel mark, matches nothing.
        if key.is_empty() || key.contains(KEY_START) {
            return NameQuery { finder: None };
        }
        if how == Match::Prefix {
            key.insert(0, KEY_START);
        }
        NameQuery { finder: Some(Finder::new(key.as_bytes()).into_owned()) }
    }

    pub fn matches(&self, entry: EntryView<'_>) -> bool {
        let finder = self.finder.as_ref();
        finder.is_some_and(|finder| finder.find(entry.keys().as_bytes()).is_some())
    }
}

/// The key of `q` without the word that every name has.
fn wanted_key(q: &str, among: Among) -> String {
    let mut key = name_key(q);
    for suffix in among.suffixes().iter().map(|suffix| name_key(suffix)) {
        if let Some(stem) = key.strip_suffix(&suffix).filter(|stem| !stem.is_empty()) {
            key.truncate(stem.trim_end().len());
            break;
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_except_0000_has_one_kind() {
        for code in 1..=9_999 {
            let kinds = BankType::ALL.iter().filter(|(kind, _)| kind.includes(code)).count();
            assert_eq!(kinds, 1, "{code:04}");
        }
        assert!(BankType::ALL.iter().all(|(kind, _)| !kind.includes(0)));
    }

    #[test]
    fn the_common_word_for_bank_is_dropped() {
        #[track_caller]
        fn check(q: &str, among: Among, expected: &str) {
            assert_eq!(wanted_key(q, among), name_key(expected), "{q}");
        }
        check("みずほ銀行", Among::Banks, "みずほ");
        check("みずほ 銀行", Among::Banks, "みずほ");
        check("会津信用金庫", Among::Banks, "会津");
        check("ミズホギンコウ", Among::Banks, "ミズホ");
        check("みずほぎんこう", Among::Banks, "ミズホ");
        check("銀行", Among::Banks, "銀行");
        check("銀行銀行", Among::Banks, "銀行");
        check("本店支店", Among::Branches, "本店");
        check("ほんてん", Among::Branches, "ホンテン");
        check("支店", Among::Branches, "支店");
        check("みずほ銀行", Among::Branches, "みずほ銀行");
        check("本支店", Among::Banks, "本支店");
        check("", Among::Banks, "");
    }
}
