//! Seeded corporations in the tax agency's format, at the true scale.
//!
//! The shares follow the real files of 2016 to 2026: kinds, where the legal form stands, lengths of
//! names by kind and their scripts, readings by kind, prefectures, closed ones and their causes,
//! dates, columns that few have. Words are made of common characters, so they are more regular than
//! real ones; repeated names come of words that are chosen often.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use daicho::text::codes::CorporateNumber;

use super::source::Seeded;

/// Corporations of the whole country.
pub const CORPORATIONS: usize = 5_500_000;

/// A kind: its share per mille, its legal form with the share in front of the name, lengths of the
/// rest of the name at 5, 50, 95 and 99 per cent, shares of names in katakana, kanji, letters and in
/// kanji with katakana, the share with a reading, and the digits behind the registry office.
struct Kind {
    code: u16,
    share: usize,
    form: &'static str,
    form_first: usize,
    lengths: [usize; 4],
    scripts: [usize; 4],
    readings: usize,
    digits: u64,
}

const fn kind(
    code: u16,
    (share, digits): (usize, u64),
    (form, form_first): (&'static str, usize),
    lengths: [usize; 4],
    scripts: [usize; 4],
    readings: usize,
) -> Kind {
    Kind { code, share, form, form_first, lengths, scripts, readings, digits }
}

const KINDS: [Kind; 9] = [
    kind(301, (499, 1), ("株式会社", 705), [2, 5, 13, 18], [33, 33, 20, 14], 77),
    kind(302, (291, 2), ("有限会社", 914), [2, 5, 11, 14], [25, 55, 2, 18], 35),
    kind(399, (106, 5), ("", 0), [3, 10, 21, 26], [3, 75, 2, 20], 56),
    kind(305, (83, 3), ("合同会社", 646), [2, 6, 14, 20], [30, 18, 42, 10], 75),
    kind(304, (11, 3), ("合資会社", 772), [2, 5, 9, 13], [10, 75, 0, 15], 3),
    kind(401, (3, 50), ("", 0), [10, 25, 47, 50], [100, 0, 0, 0], 100),
    kind(303, (3, 3), ("合名会社", 669), [2, 4, 9, 12], [10, 75, 0, 15], 3),
    kind(499, (2, 50), ("", 0), [6, 11, 19, 24], [10, 70, 0, 20], 100),
    kind(201, (2, 30), ("", 0), [3, 7, 12, 14], [0, 100, 0, 0], 100),
];

/// Corporations of the prefectures in thousandths of a per cent.
const PREFECTURES: [usize; 47] = [
    4027, 663, 590, 1424, 531, 588, 1252, 1676, 1312, 1343, 4598, 4022, 23666, 6439, 1320, 634,
    770, 538, 617, 1400, 1282, 2213, 4958, 976, 758, 1985, 8437, 3522, 712, 541, 347, 396, 1279,
    1945, 740, 536, 689, 912, 448, 3755, 433, 730, 1233, 828, 680, 1020, 1112,
];

const KANJI: &[char] = &[
    '山', '川', '田', '中', '大', '東', '本', '工', '業', '建', '設', '商', '事', '会', '島', '原',
    '野', '藤', '日', '高', '小', '木', '北', '南', '西', '新', '松', '上', '林', '医', '産', '電',
    '機', '運', '輸', '興', '物', '流', '食', '品', '店', '神', '社', '寺', '協', '組', '合', '農',
    '生', '法', '人', '福', '祉', '総', '研', '究', '所', '不', '動', '化', '学', '印', '刷', '自',
    '車', '整', '備', '水', '石', '材', '土', '地',
];

const KATAKANA: &[char] = &[
    'ア', 'イ', 'ウ', 'エ', 'オ', 'カ', 'キ', 'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'タ', 'チ',
    'テ', 'ト', 'ナ', 'ニ', 'ネ', 'ハ', 'フ', 'マ', 'ミ', 'メ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ',
    'ン', 'ー', 'ッ', 'ョ', 'ガ', 'グ', 'ジ', 'ズ', 'ダ', 'ド', 'バ', 'ビ', 'ブ', 'プ', 'パ', 'ュ',
];

/// Words that names are put together from; short ranks are chosen often, as in real names.
struct Words {
    kanji: Vec<String>,
    katakana: Vec<String>,
    letters: Vec<String>,
}

impl Words {
    fn make(random: &mut Seeded) -> Words {
        let mut words = |count: usize, shortest: usize, spread: usize, from: &[char]| {
            let word = |_| {
                let length = shortest + random.below(spread);
                (0..length).map(|_| from[random.below(from.len())]).collect()
            };
            (0..count).map(word).collect()
        };
        let letters: Vec<char> = ('Ａ'..='Ｚ').chain('ａ'..='ｚ').collect();
        Words {
            kanji: words(40_000, 2, 2, KANJI),
            katakana: words(30_000, 2, 4, KATAKANA),
            letters: words(20_000, 2, 6, &letters),
        }
    }
}

/// A word; the product of two numbers prefers the first ones.
fn often<'w>(random: &mut Seeded, words: &'w [String]) -> &'w str {
    let bound = words.len();
    &words[random.below(bound) * random.below(bound) / bound]
}

fn length(random: &mut Seeded, lengths: [usize; 4]) -> usize {
    let [low, middle, high, top] = lengths;
    let between = |random: &mut Seeded, from: usize, to: usize| from + random.below(to - from + 1);
    match random.below(100) {
        0..50 => between(random, low, middle),
        50..95 => middle + random.below(high - middle + 1) * random.below(high) / high,
        95..99 => between(random, high, top),
        _ => between(random, top, top + 20),
    }
}

/// The name without its legal form.
fn body(random: &mut Seeded, words: &Words, kind: &Kind) -> String {
    let wanted = length(random, kind.lengths);
    let [katakana, kanji, letters, _] = kind.scripts;
    let script = random.below(100);
    let mut name = String::new();
    while name.chars().count() < wanted {
        let from = match script {
            script if script < katakana => &words.katakana,
            script if script < katakana + kanji => &words.kanji,
            script if script < katakana + kanji + letters => &words.letters,
            _ if name.is_empty() => &words.kanji,
            _ => &words.katakana,
        };
        name.push_str(often(random, from));
    }
    name.chars().take(wanted).collect()
}

fn full_width(number: usize) -> String {
    let digit = |digit: char| char::from_u32(u32::from(digit) + 0xfee0).expect("full-width digits");
    number.to_string().chars().map(digit).collect()
}

fn street(random: &mut Seeded, words: &Words) -> String {
    let mut street = often(random, &words.kanji).to_owned();
    let [one, two, three] = [1 + random.below(8), 1 + random.below(40), 1 + random.below(30)];
    let _ = match random.below(100) {
        0..54 => {
            write!(street, "{}丁目{}番{}号", full_width(one), full_width(two), full_width(three))
        }
        54..85 => write!(street, "{}番地{}", full_width(two * 31), full_width(three)),
        _ => write!(street, "{}－{}－{}", full_width(one), full_width(two), full_width(three)),
    };
    if random.below(100) < 14 {
        let (building, floor) = (often(random, &words.katakana), full_width(one));
        let _ = write!(street, "{building}ビル{floor}階");
    }
    street
}

/// Where the file is, and some of the numbers in it.
pub struct Corporations {
    pub file: PathBuf,
    pub numbers: Vec<CorporateNumber>,
}

/// Writes `count` corporations, in the Unicode edition.
pub fn write_corporations(folder: &Path, count: usize) -> Corporations {
    let mut random = Seeded::with(5);
    let words = Words::make(&mut random);
    let total: usize = PREFECTURES.iter().sum();
    // Of each registry office and kind: the last serial number.
    let mut serials = vec![[0u64; 100]; 4 * 47];
    let mut numbers = Vec::with_capacity(count);
    let path = folder.join("00_zenkoku_all_20260731.csv");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path).expect("a file"));
    let mut line = String::new();
    for sequence in 1..=count {
        let kind = choose(&mut random, &KINDS, |kind| kind.share);
        let share = random.below(total);
        let mut seen = 0;
        let prefecture = PREFECTURES.iter().position(|share_of| {
            seen += share_of;
            share < seen
        });
        let prefecture = prefecture.expect("shares add up");
        let offices = if PREFECTURES[prefecture] > 3_000 { 4 } else { 1 };
        let office = prefecture * 4 + random.below(offices);
        let serial = &mut serials[office][kind.digits as usize];
        *serial += 1 + random.below(3) as u64 / 2;
        let number = (office as u64 + 100) * 100_000_000 + kind.digits * 1_000_000 + *serial;
        let number = CorporateNumber::from_body(number).expect("twelve digits");
        line.clear();
        write_line(&mut line, &mut random, &words, kind, (sequence, number, prefecture));
        out.write_all(line.as_bytes()).expect("written");
        numbers.push(number);
    }
    out.flush().expect("written");
    Corporations { file: path, numbers }
}

fn choose<'k, T>(random: &mut Seeded, items: &'k [T], share: impl Fn(&T) -> usize) -> &'k T {
    let mut left = random.below(items.iter().map(&share).sum());
    items
        .iter()
        .find(|item| match left.checked_sub(share(item)) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        })
        .expect("shares add up")
}

fn write_line(
    line: &mut String,
    random: &mut Seeded,
    words: &Words,
    kind: &Kind,
    (sequence, number, prefecture): (usize, CorporateNumber, usize),
) {
    let body = body(random, words, kind);
    let name = match random.below(1_000) < kind.form_first {
        true => format!("{}{body}", kind.form),
        false => format!("{body}{}", kind.form),
    };
    let date = |random: &mut Seeded| {
        let (year, month, day) =
            (2016 + random.below(10), 1 + random.below(12), 1 + random.below(28));
        format!("{year}-{month:02}-{day:02}")
    };
    let first = random.below(100) < 82;
    let assigned = if first { "2015-10-05".to_owned() } else { date(random) };
    let closed = random.below(1_000) < 135;
    let process = match random.below(1_000) {
        _ if closed => "21",
        0..810 => "01",
        810..976 => "12",
        976..994 => "11",
        _ => "71",
    };
    let changed = if process == "01" { assigned.clone() } else { date(random) };
    let updated = if changed == "2015-10-05" { "2015-11-20".to_owned() } else { changed.clone() };
    let city = 1 + random.below(40) * random.below(40) / 40;
    let (close, cause) = match (closed, random.below(100)) {
        (false, _) => ("", ""),
        (true, 0..64) => (changed.as_str(), "01"),
        (true, 64..92) => (changed.as_str(), "21"),
        (true, _) => (changed.as_str(), "11"),
    };
    let reading: String = match random.below(100) < kind.readings {
        true => body.chars().map(|from| KATAKANA[from as usize % KATAKANA.len()]).collect(),
        false => String::new(),
    };
    let quoted = |text: &str| if text.is_empty() { String::new() } else { format!("\"{text}\"") };
    let english = if random.below(200) == 0 { "\"Register Co., Ltd.\"" } else { "" };
    let image = if random.below(100) == 0 { "00012345" } else { "" };
    let _ = writeln!(
        line,
        "{sequence},{number},{process},{},{updated},{changed},\"{name}\",{image},{},\"{}県\",\
         \"台帳{}市\",\"{}\",,{:02},{city:03},{:07},,,{close},{cause},,,{assigned},1,{english},,,,{},0",
        random.below(10) / 7,
        kind.code,
        words.kanji[prefecture],
        words.kanji[prefecture * 40 + city],
        street(random, words),
        prefecture + 1,
        10_000 * (prefecture + 1) + random.below(4_000),
        quoted(&reading),
    );
}
