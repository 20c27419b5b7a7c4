//! Romanises katakana readings of Japanese addresses (`docs/rules.md`, 'Roman names').
//!
//! For any input the output consists of ASCII letters, digits, space, hyphen and comma, without a separator at either
//! end; other characters are left out. Does not know readings in large kana only (サツポロ gives `Satsuporo`), or
//! half-width katakana.
//!
//! A reading has no word divisions, and long vowels must not fold across one: 大島区牛ケ鼻 is オオシマク ウシガハナ, not
//! `Oshimakushigahana`. So `town_boundaries` knows word ends inside names. Divisions that Japan Post has not yet
//! printed in Roman letters are missing.

use std::sync::LazyLock;

use super::half_width::half_width_ascii;
use super::kana::{katakana, syllable};

/// Romanises one reading. Each word gets a capital (`カンダニシキチョウ` is `Kandanishikicho`).
///
/// 、 gives a comma and a space, ・ and spaces give a space, `-`, － and ～ give a hyphen.
pub fn romanize(kana: &str) -> String {
    let mut writer = Writer::with_capacity(kana.len());
    writer.write(kana);
    writer.out
}

/// A prefecture without its suffix: `トウキョウト` is `Tokyo`, `ホッカイドウ` is `Hokkaido`.
pub fn romanize_prefecture(kana: &str) -> String {
    // 道 is part of the name, so ドウ is not a suffix.
    romanize(without_suffix(kana, &["ト", "フ", "ケン"]))
}

/// A county without its suffix: `チチブグン` is `Chichibu`.
pub fn romanize_county(kana: &str) -> String {
    romanize(without_suffix(kana, &["グン"]))
}

/// Romanises the reading of a city, town, village or special ward: `オオサカシ` is `Osaka`, `チヨダク` is `Chiyoda-ku`. For
/// the two villages whose name begins with their island, the island comes after the village, as a county would.
pub fn romanize_city(kana: &str) -> String {
    for island in ISLANDS {
        if let Some(village) = kana.strip_prefix(island).map(romanize_city)
            && !village.is_empty()
        {
            return format!("{village}, {}", romanize(island));
        }
    }
    if kana.ends_with('ク') {
        return romanize_ward(kana);
    }
    romanize(without_suffix(kana, &["シ", "チョウ", "マチ", "ムラ", "ソン"]))
}

/// A ward: `キタク` is `Kita-ku`.
pub fn romanize_ward(kana: &str) -> String {
    let name = without_suffix(kana, &["ク"]);
    let mut roman = romanize(name);
    if roman.is_empty() {
        return romanize(kana);
    }
    if name.len() < kana.len() {
        roman.push_str("-ku");
    }
    roman
}

/// Joins the parts, the smaller first: `Nagatoro, Chichibu`, `Kita-ku, Osaka`.
pub fn compose_city(county: &str, city: &str, ward: &str) -> String {
    let parts = [ward, city, county].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

/// Romanises the reading of a town. `kanji` is the name with this reading; it shows where a word ends inside the
/// reading (`オオシマクウシガハナ`, 大島区牛ケ鼻, is `Oshimakushigahana` without a word end and `Oshimakuushigahana` with it).
pub fn romanize_town(kana: &str, kanji: &str) -> String {
    let mut writer = Writer::with_capacity(kana.len());
    let mut start = 0;
    for boundary in town_boundaries(kana, kanji).into_iter().flatten() {
        writer.write(&kana[start..boundary]);
        // A word ends here without a space: the next kana neither lengthens a vowel nor assimilates.
        writer.last = LastLetter::Neutral;
        start = boundary;
    }
    writer.write(&kana[start..]);
    writer.out
}

/// `kana` without the first of `suffixes` that it ends with. Unchanged if nothing would remain.
fn without_suffix<'a>(kana: &'a str, suffixes: &[&str]) -> &'a str {
    let name = suffixes.iter().find_map(|suffix| kana.strip_suffix(suffix));
    name.filter(|name| !name.is_empty()).unwrap_or(kana)
}

/// The last written letter, as far as it affects the next syllable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastLetter {
    /// It has no effect.
    Neutral,
    /// A vowel that a following ウ or オ may lengthen.
    Vowel(u8),
    /// A digit or Latin letter of the source: a hyphen separates it from a following syllable.
    Symbol,
}

struct Writer {
    out: String,
    /// Written before the next letter, if there was a letter before it.
    separator: &'static str,
    last: LastLetter,
}

impl Writer {
    /// One kana has three bytes and gives three letters at most.
    fn with_capacity(kana_bytes: usize) -> Writer {
        Writer { out: String::with_capacity(kana_bytes), separator: "", last: LastLetter::Neutral }
    }

    fn write(&mut self, kana: &str) {
        let mut rest = kana.chars().map(normal_width);
        while let Some(current) = rest.next() {
            let next = rest.clone().next();
            match current {
                'ー' => self.last = LastLetter::Neutral,
                'ン' => self.push_n(rest.clone()),
                'ッ' => self.push_doubling(rest.clone()),
                '、' | ',' => self.set_separator(", "),
                '・' | '.' | ' ' => self.set_separator(" "),
                '-' | '－' | '−' | '～' | '〜' => self.set_separator("-"),
                letter if letter.is_ascii_alphanumeric() => {
                    self.flush_separator();
                    self.out.push(letter);
                    self.last = LastLetter::Symbol;
                }
                kana => {
                    let Some((roman, length)) = syllable(kana, next) else {
                        self.last = LastLetter::Neutral;
                        continue;
                    };
                    if length == 2 {
                        rest.next();
                    }
                    self.push_syllable(kana, roman);
                }
            }
        }
    }

    fn set_separator(&mut self, separator: &'static str) {
        self.separator = separator;
        self.last = LastLetter::Neutral;
    }

    /// Writes the separator that is due, if there was a letter before it.
    fn flush_separator(&mut self) {
        if !self.out.is_empty() {
            self.out.push_str(self.separator);
        }
        self.separator = "";
    }

    /// Appends lower-case letters, with a capital at the start of a word.
    fn push_letters(&mut self, roman: &str) {
        self.flush_separator();
        if self.last == LastLetter::Symbol {
            self.out.push('-');
        }
        let start = self.out.len();
        let starts_word = start == 0 || self.out.ends_with(' ');
        self.out.push_str(roman);
        if starts_word {
            self.out[start..=start].make_ascii_uppercase();
        }
        self.last = LastLetter::Neutral;
    }

    fn push_syllable(&mut self, kana: char, roman: &str) {
        let lengthens = match self.last {
            LastLetter::Vowel(b'o') => kana == 'オ' || kana == 'ウ',
            LastLetter::Vowel(b'u') => kana == 'ウ',
            _ => false,
        };
        if lengthens && roman.len() == 1 {
            self.last = LastLetter::Neutral;
            return;
        }
        self.push_letters(roman);
        self.last = roman.bytes().last().map_or(LastLetter::Neutral, LastLetter::Vowel);
    }

    /// ン: `m` before b, m, p.
    fn push_n(&mut self, following: impl Iterator<Item = char>) {
        let is_before_labial =
            first_syllable(following).is_some_and(|s| s.starts_with(['b', 'm', 'p']));
        self.push_letters(if is_before_labial { "m" } else { "n" });
    }

    /// ッ: doubles the following consonant, `t` before ch. Without a consonant to double it reads as ツ.
    fn push_doubling(&mut self, following: impl Iterator<Item = char>) {
        match first_syllable(following) {
            Some(roman) if roman.starts_with("ch") => self.push_letters("t"),
            Some(roman) if !roman.starts_with(['a', 'i', 'u', 'e', 'o']) => {
                self.push_letters(&roman[..1]);
            }
            _ => self.push_letters("tsu"),
        }
    }
}

/// The letters of the syllable that the kana begin with.
fn first_syllable(mut kana: impl Iterator<Item = char>) -> Option<&'static str> {
    syllable(kana.next()?, kana.next()).map(|(roman, _)| roman)
}

/// Katakana for hiragana, ASCII for full-width letters, digits and space.
fn normal_width(character: char) -> char {
    match character {
        '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' | '．' | '，' => {
            half_width_ascii(character)
        }
        '　' => ' ',
        _ => katakana(character),
    }
}

/// Kanji and reading of the localities whose name begins a town, sorted by kanji.
static LOCALITIES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("localities.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).collect()
});

/// Readings of the islands that stand before the name of their only village, as a county would.
///
/// Source: column 4 of KEN_ALL.CSV, rows of 13381 三宅島三宅村 and 13401 八丈島八丈町.
pub const ISLANDS: &[&str] = &["ミヤケジマ", "ハチジョウジマ"];

/// Byte offsets into `kana` where a word ends inside the name, ascending.
fn town_boundaries(kana: &str, kanji: &str) -> [Option<usize>; 2] {
    let first = locality_end(kana, kanji).or_else(|| ward_end(kana, kanji));
    // In マツオツ (松尾乙) the locality's reading マツオ overlaps the オツ of 乙.
    let last = last_part_start(kana, kanji).filter(|last| first.is_none_or(|first| first <= *last));
    [first, last]
}

/// The end of the reading of a locality in [`LOCALITIES`].
fn locality_end(kana: &str, kanji: &str) -> Option<usize> {
    // Entries that are prefixes of the name sort at or before it, and no entry is a prefix of another.
    let after = LOCALITIES.partition_point(|(locality, _)| *locality <= kanji);
    let (locality, reading) = LOCALITIES.get(after.checked_sub(1)?)?;
    let divides = kanji.starts_with(locality) && kana.starts_with(reading);
    divides.then_some(reading.len())
}

/// The end of 区 before a word that begins with ウ: a ward of a merged city (地域自治区), such as 大潟区.
fn ward_end(kana: &str, kanji: &str) -> Option<usize> {
    let ward = kanji.find('区')?;
    if ward + '区'.len_utf8() == kanji.len() {
        return None;
    }
    let start = kana.find("クウ")?;
    (kana.rfind("クウ") == Some(start)).then_some(start + 'ク'.len_utf8())
}

/// The start of a final 乙: the second part (甲, 乙, 丙) of a divided locality.
fn last_part_start(kana: &str, kanji: &str) -> Option<usize> {
    if !kanji.ends_with('乙') {
        return None;
    }
    kana.strip_suffix("オツ").filter(|locality| !locality.is_empty()).map(str::len)
}

#[cfg(test)]
mod tests {
    use super::LOCALITIES;
    use super::*;
    use proptest::prelude::*;
    use proptest::sample;

    #[test]
    fn romanizes_readings() {
        #[track_caller]
        fn check(kana: &str, expected: &str) {
            assert_eq!(romanize(kana), expected, "reading {kana:?}");
        }

        // The examples of docs/rules.md#roman-names.
        check("コウジマチ", "Kojimachi");
        check("オオテマチ", "Otemachi");
        check("イイダバシ", "Iidabashi");
        check("ニシキタコウジチョウ", "Nishikitakojicho");
        // ン and ッ.
        check("ニホンバシ", "Nihombashi");
        check("シンミナトチョウ", "Shimminatocho");
        check("シンエイ", "Shinei");
        check("ジンヤマチ", "Jinyamachi");
        check("イッチョウダ", "Itchoda");
        check("クッチャロコハン", "Kutcharokohan");
        check("サッポロ", "Sapporo");
        check("カッタ", "Katta");
        // Long vowels fold left to right, by letters.
        check("オオオカ", "Ooka");
        check("マツウラチョウ", "Matsuracho");
        check("イノウエ", "Inoe");
        check("キヨウラ", "Kiyora");
        check("ソウウンキョウ", "Sounkyo");
        check("サンゴウウチ", "Sangouchi");
        check("トオヤ", "Toya");
        check("カミイイオカ", "Kamiiioka");
        check("ケイオウ", "Keio");
        check("リュウツウセンター", "Ryutsusenta");
        check("ツギノビルヲノゾク", "Tsuginobiruonozoku");
        check("ノヲ", "Noo");
        // Voiced and rare syllables.
        check("サンゲンヂャヤ", "Sangenjaya");
        check("カイヅカ", "Kaizuka");
        check("ヰヱ", "Ie");
        check("ピアラシティ", "Piarashiti");
        check("ヴィソン", "Vison");
        check("スウェーデンヒルズ", "Suwedenhiruzu");
        check("フェアコウマス", "Feakomasu");
        // Digits and letters.
        check("キタ１ジョウニシ", "Kita1-jonishi");
        check("キタ1ジョウニシ", "Kita1-jonishi");
        check("ダイ１１ジョウ", "Dai11-jo");
        check("オフィスタワーＸ", "OfisutawaX");
        check("ＯＡＰタワー", "OAP-tawa");
        check("１ノトオリ", "1-notori");
        // Separators, hiragana, and characters that are left out.
        check("イド、オクイド、ウチイド", "Ido, Okuido, Uchiido");
        check(
            "エッチュウハタ６４チワリ－エッチュウハタ６６チワリ",
            "Etchuhata64-chiwari-etchuhata66-chiwari",
        );
        check("ア・イ", "A I");
        check("、ア、", "A");
        check("－１", "1");
        check("うしお", "Ushio");
        check("コ「ウ」", "Kou");
        check("漢字", "");
        check("", "");
        // Cut and misplaced small kana.
        check("ッ", "Tsu");
        check("アッ", "Atsu");
        check("ッア", "Tsua");
        check("ャ", "Ya");
        check("カャ", "Kaya");
        check("ー", "");
        check("ン", "N");
    }

    #[test]
    fn drops_suffixes() {
        #[track_caller]
        fn check(romanize: fn(&str) -> String, kana: &str, expected: &str) {
            assert_eq!(romanize(kana), expected, "reading {kana:?}");
        }

        check(romanize_prefecture, "トウキョウト", "Tokyo");
        check(romanize_prefecture, "ホッカイドウ", "Hokkaido");
        check(romanize_prefecture, "オオサカフ", "Osaka");
        check(romanize_prefecture, "キョウトフ", "Kyoto");
        check(romanize_prefecture, "アキタケン", "Akita");
        check(romanize_prefecture, "グンマケン", "Gumma");
        check(romanize_prefecture, "", "");
        check(romanize_prefecture, "ケン", "Ken");
        check(romanize_county, "チチブグン", "Chichibu");
        check(romanize_county, "キタグンマグン", "Kitagumma");
        check(romanize_county, "", "");
        check(romanize_city, "ナガトロマチ", "Nagatoro");
        check(romanize_city, "オオサカシ", "Osaka");
        check(romanize_city, "ツシ", "Tsu");
        check(romanize_city, "ヨッカイチシ", "Yokkaichi");
        check(romanize_city, "トウカイムラ", "Tokai");
        check(romanize_city, "モロツカソン", "Morotsuka");
        check(romanize_city, "マチダシ", "Machida");
        check(romanize_city, "イチカワミサトチョウ", "Ichikawamisato");
        check(romanize_city, "ランザンマチ", "Ranzan");
        check(romanize_city, "チヨダク", "Chiyoda-ku");
        check(romanize_city, "ミヤケジマミヤケムラ", "Miyake, Miyakejima");
        check(romanize_city, "ハチジョウジマハチジョウマチ", "Hachijo, Hachijojima");
        check(romanize_city, "ミヤケジマ", "Miyakejima");
        // A reading of which one part has no letters.
        check(romanize_city, "ミヤケジマー", "Miyakejima");
        check(romanize_city, "ミヤケジマーク", "Ku, Miyakejima");
        check(romanize_ward, "ーク", "Ku");
        check(romanize_city, "シ", "Shi");
        check(romanize_city, "", "");
        check(romanize_ward, "キタク", "Kita-ku");
        check(romanize_ward, "シンジュクク", "Shinjuku-ku");
        check(romanize_ward, "ク", "Ku");
        check(romanize_ward, "", "");
    }

    #[test]
    fn composes_the_smaller_unit_first() {
        assert_eq!(compose_city("Chichibu", "Nagatoro", ""), "Nagatoro, Chichibu");
        assert_eq!(compose_city("", "Osaka", "Kita-ku"), "Kita-ku, Osaka");
        assert_eq!(compose_city("", "Chiyoda-ku", ""), "Chiyoda-ku");
        assert_eq!(compose_city("", "", ""), "");
    }

    #[test]
    fn romanizes_towns_by_word() {
        #[track_caller]
        fn check(kana: &str, kanji: &str, expected: &str) {
            assert_eq!(romanize_town(kana, kanji), expected, "{kanji}, {kana}");
        }

        check("オオシマクウシガハナ", "大島区牛ケ鼻", "Oshimakuushigahana");
        check("カミタカノオノチョウ", "上高野小野町", "Kamitakanoonocho");
        check("キタシンバクロウマチ", "北新博労町", "Kitashinbakuromachi");
        check("キタシンマチ", "北新町", "Kitashimmachi");
        check("ナカノオツ", "中野乙", "Nakanootsu");
        check("オオツオツ", "大津乙", "Otsuotsu");
        check("オツ", "乙", "Otsu");
        // The readings of the locality 松尾 and of 乙 overlap.
        check("マツオツ", "松尾乙", "Matsuotsu");
        check("マツオオツ", "松尾乙", "Matsuootsu");
        check("アサヒ１ク", "旭１区", "Asahi1-ku");
        // A reading that is not in the table, an empty one and a truncated one.
        check("オオハラノ", "上高野小野町", "Oharano");
        check("", "上高野小野町", "");
        check("カミタ", "上高野小野町", "Kamita");
        check("カミタカノ", "上高野", "Kamitakano");
        check("マツウラ", "", "Matsura");
    }

    /// A katakana of the block that the source uses, or a character that may stand between them.
    fn reading() -> impl Strategy<Value = String> {
        proptest::string::string_regex("[ァ-ヺー・、－０-９Ａ-Ｚ　]{0,40}")
            .expect("a valid pattern")
    }

    /// The reading and the name of a town: either arbitrary, or a locality with further kana and kanji, of which some
    /// mark a word end.
    fn town() -> impl Strategy<Value = (String, String)> {
        let parts = &[("オツ", "乙"), ("ツ", "乙"), ("クウ", "区"), ("チョウ", "町"), ("", "")];
        let parts = || sample::select(&parts[..]);
        let locality = sample::select(&LOCALITIES[..]);
        let divided = (locality, parts(), parts()).prop_map(|((kanji, reading), first, second)| {
            let kana = [reading, first.0, second.0].concat();
            (kana, [kanji, first.1, second.1].concat())
        });
        prop_oneof![(reading(), ".{0,10}"), divided]
    }

    proptest! {
        #[test]
        fn writes_only_plain_ascii((kana, kanji) in town()) {
            let city = format!("ミヤケジマ{kana}");
            let ward = format!("{kana}ク");
            for roman in [
                romanize_town(&kana, &kanji),
                romanize_prefecture(&kana),
                romanize_county(&kana),
                romanize_city(&kana),
                romanize_city(&city),
                romanize_ward(&ward),
            ] {
                prop_assert!(roman.bytes().all(|b| b.is_ascii_alphanumeric() || b" -,".contains(&b)));
                prop_assert!(!roman.starts_with([' ', '-', ',']), "{roman:?}");
                prop_assert!(!roman.ends_with([' ', '-', ',']), "{roman:?}");
            }
        }

        #[test]
        fn any_reading_and_name_are_romanized(kana in ".*", kanji in ".*") {
            prop_assert!(romanize_town(&kana, &kanji).is_ascii());
            prop_assert!(romanize_city(&kana).is_ascii());
            prop_assert!(romanize_prefecture(&kana).is_ascii());
        }
    }
}
