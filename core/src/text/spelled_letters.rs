//! Latin letters and their names in kana: NTT and エヌ・ティ・ティ. A corporation is registered with one spelling and typed with
//! the other.
//!
//! Works on loose keys ([`loose_name`](super::loose_name)): large katakana without long vowels. Gives the spellings that
//! a text may have, and not whether a name has them.

/// The names of the letters from a to z in a key, the usual one first.
const NAMES: [&[&str]; 26] = [
    &["エ", "エイ"],
    &["ビ"],
    &["シ"],
    &["デイ", "デ"],
    &["イ"],
    &["エフ"],
    &["ジ"],
    &["エイチ", "エツチ"],
    &["アイ"],
    &["ジエイ", "ジエ"],
    &["ケ", "ケイ"],
    &["エル"],
    &["エム"],
    &["エヌ"],
    &["オ"],
    &["ピ"],
    &["キユ"],
    &["アル"],
    &["エス"],
    &["テイ", "テ"],
    &["ユ"],
    &["ブイ"],
    &["ダブリユ"],
    &["エツクス"],
    &["ワイ"],
    &["ゼツト"],
];

/// Most letters in a row that are taken for initials; longer ones are words.
const LETTERS_MAX: usize = 5;

/// The spellings of a key whose runs of Latin letters are written in kana: one with the usual names, one with the
/// others. None if the key has no such run.
pub fn in_kana(key: &str) -> Vec<String> {
    let longest = key.split(|letter: char| !letter.is_ascii_lowercase()).map(str::len).max();
    if !longest.is_some_and(|longest| (2..=LETTERS_MAX).contains(&longest)) {
        return Vec::new();
    }
    let spelled = |is_usual: bool| -> String {
        let name = |letter: char| match letter.is_ascii_lowercase() {
            true => {
                let names = NAMES[(letter as u8 - b'a') as usize];
                let name = if is_usual { names.first() } else { names.last() };
                name.copied().unwrap_or_default().to_owned()
            }
            false => letter.to_string(),
        };
        key.chars().map(name).collect()
    };
    let mut found = vec![spelled(true), spelled(false)];
    found.dedup();
    found
}

/// The spelling of a key that begins with the names of two or more letters: these letters and the rest.
pub fn in_latin(key: &str) -> Option<String> {
    let (mut letters, mut rest) = (String::new(), key);
    while letters.len() < LETTERS_MAX {
        let Some((name, letter)) = longest_name(rest) else { break };
        // Behind initials, one kana is more often the beginning of a word.
        if name.chars().nth(1).is_none() && letters.len() >= 2 && rest.len() > name.len() {
            break;
        }
        letters.push(letter);
        rest = &rest[name.len()..];
    }
    (letters.len() >= 2).then(|| letters + rest)
}

/// The longest name of a letter at the beginning of a key, and the letter.
fn longest_name(key: &str) -> Option<(&'static str, char)> {
    let names = NAMES.iter().zip('a'..='z');
    let names = names.flat_map(|(names, letter)| names.iter().map(move |name| (*name, letter)));
    names.filter(|(name, _)| key.starts_with(name)).max_by_key(|(name, _)| name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_have_names_in_kana() {
        assert_eq!(in_kana("nttドコモ"), ["エヌテイテイドコモ", "エヌテテドコモ"]);
        assert_eq!(in_kana("jr東海"), ["ジエイアル東海", "ジエアル東海"]);
        assert_eq!(in_kana("uf"), ["ユエフ"]);
        for other in ["", "ドコモ", "a社", "shiseido"] {
            assert_eq!(in_kana(other), [""; 0], "{other}");
        }
    }

    #[test]
    fn names_of_letters_are_initials() {
        #[track_caller]
        fn check(key: &str, expected: Option<&str>) {
            assert_eq!(in_latin(key).as_deref(), expected, "{key}");
        }
        check("エヌテイテイドコモ", Some("nttドコモ"));
        check("エヌテイテイデタ", Some("nttデタ"));
        check("ジエイアル東海", Some("jr東海"));
        check("エヌケイケイ", Some("nkk"));
        for other in ["", "ドコモ", "資生堂", "アルバ"] {
            check(other, None);
        }
    }
}
