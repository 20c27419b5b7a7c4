//! Search keys of names and readings: what is equal for somebody who searches for a bank.
//!
//! [`Level::Search`] folds width, kanji variants, the size of kana and of letters; beyond it a key
//! knows no difference between hiragana and katakana and has no long-vowel marks, which the bank
//! directory writes as hyphens. The builder and the query make their keys here.

use super::fold::{Folded, Level, fold, folded};
use super::kana::katakana;

/// The key of a name, of a reading in either kana, or of one in Latin letters.
pub fn name_key(text: &str) -> String {
    let text: String = key_letters(text).iter().map(|letter| letter.character).collect();
    // What stood on both sides of a mark is now side by side: a voiced mark may join its kana.
    folded(&text, Level::Search).trim().to_owned()
}

/// The letters of a key with the bytes of the text that each came from; a mark that is left out belongs to the
/// letter before it.
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
    fn what_readers_take_for_the_same_is_the_same() {
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
        fn a_key_is_its_own_key(text in ".{0,20}") {
            let key = name_key(&text);
            prop_assert_eq!(name_key(&key), key);
        }
    }
}
