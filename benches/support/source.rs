//! One month of seeded source files in the official formats, at the true scale.
//!
//! The shares follow the real files: 1,892 municipalities, some 66 towns in each, 1 in 20 towns
//! with a parenthesis, 3,437 floors of buildings, 22,416 businesses. Names are put together from
//! syllables and therefore more regular than real ones; real texts differ a little in length.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

pub use super::seeded::SeededRandom;

/// Number of records of the area file.
pub const AREA: usize = 124_511;
/// Number of records of the business file.
pub const BUSINESS: usize = 22_416;

const CITIES: usize = 1_892;

pub struct Month {
    pub area: PathBuf,
    pub business: PathBuf,
}

const KANJI: [(&str, &str); 24] = [
    ("山", "ヤマ"),
    ("川", "カワ"),
    ("田", "タ"),
    ("町", "マチ"),
    ("東", "ヒガシ"),
    ("西", "ニシ"),
    ("南", "ミナミ"),
    ("北", "キタ"),
    ("中", "ナカ"),
    ("上", "カミ"),
    ("下", "シモ"),
    ("大", "オオ"),
    ("小", "コ"),
    ("野", "ノ"),
    ("原", "ハラ"),
    ("島", "シマ"),
    ("本", "ホン"),
    ("新", "シン"),
    ("松", "マツ"),
    ("竹", "タケ"),
    ("梅", "ウメ"),
    ("桜", "サクラ"),
    ("高", "タカ"),
    ("平", "ヒラ"),
];

const PREFECTURES: [(&str, &str); 47] = [
    ("北海道", "ホッカイドウ"),
    ("青森県", "アオモリケン"),
    ("岩手県", "イワテケン"),
    ("宮城県", "ミヤギケン"),
    ("秋田県", "アキタケン"),
    ("山形県", "ヤマガタケン"),
    ("福島県", "フクシマケン"),
    ("茨城県", "イバラキケン"),
    ("栃木県", "トチギケン"),
    ("群馬県", "グンマケン"),
    ("埼玉県", "サイタマケン"),
    ("千葉県", "チバケン"),
    ("東京都", "トウキョウト"),
    ("神奈川県", "カナガワケン"),
    ("新潟県", "ニイガタケン"),
    ("富山県", "トヤマケン"),
    ("石川県", "イシカワケン"),
    ("福井県", "フクイケン"),
    ("山梨県", "ヤマナシケン"),
    ("長野県", "ナガノケン"),
    ("岐阜県", "ギフケン"),
    ("静岡県", "シズオカケン"),
    ("愛知県", "アイチケン"),
    ("三重県", "ミエケン"),
    ("滋賀県", "シガケン"),
    ("京都府", "キョウトフ"),
    ("大阪府", "オオサカフ"),
    ("兵庫県", "ヒョウゴケン"),
    ("奈良県", "ナラケン"),
    ("和歌山県", "ワカヤマケン"),
    ("鳥取県", "トットリケン"),
    ("島根県", "シマネケン"),
    ("岡山県", "オカヤマケン"),
    ("広島県", "ヒロシマケン"),
    ("山口県", "ヤマグチケン"),
    ("徳島県", "トクシマケン"),
    ("香川県", "カガワケン"),
    ("愛媛県", "エヒメケン"),
    ("高知県", "コウチケン"),
    ("福岡県", "フクオカケン"),
    ("佐賀県", "サガケン"),
    ("長崎県", "ナガサキケン"),
    ("熊本県", "クマモトケン"),
    ("大分県", "オオイタケン"),
    ("宮崎県", "ミヤザキケン"),
    ("鹿児島県", "カゴシマケン"),
    ("沖縄県", "オキナワケン"),
];

fn place(random: &mut SeededRandom, length: usize) -> (String, String) {
    let (mut name, mut kana) = (String::new(), String::new());
    for _ in 0..length {
        let (kanji, reading) = KANJI[random.below(KANJI.len())];
        name.push_str(kanji);
        kana.push_str(reading);
    }
    (name, kana)
}

/// Postal code of the n-th area record; every 20th has the code of the one before.
pub fn area_code(number: usize) -> u32 {
    let number = if number.is_multiple_of(20) { number.saturating_sub(1) } else { number };
    1_000_000 + number as u32 * 61
}

/// Individual code of the n-th business.
pub fn business_code(number: usize) -> u32 {
    1_000_030 + number as u32 * 61 * 5
}

/// Writes `utf_ken_all.csv` and `JIGYOSYO.CSV` into the folder.
pub fn write_month(folder: &Path) -> Month {
    let mut random = SeededRandom::new(0x5EED);
    let cities: Vec<(String, String)> = (0..CITIES)
        .map(|_| {
            let (name, kana) = place(&mut random, 2);
            (format!("{name}市"), format!("{kana}シ"))
        })
        .collect();
    let month =
        Month { area: folder.join("utf_ken_all.csv"), business: folder.join("JIGYOSYO.CSV") };
    fs::write(&month.area, area_file(&mut random, &cities)).expect("below the target folder");
    let business = business_file(&mut random, &cities);
    let (business, _, unmappable) = encoding_rs::SHIFT_JIS.encode(&business);
    assert!(!unmappable, "the business file is CP932");
    fs::write(&month.business, business).expect("below the target folder");
    month
}

/// Code of the n-th municipality, ascending: 41 in each prefecture.
fn city_code(city: usize) -> usize {
    (city / 41 + 1) * 1_000 + 101 + city % 41
}

/// The prefecture of the n-th municipality.
fn prefecture(city: usize) -> (&'static str, &'static str) {
    PREFECTURES[city_code(city) / 1_000 - 1]
}

fn area_file(random: &mut SeededRandom, cities: &[(String, String)]) -> String {
    let mut out = String::with_capacity(AREA * 150);
    for number in 0..AREA {
        let city = number * CITIES / AREA;
        let (city_name, city_kana) = &cities[city];
        let length = 2 + random.below(3);
        let (mut town, mut kana) = place(random, length);
        match random.below(100) {
            0..3 => {
                let floor = ["１", "２", "３", "１０"][random.below(4)];
                let _ = write!(town, "ビル（{floor}階）");
                let _ = write!(kana, "ビル（{floor}カイ）");
            }
            3..6 => {
                town.push_str("（１～３丁目）");
                kana.push_str("（１－３チョウメ）");
            }
            6..7 => {
                town.push_str("（その他）");
                kana.push_str("（ソノタ）");
            }
            _ => {}
        }
        let code = area_code(number);
        let (prefecture, prefecture_kana) = prefecture(city);
        let _ = write!(
            out,
            "{:05},\"{:<5}\",\"{code:07}\",\"{prefecture_kana}\",\"{city_kana}\",\"{kana}\",\
             \"{prefecture}\",\"{city_name}\",\"{town}\",0,0,{},0,0,0\r\n",
            city_code(city),
            code / 10_000,
            random.below(2),
        );
    }
    out
}

fn business_file(random: &mut SeededRandom, cities: &[(String, String)]) -> String {
    let mut out = String::with_capacity(BUSINESS * 160);
    for number in 0..BUSINESS {
        let city = number * CITIES / BUSINESS;
        let (name, _) = place(random, 4);
        let (town, _) = place(random, 3);
        let lot =
            format!("{}－{}－{}", random.below(9) + 1, random.below(40) + 1, random.below(30) + 1);
        let lot: String = lot.chars().map(full_width).collect();
        let tower = random.pick(&["", "", "タワー１２Ｆ", "ビル３階", "（中央ビル）"]);
        let code = business_code(number);
        let _ = write!(
            out,
            "{:05},\"ｶﾌﾞｼｷｶﾞｲｼﾔ ﾐﾎﾝ\",\"株式会社　{name}\",\"{}\",\"{}\",\"{town}\",\
             \"{lot}{tower}\",\"{code:07}\",\"{:<5}\",\"中央\",0,0,0\r\n",
            city_code(city),
            prefecture(city).0,
            cities[city].0,
            code / 10_000,
        );
    }
    out
}

fn full_width(character: char) -> char {
    match character {
        '0'..='9' => char::from_u32(character as u32 - 0x30 + 0xFF10).expect("a digit"),
        other => other,
    }
}
