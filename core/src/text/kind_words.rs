//! Kind words: the legal form (株式会社) before or after a corporation's name. Splits a name into kind word and
//! body, the part that people know the corporation by (`docs/rules.md`, 'Corporate search'). Texts and words must
//! be folded at the same level before they come here.

use std::{borrow::Cow, cmp::Reverse, ops::Range, sync::LazyLock};

use super::fold::{Level, folded};

/// The kind words. A form's number is an index into this list and is stored in snapshots: append only.
#[rustfmt::skip] // Several words a line.
const WORDS: [&str; 46] = [
    "株式会社", "有限会社", "合資会社", "合同会社", "合名会社", "相互会社", "医療法人",
    "医療法人財団", "医療法人社団", "社会医療法人", "社会医療法人財団", "社会医療法人社団",
    "社会福祉法人", "財団法人", "社団法人", "一般財団法人", "一般社団法人", "公益財団法人",
    "公益社団法人", "学校法人", "国立大学法人", "公立大学法人", "更生保護法人", "独立行政法人",
    "地方独立行政法人", "農業生産法人", "農事組合法人", "弁護士法人", "税理士法人", "行政書士法人",
    "司法書士法人", "社会保険労務士法人", "管理組合法人", "無限責任中間法人", "有限責任中間法人",
    "宗教法人", "特定非営利活動法人", "協同組合", "生活協同組合", "農業協同組合", "漁業協同組合",
    "労働組合", "従業員組合", "連合会", "厚生年金基金", "NPO法人",
];

/// The words that a search for whole names does not leave out: the list of the interface specification lacks them.
const KEPT_WORDS: [&str; 2] = ["農業協同組合", "NPO法人"];

/// Abbreviations that people write in brackets, with their words.
///
/// Three stand for several words. 社 and 財 stand for the common end of the general and the public-interest forms, so
/// that a partial match finds all of them. 合 stands for 合同会社, of which there are six times as many as of 合名会社 and
/// 合資会社 together. 特 and 企 abbreviate no word.
#[rustfmt::skip] // Several pairs a line.
const ABBREVIATIONS: [(&str, &str); 42] = [
    ("株", "株式会社"), ("有", "有限会社"), ("資", "合資会社"), ("名", "合名会社"),
    ("同", "合同会社"), ("合", "合同会社"), ("相", "相互会社"), ("医", "医療法人"),
    ("医財", "医療法人財団"), ("医社", "医療法人社団"), ("社医", "社会医療法人"),
    ("福", "社会福祉法人"), ("社福", "社会福祉法人"), ("財", "財団法人"), ("社", "社団法人"),
    ("一財", "一般財団法人"), ("一社", "一般社団法人"), ("公財", "公益財団法人"),
    ("公社", "公益社団法人"), ("学", "学校法人"), ("国大", "国立大学法人"),
    ("公大", "公立大学法人"), ("更", "更生保護法人"), ("独", "独立行政法人"),
    ("独法", "独立行政法人"), ("地独", "地方独立行政法人"), ("農", "農事組合法人"),
    ("弁", "弁護士法人"), ("税", "税理士法人"), ("行", "行政書士法人"), ("司", "司法書士法人"),
    ("社労", "社会保険労務士法人"), ("管", "管理組合法人"), ("宗", "宗教法人"),
    ("特非", "特定非営利活動法人"), ("NPO", "特定非営利活動法人"), ("協", "協同組合"),
    ("生協", "生活協同組合"), ("農協", "農業協同組合"), ("漁協", "漁業協同組合"),
    ("労", "労働組合"), ("連", "連合会"),
];

/// On which side of the body the kind word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    Before,
    After,
}

/// Which kind word a name has, on which side, and whether a space separates it, in one byte; 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Form(u8);

/// Two sides, with and without a space.
const FORMS_PER_WORD: usize = 4;

const _: () =
    assert!(WORDS.len() * FORMS_PER_WORD < u8::MAX as usize, "a form is a byte, and not the last");

impl Form {
    pub const NONE: Form = Form(0);

    fn new(word: usize, side: Side, is_spaced: bool) -> Form {
        let is_after = usize::from(side == Side::After);
        Form((1 + word * FORMS_PER_WORD + is_after * 2 + usize::from(is_spaced)) as u8)
    }

    /// Every form, the one without a word first.
    pub fn all() -> impl Iterator<Item = Form> {
        (0..=(WORDS.len() * FORMS_PER_WORD) as u8).map(Form)
    }

    pub fn from_number(number: u8) -> Option<Form> {
        (usize::from(number) <= WORDS.len() * FORMS_PER_WORD).then_some(Form(number))
    }

    pub fn number(self) -> u8 {
        self.0
    }

    /// The word and its side; `None` if there is no word.
    pub fn word(self) -> Option<(&'static str, Side)> {
        let index = usize::from(self.0.checked_sub(1)?);
        let side = if index % FORMS_PER_WORD < 2 { Side::Before } else { Side::After };
        Some((WORDS.get(index / FORMS_PER_WORD)?, side))
    }

    /// Whether a space separates the word from the rest.
    pub fn is_spaced(self) -> bool {
        self.0 != 0 && (self.0 - 1) % 2 == 1
    }

    /// This form with or without a space; unchanged if there is no word.
    pub fn spaced(self, spaced: bool) -> Form {
        if self.0 == 0 { self } else { Form((self.0 - 1) / 2 * 2 + 1 + u8::from(spaced)) }
    }
}

/// All words and abbreviations, folded at one level.
struct FoldedWords {
    /// In the order of their numbers.
    words: Vec<String>,
    /// By first letter.
    by_start: Vec<EdgeWord>,
    /// By last letter.
    by_end: Vec<EdgeWord>,
    /// The text in brackets and the number of its word; the longest first.
    abbreviations: Vec<(String, usize)>,
}

/// A word in a list that is sorted by first or last letter, then by length, the longest first.
struct EdgeWord {
    /// The first or last letter.
    edge: char,
    word: String,
    /// Its index in [`WORDS`].
    number: usize,
}

static FOLDED: LazyLock<[FoldedWords; 4]> = LazyLock::new(|| Level::ALL.map(FoldedWords::new));

impl FoldedWords {
    fn new(level: Level) -> FoldedWords {
        let number = |word| WORDS.iter().position(|known| *known == word);
        let number = |word| number(word).expect("an abbreviation is of a word");
        let sorted = |edge: fn(&str) -> Option<char>| {
            let mut words: Vec<_> = (0..)
                .zip(WORDS)
                .map(|(number, word)| (folded(word, level), number))
                .filter_map(|(word, number)| Some(EdgeWord { edge: edge(&word)?, word, number }))
                .collect();
            words.sort_by_key(|word| (word.edge, Reverse(word.word.len())));
            words
        };
        let mut abbreviations: Vec<_> =
            ABBREVIATIONS.map(|(short, word)| (folded(short, level), number(word))).into();
        abbreviations.sort_by_key(|(short, _)| Reverse(short.len()));
        FoldedWords {
            words: WORDS.iter().map(|word| folded(word, level)).collect(),
            by_start: sorted(|word| word.chars().next()),
            by_end: sorted(|word| word.chars().next_back()),
            abbreviations,
        }
    }
}

/// The words with this first or last letter, the longest first.
fn words_with_edge(words: &[EdgeWord], edge: Option<char>) -> &[EdgeWord] {
    let Some(edge) = edge else { return &[] };
    let start = words.partition_point(|word| word.edge < edge);
    let length = words[start..].partition_point(|word| word.edge == edge);
    &words[start..start + length]
}

/// A form's word folded at `level`; empty if there is none.
pub fn folded_word(form: Form, level: Level) -> &'static str {
    let number = usize::from(form.0).checked_sub(1).map(|index| index / FORMS_PER_WORD);
    number.and_then(|number| FOLDED[level as usize].words.get(number)).map_or("", String::as_str)
}

const SPACES: [char; 2] = [' ', '\u{3000}'];

/// Splits off the longest kind word of a name that was folded at `level`. A name that is only a kind word stays
/// whole.
pub fn split(name: &str, level: Level) -> (&str, Form) {
    let words = &FOLDED[level as usize];
    for EdgeWord { word, number, .. } in words_with_edge(&words.by_start, name.chars().next()) {
        if let Some(rest) = name.strip_prefix(word.as_str()) {
            let body = rest.strip_prefix(SPACES).unwrap_or(rest);
            let form = Form::new(*number, Side::Before, body.len() < rest.len());
            return body_or_name(name, body, form);
        }
    }
    for EdgeWord { word, number, .. } in words_with_edge(&words.by_end, name.chars().next_back()) {
        if let Some(rest) = name.strip_suffix(word.as_str()) {
            let body = rest.strip_suffix(SPACES).unwrap_or(rest);
            let form = Form::new(*number, Side::After, body.len() < rest.len());
            return body_or_name(name, body, form);
        }
    }
    (name, Form::NONE)
}

/// Whether a kind word may stand at the beginning or the end of a text, by its first and last letter, folded at `level`.
pub fn may_have_word_at_edge(first: char, last: char, level: Level) -> bool {
    let FoldedWords { by_start, by_end, .. } = &FOLDED[level as usize];
    let is_edge = |words, letter| !words_with_edge(words, Some(letter)).is_empty();
    is_edge(by_start, first) || is_edge(by_end, last)
}

fn body_or_name<'a>(name: &'a str, body: &'a str, form: Form) -> (&'a str, Form) {
    if body.trim().is_empty() { (name, Form::NONE) } else { (body, form) }
}

/// Whether a text folded at `level` is a kind word.
pub fn is_kind_word(text: &str, level: Level) -> bool {
    FOLDED[level as usize].words.iter().any(|word| word == text)
}

/// Most kind words of one name that are omitted; further ones stay.
const OMITTED_MAX: u32 = 4;

/// Most places of a name where a kind word is looked at: one word may be part of another.
const OCCURRENCES_MAX: usize = 8;

/// Byte ranges of the kind words in a name that was folded at `level`, in the order of their starts, the longest
/// first. They overlap where a word is part of another: 漁業協同組合 is also 協同組合 after 漁業.
fn occurrences(name: &str, level: Level) -> Vec<Range<usize>> {
    let words = &FOLDED[level as usize].by_start;
    let mut found: Vec<Range<usize>> = Vec::new();
    for (offset, letter) in name.char_indices() {
        for EdgeWord { word, number, .. } in words_with_edge(words, Some(letter)) {
            let may_be_omitted = !KEPT_WORDS.contains(&WORDS[*number]);
            if may_be_omitted && name[offset..].starts_with(word.as_str()) {
                found.push(offset..offset + word.len());
            }
        }
    }
    found.truncate(OCCURRENCES_MAX);
    found
}

/// Whether a name becomes shorter without a kind word in another way than by [`split`].
pub fn has_unsplit_word(name: &str, level: Level) -> bool {
    match occurrences(name, level).as_slice() {
        [] => false,
        [only] => {
            let (_, form) = split(name, level);
            let is_at_edge = only.start == 0 || only.end == name.len();
            !is_at_edge || folded_word(form, level).len() != only.len()
        }
        _ => true,
    }
}

/// The shorter names that remain of a name folded at `level` when one or several kind words are omitted, wherever
/// they stand. Where a word in the middle had a space beside it, there is also a name with a space in its place.
pub fn shortened(name: &str, level: Level) -> Vec<String> {
    let words = occurrences(name, level);
    let mut found = Vec::new();
    // Each bit of `omitted` stands for a word.
    for omitted in 1..1usize << words.len() {
        if omitted.count_ones() > OMITTED_MAX {
            continue;
        }
        let omitted = || words.iter().enumerate().filter(|(number, _)| omitted >> number & 1 == 1);
        let starts = omitted().skip(1).map(|(_, word)| word.start);
        if !omitted().zip(starts).all(|((_, before), start)| before.end <= start) {
            continue;
        }
        let (mut joined, mut spaced, mut copied) = (String::new(), String::new(), 0);
        for (_, word) in omitted() {
            // The space between two omitted words belongs to the first.
            let between = &name[copied.min(word.start)..word.start];
            let without_space = between.strip_suffix(SPACES);
            let after_space = name[word.end..].strip_prefix(SPACES);
            let before = without_space.unwrap_or(between);
            joined.push_str(before);
            spaced.push_str(before);
            let is_in_middle = !spaced.is_empty() && word.end < name.len();
            if is_in_middle && (without_space.is_some() || after_space.is_some()) {
                spaced.push(' ');
            }
            copied = after_space.map_or(word.end, |after| name.len() - after.len());
        }
        for mut text in [joined, spaced] {
            text.push_str(&name[copied..]);
            if !text.trim().is_empty() && !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found
}

/// Whether a text equals a name without some of its kind words. A name without one at its beginning or end also equals
/// itself. Both are folded at `level`.
pub fn equals_without_kind_words(name: &str, text: &str, level: Level) -> bool {
    let shorter = shortened(name, level);
    if shorter.iter().any(|shorter| shorter == text) {
        return true;
    }
    let is_at_edge = |word: &Range<usize>| word.start == 0 || word.end == name.len();
    let stays_whole = shorter.is_empty() || !occurrences(name, level).iter().any(is_at_edge);
    stays_whole && name == text
}

/// Expands the abbreviation at the beginning of a keyword folded at `level`, or else at its end: `(株)台帳` becomes
/// `株式会社台帳`. The outer bracket may be missing, since a name may be cut out of a longer text. One space beside the
/// abbreviation is dropped.
///
/// `㈱` and `（株）` fold to `(株)`. `NPO法人` stays, since registered names have it.
pub fn expand(keyword: &str, level: Level) -> Cow<'_, str> {
    let Some((number, side, rest)) = split_abbreviation(keyword, level) else {
        return keyword.into();
    };
    let word = &*FOLDED[level as usize].words[number];
    match side {
        Side::Before => [word, rest].concat().into(),
        Side::After => [rest, word].concat().into(),
    }
}

/// A name folded at `level` without the abbreviation that [`expand`] would replace, or else without the kind word that
/// [`split`] takes off. A name that is nothing else stays whole.
pub fn body(name: &str, level: Level) -> &str {
    let rest = split_abbreviation(name, level).map(|(_, _, rest)| rest);
    match rest.filter(|rest| !rest.trim().is_empty()) {
        Some(rest) => rest,
        None => split(name, level).0,
    }
}

/// The word that the abbreviation at the beginning of a folded keyword stands for, or else at its end, and the rest.
pub fn abbreviated_word(keyword: &str, level: Level) -> Option<(&'static str, &str)> {
    let (number, _, rest) = split_abbreviation(keyword, level)?;
    Some((WORDS.get(number)?, rest))
}

/// The number of the word of an abbreviation, its side, and the rest.
fn split_abbreviation(keyword: &str, level: Level) -> Option<(usize, Side, &str)> {
    let abbreviations = &FOLDED[level as usize].abbreviations;
    let without_open = keyword.strip_prefix('(').unwrap_or(keyword);
    for (short, number) in abbreviations {
        let rest =
            without_open.strip_prefix(short.as_str()).and_then(|rest| rest.strip_prefix(')'));
        if let Some(rest) = rest {
            return Some((*number, Side::Before, rest.strip_prefix(SPACES).unwrap_or(rest)));
        }
    }
    let without_close = keyword.strip_suffix(')').unwrap_or(keyword);
    for (short, number) in abbreviations {
        let rest =
            without_close.strip_suffix(short.as_str()).and_then(|rest| rest.strip_suffix('('));
        if let Some(rest) = rest {
            return Some((*number, Side::After, rest.strip_suffix(SPACES).unwrap_or(rest)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_word_is_split_off_on_both_sides_with_one_space_or_none() {
        for word in WORDS {
            for level in Level::ALL {
                let fold = |text: &str| folded(text, level);
                for space in ["", " ", "\u{3000}"] {
                    let body = fold("ひので");
                    let word_first = format!("{}{space}{body}", fold(word));
                    let word_last = format!("{body}{space}{}", fold(word));
                    let (found, form) = split(&word_first, level);
                    assert_eq!((found, form.word()), (&*body, Some((word, Side::Before))));
                    let (found, form) = split(&word_last, level);
                    assert_eq!((found, form.word()), (&*body, Some((word, Side::After))));
                    assert_eq!(Form::from_number(form.number()), Some(form));
                    assert_eq!(form.is_spaced(), !space.is_empty());
                    assert_eq!(form.spaced(false).word(), form.word());
                    assert!(form.spaced(true).is_spaced());
                }
                let alone = fold(word);
                assert_eq!(split(&alone, level), (&*alone, Form::NONE));
            }
        }
        assert_eq!(Form::from_number((WORDS.len() * FORMS_PER_WORD) as u8 + 1), None);
        assert_eq!(Form::NONE.word(), None);
        let words: BTreeSet<&str> = WORDS.into();
        assert_eq!(words.len(), WORDS.len(), "each word once");
    }

    #[test]
    fn a_kind_word_is_recognised_alone() {
        for (text, expected) in [("株式会社", true), ("連合会", true), ("株", false), ("", false)]
        {
            assert_eq!(is_kind_word(text, Level::Search), expected, "{text:?}");
        }
        assert!(KEPT_WORDS.iter().all(|word| WORDS.contains(word)));
    }

    #[test]
    fn only_one_word_is_split_off_the_longest_in_front_first() {
        for (name, expected) in [
            ("", ""),
            (" ", " "),
            ("台帳", "台帳"),
            ("株式会社", "株式会社"),
            ("株式会社 ", "株式会社 "),
            ("医療法人社団", "医療法人社団"),
            ("医療法人社団台帳会", "台帳会"),
            ("医療法人 社団台帳会", "社団台帳会"),
            ("社会医療法人財団台帳会", "台帳会"),
            ("台帳一般社団法人", "台帳"),
            ("株式会社台帳協同組合", "台帳協同組合"),
            ("株式会社株式会社", "株式会社"),
            ("有限会社 株式会社", "株式会社"),
            ("株式会社  台帳", " 台帳"),
            ("台帳株式会社本店", "台帳株式会社本店"),
            ("台帳農業協同組合連合会", "台帳農業協同組合"),
            ("台帳マンション管理組合法人", "台帳マンション"),
            ("東京株式会社", "東京"),
            ("株式會社台帳", "株式會社台帳"),
            ("監査法人台帳", "監査法人台帳"),
        ] {
            assert_eq!(split(name, Level::Width).0, expected, "{name:?}");
        }
        let old = folded("株式會社臺帳", Level::Kanji);
        assert_eq!(split(&old, Level::Kanji).0, folded("台帳", Level::Kanji));
        let letters = folded("ＮＰＯ法人ねっこ", Level::Search);
        assert_eq!(split(&letters, Level::Search).0, folded("ねっこ", Level::Search));
    }

    #[test]
    fn a_name_with_several_kind_words_is_shortened_in_every_way() {
        #[track_caller]
        fn check(name: &str, expected: &[&str]) {
            assert_eq!(shortened(name, Level::Width), expected, "{name:?}");
        }
        check("台帳", &[]);
        check("株式会社", &[]);
        check("株式会社台帳", &["台帳"]);
        check("台帳　株式会社", &["台帳"]);
        // 農業協同組合 is not in the list, but the 協同組合 at its end is.
        check("全国農業協同組合連合会", &["全国農業連合会", "全国農業協同組合", "全国農業"]);
        check("天神川漁業協同組合", &["天神川", "天神川漁業"]);
        check("一般社団法人台帳", &["台帳", "一般台帳"]);
        check("台帳農業協同組合", &["台帳農業"]);
        check("NPO法人台帳", &[]);
        check("農業生産法人株式会社台帳", &["株式会社台帳", "農業生産法人台帳", "台帳"]);
        check("台帳株式会社労働組合", &["台帳労働組合", "台帳株式会社", "台帳"]);
        check("台帳株式会社本店", &["台帳本店"]);
        check("台帳株式会社 本店", &["台帳本店", "台帳 本店"]);
        check("台帳 株式会社 本店", &["台帳本店", "台帳 本店"]);
        check("株式会社 台帳 協同組合", &["台帳 協同組合", "株式会社 台帳", "台帳"]);
        for (name, expected) in [
            ("台帳", false),
            ("株式会社台帳", false),
            ("台帳株式会社", false),
            ("台帳株式会社本店", true),
            ("株式会社台帳協同組合", true),
            ("株式会社株式会社", true),
            ("台帳漁業協同組合", true),
            ("台帳農業協同組合", true),
            ("台帳　協同組合", false),
            ("NPO法人台帳", false),
        ] {
            assert_eq!(has_unsplit_word(name, Level::Width), expected, "{name:?}");
        }
        let many = "株式会社".repeat(40);
        assert!(shortened(&many, Level::Width).len() < 40);
        for (name, text, expected) in [
            ("天神川漁業協同組合", "天神川漁業", true),
            ("天神川漁業協同組合", "天神川", true),
            ("天神川漁業協同組合", "天神川漁業協同組合", false),
            ("台帳農業協同組合", "台帳", false),
            ("NPO法人台帳", "台帳", false),
            ("NPO法人台帳", "NPO法人台帳", true),
            ("台帳", "台帳", true),
            ("台帳株式会社本店", "台帳株式会社本店", true),
            ("株式会社", "株式会社", true),
        ] {
            assert_eq!(
                equals_without_kind_words(name, text, Level::Width),
                expected,
                "{name} {text}"
            );
        }
    }

    #[test]
    fn abbreviations_are_expanded_at_both_ends() {
        for (typed, expected) in [
            ("", ""),
            ("株", "株"),
            ("(株)", "株式会社"),
            ("（株）台帳", "株式会社台帳"),
            ("㈱台帳", "株式会社台帳"),
            ("㍿台帳", "株式会社台帳"),
            ("台帳㈱", "台帳株式会社"),
            ("台帳（株）", "台帳株式会社"),
            ("株）台帳", "株式会社台帳"),
            ("台帳（株", "台帳株式会社"),
            ("(株) 台帳", "株式会社台帳"),
            ("台帳　㈱", "台帳株式会社"),
            ("㈲台帳", "有限会社台帳"),
            ("(株)台帳(有)", "株式会社台帳(有)"),
            ("台帳(株)本店", "台帳(株)本店"),
            ("株台帳", "株台帳"),
            ("台帳株)", "台帳株)"),
            ("(一社)台帳", "一般社団法人台帳"),
            ("(社)台帳", "社団法人台帳"),
            ("(合)台帳", "合同会社台帳"),
            ("(NPO)台帳", "特定非営利活動法人台帳"),
            ("(ｎｐｏ)台帳", "(npo)台帳"),
            ("NPO法人台帳", "NPO法人台帳"),
            ("(医社)台帳会", "医療法人社団台帳会"),
            ("台帳(監)", "台帳(監)"),
            ("()台帳", "()台帳"),
        ] {
            let typed = folded(typed, Level::Width);
            assert_eq!(expand(&typed, Level::Width), expected, "{typed:?}");
        }
        let small = folded("(ｎｐｏ)台帳", Level::Search);
        assert_eq!(expand(&small, Level::Search), folded("特定非営利活動法人台帳", Level::Search));
    }

    #[test]
    fn the_body_of_a_name_is_without_its_word_or_abbreviation() {
        for (name, expected) in [
            ("", ""),
            ("台帳", "台帳"),
            ("（有）　台帳", "台帳"),
            ("台帳㈱", "台帳"),
            ("株式会社　台帳", "台帳"),
            ("台帳 有限会社", "台帳"),
            ("（株）台帳有限会社", "台帳有限会社"),
            ("(株)", "(株)"),
            ("株式会社", "株式会社"),
            ("台帳(監)", "台帳(監)"),
        ] {
            assert_eq!(body(&folded(name, Level::Address), Level::Address), expected, "{name:?}");
        }
    }

    #[test]
    fn every_abbreviation_stands_for_a_known_word() {
        for (short, word) in ABBREVIATIONS {
            for level in Level::ALL {
                let typed = folded(&format!("({short})ひので"), level);
                let name = expand(&typed, level);
                let (body, form) = split(&name, level);
                assert_eq!(body, folded("ひので", level));
                assert_eq!(form.word(), Some((word, Side::Before)), "({short})");
            }
        }
    }

    proptest! {
        #[test]
        fn splitting_any_text_removes_one_word_at_most(
            parts in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
                    "[ 　株(社)団法人\\PC]{0,3}",
                ],
                0..4,
            ),
        ) {
            let name = parts.concat();
            for level in Level::ALL {
                let name = folded(&name, level);
                let (body, form) = split(&name, level);
                prop_assert!(name.contains(body));
                prop_assert!(!body.is_empty() || name.is_empty());
                prop_assert_eq!(form == Form::NONE, body == name);
                let shortened = shortened(&name, level);
                prop_assert!(form == Form::NONE || shortened.len() <= 2 << OCCURRENCES_MAX);
                prop_assert!(shortened.iter().all(|text| text.len() < name.len()));
                let expanded = expand(&name, level);
                prop_assert!(expanded.len() + 3 >= name.len());
            }
        }
    }
}
