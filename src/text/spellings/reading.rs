//! A typed reading: either kana, Roman letters, or kana with an unfinished Roman syllable at the end, as an input
//! method leaves it.
//!
//! In Roman letters, long vowels may be omitted or spelled in any way, ン is n or m, and an unfinished syllable
//! stands for all its completions. Hyphens, spaces and apostrophes only separate syllables.

use super::roman::SYLLABLES;
use super::{Edge, Letter, STATES_MAX, Spellings, States, WITHIN};
use crate::text::fold::{Folded, Level, fold, fold_char};
use crate::text::kana::{is_katakana, katakana};
use crate::text::macron::without_macron;

/// A letter in the compared form of readings: large katakana, ジ for ヂ, ズ for ヅ, オ for ヲ. `None` for characters that
/// no reading has.
pub fn letter(character: char) -> Option<Letter> {
    let folded = match katakana(fold_char(character, Level::Search)) {
        'ヂ' => 'ジ',
        'ヅ' => 'ズ',
        'ヲ' => 'オ',
        other => other,
    };
    (is_katakana(folded) || folded.is_ascii_digit()).then_some(folded as Letter)
}

/// The letters of a reading.
pub fn letters(reading: &str) -> impl Iterator<Item = Letter> {
    reading.chars().filter_map(letter)
}

/// Longest text in characters. Each position needs two states: one before the character, and one after a vowel.
const LETTERS_MAX: usize = 48;

impl Spellings {
    /// Parses a text as a reading as far as possible; kanji match no name. `None` if it is too long.
    pub fn reading(text: &str) -> Option<Spellings> {
        let mut folded = Vec::new();
        fold(text, Level::Search, &mut folded);
        if folded.len() > LETTERS_MAX {
            return None;
        }
        let mut graph = Graph::of(&folded);
        for at in 0..folded.len() {
            graph.read(at)?;
        }
        Some(graph.finish())
    }

    /// Whether it has Roman letters.
    pub fn is_roman(text: &str) -> bool {
        text.chars().any(|character| {
            without_macron(fold_char(character, Level::Search)).is_ascii_lowercase()
        })
    }
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'i' | 'u' | 'e' | 'o')
}

fn is_separator(character: char) -> bool {
    character.is_whitespace() || matches!(character, '-' | '‐' | '\'' | '’' | '.' | ',' | '、')
}

/// The graph under construction. Each position has two states: one after a Roman vowel, where a long vowel may
/// follow, and one for all else.
struct Graph {
    text: Vec<char>,
    roman: String,
    edges: Vec<Edge>,
    places: Vec<u32>,
    /// The state of a text that ends within a syllable.
    unfinished: u8,
}

impl Graph {
    fn of(folded: &[Folded]) -> Graph {
        let text: Vec<char> =
            folded.iter().map(|folded| without_macron(folded.character)).collect();
        let count = text.len();
        let place = |at: usize| {
            folded.get(at).map(|folded| folded.start).or(folded.last().map(|it| it.end))
        };
        let mut places: Vec<u32> = (0..=count).flat_map(|at| [place(at).unwrap_or(0); 2]).collect();
        places.push(WITHIN);
        // Other characters than Roman letters end a syllable.
        let roman = text.iter().map(|it| if it.is_ascii_lowercase() { *it } else { ' ' }).collect();
        Graph { text, roman, edges: Vec::new(), places, unfinished: (2 * count + 2) as u8 }
    }

    /// The state before the character at `at`, after skipping separators.
    fn state(&self, at: usize) -> u8 {
        let skipped = self.text[at..].iter().take_while(|it| is_separator(**it)).count();
        (2 * (at + skipped)) as u8
    }

    /// The state after the vowel before `at`.
    fn behind_vowel(&self, at: usize) -> u8 {
        let is_h = self.text.get(at) == Some(&'h') && self.text[at - 1] == 'o';
        let consonant = self.text.get(at + 1).is_some_and(|it| !is_vowel(*it) && *it != 'y');
        // Ohtani: the h marks a long vowel.
        let at = if is_h && consonant { at + 1 } else { at };
        self.state(at) + 1
    }

    /// Adds every reading of the character at `at`; `None` if the graph gets too large.
    fn read(&mut self, at: usize) -> Option<()> {
        let character = self.text[at];
        if !character.is_ascii_lowercase() {
            if let Some(letter) = letter(character) {
                self.path(at, &[letter], self.state(at + 1))?;
            }
            return Some(());
        }
        let rest = self.roman[at..].to_owned();
        for (spelling, kana) in SYLLABLES {
            let letters: Vec<Letter> = letters(kana).collect();
            if rest.starts_with(spelling) {
                self.path(at, &letters, self.behind_vowel(at + spelling.len()))?;
            } else if let Some(missing) = spelling.strip_prefix(&rest) {
                // `ky` is キ and one of three small kana; `k` is any of five. For `ky`, キ alone is enough.
                let known = if missing.len() > 1 { &letters[..1] } else { &letters[..] };
                self.path(at, known, self.unfinished)?;
            }
        }
        self.read_consonant(at, character)
    }

    /// Readings that depend on the next letter: ン and ッ, and the second of two o.
    fn read_consonant(&mut self, at: usize, character: char) -> Option<()> {
        const N: Letter = 'ン' as Letter;
        let next = self.text.get(at + 1).copied();
        match (character, next) {
            ('n', Some('n' | '\'' | '’')) => {
                self.path(at, &[N], self.state(at + 2))?;
                self.path(at, &[N], self.state(at + 1))?;
            }
            ('n', next) if next.is_none_or(|next| !is_vowel(next)) => {
                self.path(at, &[N], self.state(at + 1))?;
            }
            ('m', Some('b' | 'm' | 'p')) => self.path(at, &[N], self.state(at + 1))?,
            ('m', None) => self.path(at, &[N], self.unfinished)?,
            ('o', _) if at > 0 && self.text[at - 1] == 'o' => {
                self.path(at, &['ウ' as Letter], self.state(at + 1))?;
            }
            ('t', Some('c')) => self.path(at, &['ツ' as Letter], self.state(at + 1))?,
            (double, Some(next)) if double == next && !is_vowel(double) => {
                self.path(at, &['ツ' as Letter], self.state(at + 1))?;
            }
            _ => {}
        }
        Some(())
    }

    /// Adds a path of these letters from both states of `at`.
    fn path(&mut self, at: usize, letters: &[Letter], to: u8) -> Option<()> {
        let from = (2 * at) as u8;
        let mut first = None;
        for (number, &letter) in letters.iter().enumerate() {
            let to = if number + 1 == letters.len() { to } else { self.within()? };
            match first {
                None => self.edges.extend([from, from + 1].map(|from| Edge { from, to, letter })),
                Some(from) => self.edges.push(Edge { from, to, letter }),
            }
            first = Some(to);
        }
        Some(())
    }

    /// Adds a state within a syllable.
    fn within(&mut self) -> Option<u8> {
        let state = self.places.len();
        self.places.push(WITHIN);
        (state < STATES_MAX).then_some(state as u8)
    }

    fn finish(mut self) -> Spellings {
        for at in 1..=self.text.len() {
            let long: &[char] = match self.vowel_before(at) {
                Some('o') => &['ウ', 'オ', 'ー'],
                Some('u') => &['ウ', 'ー'],
                Some('a') => &['ア', 'ー'],
                Some('i' | 'e') => &['ー'],
                _ => continue,
            };
            let to = (2 * at) as u8;
            let long = long.iter().map(|long| Edge { from: to + 1, to, letter: *long as Letter });
            self.edges.extend(long);
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        let end = self.state(self.text.len());
        let whole: States = 0b11 << end;
        let done = whole | 1 << self.unfinished;
        let start = self.text.iter().take_while(|it| is_separator(**it)).count();
        Spellings::of(self.edges, self.places, done, whole).beginning_at(start)
    }

    /// The vowel before `at` that may be long, ignoring separators and the h of oh.
    fn vowel_before(&self, at: usize) -> Option<char> {
        let before = self.text[..at].iter().rev().copied().find(|it| !is_separator(*it))?;
        let is_h = before == 'h' && at > 1 && self.text[at - 2] == 'o';
        let before = if is_h { 'o' } else { before };
        is_vowel(before).then_some(before)
    }
}

impl Spellings {
    /// The same graph with the start state at this position: state 0 gets its edges.
    fn beginning_at(self, first: usize) -> Spellings {
        if first == 0 {
            return self;
        }
        let from = (2 * first) as u8;
        let begins = self.edges.iter().filter(|edge| edge.from == from);
        let mut edges: Vec<Edge> = begins.map(|edge| Edge { from: 0, ..*edge }).collect();
        edges.extend(self.edges.iter().filter(|edge| edge.from > 0));
        edges.sort_unstable();
        let is_whole = self.whole >> from & 1;
        Spellings::of(edges, self.places, self.done | is_whole, self.whole | is_whole)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::spellings::Extent;

    #[track_caller]
    fn check(typed: &str, reading: &str, expected: Option<Extent>) {
        let graph = Spellings::reading(typed).expect("short");
        assert_eq!(graph.begins(letters(reading)), expected, "{typed} of {reading}");
    }

    #[test]
    fn every_spelling_of_a_reading_matches() {
        const WHOLE: Option<Extent> = Some(Extent::Whole);
        const PART: Option<Extent> = Some(Extent::Part);
        for typed in
            ["tokyo", "toukyou", "TOKYO", "tōkyō", "tookyoo", "とうきょう", "ﾄｳｷｮｳ", "とうkyo"]
        {
            check(typed, "トウキョウ", WHOLE);
        }
        for typed in ["shimbashi", "shinbashi", "sinbasi", "shinnbasi", "shin-bashi", "しんbashi"]
        {
            check(typed, "シンバシ", WHOLE);
        }
        for typed in ["roppongi", "ropponngi", "ろっぽんぎ", "ろつぽんぎ"] {
            check(typed, "ロッポンギ", WHOLE);
        }
        check("hachioji", "ハチオウジ", WHOLE);
        check("hatiouzi", "ハチオウジ", WHOLE);
        check("ohtemachi", "オオテマチ", WHOLE);
        check("kitchi", "キッチ", WHOLE);
        check("chigasaki", "チガサキ", WHOLE);
        check("shin'ei", "シンエイ", WHOLE);
        check("niigata", "ニイガタ", WHOLE);
        check("imadzu", "イマヅ", WHOLE);
        for typed in ["k", "ky", "kyo", "きょ", "き", "きょうt", "kyot"] {
            check(typed, "キョウト", PART);
        }
        check("shim", "シンバシ", PART);
        check("n", "ナハ", PART);
        check("", "ナハ", PART);
        check("sh", "サガ", None);
        check("しぶn", "シブヤ", None);
        check("osaka", "オサカベ", PART);
        check("おさか", "オオサカ", None);
        check("新", "シン", None);
        check("tokyoto", "トウキョウ", None);
    }

    #[test]
    fn one_typing_error_is_near() {
        #[track_caller]
        fn check(typed: &str, reading: &str, expected: bool) {
            let graph = Spellings::reading(typed).expect("short");
            assert_eq!(
                graph.nearly_begins(graph.near_start(), letters(reading)),
                expected,
                "{typed} of {reading}"
            );
        }
        check("ろっぽぎん", "ロッポンギ", true);
        check("ろっぽんき", "ロッポンギ", true);
        check("ろっぽん", "ロッポンギ", true);
        check("かすがせき", "カスミガセキ", true);
        check("かすみががせき", "カスミガセキ", true);
        check("ropponji", "ロッポンギ", true);
        check("ろぽんき", "ロッポンギ", false);
        check("しぶや", "ロッポンギ", false);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_too_long(text in ".{0,60}") {
            if let Some(graph) = Spellings::reading(&text) {
                graph.begins(letters("トウキョウト"));
                graph.nearly_begins(graph.near_start(), letters("トウキョウト"));
                prop_assert!(graph.places(u128::MAX).all(|place| text.is_char_boundary(place)));
            }
        }
    }
}
