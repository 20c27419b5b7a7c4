//! The words of a query without operators: which of them weigh, and what they are when they are read as one name.
//!
//! `鳥取 銀行` finds every corporation with one of the words, and the first is the one whose name is 鳥取銀行. A kind word
//! weighs nothing: half of all names have it.

use super::keyword_form::name_keyword;
use super::mode::SearchMode;
use crate::dataset::corporate::syntax::{CorporateField, CorporateQuery, CorporateVocabulary};
use crate::query::syntax::Word;
use crate::text::fold::Level;
use crate::text::kind_words::is_kind_word;

/// Several words, and which of them are only kind words.
pub struct Words<'q> {
    pub words: Vec<Word<'q, CorporateVocabulary>>,
    is_kind: Vec<bool>,
}

impl<'q> Words<'q> {
    /// The words of a query; `None` if it is a single word or has operators.
    pub fn of(q: &'q CorporateQuery) -> Option<Words<'q>> {
        let words = q.words();
        if words.is_empty() {
            return None;
        }
        let is_kind = words.iter().map(|word| {
            searches_names(word.field) && is_kind_word(&name_keyword(word.text), Level::Search)
        });
        let mut is_kind: Vec<bool> = is_kind.collect();
        if is_kind.iter().all(|is_kind| *is_kind) {
            is_kind.fill(false);
        }
        Some(Words { is_kind, words })
    }

    /// For each word whether it weighs.
    pub fn weighs(&self) -> impl Iterator<Item = bool> {
        self.is_kind.iter().map(|is_kind| !is_kind)
    }

    /// The weighing words that names are compared with.
    pub fn names(&self) -> Vec<&'q str> {
        let weighing = self.words.iter().zip(self.weighs()).filter(|(_, weighs)| *weighs);
        let names = weighing.filter(|(word, _)| searches_names(word.field));
        names.map(|(word, _)| word.text).collect()
    }

    /// The words as one name, with a space between them or none: first with the kind words, then without.
    pub fn joined(&self, mode: SearchMode) -> [Vec<String>; 2] {
        if mode != SearchMode::Partial || !self.words.iter().all(|it| searches_names(it.field)) {
            return [Vec::new(), Vec::new()];
        }
        let all: Vec<&str> = self.words.iter().map(|word| word.text.trim()).collect();
        let mut known: Vec<String> = Vec::new();
        [all, self.names()].map(|words| {
            let mut joined = Vec::new();
            for name in [words.concat(), words.join(" ")] {
                let keyword = name_keyword(&name);
                if !known.contains(&keyword) {
                    known.push(keyword);
                    joined.push(name);
                }
            }
            joined
        })
    }
}

/// Whether a keyword of this field is compared with names.
pub fn searches_names(field: Option<CorporateField>) -> bool {
    matches!(field, None | Some(CorporateField::Name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::syntax::Grouping;

    #[test]
    fn words_are_read_as_one_name_and_kind_words_weigh_nothing() {
        #[track_caller]
        fn check(q: &str, joined: [&[&str]; 2], names: &[&str]) {
            let q = CorporateQuery::parse_with(q, Grouping::Allowed).expect("a query");
            let words = Words::of(&q).expect("several words");
            assert_eq!(words.joined(SearchMode::Partial), joined);
            assert_eq!(words.names(), names);
            assert_eq!(words.joined(SearchMode::Exact), [const { Vec::<String>::new() }; 2]);
        }
        let bank: [&[&str]; 2] = [&["鳥取銀行", "鳥取 銀行"], &[]];
        check("鳥取 銀行", bank, &["鳥取", "銀行"]);
        check("鳥取 銀行 -中央 _facet_kind:/株式会社", bank, &["鳥取", "銀行"]);
        check("商事 ㈱", [&["商事㈱"], &["商事"]], &["商事"]);
        let kinds = ["株式会社有限会社", "株式会社 有限会社"];
        check("株式会社 有限会社", [&kinds, &[]], &["株式会社", "有限会社"]);
        check("鳥取 furigana:ギンコウ", [&[], &[]], &["鳥取"]);
    }

    #[test]
    fn a_query_with_operators_has_no_words() {
        for q in ["鳥取", "鳥取 AND 銀行", "鳥取 OR 銀行", "鳥取 銀行 AND 中央", "(鳥取 銀行)"]
        {
            let q = CorporateQuery::parse_with(q, Grouping::Allowed).expect("a query");
            assert!(Words::of(&q).is_none());
        }
    }
}
