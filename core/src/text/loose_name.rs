//! Loose keys: the same key for every way in which people write the name of a corporation, and the keys of a name as
//! it was typed (`docs/rules.md`, 'Loose names').
//!
//! A key is the name without its legal forms, in one width and case, with one kind and size of kana and one form of
//! each kanji. Spaces, marks and long vowels are left out, and digits in kanji are digits. So `㈱ドン－キホーテ`,
//! `ドンキホテ株式会社` and `株式会社ドン・キホーテ` have the same key. Different names may have the same key, so a caller that must
//! be sure compares the names too. The keys of a snapshot and of a query are both made here: a change of this file
//! changes the snapshot format.
//!
//! A union or a fund (労働組合, 連合会) is another body than the company that it is named after. These words are therefore
//! no legal forms here, and stay in the key.

use super::fold::{Level, fold_char, folded};
use super::kana::{is_hiragana, is_katakana, katakana};
use super::kind_words::{Form, Side, abbreviated_word, expand, may_have_word_at_edge, split};
use super::roman_key::roman_key;
use super::spelled_letters;
use super::transfer_name::words::corporate_words;

/// Longest typed name in letters. Registered names have 150 at most.
pub const LETTERS_MAX: usize = 200;

/// Most legal forms that are taken off one name.
const FORMS_MAX: usize = 3;

/// Kind words of bodies that are named after a corporation.
const OF_ANOTHER_BODY: [&str; 4] = ["労働組合", "従業員組合", "連合会", "厚生年金基金"];

/// Legal forms that are no kind words of the other modes.
const MORE_FORMS: [&str; 5] =
    ["監査法人", "特許業務法人", "弁理士法人", "土地家屋調査士法人", "投資法人"];

/// Short forms that people write in transfer names beside those of the banks' rules.
const MORE_IN_TRANSFERS: [(&str, &str); 3] =
    [("イシヤ", "医療法人社団"), ("イザイ", "医療法人財団"), ("コウ", "更生保護法人")];

/// Legal forms written in kana.
const IN_KANA: [(&str, &str); 5] = [
    ("カブシキガイシヤ", "株式会社"),
    ("カブシキカイシヤ", "株式会社"),
    ("ユウゲンガイシヤ", "有限会社"),
    ("ゴウドウガイシヤ", "合同会社"),
    ("ゴウシガイシヤ", "合資会社"),
];

/// The first and the last letters of [`MORE_FORMS`] and [`IN_KANA`].
const FIRST_OF_MORE_FORMS: [char; 8] = ['監', '特', '弁', '土', '投', 'カ', 'ユ', 'ゴ'];
const LAST_OF_MORE_FORMS: [char; 2] = ['人', 'ヤ'];

/// Words that stand for one of several legal forms, or that people use for each other.
const FAMILIES: [&[&str]; 4] = [
    &["社団法人", "一般社団法人", "公益社団法人"],
    &["財団法人", "一般財団法人", "公益財団法人"],
    &["特定非営利活動法人", "NPO法人"],
    &[
        "医療法人",
        "医療法人社団",
        "医療法人財団",
        "社会医療法人",
        "社会医療法人社団",
        "社会医療法人財団",
    ],
];

const COMPANIES: &[&str] =
    &["株式会社", "有限会社", "合同会社", "合資会社", "合名会社", "相互会社"];

/// The last words of English names, and the legal forms that they stand for.
const ENGLISH_FORMS: [(&str, &[&str]); 16] = [
    ("co", COMPANIES),
    ("company", COMPANIES),
    ("ltd", COMPANIES),
    ("limited", COMPANIES),
    ("inc", COMPANIES),
    ("incorporated", COMPANIES),
    ("corp", COMPANIES),
    ("corporation", COMPANIES),
    ("kk", &["株式会社"]),
    ("k k", &["株式会社"]),
    ("yk", &["有限会社"]),
    ("y k", &["有限会社"]),
    ("llc", &["合同会社"]),
    ("l l c", &["合同会社"]),
    ("gk", &["合同会社"]),
    ("g k", &["合同会社"]),
];

/// The last letters of departments and branches, which stand behind the name of their corporation.
const PARTS_OF_CORPORATIONS: [&str; 19] = [
    "支店",
    "本店",
    "支社",
    "本社",
    "営業所",
    "事業所",
    "事務所",
    "出張所",
    "工場",
    "センター",
    "店",
    "部",
    "課",
    "室",
    "係",
    "取締役",
    "担当者",
    "担当",
    "代表",
];

/// What the letters behind a name say about its addressee.
const HONORIFICS: [&str; 4] = ["御中", "様", "殿", "サマ"];

/// The legal forms that a typed name may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TypedForm {
    /// It says none.
    #[default]
    Unsaid,
    /// The one word that it says.
    Word(&'static str),
    /// Any of these, as 社 and `Inc.` say.
    OneOf(&'static [&'static str]),
}

impl TypedForm {
    fn of_word(word: &'static str) -> TypedForm {
        match FAMILIES.iter().find(|family| family.contains(&word)) {
            Some(family) => TypedForm::OneOf(family),
            None => TypedForm::Word(word),
        }
    }

    /// Whether a registered name with this legal form may be meant. One without any fits only if none was typed.
    pub fn allows(self, registered: Option<&str>) -> bool {
        match self {
            TypedForm::Unsaid => true,
            TypedForm::Word(word) => registered == Some(word),
            TypedForm::OneOf(words) => registered.is_some_and(|found| words.contains(&found)),
        }
    }
}

/// The key of a registered name.
pub fn loose_key(name: &str) -> String {
    if let Some((body, _)) = plain_name(name) {
        let mut key = String::with_capacity(body.len());
        key.extend(body.chars().filter_map(|it| compared(plain_letter(it))));
        if !key.is_empty() {
            return key;
        }
    }
    let text = written_in_katakana(name);
    let (body, _) = without_forms(&text);
    key_of(body)
}

/// The legal forms of nine in ten companies.
const COMMON_FORMS: [&str; 2] = ["株式会社", "有限会社"];

/// A name of plain letters without its common legal form, and the form; most names are such. `None` if it has other
/// letters, or perhaps another legal form.
fn plain_name(name: &str) -> Option<(&str, Option<&'static str>)> {
    let without = |form: &&'static str| {
        let body = name.strip_prefix(*form).or_else(|| name.strip_suffix(*form))?;
        Some((body, Some(*form)))
    };
    let (body, form) = COMMON_FORMS.iter().find_map(without).unwrap_or((name, None));
    let (first, last) = (body.chars().next()?, body.chars().next_back()?);
    let [first, last] = [first, last].map(plain_letter);
    let may_have_form = FIRST_OF_MORE_FORMS.contains(&first)
        || LAST_OF_MORE_FORMS.contains(&last)
        || may_have_word_at_edge(first, last, Level::Search);
    (!may_have_form && body.chars().all(is_plain)).then_some((body, form))
}

/// A plain letter as [`written_in_katakana`] writes it.
fn plain_letter(letter: char) -> char {
    katakana(fold_char(letter, Level::Search))
}

/// The legal form of a registered name. Of several, the first that is taken off.
pub fn legal_form(name: &str) -> Option<&'static str> {
    // Two of three names begin with one of these.
    for form in COMMON_FORMS {
        let body = name.strip_prefix(form).unwrap_or_default();
        if !body.is_empty() && body.chars().all(is_plain) {
            return Some(form);
        }
    }
    if let Some((_, form)) = plain_name(name) {
        return form;
    }
    match without_forms(&written_in_katakana(name)).1 {
        TypedForm::Unsaid => None,
        TypedForm::Word(word) => Some(word),
        // The full word is in the name, so find which one of its family.
        TypedForm::OneOf(words) => {
            let text = folded(name, Level::Search);
            let is_at_edge = |word: &&&str| {
                let word = folded(word, Level::Search);
                text.trim().starts_with(&word) || text.trim().ends_with(&word)
            };
            words.iter().filter(is_at_edge).max_by_key(|word| word.len()).copied()
        }
    }
}

/// A name with its legal form on its side, folded and without spaces: tells 株式会社スズキ from スズキ(株).
pub fn written(name: &str) -> String {
    let text = folded(name.trim(), Level::Search);
    expand(&text, Level::Search).chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// The key of an English name: letters and digits, without Co., Ltd. and the like.
pub fn english_key(name: &str) -> String {
    let text = folded(name, Level::Search);
    let (words, _) = without_english_forms(&text);
    words.concat()
}

/// The Roman key of a name that is kana without its legal form; empty for any other.
pub fn sound_key(name: &str) -> String {
    let text = written_in_katakana(name);
    let (body, _) = without_forms(&text);
    let is_sound = |letter: char| is_katakana(letter) || !letter.is_alphanumeric();
    if body.chars().all(is_sound) { roman_key(body) } else { String::new() }
}

/// A key with its letters in the opposite order, by which the ends of keys are found.
pub fn reversed(key: &str) -> String {
    key.chars().rev().collect()
}

/// A name as it was typed, with every key by which it may be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedName {
    /// Its loose key; not empty.
    pub key: String,
    /// The text.
    pub typed: String,
    /// Further keys of the same name: without 御中 or an English legal form, and with the other spelling of letters (エヌティティ
    /// for NTT).
    pub spellings: Vec<String>,
    /// Its Roman keys if it may be a reading.
    pub readings: Vec<String>,
    /// Its key as an English name, if it has Latin letters.
    pub english: Option<String>,
    pub form: TypedForm,
    /// Keys of the beginnings that may be the name, if the rest is a branch or department; the likeliest first.
    pub without_branch: Vec<String>,
}

impl TypedName {
    /// `None` if nothing in the text can be compared, or it is longer than any name.
    pub fn parse(text: &str) -> Option<TypedName> {
        if text.chars().nth(LETTERS_MAX).is_some() {
            return None;
        }
        let whole = written_in_katakana(text);
        let named = without_honorific(&whole);
        let (body, mut form) = without_forms(named);
        let key = key_of(body);
        if key.is_empty() {
            return None;
        }
        if form == TypedForm::Unsaid
            && let Some((_, found)) = form_in_middle(named)
        {
            form = found;
        }
        let mut spellings = Vec::new();
        // A name may end in 様.
        if named.len() < whole.len() {
            spellings.push(key_of(without_forms(&whole).0));
        }
        let (words, english_form) = without_english_forms(body);
        if english_form != TypedForm::Unsaid {
            spellings.push(key_of(&words.join(" ")));
            if form == TypedForm::Unsaid {
                form = english_form;
            }
        }
        // 東海旅客鉄道会社: the form is cut short.
        spellings.extend(key.strip_suffix("会社").map(str::to_owned));
        spellings.extend(spelled_letters::in_kana(&key));
        spellings.extend(spelled_letters::in_latin(&key));
        spellings.retain(|spelling| *spelling != key && !spelling.is_empty());
        let has_latin = body.chars().any(|letter| letter.is_ascii_alphabetic());
        let english = has_latin.then(|| words.concat()).filter(|key| !key.is_empty());
        Some(TypedName {
            readings: readings(body, &words),
            without_branch: without_branch(named, &key),
            typed: text.to_owned(),
            key,
            spellings,
            english,
            form,
        })
    }

    /// Whether the text is kana alone, so that its letters are those of a reading.
    pub fn is_kana(&self) -> bool {
        self.key.chars().all(is_katakana)
    }

    /// The kana at the beginning and the rest, if it begins in kana and ends in kanji (カジマ建設).
    pub fn kana_and_rest(&self) -> Option<(String, &str)> {
        let end = self.key.find(|letter| !is_katakana(letter)).filter(|end| *end > 0)?;
        let (kana, rest) = self.key.split_at(end);
        let is_long = kana.chars().count() >= 2 && !rest.starts_with(|it: char| it.is_ascii());
        is_long.then(|| (roman_key(kana), rest))
    }
}

/// Folded at the level of searches, with katakana for hiragana.
fn written_in_katakana(text: &str) -> String {
    let text = folded(text.trim(), Level::Search);
    match text.contains(is_hiragana) {
        true => text.chars().map(katakana).collect(),
        false => text,
    }
}

fn without_honorific(text: &str) -> &str {
    let end = text.trim_end();
    let rest = HONORIFICS.iter().find_map(|honorific| end.strip_suffix(honorific));
    rest.map(str::trim_end).filter(|rest| !rest.is_empty()).unwrap_or(text)
}

/// Takes the legal forms off both ends of a folded name. A name that is only legal forms keeps the last.
fn without_forms(text: &str) -> (&str, TypedForm) {
    let (mut body, mut form) = (text.trim(), TypedForm::Unsaid);
    for _ in 0..FORMS_MAX {
        let Some((rest, found)) = without_form(body) else { break };
        // A rest of marks has a key; one of spaces has none.
        if rest.trim().is_empty() {
            break;
        }
        body = rest.trim();
        if form == TypedForm::Unsaid {
            form = found;
        }
    }
    (body, form)
}

fn without_form(text: &str) -> Option<(&str, TypedForm)> {
    if text.contains(['(', ')']) {
        if let Some((word, rest)) = abbreviated_word(text, Level::Search) {
            // 合 is short for three forms, unlike in the other modes.
            let is_unclear = word == "合同会社" && text.contains('合');
            let form = match is_unclear {
                true => TypedForm::OneOf(&["合同会社", "合資会社", "合名会社"]),
                false => TypedForm::of_word(word),
            };
            return Some((rest, form));
        }
        if let Some(found) = without_transfer_form(text) {
            return Some(found);
        }
    }
    let (rest, form) = split(text, Level::Search);
    if let Some((word, _)) = form.word().filter(|(word, _)| !OF_ANOTHER_BODY.contains(word)) {
        return Some((rest, TypedForm::of_word(word)));
    }
    // A kind word of another body may hide a legal form at the other end.
    if form != Form::NONE && form.word().is_some_and(|(_, side)| side == Side::Before) {
        return None;
    }
    // Most names have none of the further forms.
    if !text.starts_with(FIRST_OF_MORE_FORMS) && !text.ends_with(LAST_OF_MORE_FORMS) {
        return None;
    }
    let at_edge = |word: &str| text.strip_prefix(word).or_else(|| text.strip_suffix(word));
    let more = MORE_FORMS.iter().find_map(|word| Some((at_edge(word)?, *word)));
    let in_kana = || IN_KANA.iter().find_map(|(kana, word)| Some((at_edge(kana)?, *word)));
    more.or_else(in_kana).map(|(rest, word)| (rest, TypedForm::of_word(word)))
}

/// Takes off a short form of a transfer name: `カ)` before, `(カ` behind, with or without the other bracket.
fn without_transfer_form(text: &str) -> Option<(&str, TypedForm)> {
    let before = text.split_once(')').map(|(short, rest)| (short.trim_start_matches('('), rest));
    let behind = text.rsplit_once('(').map(|(rest, short)| (short.trim_end_matches(')'), rest));
    [before, behind]
        .into_iter()
        .flatten()
        .find_map(|(short, rest)| Some((rest, transfer_form(short)?)))
}

/// The legal form of a short form; `None` if it stands for words that are no family (ダイ for 国立 and 公立大学法人).
fn transfer_form(short: &str) -> Option<TypedForm> {
    if let Some((_, word)) = MORE_IN_TRANSFERS.iter().find(|(known, _)| *known == short) {
        return Some(TypedForm::of_word(word));
    }
    let words = corporate_words(short);
    let form = TypedForm::of_word(words.first()?);
    words.iter().all(|word| form.allows(Some(word))).then_some(form)
}

/// The words of an English name without its legal forms, and what these say. A name of legal forms keeps the first.
fn without_english_forms(text: &str) -> (Vec<&str>, TypedForm) {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, 'ー' | '\'' | '’');
    let mut words: Vec<&str> =
        text.split(|letter| !is_part(letter)).filter(|word| !word.is_empty()).collect();
    let mut form = TypedForm::Unsaid;
    loop {
        let found = ENGLISH_FORMS.iter().find_map(|(english, forms)| {
            let count = english.split(' ').count();
            let start = words.len().checked_sub(count).filter(|start| *start > 0)?;
            words[start..].iter().copied().eq(english.split(' ')).then_some((start, *forms))
        });
        let Some((start, forms)) = found else { break };
        words.truncate(start);
        if form == TypedForm::Unsaid {
            form = TypedForm::OneOf(forms);
        }
    }
    if words.len() > 1 && words[0] == "the" {
        words.remove(0);
    }
    (words, form)
}

/// The letters of a folded text that are compared.
fn key_of(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    letters.extend(text.chars().filter_map(compared));
    // A name of marks alone has only these.
    if letters.is_empty() {
        text.chars().filter(|it| !it.is_whitespace()).collect()
    } else {
        letters
    }
}

/// Whether a letter is one of those of most names, none of which becomes a bracket or a space.
fn is_plain(letter: char) -> bool {
    matches!(letter, 'ぁ'..='ゖ' | 'ァ'..='ー' | '一'..='鿿' | '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ')
}

/// The compared form of a folded letter; `None` for marks and long vowels.
pub fn compared(letter: char) -> Option<char> {
    Some(match katakana(letter) {
        'ー' | '゛' | '゜' => return None,
        '〇' => '0',
        '一' => '1',
        '二' => '2',
        '三' => '3',
        '四' => '4',
        '五' => '5',
        '六' => '6',
        '七' => '7',
        '八' => '8',
        '九' => '9',
        'ヂ' => 'ジ',
        'ヅ' => 'ズ',
        'ヲ' => 'オ',
        '之' | '乃' => 'ノ',
        // Most letters of names, whose class the standard library finds by a slow search.
        letter @ ('ァ'..='ヺ' | '㐀'..='䶿' | '丁'..='鿿') => letter,
        letter if letter.is_alphanumeric() => letter,
        _ => return None,
    })
}

/// The Roman keys of a typed text that may be a reading: kana, or the words of a name in Latin letters.
fn readings(body: &str, words: &[&str]) -> Vec<String> {
    let is_kana = |letter: char| is_hiragana(letter) || is_katakana(letter);
    let is_kana_alone = body.chars().all(|it| is_kana(it) || !it.is_alphanumeric());
    let is_latin =
        |word: &&str| word.chars().all(|it| it.is_ascii_alphabetic() || "āīūēōâîûêô".contains(it));
    let mut found = match is_kana_alone {
        true => vec![roman_key(body)],
        false if !words.is_empty() && words.iter().all(is_latin) => {
            vec![roman_key(&words.concat())]
        }
        false => Vec::new(),
    };
    found.retain(|key| !key.is_empty());
    found
}

/// The text before a legal form that has letters on both sides, and the form.
fn form_in_middle(text: &str) -> Option<(&str, TypedForm)> {
    const SHORT: [(&str, &str); 3] =
        [("株)", "株式会社"), ("有)", "有限会社"), ("同)", "合同会社")];
    let whole = COMPANIES.iter().map(|word| (*word, *word));
    whole.chain(SHORT).find_map(|(written, word)| {
        let at = text.find(written)?;
        let (before, after) = (&text[..at], &text[at + written.len()..]);
        let is_name = |text: &str| text.contains(char::is_alphanumeric);
        (is_name(before) && is_name(after)).then_some((before, TypedForm::of_word(word)))
    })
}

/// The keys of the beginnings of a name that ends in a branch or department, or has a legal form in its middle.
fn without_branch(text: &str, key: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |cut: String| {
        if !cut.is_empty() && cut != key && !found.contains(&cut) {
            found.push(cut);
        }
    };
    // 鳥取商事株式会社米子支店: what stands before the form is the name.
    if let Some((before, _)) = form_in_middle(text) {
        add(key_of(without_forms(before).0));
    }
    let is_part = PARTS_OF_CORPORATIONS.iter().any(|word| text.trim_end().ends_with(word));
    if is_part {
        if let Some((before, _)) = text.trim_end().rsplit_once([' ', '\u{3000}']) {
            add(key_of(without_forms(before).0));
        }
        let ends: Vec<usize> = key.char_indices().map(|(at, _)| at).skip(2).collect();
        ends.iter().rev().for_each(|end| add(key[..*end].to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_letters_at_the_edges_of_forms_are_listed() {
        for word in MORE_FORMS.into_iter().chain(IN_KANA.map(|(kana, _)| kana)) {
            assert!(word.starts_with(FIRST_OF_MORE_FORMS), "{word}");
            assert!(word.ends_with(LAST_OF_MORE_FORMS), "{word}");
        }
    }

    #[test]
    fn letters_that_are_compared_without_a_search_are_letters() {
        for letter in ('ァ'..='ヺ').chain('㐀'..='䶿').chain('丁'..='鿿') {
            assert!(letter.is_alphanumeric(), "{letter}");
        }
    }

    #[test]
    fn ways_of_writing_a_name_have_one_key() {
        for names in [
            &[
                "株式会社ドン・キホーテ",
                "㈱ドン－キホーテ",
                "ドンキホテ株式会社",
                "（株）どん きほーて",
                "ﾄﾞﾝｷﾎ-ﾃ(ｶ",
            ][..],
            &[
                "キヤノン株式会社",
                "キャノン㈱",
                "株)キャノン",
                "きやのん　株式会社",
                "カ)キヤノン",
                "(ｶ)ｷﾔﾉﾝ",
            ],
            &["第一生命保険株式会社", "第1生命保険", "第１生命保險㈱"],
            &["富士フイルム株式会社", "冨士ﾌｨﾙﾑ", "株式會社富士フィルム"],
            &["味の素株式会社", "味之素", "味ノ素（株）"],
            &["一般社団法人見本会", "（一社）見本会", "(社)見本會", "ｼﾔ)見本会"],
            &["医療法人社団見本会", "医療法人見本会", "(医)見本会"],
        ] {
            let keys: Vec<String> = names.iter().map(|name| loose_key(name)).collect();
            assert!(keys.iter().all(|key| *key == keys[0]), "{names:?}: {keys:?}");
        }
        for [one, other] in [
            ["株式会社見本", "見本労働組合"],
            ["株式会社見本", "株式会社見本商事"],
            ["バス", "パス"],
            ["株式会社", "有限会社"],
        ] {
            assert_ne!(loose_key(one), loose_key(other));
        }
        assert_eq!(loose_key("・"), "・", "a name of marks keeps them");
        assert_eq!(loose_key(""), "");
    }

    #[test]
    fn legal_forms_are_compared() {
        let form = |typed: &str| TypedName::parse(typed).expect("a name").form;
        assert_eq!(form("見本"), TypedForm::Unsaid);
        assert_eq!(form("㈱見本"), TypedForm::Word("株式会社"));
        assert_eq!(form("見本(ﾕ"), TypedForm::Word("有限会社"));
        assert_eq!(form("見本株式会社 鳥取支店"), TypedForm::Word("株式会社"));
        for (typed, registered, expected) in [
            ("見本", "有限会社見本", true),
            ("㈱見本", "見本株式会社", true),
            ("㈱見本", "有限会社見本", false),
            ("(社)見本", "公益社団法人見本", true),
            ("(合)見本", "合資会社見本", true),
            ("合同会社見本", "合資会社見本", false),
            ("Mihon Co., Ltd.", "株式会社Ｍｉｈｏｎ", true),
            ("Mihon LLC", "株式会社Ｍｉｈｏｎ", false),
            ("㈱見本", "見本", false),
        ] {
            let found = form(typed).allows(legal_form(registered));
            assert_eq!(found, expected, "{typed} {registered}");
        }
    }

    #[test]
    fn a_typed_name_has_further_keys() {
        let typed = |text: &str| TypedName::parse(text).expect("a name");
        assert!(typed("NTTドコモ").spellings.contains(&"エヌテイテイドコモ".to_owned()));
        assert!(typed("エヌ・ティ・ティ・ドコモ").spellings.contains(&"nttドコモ".to_owned()));
        assert!(
            typed("YAMATO TRANSPORT CO., LTD.").spellings.contains(&"yamatotransport".to_owned())
        );
        assert_eq!(typed("The Mihon Company, Limited").english.as_deref(), Some("mihon"));
        assert_eq!(typed("しせいどう").readings, typed("シセイドー").readings);
        assert_eq!(typed("カジマ建設").kana_and_rest(), Some(("kajima".to_owned(), "建設")));
        let cut = typed("鳥取商事株式会社 米子支店").without_branch;
        assert_eq!(cut.first().map(String::as_str), Some("鳥取商事"));
        assert_eq!(typed("鳥取商事").without_branch, [""; 0]);
        assert_eq!(typed("鳥取商事 御中").key, "鳥取商事");
        for nothing in ["", " ", "\u{3000}"] {
            assert_eq!(TypedName::parse(nothing), None, "{nothing:?}");
        }
        assert_eq!(TypedName::parse(&"あ".repeat(LETTERS_MAX + 1)), None);
    }

    #[test]
    fn a_plain_name_has_the_legal_form_in_front() {
        for name in [
            "株式会社",
            "有限会社",
            "株式会社有限会社",
            "株式会社見本労働組合",
            "有限会社 見本",
            "株式会社　",
        ] {
            let typed = TypedName::parse(name).map(|typed| typed.form);
            let expected = match typed {
                Some(TypedForm::Word(word)) => Some(word),
                _ => None,
            };
            assert_eq!(legal_form(name), expected, "{name}");
        }
    }

    /// Key and form as they are made of any name.
    fn slowly(name: &str) -> (String, TypedForm) {
        let text = written_in_katakana(name);
        let (body, form) = without_forms(&text);
        (key_of(body), form)
    }

    #[track_caller]
    fn check_plain(name: &str) {
        let (key, form) = slowly(name);
        assert_eq!(loose_key(name), key, "{name}");
        if let Some((_, found)) = plain_name(name) {
            let found = found.map_or(TypedForm::Unsaid, TypedForm::of_word);
            assert_eq!(found, form, "{name}");
        }
    }

    #[test]
    fn plain_letters_fold_to_plain_letters() {
        for letter in (0..=0xffff).filter_map(char::from_u32).filter(|it| is_plain(*it)) {
            let text = written_in_katakana(&letter.to_string());
            assert_eq!(text, plain_letter(letter).to_string(), "{letter}");
            let text = written_in_katakana(&format!("か{letter}"));
            assert_eq!(text, format!("カ{}", plain_letter(letter)), "joins no letter before it");
        }
    }

    #[test]
    fn plain_names_are_read_as_all_names_are() {
        let forms: Vec<&str> =
            crate::text::kind_words::Form::all().filter_map(Form::word).map(|it| it.0).collect();
        for word in forms.iter().copied().chain(MORE_FORMS).chain(IN_KANA.map(|(kana, _)| kana)) {
            for other in ["", "株式会社", "有限会社", "見本", "会社", "カ", "・", " "]
            {
                for name in [
                    format!("{word}{other}"),
                    format!("{other}{word}"),
                    format!("{other}見本{word}"),
                    format!("{word}見本{other}"),
                    format!("{word}ーー{other}"),
                ] {
                    check_plain(&name);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_plain_name_is_read_as_all_names_are(name in "(株式会社|有限会社|合同会社|労働組合)?[ぁ-ゖァ-ー一-鿿０-９Ａ-Ｚａ-ｚ]{0,5}(組合|合同会社|株式会社|有限会社)?.?") {
            check_plain(&name);
        }

        #[test]
        fn the_form_in_front_is_the_first_that_is_taken_off(body in "[ぁ-ゖァ-ー一-鿿０-９Ａ-Ｚａ-ｚ]{0,6}(有限会社|労働組合|合同会社)?") {
            for form in ["株式会社", "有限会社"] {
                let name = format!("{form}{body}");
                let text = written_in_katakana(&name);
                let expected = match without_forms(&text).1 {
                    TypedForm::Word(word) => Some(word),
                    _ => None,
                };
                prop_assert_eq!(legal_form(&name), expected, "{}", name);
            }
        }

        #[test]
        fn any_text_has_keys(text in ".{0,30}") {
            loose_key(&text);
            legal_form(&text);
            sound_key(&text);
            if let Some(typed) = TypedName::parse(&text) {
                prop_assert!(!typed.key.is_empty());
                prop_assert!(!typed.spellings.contains(&typed.key));
                prop_assert!(!typed.without_branch.contains(&typed.key));
            }
        }

        #[test]
        fn the_form_does_not_matter(body in "[ァ-ヶ一-龠a-z]{2,8}") {
            prop_assume!(!OF_ANOTHER_BODY.iter().any(|word| body.contains(word)));
            let key = loose_key(&body);
            for name in [format!("株式会社{body}"), format!("{body}（株）"), format!("㈱ {body}")] {
                prop_assert_eq!(loose_key(&name), key.clone(), "{}", name);
            }
        }
    }
}
