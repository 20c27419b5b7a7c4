//! Search in the bank directory by name or reading, with a way of matching and a kind of institution.
//!
//! An entry matches if the key of its name, katakana or Latin letters begins with or contains the searched key. All
//! entries are scanned: some 1,200 banks, or the branches of one, most of which have a code of three digits of their own.

use memchr::memmem::Finder;

use super::record::EntryView;
use super::record::KEY_START;
use crate::text::named_enum::named_enum;
use crate::text::typed_keys::name_key;

named_enum! {
    fn name;
    /// Where a name must contain the searched text.
    #[derive(Default)]
    pub enum NameMatch {
        #[default]
        Prefix = "prefix",
        Contains = "contains",
    }
}

named_enum! {
    fn name;
    /// A type of institution, which its code shows.
    pub enum BankType {
        Bank = "bank",
        Shinkin = "shinkin",
        ShinkumiRokin = "shinkumi_rokin",
        NokyoGyokyo = "nokyo_gyokyo",
        Yucho = "yucho",
    }
}

impl BankType {
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

/// The kind of entries to search. It decides which word may be left out at the end of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Banks,
    Branches,
}

impl EntryKind {
    fn suffixes(self) -> &'static [&'static str] {
        match self {
            EntryKind::Banks => &["銀行", "信用金庫", "ギンコウ", "シンヨウキンコ"],
            EntryKind::Branches => &["支店", "シテン"],
        }
    }
}

/// A searched name, prepared for the comparison with every entry.
#[derive(Debug, Clone)]
pub struct NameQuery {
    /// Finds the key, preceded by [`KEY_START`] if it must be a prefix. `None` if nothing matches.
    finder: Option<Finder<'static>>,
}

impl NameQuery {
    /// Searches for `q` without a final 銀行, 信用金庫 or 支店, which the directory does not write.
    pub fn new(q: &str, name_match: NameMatch, kind: EntryKind) -> NameQuery {
        let mut key = searched_key(q, kind);
        // A text without searchable characters, such as a lone long-vowel mark, matches nothing.
        if key.is_empty() || key.contains(KEY_START) {
            return NameQuery { finder: None };
        }
        if name_match == NameMatch::Prefix {
            key.insert(0, KEY_START);
        }
        NameQuery { finder: Some(Finder::new(key.as_bytes()).into_owned()) }
    }

    pub fn matches(&self, entry: EntryView<'_>) -> bool {
        let finder = self.finder.as_ref();
        finder.is_some_and(|finder| finder.find(entry.keys().as_bytes()).is_some())
    }
}

/// The key of `q` without the final word that the directory leaves out.
fn searched_key(q: &str, kind: EntryKind) -> String {
    let mut key = name_key(q);
    for suffix in kind.suffixes().iter().map(|suffix| name_key(suffix)) {
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
    fn every_code_except_0000_has_one_type() {
        for code in 1..=9_999 {
            let types = BankType::ALL.iter().filter(|bank_type| bank_type.includes(code)).count();
            assert_eq!(types, 1, "{code:04}");
        }
        assert!(BankType::ALL.iter().all(|bank_type| !bank_type.includes(0)));
    }

    #[test]
    fn the_final_word_for_a_bank_or_branch_is_left_out() {
        #[track_caller]
        fn check(q: &str, kind: EntryKind, expected: &str) {
            assert_eq!(searched_key(q, kind), name_key(expected), "{q}");
        }
        check("みずほ銀行", EntryKind::Banks, "みずほ");
        check("みずほ 銀行", EntryKind::Banks, "みずほ");
        check("会津信用金庫", EntryKind::Banks, "会津");
        check("ミズホギンコウ", EntryKind::Banks, "ミズホ");
        check("みずほぎんこう", EntryKind::Banks, "ミズホ");
        check("銀行", EntryKind::Banks, "銀行");
        check("銀行銀行", EntryKind::Banks, "銀行");
        check("本店支店", EntryKind::Branches, "本店");
        check("ほんてん", EntryKind::Branches, "ホンテン");
        check("支店", EntryKind::Branches, "支店");
        check("みずほ銀行", EntryKind::Branches, "みずほ銀行");
        check("本支店", EntryKind::Banks, "本支店");
        check("", EntryKind::Banks, "");
    }
}
