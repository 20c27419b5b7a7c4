//! The words that people write behind the names of banks and branches, and the directory leaves out or shortens.
//!
//! 'みずほ' is みずほ銀行 and '北海道信金' 北海道信用金庫 for whoever types them. Compares keys of names; does not know records.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::query::bank_search::BankType;
use crate::text::name_key::name_key;
use crate::text::roman_key::roman_key;

/// A word as it is compared: as it is written, its reading, and that in Roman letters.
#[derive(Debug)]
pub struct Word {
    pub written: String,
    pub reading: String,
    pub roman: String,
}

impl Word {
    fn of((written, reading): (&str, &str)) -> Word {
        Word { written: name_key(written), reading: name_key(reading), roman: roman_key(reading) }
    }
}

/// What a name may end with.
#[derive(Debug)]
pub struct Ending {
    /// As the directory writes it; empty where it leaves it out.
    pub short: &'static str,
    /// What may be typed for it, the short word first.
    pub words: Vec<Word>,
    /// What may be typed before the name, as a key; empty where nothing is.
    pub front: &'static str,
}

type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

/// Short word, its reading, the long words with theirs, what stands before the name. Those that end alike: the longer first.
const OF_BANKS: &[Row] = &[
    ("信金", "シンキン", &[("信用金庫", "シンヨウキンコ")], ""),
    ("信組", "シンクミ", &[("信用組合", "シンヨウクミアイ")], ""),
    ("労金", "ロウキン", &[("労働金庫", "ロウドウキンコ")], ""),
    (
        "信漁連",
        "シンギョレン",
        &[("信用漁業協同組合連合会", "シンヨウギョギョウキョウドウクミアイレンゴウカイ")],
        "jf",
    ),
    (
        "信連",
        "シンレン",
        &[("信用農業協同組合連合会", "シンヨウノウギョウキョウドウクミアイレンゴウカイ")],
        "ja",
    ),
    ("農協", "ノウキョウ", &[("農業協同組合", "ノウギョウキョウドウクミアイ")], "ja"),
    ("漁協", "ギョキョウ", &[("漁業協同組合", "ギョギョウキョウドウクミアイ")], "jf"),
    (
        "中金",
        "チュウキン",
        &[("中央金庫", "チュウオウキンコ"), ("組合中央金庫", "クミアイチュウオウキンコ")],
        "",
    ),
    ("", "", &[("銀行", "ギンコウ"), ("バンク", "バンク")], ""),
];

const OF_BRANCHES: &[Row] = &[(
    "",
    "",
    &[("支店", "シテン"), ("店", "テン"), ("支所", "シショ"), ("出張所", "シュッチョウジョ")],
    "",
)];

static BANKS: LazyLock<Vec<Ending>> = LazyLock::new(|| endings(OF_BANKS));
static BRANCHES: LazyLock<Vec<Ending>> = LazyLock::new(|| endings(OF_BRANCHES));

fn endings(rows: &[Row]) -> Vec<Ending> {
    let ending = |(short, reading, long, front): &Row| {
        let short_word = [(*short, *reading)].into_iter().filter(|(word, _)| !word.is_empty());
        let words = short_word.chain(long.iter().copied()).map(Word::of).collect();
        Ending { short, words, front }
    };
    rows.iter().map(ending).collect()
}

/// A name and its reading without the word that they end with, and which that may be.
#[derive(Debug, Clone, Copy)]
pub struct Stem<'n> {
    pub written: &'n str,
    pub reading: &'n str,
    pub ending: &'static Ending,
}

impl<'n> Stem<'n> {
    /// Of the keys of an institution's name and reading.
    pub fn of_bank(written: &'n str, reading: &'n str) -> Stem<'n> {
        Stem::of(&BANKS, written, reading)
    }

    pub fn of_branch(written: &'n str, reading: &'n str) -> Stem<'n> {
        Stem::of(&BRANCHES, written, reading)
    }

    fn of(endings: &'static [Ending], written: &'n str, reading: &'n str) -> Stem<'n> {
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

/// Codes of institutions among those of banks that only transfer money.
const TRANSFERS: RangeInclusive<u16> = 200..=287;

/// The word that the directory leaves out behind an institution's name.
pub fn left_out_of_bank(code: u16, name: &str) -> &'static str {
    let is_bank = BankType::Bank.includes(code) && !TRANSFERS.contains(&code);
    let says_it = name.contains("バンク") || name.ends_with("銀行");
    if (is_bank || BankType::Yucho.includes(code)) && !says_it { "銀行" } else { "" }
}

/// What the names of branches end with that say themselves what they are.
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

/// The word that the directory leaves out behind a branch's name.
pub fn left_out_of_branch(bank: u16, name: &str) -> &'static str {
    let says_it = OWN_WORDS.iter().any(|word| name.ends_with(word)) || name.contains("営業第");
    // Cooperatives of farmers and fishers have 支店 and 支所, and the directory does not say which.
    if says_it || BankType::NokyoGyokyo.includes(bank) {
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
    fn texts_have_the_word_that_the_directory_leaves_out() {
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
            assert_eq!(left_out_of_bank(code, name), word, "{name}");
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
            assert_eq!(left_out_of_branch(bank, name), word, "{name}");
        }
    }

    #[test]
    fn names_are_told_from_the_word_that_they_end_with() {
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
        // The reading says that the letters are no such word.
        check("見本農協", "ミホン", "見本農協", "");
    }
}
