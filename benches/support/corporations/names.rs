//! Names of the generated corporations: lengths, scripts and legal forms by kind, as in the
//! statistics.

use super::super::source::SeededRandom;
use super::choose;
use super::words::{Lexicon, Script, TRADES, WORD_MAX, rank};

/// Scripts of a name's body, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Kanji; every second one ends in a trade word.
    Kanji,
    /// One script.
    One(Script),
    /// Two scripts, one after the other.
    Two(Script, Script),
    /// Latin words with spaces between them.
    Spaced,
}

use Script::{Hiragana as H, Kanji as K, Katakana as T, Letters as A};

/// A kind of corporation. Shares of kinds are parts in 100,000, other shares parts in 1,000.
pub struct Kind {
    pub code: u16,
    pub share: usize,
    /// Legal form, and the share of names that begin with it.
    pub form: &'static str,
    pub form_first: usize,
    /// Lengths of the body at the percentiles 0, 10, 20, … 90, 95, 98 and 99, and the longest.
    lengths: [usize; 14],
    writings: &'static [(Writing, usize)],
    /// Share of names with a reading.
    pub readings: usize,
    pub closed: usize,
    /// The two digits of the kind after those of the registry office.
    pub digits: u64,
}

const COMPANY: [(Writing, usize); 9] = [
    (Writing::One(T), 307),
    (Writing::Kanji, 290),
    (Writing::One(A), 120),
    (Writing::Two(K, T), 122),
    (Writing::Spaced, 87),
    (Writing::Two(A, T), 27),
    (Writing::Two(H, K), 20),
    (Writing::One(H), 17),
    (Writing::Two(A, K), 10),
];

const LIMITED: [(Writing, usize); 7] = [
    (Writing::Kanji, 500),
    (Writing::One(T), 252),
    (Writing::Two(K, T), 175),
    (Writing::Two(H, K), 38),
    (Writing::One(H), 20),
    (Writing::One(A), 10),
    (Writing::Spaced, 5),
];

const LLC: [(Writing, usize); 9] = [
    (Writing::One(T), 260),
    (Writing::One(A), 250),
    (Writing::Spaced, 155),
    (Writing::Kanji, 142),
    (Writing::Two(K, T), 65),
    (Writing::Two(A, T), 40),
    (Writing::One(H), 34),
    (Writing::Two(H, K), 30),
    (Writing::Two(A, K), 24),
];

const OLD: [(Writing, usize); 4] = [
    (Writing::Kanji, 780),
    (Writing::Two(K, T), 95),
    (Writing::One(T), 85),
    (Writing::Two(H, K), 40),
];

const OTHER: [(Writing, usize); 4] = [
    (Writing::Kanji, 700),
    (Writing::Two(K, T), 150),
    (Writing::Two(H, K), 110),
    (Writing::Two(A, K), 40),
];

const FOREIGN: [(Writing, usize); 4] = [
    (Writing::Spaced, 750),
    (Writing::One(A), 95),
    (Writing::One(T), 95),
    (Writing::Two(K, T), 60),
];

const fn kind(
    code: u16,
    (share, closed, digits): (usize, usize, u64),
    (form, form_first): (&'static str, usize),
    lengths: [usize; 14],
    writings: &'static [(Writing, usize)],
    readings: usize,
) -> Kind {
    Kind { code, share, form, form_first, lengths, writings, readings, closed, digits }
}

/// `kind.csv`, `legal_form_position.csv`, `name_body_length.csv` and `name_body_class.csv` of the
/// statistics of 2026-07.
pub const KINDS: [Kind; 10] = [
    kind(
        301,
        (49_910, 140, 1),
        ("株式会社", 705),
        [1, 3, 4, 4, 5, 5, 6, 7, 9, 11, 13, 17, 19, 40],
        &COMPANY,
        773,
    ),
    kind(
        302,
        (29_100, 172, 2),
        ("有限会社", 914),
        [1, 3, 4, 4, 5, 5, 6, 6, 7, 10, 12, 13, 15, 30],
        &LIMITED,
        350,
    ),
    kind(
        399,
        (10_610, 95, 5),
        ("", 0),
        [2, 4, 5, 6, 7, 7, 9, 10, 11, 13, 16, 19, 22, 40],
        &OTHER,
        560,
    ),
    kind(
        305,
        (8_290, 93, 3),
        ("合同会社", 646),
        [1, 3, 4, 4, 5, 5, 6, 7, 9, 12, 14, 17, 19, 35],
        &LLC,
        750,
    ),
    kind(
        304,
        (1_130, 33, 3),
        ("合資会社", 772),
        [1, 3, 4, 4, 4, 5, 5, 6, 6, 8, 9, 11, 13, 25],
        &OLD,
        30,
    ),
    kind(
        401,
        (332, 20, 50),
        ("", 0),
        [4, 13, 17, 19, 22, 26, 31, 36, 40, 44, 47, 49, 50, 62],
        &FOREIGN,
        650,
    ),
    kind(
        303,
        (259, 48, 3),
        ("合名会社", 669),
        [1, 2, 4, 4, 4, 4, 5, 5, 6, 7, 9, 10, 12, 25],
        &OLD,
        30,
    ),
    kind(
        499,
        (232, 50, 50),
        ("", 0),
        [2, 7, 8, 9, 10, 11, 12, 13, 14, 17, 19, 22, 24, 40],
        &OTHER,
        1_000,
    ),
    kind(
        201,
        (127, 20, 30),
        ("", 0),
        [2, 3, 4, 5, 5, 6, 8, 9, 10, 12, 14, 17, 19, 30],
        &[(Writing::Kanji, 1)],
        1_000,
    ),
    kind(
        101,
        (15, 0, 12),
        ("", 0),
        [3, 7, 7, 7, 7, 7, 7, 7, 7, 8, 8, 9, 9, 13],
        &[(Writing::Kanji, 1)],
        1_000,
    ),
];

/// Legal forms of kind 399 in thousandths; shrines, temples and churches have a short name before theirs.
const REGISTERED: [(&str, usize); 18] = [
    ("一般社団法人", 163),
    ("神社", 135),
    ("寺", 114),
    ("特定非営利活動法人", 103),
    ("協同組合", 85),
    ("医療法人", 60),
    ("医療法人社団", 38),
    ("社会福祉法人", 36),
    ("教会", 35),
    ("農事組合法人", 30),
    ("一般財団法人", 14),
    ("学校法人", 12),
    ("税理士法人", 10),
    ("公益財団法人", 10),
    ("労働組合", 9),
    ("森林組合", 9),
    ("公益社団法人", 8),
    ("", 129),
];

const SHRINES: &str = "八幡 稲荷 熊野 諏訪 白山 神明 山 春日 八坂 天満 日吉 愛宕 天 菅原 鹿島 住吉 貴船 浅間 秋葉 日枝 水 八雲 若宮 三島";
const TEMPLES: &str = "観音 西光 光明 光照 東光 妙法 正覚 西方 極楽 西福 吉祥 正福 薬師 安楽 西念 延命 龍泉 善照 浄土 福泉 宝蔵 常楽";

/// A name, and the part of it that has a reading.
pub struct Name {
    pub name: String,
    pub body: String,
}

pub fn name(random: &mut SeededRandom, words: &Lexicon, kind: &Kind) -> Name {
    if kind.code == 399 {
        return registered(random, words, kind);
    }
    let body = body(random, words, kind);
    let name = match random.below(1_000) < kind.form_first {
        true => [kind.form, &body].concat(),
        false => [&body, kind.form].concat(),
    };
    Name { name, body }
}

fn registered(random: &mut SeededRandom, words: &Lexicon, kind: &Kind) -> Name {
    let (word, _) = choose(random, &REGISTERED, |(_, share)| *share);
    let known = match *word {
        "神社" => SHRINES,
        "寺" => TEMPLES,
        _ => "",
    };
    let body = match known {
        "" => body(random, words, kind),
        // Each common name half as often as the one before, as 八幡神社 and similar names are.
        _ => match known.split(' ').nth(rank(random, 1, 13)) {
            Some(common) => common.to_owned(),
            None => {
                let mut generated = String::new();
                words.push(&mut generated, random, K, 2);
                generated
            }
        },
    };
    let name = match *word {
        "神社" | "寺" | "協同組合" | "教会" | "労働組合" | "森林組合" => {
            [&body, *word].concat()
        }
        _ => [*word, &body].concat(),
    };
    Name { name, body }
}

/// The name without its legal form.
fn body(random: &mut SeededRandom, words: &Lexicon, kind: &Kind) -> String {
    let length = length(random, &kind.lengths);
    let mut body = String::with_capacity(3 * length);
    match choose(random, kind.writings, |(_, share)| *share).0 {
        Writing::Kanji => push_kanji(&mut body, random, words, length),
        Writing::One(script) => push_words(&mut body, random, words, script, length),
        Writing::Two(first, second) => {
            let first_length = (length / 2).max(1);
            push_words(&mut body, random, words, first, first_length);
            match second {
                K => push_kanji(&mut body, random, words, length - first_length),
                other => push_words(&mut body, random, words, other, length - first_length),
            }
        }
        // Names of two words are longer.
        Writing::Spaced => {
            let length = length.max(6 + random.below(6));
            push_spaced(&mut body, random, words, length);
        }
    }
    body
}

fn length(random: &mut SeededRandom, lengths: &[usize; 14]) -> usize {
    let step = match random.below(100) {
        share @ 0..90 => share / 10,
        90..95 => 9,
        95..98 => 10,
        98 => 11,
        _ => 12,
    };
    let (low, high) = (lengths[step], lengths[step + 1]);
    // Within a step of percentiles, long names are rare.
    low + random.below(high - low + 1).min(random.below(high - low + 1))
}

fn push_kanji(out: &mut String, random: &mut SeededRandom, words: &Lexicon, length: usize) {
    let trade = choose(random, &TRADES, |(_, share)| *share).0;
    let trade = Some(trade).filter(|trade| trade.chars().count() < length);
    let trade = trade.filter(|_| random.below(100) < 60).unwrap_or_default();
    push_words(out, random, words, K, length - trade.chars().count());
    out.push_str(trade);
}

fn push_words(
    out: &mut String,
    random: &mut SeededRandom,
    words: &Lexicon,
    script: Script,
    length: usize,
) {
    let longest = if script == K { 3 } else { WORD_MAX };
    let mut remaining = length;
    while remaining > 0 {
        let word = match remaining <= longest && random.below(100) < 70 {
            true => remaining,
            // At least two letters, unless only one remains.
            false => (2 + random.below(longest - 1)).min(remaining),
        };
        words.push(out, random, script, word);
        remaining -= word;
    }
}

fn push_spaced(out: &mut String, random: &mut SeededRandom, words: &Lexicon, length: usize) {
    let mut remaining = length;
    while remaining > 0 {
        let word = match remaining {
            0..4 => remaining,
            _ => (2 + random.below(WORD_MAX - 1)).min(remaining),
        };
        words.push(out, random, A, word);
        remaining -= word;
        if remaining > 1 {
            out.push(
                ['　', '　', '　', '　', '　', '　', '　', '＆', '．', '－'][random.below(10)],
            );
            remaining -= 1;
        }
    }
}
