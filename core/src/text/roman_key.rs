//! Roman keys: one key per reading, so that a reading is found however its Roman letters are typed.
//!
//! A key spells large kana one by one (キョ is `kiyo`, ッ is `tsu`) and drops lengthened vowels. So `Tōkyō`, `tokyo`,
//! `toukyou`, とうきょう and the bank directory's トウキヨウ have the same key, and so do `si` and `shi`. Typed text may end
//! within a syllable (`toky`); then it has several keys, and a reading matches if its key begins with one of them.
//! Different words may share a key (戸 and 塔). Always reads `di` and `ti` as ヂ and チ, although in loan words they
//! may be other kana.

use super::fold::{Level, folded};
use super::kana::{is_hiragana, is_katakana, katakana, syllable, without_macron};

/// The key of a whole reading, in kana with Roman letters and digits among them.
pub fn roman_key(reading: &str) -> String {
    let mut key = KeyBuilder::default();
    key.push_text(reading);
    key.end_syllable();
    key.key
}

/// The possible keys of a typed beginning of a reading, in Roman letters, kana or both (`しぶy`).
pub fn roman_beginnings(typed: &str) -> Vec<String> {
    let mut key = KeyBuilder::default();
    key.push_text(typed);
    key.finish_open()
}

#[derive(Default)]
struct KeyBuilder {
    /// The complete syllables.
    key: String,
    /// The consonants after them, whose vowel has not come yet.
    consonants: String,
}

impl KeyBuilder {
    fn push_text(&mut self, text: &str) {
        for letter in folded(text, Level::Search).chars() {
            match without_macron(letter) {
                // Between kana and in loan words it lengthens the vowel; elsewhere it is a hyphen.
                'ー' => {}
                kana if is_hiragana(kana) || is_katakana(kana) => {
                    self.end_syllable();
                    self.push_kana(katakana(kana));
                }
                vowel @ ('a' | 'i' | 'u' | 'e' | 'o') => {
                    let consonants = std::mem::take(&mut self.consonants);
                    let onset = self.push_n_and_tsu(&consonants, true).to_owned();
                    self.push_syllable(&onset, vowel);
                }
                consonant if consonant.is_ascii_lowercase() => self.consonants.push(consonant),
                digit if digit.is_ascii_digit() => {
                    self.end_syllable();
                    self.key.push(digit);
                }
                // Spaces, hyphens and apostrophes end a syllable (shin'yo).
                _ => self.end_syllable(),
            }
        }
    }

    fn push_kana(&mut self, kana: char) {
        match kana {
            'ン' => self.push("n"),
            kana => {
                if let Some((letters, _)) = syllable(kana, None) {
                    self.push(letters);
                }
            }
        }
    }

    /// Appends a syllable. A vowel that only lengthens the one before is dropped.
    fn push(&mut self, letters: &str) {
        let last = self.key.bytes().last();
        let lengthens = match letters {
            "u" => matches!(last, Some(b'u' | b'o')),
            "a" | "i" | "e" | "o" => last == letters.bytes().next(),
            _ => false,
        };
        if lengthens {
            return;
        }
        // `nyo` is ンヨ or ニョ: both get one spelling.
        if letters.starts_with('y') && self.key.ends_with("ni") {
            self.key.pop();
        }
        self.key.push_str(letters);
    }

    /// Appends the ン and ッ that several consonants begin with, and returns the remaining ones, which begin a syllable.
    fn push_n_and_tsu<'a>(&mut self, consonants: &'a str, vowel_follows: bool) -> &'a str {
        let mut rest = consonants;
        loop {
            let mut letters = rest.chars();
            match (letters.next(), letters.next()) {
                // Input methods read `nn` as one ン.
                (Some('n'), Some('n')) if rest.len() > 2 && !rest.ends_with('y') => {}
                (Some('n'), Some('n')) if rest == "nn" && !vowel_follows => return rest,
                (Some('n' | 'm'), Some(next)) if next != 'y' => self.push("n"),
                (Some('t'), Some('c')) => self.push("tsu"),
                // The h of Ohta.
                (Some('h'), Some(next)) if next != 'y' => {}
                (Some(first), Some(second)) if first == second => self.push("tsu"),
                // Input methods write small kana as xtu, lya.
                (Some('x'), Some(_)) | (Some('l'), Some('y' | 't')) => {}
                _ => return rest,
            }
            rest = &rest[1..];
        }
    }

    fn push_syllable(&mut self, consonants: &str, vowel: char) {
        let vowel = &*vowel.encode_utf8(&mut [0; 4]).to_owned();
        match (consonants, vowel) {
            ("s", "i") => self.push("shi"),
            ("t", "i") => self.push("chi"),
            ("t", "u") => self.push("tsu"),
            ("z" | "d", "i") => self.push("ji"),
            ("d" | "dz", "u") => self.push("zu"),
            ("h", "u") => self.push("fu"),
            ("w", "o") => self.push("o"),
            ("w", "i" | "e") => {
                self.push("u");
                self.push(vowel);
            }
            ("y", "i" | "e") => {
                self.push("i");
                self.push(vowel);
            }
            ("l", _) => self.push(&["r", vowel].concat()),
            ("c", "a" | "u" | "o") => self.push(&["k", vowel].concat()),
            ("c", "i") => self.push("shi"),
            ("c", _) => self.push("se"),
            _ => match two_kana(consonants) {
                Some(syllable) => self.push_two_kana(syllable, vowel),
                None => self.push(&[consonants, vowel].concat()),
            },
        }
    }

    /// Appends a syllable of two kana: its first, and the small one.
    fn push_two_kana(&mut self, (first, small): (&str, SmallKana), vowel: &str) {
        self.push(first);
        match (small, vowel) {
            (SmallKana::Ya, "a" | "u" | "o") => self.push(&["y", vowel].concat()),
            (SmallKana::Ya, "e") | (SmallKana::Vowel, _) if !first.ends_with(vowel) => {
                self.push(vowel);
            }
            _ => {}
        }
    }

    /// Ends a syllable that got no vowel.
    fn end_syllable(&mut self) {
        let consonants = std::mem::take(&mut self.consonants);
        match &*consonants {
            "" => {}
            "nn" | "m" => self.push("n"),
            _ => {
                let onset = self.push_n_and_tsu(&consonants, false).to_owned();
                self.push(&onset);
            }
        }
    }

    /// Finishes a text that may end within a syllable: the keys of its possible continuations.
    fn finish_open(mut self) -> Vec<String> {
        let consonants = std::mem::take(&mut self.consonants);
        let onset = self.push_n_and_tsu(&consonants, false);
        let mut keys: Vec<String> = Vec::new();
        for continuation in continuations(onset) {
            let mut key = KeyBuilder { key: self.key.clone(), consonants: String::new() };
            key.push(continuation);
            keys.push(key.key);
        }
        // It may be doubled: `sap` begins サッポロ.
        if let [consonant] = onset.as_bytes()
            && !b"nmwylxr".contains(consonant)
        {
            keys.push([&*self.key, "tsu", onset].concat());
        }
        // It may be ニ before ヨ, which `push` writes `nyo`.
        if onset.is_empty() && self.key.ends_with("ni") {
            let mut key = self.key.clone();
            key.pop();
            keys.push(key + "y");
        }
        keys
    }
}

#[derive(Clone, Copy)]
enum SmallKana {
    /// ヤ, ユ, ヨ or エ.
    Ya,
    /// A vowel.
    Vowel,
}

/// The first kana of a syllable of two that begins with these consonants.
#[rustfmt::skip] // The syllables of a row a line.
fn two_kana(consonants: &str) -> Option<(&'static str, SmallKana)> {
    use SmallKana::{Vowel, Ya};
    Some(match consonants {
        "sh" | "sy" => ("shi", Ya), "ch" | "ty" | "cy" => ("chi", Ya), "j" | "jy" | "zy" | "dy" => ("ji", Ya),
        "ky" => ("ki", Ya), "gy" => ("gi", Ya), "ny" => ("ni", Ya), "hy" => ("hi", Ya), "by" => ("bi", Ya),
        "py" => ("pi", Ya), "my" => ("mi", Ya), "ry" => ("ri", Ya),
        "f" => ("fu", Vowel), "v" => ("vu", Vowel), "ts" => ("tsu", Vowel), "q" | "kw" => ("ku", Vowel),
        "gw" => ("gu", Vowel), "th" => ("te", Vowel), "dh" => ("de", Vowel), "fy" => ("fu", Ya), "vy" => ("vu", Ya),
        _ => return None,
    })
}

/// How a key may continue after consonants that have no vowel yet.
#[rustfmt::skip] // The consonants of a row a line.
fn continuations(consonants: &str) -> &[&str] {
    match consonants {
        "" => &[""],
        "s" => &["s"], "sy" => &["shiy"], "t" => &["t", "ch"], "c" => &["ch", "k"], "ty" | "cy" => &["chiy"],
        "z" => &["z", "ji"], "d" => &["d", "ji", "zu"], "j" => &["ji"], "jy" | "zy" | "dy" => &["jiy"], "dz" => &["zu"],
        "n" => &["n"], "nn" => &["n", "nn"], "m" => &["m", "n"], "h" => &["h", "fu", ""], "f" => &["fu"], "v" => &["vu"],
        "l" => &["r"], "q" | "kw" => &["ku"], "gw" => &["gu"], "w" => &["w", "u", "o"], "y" => &["y", "i"], "x" => &[""],
        "ky" => &["kiy"], "gy" => &["giy"], "ny" => &["ny"], "hy" => &["hiy"], "by" => &["biy"], "py" => &["piy"],
        "my" => &["miy"], "ry" => &["riy"], "fy" => &["fuy"], "th" => &["te"], "dh" => &["de"],
        "k" => &["k"], "g" => &["g"], "b" => &["b"], "p" => &["p"], "r" => &["r"], "sh" => &["sh"], "ch" => &["ch"], "ts" => &["ts"],
        // No Japanese syllable begins with these.
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::kana::bank_romaji;
    use crate::text::romaji::romanize;

    #[test]
    fn every_spelling_of_a_reading_has_one_key() {
        #[track_caller]
        fn check(readings: &[&str], key: &str) {
            for reading in readings {
                assert_eq!(roman_key(reading), key, "{reading:?}");
            }
        }
        check(&[], "");
        check(&["", " ", "ー", "'", "東京"], "");
        check(
            &[
                "トウキョウ",
                "トウキヨウ",
                "とうきょう",
                "tokyo",
                "toukyou",
                "Tōkyō",
                "ＴＯＫＹＯ",
                "tôkyô",
            ],
            "tokiyo",
        );
        check(&["オオサカ", "oosaka", "osaka", "Ōsaka", "ohsaka"], "osaka");
        check(&["シブヤ", "shibuya", "sibuya"], "shibuya");
        check(&["シンジュク", "shinjuku", "sinzyuku", "sinjyuku", "shinnjuku"], "shinjiyuku");
        check(&["ニホンバシ", "nihonbashi", "nihombashi", "nihonnbasi"], "nihonbashi");
        check(&["サッポロ", "サツポロ", "sapporo", "satsuporo"], "satsuporo");
        check(&["シンヨウ", "shinyo", "shin'yo", "shin-you"], "shinyo");
        check(&["コンニャク", "konnyaku"], "konnyaku");
        check(&["ニヨド", "niyodo", "nyodo"], "nyodo");
        check(&["イッチョウメ", "icchome", "itchome", "ittyoume"], "itsuchiyome");
        check(&["フジ", "huzi", "fuji"], "fuji");
        check(&["チヂミ", "chijimi", "tidimi"], "chijimi");
        check(&["ツヅキ", "tsuzuki", "tuduki"], "tsuzuki");
        check(&["ニイガタ", "niigata", "nigata"], "nigata");
        check(&["オオタ", "ota", "ohta", "oota"], "ota");
        check(&["ファミリーマート", "famiri-ma-to", "famiriimaato"], "fuamirimato");
        check(&["ヴィソン", "vison"], "vuison");
        check(&["ミナトク", "minato-ku", "minato ku"], "minatoku");
        check(&["キタ1ジョウ", "kita1jo", "ｷﾀ１ｼﾞﾖｳ"], "kita1jiyo");
        check(&["honn", "hon", "ホン"], "hon");
        assert_eq!(roman_key("bldg"), "bldg", "other letters stay");
    }

    #[test]
    fn an_unfinished_syllable_has_several_keys() {
        #[track_caller]
        fn check(typed: &str, reading: &str) {
            let key = roman_key(reading);
            let keys = roman_beginnings(typed);
            assert!(keys.iter().any(|typed| key.starts_with(&**typed)), "{typed}: {keys:?}, {key}");
        }
        for typed in ["しぶy", "しb", "ｓ", "sy", "shib", "シブｙ", "s", ""] {
            if typed != "sy" {
                check(typed, "シブヤ");
            }
        }
        check("sy", "シャ");
        check("sap", "サッポロ");
        check("sapp", "サツポロ");
        check("t", "チバ");
        check("ty", "チョウシ");
        check("h", "フジ");
        check("nihom", "ニホンバシ");
        check("ni", "ニヨド");
        check("z", "ジンボウチョウ");
        check("d", "ヅ");
        check("honn", "ホンダ");
        check("honn", "ホンノウジ");
        check("oh", "オオタ");
        check("c", "チヨダ");
        check("konny", "コンニャク");
        assert!(roman_beginnings("bl").is_empty(), "no reading begins with it");
    }

    proptest! {
        /// A reading typed in one of the spellings matches from its first letter to its last.
        #[test]
        fn every_beginning_of_a_reading_matches(
            reading in "([アカサタナハマヤラガザダバパイキシチニヒミリギジビピウクスツヌフムユルエケセテネヘメレオコソトノホモヨロワ]ン?|[キシチニヒミリギジビピ][ャュョ]|ッ[カキクケコサシスセソタチツテトパピプペポ]){1,8}",
        ) {
            let key = roman_key(&reading);
            for spelling in [romanize(&reading), bank_romaji(&reading), reading.clone()] {
                for (end, letter) in spelling.char_indices() {
                    let typed = &spelling[..end + letter.len_utf8()];
                    let keys = roman_beginnings(typed);
                    prop_assert!(
                        keys.iter().any(|typed| key.starts_with(&**typed)),
                        "{typed} of {reading}: {keys:?}, {key}"
                    );
                }
            }
        }

        #[test]
        fn the_key_of_any_text_is_plain(text in ".{0,40}") {
            for key in [vec![roman_key(&text)], roman_beginnings(&text)].concat() {
                prop_assert!(key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()));
            }
        }
    }
}
