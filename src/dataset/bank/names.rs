//! Compares what people type with the names of banks and branches, for the search and for suggestions.
//!
//! An entry has its name, its reading and its reading in Roman letters. Each may be typed with any of the words that people
//! write behind it and the directory leaves out or shortens (`name_words`): 鳥取信用金庫 for 鳥取信金. Width, the size and
//! kind of kana, case, spaces and long vowels do not matter, nor which of が, ケ and ヶ stands before kanji.

use std::borrow::Cow;

use super::name_words::{NameEnding, Stem, Word};
use super::record::{EntryView, KEY_START};
use crate::text::kana::{is_hiragana, is_katakana};
use crate::text::roman_key::roman_key;
use crate::text::typed_keys::{MatchKind, TypedKeys, name_key};

/// The kind of entries. It decides which words a name may have at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Banks,
    Branches,
}

impl EntryKind {
    fn stem<'n>(self, written: &'n str, reading: &'n str) -> Stem<'n> {
        match self {
            EntryKind::Banks => Stem::of_bank(written, reading),
            EntryKind::Branches => Stem::of_branch(written, reading),
        }
    }

    /// The words that every search leaves out at the end of what was typed, whatever the entry.
    fn ignored_words(self) -> &'static [&'static str] {
        match self {
            EntryKind::Banks => &["銀行", "信用金庫", "ギンコウ", "シンヨウキンコ"],
            EntryKind::Branches => &["支店", "シテン"],
        }
    }
}

/// Where a typed text matches, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It is the name, with or without a word that it may have at its end.
    Whole,
    /// The name begins with it.
    Beginning,
    /// The name contains it.
    Inside,
    /// It is the kind that the name has at its end, such as 信用金庫, and nothing else.
    Kind,
    /// The name begins with it once a final 銀行 or 信用金庫 of the typed text is left out.
    WithoutWord,
    /// The directory's name, reading or Roman letters contain it, with or without that final word.
    Within,
}

#[derive(Debug, Clone, Copy)]
pub struct EntryMatch {
    pub class: Class,
    pub matched: MatchKind,
    pub highlight: Highlight,
}

impl EntryMatch {
    pub fn without_highlight(class: Class) -> EntryMatch {
        EntryMatch { class, matched: MatchKind::Prefix, highlight: Highlight::Nothing }
    }

    fn inside(class: Class, highlight: Highlight) -> EntryMatch {
        EntryMatch { class, matched: MatchKind::Inside, highlight }
    }
}

/// The part of the text that was typed, for the highlight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Highlight {
    /// Nothing, since the code was typed.
    Nothing,
    /// The typed letters, where they are.
    TypedLetters,
    /// The name without this final word.
    NameWithout(&'static str),
    /// The name and its final word, which may be typed in another form than in the text.
    NameAndWord,
}

/// A typed name, prepared for the comparison with every entry.
#[derive(Debug)]
pub struct TypedName {
    kind: EntryKind,
    /// As typed; of a bank without the kind word of a company, as it is copied from elsewhere.
    typed: Typed,
    /// As typed, if that differs.
    with_kind_word: Option<Typed>,
    /// For `ja…` and `jf…`: those two letters, and the text after them.
    after_prefix: Option<(&'static str, Option<Typed>)>,
    /// Without the final word that every search leaves out, if there is one.
    without_word: Option<String>,
}

/// A text and its other forms.
#[derive(Debug)]
struct Typed {
    keys: TypedKeys,
    /// The key with one letter for が, ケ and ヶ, if it has any of these before kanji.
    ga_ke: Option<String>,
}

impl Typed {
    fn new(keys: TypedKeys) -> Typed {
        let ga_ke = Some(with_one_ga_ke(&keys.key)).filter(|_| has_ga_ke(&keys.key));
        Typed { keys, ga_ke }
    }
}

impl TypedName {
    /// `None` if the text has nothing to compare, such as a lone long-vowel mark.
    pub fn parse(text: &str, kind: EntryKind) -> Option<TypedName> {
        let as_typed = TypedKeys::parse(text)?;
        // The kind words of cooperatives are part of the names of banks.
        let is_cooperative = ["組合", "連合会"].iter().any(|word| as_typed.key.ends_with(word));
        let keys = match kind {
            EntryKind::Banks if !is_cooperative => as_typed.clone().without_kind_word(),
            EntryKind::Banks | EntryKind::Branches => as_typed.clone(),
        };
        let prefix = ["ja", "jf"].into_iter().find(|prefix| keys.key.starts_with(prefix));
        let after_prefix = prefix
            .map(|prefix| (prefix, TypedKeys::parse(&keys.key[prefix.len()..]).map(Typed::new)));
        let mut ignored_words = kind.ignored_words().iter().map(|word| name_key(word));
        let without_word = ignored_words.find_map(|word| {
            keys.key.strip_suffix(&word).filter(|stem| !stem.is_empty()).map(str::to_owned)
        });
        let with_kind_word = Some(as_typed).filter(|typed| *typed != keys).map(Typed::new);
        let typed = Typed::new(keys);
        Some(TypedName { kind, typed, with_kind_word, after_prefix, without_word })
    }

    pub fn keys(&self) -> &TypedKeys {
        &self.typed.keys
    }

    /// The typed texts that may be highlighted.
    pub fn highlighted_keys(&self) -> impl Iterator<Item = &TypedKeys> {
        let after = self.after_prefix.as_ref().and_then(|(_, typed)| typed.as_ref());
        [Some(&self.typed), after].into_iter().flatten().map(|typed| &typed.keys)
    }

    pub fn find(&self, entry: EntryView<'_>) -> Option<EntryMatch> {
        self.find_in_keys(&keys(entry)?)
    }

    fn find_in_keys(&self, keys: &[Cow<'_, str>; 3]) -> Option<EntryMatch> {
        let directory @ [written, reading, romaji] = keys.each_ref().map(|key| &**key);
        let stem = self.kind.stem(written, reading);
        let also = self.with_kind_word.as_ref();
        beginning(&self.typed, stem, romaji)
            .or_else(|| also.and_then(|typed| beginning(typed, stem, romaji)))
            .or_else(|| self.find_after_prefix(stem))
            .or_else(|| inside(&self.typed, stem))
            .or_else(|| kind_alone(&self.typed.keys, stem.ending))
            .or_else(|| self.find_in_directory(directory))
    }

    fn find_after_prefix(&self, stem: Stem<'_>) -> Option<EntryMatch> {
        let (prefix, after) = self.after_prefix.as_ref()?;
        if stem.ending.prefix != *prefix {
            return None;
        }
        match after {
            Some(typed) => beginning(typed, stem, ""),
            None => Some(EntryMatch::without_highlight(Class::Beginning)),
        }
    }

    /// Compares with the texts of the directory as they are.
    fn find_in_directory(&self, texts: [&str; 3]) -> Option<EntryMatch> {
        let found = |class| Some(EntryMatch::inside(class, Highlight::TypedLetters));
        let stripped = self.without_word.as_deref();
        if stripped.is_some_and(|key| texts.iter().any(|text| text.starts_with(key))) {
            return found(Class::WithoutWord);
        }
        let also = self.with_kind_word.as_ref().map(|typed| &*typed.keys.key);
        let mut typed = [Some(&*self.typed.keys.key), also, stripped].into_iter().flatten();
        let is_within = typed.any(|key| texts.iter().any(|text| text.contains(key)));
        if is_within { found(Class::Within) } else { None }
    }
}

/// The keys of an entry's name, reading and Roman letters, without spaces.
fn keys(entry: EntryView<'_>) -> Option<[Cow<'_, str>; 3]> {
    let mut keys = entry.keys().split(KEY_START).skip(1).map(without_spaces);
    Some([keys.next()?, keys.next()?, keys.next()?])
}

fn without_spaces(key: &str) -> Cow<'_, str> {
    if key.contains(' ') { key.replace(' ', "").into() } else { key.into() }
}

/// One letter for が, ケ and ヶ between a place's words, where a key has ガ or ケ.
const GA_KE: char = 'ケ';

/// Whether each letter of a key is ガ or ケ that no kana follows, so that it may stand for the other one.
fn ga_ke_letters(key: &str) -> impl Iterator<Item = (char, bool)> {
    let following = key.chars().skip(1).map(Some).chain([None]);
    key.chars().zip(following).map(|(letter, next)| {
        let is_kana = next.is_some_and(|next| is_hiragana(next) || is_katakana(next));
        (letter, matches!(letter, 'ガ' | 'ケ') && !is_kana)
    })
}

fn has_ga_ke(key: &str) -> bool {
    ga_ke_letters(key).any(|(_, is_ga_ke)| is_ga_ke)
}

fn with_one_ga_ke(key: &str) -> String {
    ga_ke_letters(key).map(|(letter, is_ga_ke)| if is_ga_ke { GA_KE } else { letter }).collect()
}

type WordForm = fn(&Word) -> &String;

/// A way to type a name: what was typed in it, the name, and the form of the words behind it.
struct InputForm<'a> {
    matched: MatchKind,
    key: &'a str,
    name: Cow<'a, str>,
    of_word: WordForm,
    /// Whether the name has the typed letters, not others for them.
    has_letters: bool,
}

/// The ways in which the text may have been typed for this name, the surest first.
fn input_forms<'a>(typed: &'a Typed, stem: Stem<'a>) -> Vec<InputForm<'a>> {
    let form = |matched, key, name, of_word, has_letters| InputForm {
        matched,
        key,
        name,
        of_word,
        has_letters,
    };
    let written: WordForm = |word| &word.written;
    let key = &*typed.keys.key;
    let mut forms = vec![
        form(MatchKind::Prefix, key, stem.written.into(), written, true),
        form(MatchKind::Reading, key, stem.reading.into(), |word| &word.reading, false),
    ];
    if let Some(key) = &typed.ga_ke {
        let name = with_one_ga_ke(stem.written).into();
        forms.push(form(MatchKind::Prefix, key, name, written, false));
    }
    if !typed.keys.roman.is_empty() {
        let name = roman_key(stem.reading);
        for key in &typed.keys.roman {
            let name = name.clone().into();
            forms.push(form(MatchKind::Roman, key, name, |word| &word.roman, false));
        }
    }
    forms
}

/// Matches the beginning of the name, which one of its words may follow; or that of the Roman letters as the directory
/// prints them.
fn beginning(typed: &Typed, stem: Stem<'_>, romaji: &str) -> Option<EntryMatch> {
    let mut found: Option<EntryMatch> = None;
    for form in input_forms(typed, stem) {
        let words = stem.ending.words.iter().map(form.of_word);
        let Some(key_match) = match_key(form.key, &form.name, words) else { continue };
        let class = if key_match.is_whole { Class::Whole } else { Class::Beginning };
        let highlight = match (key_match.has_word, form.has_letters) {
            (true, _) => Highlight::NameAndWord,
            (false, true) => Highlight::TypedLetters,
            (false, false) => Highlight::NameWithout(stem.ending.short),
        };
        if found.is_none_or(|found| class < found.class) {
            found = Some(EntryMatch { class, matched: form.matched, highlight });
        }
    }
    let in_directory = || EntryMatch {
        class: Class::Beginning,
        matched: MatchKind::Roman,
        highlight: Highlight::NameWithout(stem.ending.short),
    };
    found.or_else(|| romaji.starts_with(&typed.keys.key).then(in_directory))
}

struct KeyMatch {
    /// Whether the key ends where the name or a word after it ends.
    is_whole: bool,
    /// Whether the key contains the beginning of such a word.
    has_word: bool,
}

/// Matches a key with the beginning of a name, which one of the words may follow.
fn match_key<'w>(
    key: &str,
    stem: &str,
    mut words: impl Iterator<Item = &'w String>,
) -> Option<KeyMatch> {
    if let Some(rest) = stem.strip_prefix(key) {
        return Some(KeyMatch { is_whole: rest.is_empty(), has_word: false });
    }
    let rest = key.strip_prefix(stem)?;
    let word = words.find(|word| word.starts_with(rest))?;
    Some(KeyMatch { is_whole: word == rest, has_word: true })
}

/// Shortest text of Roman letters that is also found inside a reading: a syllable has two letters.
const ROMAN_INSIDE_MIN: usize = 3;

/// Matches a part of the name, or its end with the beginning of a word that the directory writes behind it in some form.
fn inside(typed: &Typed, stem: Stem<'_>) -> Option<EntryMatch> {
    let is_long_enough = |form: &InputForm<'_>| {
        form.matched != MatchKind::Roman || form.key.len() >= ROMAN_INSIDE_MIN
    };
    let words = if stem.ending.short.is_empty() { &[][..] } else { &stem.ending.words };
    input_forms(typed, stem).into_iter().filter(is_long_enough).find_map(|form| {
        let in_name = form.name.contains(form.key);
        if !in_name && !words.iter().any(|word| spans(form.key, &form.name, (form.of_word)(word))) {
            return None;
        }
        let highlight = match (form.has_letters, in_name) {
            (true, _) => Highlight::TypedLetters,
            (false, true) => Highlight::NameWithout(stem.ending.short),
            (false, false) => Highlight::Nothing,
        };
        Some(EntryMatch::inside(Class::Inside, highlight))
    })
}

/// Whether a key is an end of the name and a beginning of the word.
fn spans(key: &str, name: &str, word: &str) -> bool {
    let mut splits = key.char_indices().skip(1).map(|(offset, _)| key.split_at(offset));
    splits.any(|(end, beginning)| name.ends_with(end) && word.starts_with(beginning))
}

/// Matches a word that the name has at its end, if the directory writes it there in some form.
fn kind_alone(typed: &TypedKeys, ending: &NameEnding) -> Option<EntryMatch> {
    let is_word = |word: &Word| {
        [&word.written, &word.reading].contains(&&typed.key) || typed.roman.contains(&word.roman)
    };
    (!ending.short.is_empty() && ending.words.iter().any(is_word))
        .then(|| EntryMatch::inside(Class::Kind, Highlight::TypedLetters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Class::{Beginning, Inside, Kind, Whole, Within, WithoutWord};

    /// How a text matches a name and its reading.
    fn class(text: &str, kind: EntryKind, [name, reading]: [&str; 2]) -> Option<Class> {
        let romaji = crate::text::kana::bank_romaji(reading);
        let keys = [name, reading, &romaji].map(|text| name_key(text).into());
        TypedName::parse(text, kind)?.find_in_keys(&keys).map(|found| found.class)
    }

    #[test]
    fn banks_are_found_by_any_form_of_their_names() {
        const SHINKIN: [&str; 2] = ["鳥取信金", "トツトリシンキン"];
        const BANK: [&str; 2] = ["鳥取", "トツトリ"];
        const SHINKUMI: [&str; 2] = ["広島市信組", "ヒロシマシシンクミ"];
        const ROKIN: [&str; 2] = ["中国労金", "チユウゴクロウキン"];
        const NOKYO: [&str; 2] = ["鳥取いなば農協", "トツトリイナバノウキヨウ"];
        const UNION: [&str; 2] = ["鳥取県信連", "トツトリケンシンレン"];
        const CENTRAL: [&str; 2] = ["信金中金", "シンキンチユウキン"];
        for (text, names, expected) in [
            ("鳥取信用金庫", SHINKIN, Some(Whole)),
            ("鳥取信金", SHINKIN, Some(Whole)),
            ("鳥取しんきん", SHINKIN, None),
            ("とっとりしんきん", SHINKIN, Some(Whole)),
            ("とっとりしんようきんこ", SHINKIN, Some(Whole)),
            ("tottorishinkin", SHINKIN, Some(Whole)),
            ("鳥取信用", SHINKIN, Some(Beginning)),
            ("鳥取", SHINKIN, Some(Whole)),
            ("取信用金庫", SHINKIN, Some(Inside)),
            ("信用金庫", SHINKIN, Some(Kind)),
            ("しんきん", SHINKIN, Some(Kind)),
            ("金", SHINKIN, Some(Within)),
            ("信用", SHINKIN, None),
            ("鳥取信用金庫", BANK, Some(WithoutWord)),
            ("鳥取銀行", BANK, Some(Whole)),
            ("株式会社鳥取銀行", BANK, Some(Whole)),
            ("㈱鳥取銀行", BANK, Some(Whole)),
            ("取銀行", BANK, Some(Within)),
            ("銀行", BANK, None),
            ("totto", BANK, Some(Beginning)),
            ("広島市信用組合", SHINKUMI, Some(Whole)),
            ("広島市 信用組合", SHINKUMI, Some(Whole)),
            ("信用組合", SHINKUMI, Some(Kind)),
            ("中国労働金庫", ROKIN, Some(Whole)),
            ("労金", ROKIN, Some(Kind)),
            ("ろうきん", ROKIN, Some(Kind)),
            ("労働金庫", ROKIN, Some(Kind)),
            ("鳥取いなば農業協同組合", NOKYO, Some(Whole)),
            ("ＪＡ鳥取いなば", NOKYO, Some(Whole)),
            ("JA", NOKYO, Some(Beginning)),
            ("いなば農業協同組合", NOKYO, Some(Inside)),
            ("農業協同組合", NOKYO, Some(Kind)),
            ("鳥取県信用農業協同組合連合会", UNION, Some(Whole)),
            ("信用農業協同組合連合会", UNION, Some(Kind)),
            ("鳥取農業協同組合", BANK, None),
            ("JA鳥取", BANK, None),
            ("信金中央金庫", CENTRAL, Some(Whole)),
            ("ー", BANK, None),
        ] {
            assert_eq!(class(text, EntryKind::Banks, names), expected, "{text} in {names:?}");
        }
    }

    #[test]
    fn branches_are_found_with_any_letter_for_ga_and_by_the_long_name_of_a_head_office() {
        const HILL: [&str; 2] = ["青葉ケ丘", "アオバガオカ"];
        const SMALL: [&str; 2] = ["千ヶ崎", "チガサキ"];
        const KANA: [&str; 2] = ["つつじが丘", "ツツジガオカ"];
        const SAMPLE: [&str; 2] = ["見本", "ミホン"];
        const HEAD: [&str; 2] = ["本店", "ホンテン"];
        for (text, names, expected) in [
            ("青葉が丘", HILL, Some(Whole)),
            ("青葉ヶ丘支店", HILL, Some(Whole)),
            ("青葉が丘支店", HILL, Some(Whole)),
            ("青葉が", HILL, Some(Beginning)),
            ("葉が丘", HILL, Some(Inside)),
            ("あおばがおか", HILL, Some(Whole)),
            ("千が崎", SMALL, Some(Whole)),
            ("千ケ崎", SMALL, Some(Whole)),
            ("つつじヶ丘", KANA, Some(Whole)),
            ("つつじけおか", KANA, None),
            ("本店営業部", HEAD, Some(Whole)),
            ("本店営業", HEAD, Some(Beginning)),
            ("ほんてんえいぎょうぶ", HEAD, Some(Whole)),
            ("本店", HEAD, Some(Whole)),
            ("本店支店", HEAD, Some(Whole)),
            ("ほんてんえいぎょうぶ", ["本店営業部", "ホンテン"], Some(Whole)),
            ("青葉ケ丘営業部", HILL, None),
            ("支店", HILL, None),
            ("本店", SAMPLE, None),
            ("見本店", SAMPLE, Some(Whole)),
        ] {
            assert_eq!(class(text, EntryKind::Branches, names), expected, "{text} in {names:?}");
        }
    }

    #[test]
    fn what_the_directory_prints_is_found_as_it_is() {
        use proptest::prelude::*;
        proptest!(|(name in "[ア-オ一-三ガケ信金銀行 ]{1,6}", from in 0..6usize, to in 1..7usize)| {
            let part: String = name.chars().skip(from).take(to).collect();
            let keys = [&*name, "", ""].map(|text| name_key(text).replace(' ', "").into());
            let searched = TypedName::parse(&part, EntryKind::Banks);
            let found = searched.and_then(|searched| searched.find_in_keys(&keys));
            prop_assert_eq!(found.is_some(), !part.trim().is_empty(), "{} in {}", part, name);
        });
    }
}
