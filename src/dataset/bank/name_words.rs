//! The words that people write after the names of banks and branches and that the directory leaves out or shortens.
//!
//! Users type 'みずほ' for みずほ銀行 and '北海道信金' for 北海道信用金庫. Compares keys of names; does not know records.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use super::bank_type::BankType;
use crate::text::roman_key::roman_key;
use crate::text::typed_keys::name_key;

/// A word in its compared forms: as written, its reading, and the reading in Roman letters.
#[derive(Debug)]
pub struct Word {
    pub written: String,
    pub reading: String,
    pub roman: String,
}

impl Word {
    fn new((written, reading): (&str, &str)) -> Word {
        Word { written: name_key(written), reading: name_key(reading), roman: roman_key(reading) }
    }
}

/// A possible ending of names.
#[derive(Debug)]
pub struct NameEnding {
    /// The directory's form; empty if it leaves the word out.
    pub short: &'static str,
    /// The forms that may be typed for it, the short word first.
    pub words: Vec<Word>,
    /// The prefix that may be typed before the name, as a key; empty for none.
    pub prefix: &'static str,
}

/// Words, each with its reading. The first one is the directory's form of an ending, empty if it leaves the word out.
type Words = &'static [(&'static str, &'static str)];

/// The prefix of each ending, and its words. Of words with a common ending, the longer comes first; the words that the
/// directory leaves out come last.
const OF_BANKS: &[(&str, Words)] = &[
    ("", &[("信金", "シンキン"), ("信用金庫", "シンヨウキンコ")]),
    ("", &[("信組", "シンクミ"), ("信用組合", "シンヨウクミアイ")]),
    ("", &[("労金", "ロウキン"), ("労働金庫", "ロウドウキンコ")]),
    (
        "jf",
        &[
            ("信漁連", "シンギョレン"),
            ("信用漁業協同組合連合会", "シンヨウギョギョウキョウドウクミアイレンゴウカイ"),
        ],
    ),
    (
        "ja",
        &[
            ("信連", "シンレン"),
            ("信用農業協同組合連合会", "シンヨウノウギョウキョウドウクミアイレンゴウカイ"),
        ],
    ),
    ("ja", &[("農協", "ノウキョウ"), ("農業協同組合", "ノウギョウキョウドウクミアイ")]),
    ("jf", &[("漁協", "ギョキョウ"), ("漁業協同組合", "ギョギョウキョウドウクミアイ")]),
    (
        "",
        &[
            ("中金", "チュウキン"),
            ("中央金庫", "チュウオウキンコ"),
            ("組合中央金庫", "クミアイチュウオウキンコ"),
        ],
    ),
    ("", &[("", ""), ("銀行", "ギンコウ"), ("バンク", "バンク")]),
];

const OF_BRANCHES: &[(&str, Words)] = &[(
    "",
    &[
        ("", ""),
        ("支店", "シテン"),
        ("店", "テン"),
        ("支所", "シショ"),
        ("出張所", "シュッチョウジョ"),
    ],
)];

/// Words behind 本店, which some write in full and the directory prints alone.
const OF_HEAD_OFFICES: &[(&str, Words)] =
    &[("", &[("", ""), ("営業部", "エイギョウブ"), ("支店", "シテン")])];

static BANKS: LazyLock<Vec<NameEnding>> = LazyLock::new(|| endings(OF_BANKS));
static BRANCHES: LazyLock<Vec<NameEnding>> = LazyLock::new(|| endings(OF_BRANCHES));
static HEAD_OFFICES: LazyLock<Vec<NameEnding>> = LazyLock::new(|| endings(OF_HEAD_OFFICES));

fn endings(rows: &[(&'static str, Words)]) -> Vec<NameEnding> {
    let ending = |(prefix, words): &(&'static str, Words)| {
        let (short, _) = words[0];
        let typed = words.iter().filter(|(written, _)| !written.is_empty());
        NameEnding { short, words: typed.copied().map(Word::new).collect(), prefix }
    };
    rows.iter().map(ending).collect()
}

/// A name and its reading without their final word, and the endings that it may be.
#[derive(Debug, Clone, Copy)]
pub struct Stem<'n> {
    pub written: &'n str,
    pub reading: &'n str,
    pub ending: &'static NameEnding,
}

impl<'n> Stem<'n> {
    pub fn of_bank(written: &'n str, reading: &'n str) -> Stem<'n> {
        Stem::split(&BANKS, written, reading)
    }

    pub fn of_branch(written: &'n str, reading: &'n str) -> Stem<'n> {
        // The reading of 本店営業部 is that of 本店 alone in some rows.
        let is_head_office = ["本店", "本店営業部"].iter().any(|word| written.ends_with(word));
        let endings = if is_head_office { &HEAD_OFFICES } else { &BRANCHES };
        Stem::split(endings, written, reading)
    }

    /// Splits off the first ending of the table that both texts have; without one, the last of the table may follow.
    fn split(endings: &'static [NameEnding], written: &'n str, reading: &'n str) -> Stem<'n> {
        let (last, others) = endings.split_last().expect("the tables have rows");
        for ending in others {
            let Some(short) = ending.words.first() else { continue };
            let stems =
                (written.strip_suffix(&*short.written), reading.strip_suffix(&*short.reading));
            if let (Some(written), Some(reading)) = stems
                && !written.is_empty()
                && !reading.is_empty()
            {
                return Stem { written, reading, ending };
            }
        }
        Stem { written, reading, ending: last }
    }
}

/// Codes of institutions that only transfer money, in the range of the banks.
const TRANSFER_ONLY_CODES: RangeInclusive<u16> = 200..=287;

/// The word that the directory leaves out after an institution's name; empty if it leaves out none.
pub fn omitted_bank_word(code: u16, name: &str) -> &'static str {
    let is_bank = BankType::Bank.includes(code) && !TRANSFER_ONLY_CODES.contains(&code);
    let has_own_word = name.contains("バンク") || name.ends_with("銀行");
    if (is_bank || BankType::Yucho.includes(code)) && !has_own_word { "銀行" } else { "" }
}

/// Endings of branch names that need no other word.
const OWN_WORDS: [&str; 11] = [
    "店",
    "出張所",
    "営業所",
    "事務所",
    "支所",
    "営業部",
    "公務部",
    "法人部",
    "本部",
    "センター",
    "プラザ",
];

/// The word that the directory leaves out after the name of a branch of `bank`; empty if it leaves out none.
pub fn omitted_branch_word(bank: u16, name: &str) -> &'static str {
    let has_own_word = OWN_WORDS.iter().any(|word| name.ends_with(word)) || name.contains("営業第");
    // Cooperatives of farmers and fishers have 支店 and 支所, and the directory does not say which.
    if has_own_word || BankType::NokyoGyokyo.includes(bank) {
        ""
    } else if BankType::Yucho.includes(bank) {
        "店"
    } else {
        "支店"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_include_the_word_omitted_by_the_directory() {
        for (code, name, word) in [
            (1, "みずほ", "銀行"),
            (288, "三菱ＵＦＪ信託", "銀行"),
            (200, "ワイズ・ペイメンツ・ジャパン", ""),
            (401, "シティバンク、エヌ・エイ", ""),
            (1001, "北海道信金", ""),
            (2010, "全信組連", ""),
            (3000, "農林中金", ""),
            (9900, "ゆうちょ", "銀行"),
        ] {
            assert_eq!(omitted_bank_word(code, name), word, "{name}");
        }
        for (bank, name, word) in [
            (1, "丸の内中央", "支店"),
            (1, "本店", ""),
            (1, "東京営業部", ""),
            (1, "町村会館出張所", ""),
            (5, "春日部", "支店"),
            (2010, "本店営業第二部", ""),
            (1001, "豊平", "支店"),
            (3771, "本所", ""),
            (9900, "〇一八", "店"),
        ] {
            assert_eq!(omitted_branch_word(bank, name), word, "{name}");
        }
    }

    #[test]
    fn names_are_split_from_their_final_word() {
        #[track_caller]
        fn check(name: &str, reading: &str, stem: &str, short: &str) {
            let (written, reading) = (name_key(name), name_key(reading));
            let found = Stem::of_bank(&written, &reading);
            assert_eq!((found.written, found.ending.short), (&*name_key(stem), short), "{name}");
        }
        check("北海道信金", "ホツカイドウシンキン", "北海道", "信金");
        check("北海道信漁連", "ホツカイドウシンギヨレン", "北海道", "信漁連");
        check("商工中金", "シヨウコウチユウキン", "商工", "中金");
        check("みずほ", "ミズホ", "みずほ", "");
        check("信金", "シンキン", "信金", "");
        // The reading shows that the letters are not that word.
        check("見本農協", "ミホン", "見本農協", "");
    }
}
