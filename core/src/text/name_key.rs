//! Search keys of names and readings: names that a searcher takes for the same have equal keys.
//!
//! [`Level::Search`] folds width, kanji variants, the size of kana and of letters. A key also ignores the
//! difference between hiragana and katakana and drops long-vowel marks, which the bank directory writes as hyphens.
//! Index builder and query both make their keys here.

use super::fold::{Folded, Level, fold, folded};
use super::kana::katakana;

/// The key of a name, of a reading in either kana, or of one in Latin letters.
pub fn name_key(text: &str) -> String {
    let text: String = key_letters(text).iter().map(|letter| letter.character).collect();
    // Dropping a mark joins its neighbours: a voiced mark may now compose with its kana, so fold again.
    folded(&text, Level::Search).trim().to_owned()
}

/// The letters of a key, each with the bytes of the text that it came from. A dropped mark belongs to the letter
/// before it.
pub fn key_letters(text: &str) -> Vec<Folded> {
    let mut letters = Vec::with_capacity(text.len() / 3);
    fold(text, Level::Search, &mut letters);
    let mut key: Vec<Folded> = Vec::with_capacity(letters.len());
    for letter in letters {
        match (letter.character, key.last_mut()) {
            ('ー' | '-' | '\u{2212}' | '\u{2010}', Some(before)) => before.end = letter.end,
            ('ー' | '-' | '\u{2212}' | '\u{2010}', None) => {}
            (character, _) => key.push(Folded { character: katakana(character), ..letter }),
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equivalent_spellings_have_one_key() {
        #[track_caller]
        fn check(texts: &[&str]) {
            let keys: Vec<String> = texts.iter().map(|text| name_key(text)).collect();
            assert!(keys.iter().all(|key| *key == keys[0]), "{texts:?}: {keys:?}");
        }
        check(&["チュウオウ", "チユウオウ", "ちゅうおう", "ﾁｭｳｵｳ", "ちゆうおう"]);
        check(&["ＵＦＪ", "ufj", "UFJ", "ｕｆｊ"]);
        check(&["ミツビシユ－エフジエイ", "みつびしゅーえふじえい", "ミツビシユエフジエイ"]);
        check(&["i-hato-vu", "ihatovu", "Ｉ－ＨＡＴＯ－ＶＵ"]);
        check(&["ガ", "か\u{3099}", "ｶﾞ", "が"]);
        check(&["", " ", "\u{3000}", "ー", "－"]);
        assert_ne!(name_key("カ"), name_key("ガ"));
        assert_ne!(name_key("東京"), name_key("京東"));
    }

    proptest! {
        #[test]
        fn the_key_of_a_key_is_the_key(text in ".{0,20}") {
            let key = name_key(&text);
            prop_assert_eq!(name_key(&key), key);
        }
    }
}
