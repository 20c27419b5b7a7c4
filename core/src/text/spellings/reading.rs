//! A typed reading: either kana, Roman letters, or kana with an unfinished Roman syllable at the end, as an input
//! method leaves it.
//!
//! In Roman letters, long vowels may be omitted or spelled in any way, ン is n or m, and an unfinished syllable stands
//! for all its completions. Hyphens, spaces and apostrophes only separate syllables. Syllables have the spellings of
//! the common systems: Hepburn, Kunrei, and what people type into input methods.

use super::{Edge, Letter, NO_OFFSET, STATES_MAX, Spellings, States};
use crate::text::fold::{Folded, Level, fold, fold_char};
use crate::text::kana::{is_katakana, katakana, without_macron};

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

pub fn letters(reading: &str) -> impl Iterator<Item = Letter> {
    reading.chars().filter_map(letter)
}

/// Longest text in characters. Each position needs two states: one before the character, and one after a vowel.
const LETTERS_MAX: usize = 48;

impl Spellings {
    /// Parses a text as a reading as far as possible; kanji match no name. `None` if it is too long.
    pub fn from_reading(text: &str) -> Option<Spellings> {
        let mut folded = Vec::new();
        fold(text, Level::Search, &mut folded);
        if folded.len() > LETTERS_MAX {
            return None;
        }
        let mut graph = Graph::new(&folded);
        for index in 0..folded.len() {
            graph.add_readings(index)?;
        }
        Some(graph.finish())
    }

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

/// The graph under construction. Before the character with index `i` there are two states: `2 * i`, and `2 * i + 1`
/// after a Roman vowel, where a long vowel may follow.
struct Graph {
    text: Vec<char>,
    /// The folded text with a space for every character that is no Roman letter, because such a character ends a
    /// syllable.
    roman: String,
    edges: Vec<Edge>,
    /// For each state the byte offset up to which the text is read there, or [`NO_OFFSET`].
    offsets: Vec<u32>,
    /// The state of a text that ends within a syllable.
    unfinished: u8,
}

impl Graph {
    fn new(folded: &[Folded]) -> Graph {
        let text: Vec<char> =
            folded.iter().map(|folded| without_macron(folded.character)).collect();
        let count = text.len();
        let end = folded.last().map_or(0, |folded| folded.end);
        let offset = |index: usize| folded.get(index).map_or(end, |folded| folded.start);
        let mut offsets: Vec<u32> = (0..=count).flat_map(|index| [offset(index); 2]).collect();
        offsets.push(NO_OFFSET);
        let roman = text.iter().map(|it| if it.is_ascii_lowercase() { *it } else { ' ' }).collect();
        Graph { text, roman, edges: Vec::new(), offsets, unfinished: (2 * count + 2) as u8 }
    }

    /// The state before the character at this index, after skipping separators.
    fn state(&self, index: usize) -> u8 {
        let skipped = self.text[index..].iter().take_while(|it| is_separator(**it)).count();
        (2 * (index + skipped)) as u8
    }

    /// The state after a vowel that ends before this index.
    fn state_after_vowel(&self, index: usize) -> u8 {
        let is_h = self.text.get(index) == Some(&'h') && self.text[index - 1] == 'o';
        let consonant = self.text.get(index + 1).is_some_and(|it| !is_vowel(*it) && *it != 'y');
        // Ohtani: the h marks a long vowel.
        let index = if is_h && consonant { index + 1 } else { index };
        self.state(index) + 1
    }

    /// Adds every reading of the character at this index; `None` if the graph gets too large.
    fn add_readings(&mut self, index: usize) -> Option<()> {
        let character = self.text[index];
        if !character.is_ascii_lowercase() {
            if let Some(letter) = letter(character) {
                self.add_path(index, &[letter], self.state(index + 1))?;
            }
            return Some(());
        }
        let rest = self.roman[index..].to_owned();
        for (spelling, kana) in SYLLABLES {
            let letters: Vec<Letter> = letters(kana).collect();
            if rest.starts_with(spelling) {
                self.add_path(index, &letters, self.state_after_vowel(index + spelling.len()))?;
            } else if let Some(missing) = spelling.strip_prefix(&rest) {
                // `ky` is キ and one of three small kana; `k` is any of five. For `ky`, キ alone is enough.
                let known = if missing.len() > 1 { &letters[..1] } else { &letters[..] };
                self.add_path(index, known, self.unfinished)?;
            }
        }
        self.add_consonant(index, character)
    }

    /// Readings that depend on the next letter: ン and ッ, and the second of two o.
    fn add_consonant(&mut self, index: usize, character: char) -> Option<()> {
        const N: Letter = 'ン' as Letter;
        let next = self.text.get(index + 1).copied();
        let kana = match (character, next) {
            ('n', Some('n' | '\'' | '’')) => {
                self.add_path(index, &[N], self.state(index + 2))?;
                'ン'
            }
            ('n', next) if next.is_none_or(|next| !is_vowel(next)) => 'ン',
            ('m', Some('b' | 'm' | 'p')) => 'ン',
            ('m', None) => return self.add_path(index, &[N], self.unfinished),
            ('o', _) if index > 0 && self.text[index - 1] == 'o' => 'ウ',
            ('t', Some('c')) => 'ツ',
            (double, Some(next)) if double == next && !is_vowel(double) => 'ツ',
            _ => return Some(()),
        };
        self.add_path(index, &[kana as Letter], self.state(index + 1))
    }

    /// Adds a path of these letters from both states before this index.
    fn add_path(&mut self, index: usize, letters: &[Letter], to: u8) -> Option<()> {
        let from = (2 * index) as u8;
        let mut previous = None;
        for (number, &letter) in letters.iter().enumerate() {
            let to = if number + 1 == letters.len() { to } else { self.add_inner_state()? };
            match previous {
                None => self.edges.extend([from, from + 1].map(|from| Edge { from, to, letter })),
                Some(from) => self.edges.push(Edge { from, to, letter }),
            }
            previous = Some(to);
        }
        Some(())
    }

    /// Adds a state within a syllable; `None` if there are too many.
    fn add_inner_state(&mut self) -> Option<u8> {
        let state = self.offsets.len();
        self.offsets.push(NO_OFFSET);
        (state < STATES_MAX).then_some(state as u8)
    }

    /// Adds the letters that lengthen a vowel, and builds the graph.
    fn finish(mut self) -> Spellings {
        for index in 1..=self.text.len() {
            let long: &[char] = match self.vowel_before(index) {
                Some('o') => &['ウ', 'オ', 'ー'],
                Some('u') => &['ウ', 'ー'],
                Some('a') => &['ア', 'ー'],
                Some('i' | 'e') => &['ー'],
                _ => continue,
            };
            let to = (2 * index) as u8;
            let long = long.iter().map(|long| Edge { from: to + 1, to, letter: *long as Letter });
            self.edges.extend(long);
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        let end = self.state(self.text.len());
        let exact_states: States = 0b11 << end;
        let final_states = exact_states | 1 << self.unfinished;
        let start = self.text.iter().take_while(|it| is_separator(**it)).count();
        Spellings::from_edges(self.edges, self.offsets, final_states, exact_states)
            .starting_at(start)
    }

    /// The vowel before this index that may be long, ignoring separators and the h of oh.
    fn vowel_before(&self, index: usize) -> Option<char> {
        let before = self.text[..index].iter().rev().copied().find(|it| !is_separator(*it))?;
        let is_h = before == 'h' && index > 1 && self.text[index - 2] == 'o';
        let before = if is_h { 'o' } else { before };
        is_vowel(before).then_some(before)
    }
}

impl Spellings {
    /// Moves the start before the character at this index: state 0 gets the edges of the state there.
    fn starting_at(self, index: usize) -> Spellings {
        if index == 0 {
            return self;
        }
        let start = (2 * index) as u8;
        let from_start = self.edges.iter().filter(|edge| edge.from == start);
        let mut edges: Vec<Edge> = from_start.map(|edge| Edge { from: 0, ..*edge }).collect();
        edges.extend(self.edges.iter().filter(|edge| edge.from > 0));
        edges.sort_unstable();
        // Bit 0, if nothing but separators was typed.
        let exact_start = self.exact_states >> start & 1;
        let final_states = self.final_states | exact_start;
        Spellings::from_edges(edges, self.offsets, final_states, self.exact_states | exact_start)
    }
}

/// Each spelling and its kana.
#[rustfmt::skip] // The syllables of one sound a line.
const SYLLABLES: &[(&str, &str)] = &[
    ("a", "ア"), ("i", "イ"), ("u", "ウ"), ("e", "エ"), ("o", "オ"),
    ("ka", "カ"), ("ki", "キ"), ("ku", "ク"), ("ke", "ケ"), ("ko", "コ"),
    ("sa", "サ"), ("shi", "シ"), ("si", "シ"), ("su", "ス"), ("se", "セ"), ("so", "ソ"),
    ("ta", "タ"), ("chi", "チ"), ("ti", "チ"), ("tsu", "ツ"), ("tu", "ツ"), ("te", "テ"), ("to", "ト"),
    ("na", "ナ"), ("ni", "ニ"), ("nu", "ヌ"), ("ne", "ネ"), ("no", "ノ"),
    ("ha", "ハ"), ("hi", "ヒ"), ("fu", "フ"), ("hu", "フ"), ("he", "ヘ"), ("ho", "ホ"),
    ("ma", "マ"), ("mi", "ミ"), ("mu", "ム"), ("me", "メ"), ("mo", "モ"),
    ("ya", "ヤ"), ("yu", "ユ"), ("yo", "ヨ"),
    ("ra", "ラ"), ("ri", "リ"), ("ru", "ル"), ("re", "レ"), ("ro", "ロ"),
    ("wa", "ワ"), ("wo", "オ"), ("wi", "ウイ"), ("we", "ウエ"),
    ("ga", "ガ"), ("gi", "ギ"), ("gu", "グ"), ("ge", "ゲ"), ("go", "ゴ"),
    ("za", "ザ"), ("ji", "ジ"), ("zi", "ジ"), ("zu", "ズ"), ("ze", "ゼ"), ("zo", "ゾ"),
    ("da", "ダ"), ("di", "ジ"), ("du", "ズ"), ("dzu", "ズ"), ("de", "デ"), ("do", "ド"),
    ("ba", "バ"), ("bi", "ビ"), ("bu", "ブ"), ("be", "ベ"), ("bo", "ボ"),
    ("pa", "パ"), ("pi", "ピ"), ("pu", "プ"), ("pe", "ペ"), ("po", "ポ"),
    ("va", "ヴア"), ("vi", "ヴイ"), ("vu", "ヴ"), ("ve", "ヴエ"), ("vo", "ヴオ"),
    ("kya", "キヤ"), ("kyu", "キユ"), ("kyo", "キヨ"),
    ("sha", "シヤ"), ("shu", "シユ"), ("she", "シエ"), ("sho", "シヨ"),
    ("sya", "シヤ"), ("syu", "シユ"), ("syo", "シヨ"),
    ("cha", "チヤ"), ("chu", "チユ"), ("che", "チエ"), ("cho", "チヨ"),
    ("tya", "チヤ"), ("tyu", "チユ"), ("tyo", "チヨ"),
    ("cya", "チヤ"), ("cyu", "チユ"), ("cyo", "チヨ"),
    ("nya", "ニヤ"), ("nyu", "ニユ"), ("nyo", "ニヨ"),
    ("hya", "ヒヤ"), ("hyu", "ヒユ"), ("hyo", "ヒヨ"),
    ("mya", "ミヤ"), ("myu", "ミユ"), ("myo", "ミヨ"),
    ("rya", "リヤ"), ("ryu", "リユ"), ("ryo", "リヨ"),
    ("gya", "ギヤ"), ("gyu", "ギユ"), ("gyo", "ギヨ"),
    ("ja", "ジヤ"), ("ju", "ジユ"), ("je", "ジエ"), ("jo", "ジヨ"),
    ("jya", "ジヤ"), ("jyu", "ジユ"), ("jyo", "ジヨ"),
    ("zya", "ジヤ"), ("zyu", "ジユ"), ("zyo", "ジヨ"),
    ("dya", "ジヤ"), ("dyu", "ジユ"), ("dyo", "ジヨ"),
    ("bya", "ビヤ"), ("byu", "ビユ"), ("byo", "ビヨ"),
    ("pya", "ピヤ"), ("pyu", "ピユ"), ("pyo", "ピヨ"),
    ("fa", "フア"), ("fi", "フイ"), ("fe", "フエ"), ("fo", "フオ"),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::spellings::Extent;

    #[track_caller]
    fn check(typed: &str, reading: &str, expected: Option<Extent>) {
        let graph = Spellings::from_reading(typed).expect("short");
        assert_eq!(graph.prefix_extent(letters(reading)), expected, "{typed} of {reading}");
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
            let graph = Spellings::from_reading(typed).expect("short");
            assert_eq!(
                graph.is_near_prefix(graph.near_start(), letters(reading)),
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
            if let Some(graph) = Spellings::from_reading(&text) {
                graph.prefix_extent(letters("トウキョウト"));
                graph.is_near_prefix(graph.near_start(), letters("トウキョウト"));
                prop_assert!(graph.offsets(u128::MAX).all(|offset| text.is_char_boundary(offset)));
            }
        }
    }
}
