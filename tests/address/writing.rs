//! Forms of writing that people use for names and numbers that the data write in one form.

/// Groups of kanji that are written for each other. They are the groups that the scorer of the example
/// addresses (see `sets`) treats as equal, without pairs of different characters (巳 and 己).
const VARIANTS: &[&str] = &[
    "沢澤",
    "崎﨑",
    "高髙",
    "斉齊",
    "斎齋",
    "浜濱",
    "辺邊邉",
    "広廣",
    "国國",
    "竜龍",
    "滝瀧",
    "島嶋",
    "篭籠",
    "桧檜",
    "渕淵",
    "真眞",
    "恵惠",
    "穂穗",
    "梼檮",
    "蛍螢",
    "与與",
    "祇祗",
    "釜釡",
    "曽曾",
    "鷏鷆",
    "鰺鯵",
    "渓溪",
    "菟莵",
    "麹麴",
    "騨驒",
    "亜亞",
    "館舘",
    "槇槙",
    "宝寶",
    "栄榮",
    "会會",
    "学學",
    "県縣",
    "静靜",
    "鉄鐵",
    "駅驛",
    "旧舊",
    "寿壽",
    "豊豐",
    "関關",
    "芸藝",
    "渋澁",
    "図圖",
    "団團",
    "条條",
    "薮藪籔",
    "弥彌",
    "瀬瀨",
    "万萬",
    "仏佛",
    "富冨",
    "桜櫻",
    "鴬鶯",
    "円圓",
    "竈竃",
    "麩麸",
    "櫟檪",
];

/// A small random number generator; a seed gives the same sequence on every machine.
pub struct Seeded(u64);

impl Seeded {
    pub fn with(seed: u64) -> Seeded {
        Seeded(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound.max(1)
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A number from 1 to `most`.
    pub fn number(&mut self, most: usize) -> u32 {
        u32::try_from(1 + self.below(most)).expect("lots are small")
    }
}

/// `12-3` as `１２－３`: every ASCII character in full width.
pub fn full_width(text: &str) -> String {
    let wide = |c: char| match c {
        '!'..='~' => char::from_u32(u32::from(c) - 0x21 + 0xFF01).expect("full-width ASCII"),
        ' ' => '\u{3000}',
        other => other,
    };
    text.chars().map(wide).collect()
}

/// Full-width ASCII characters in half width.
pub fn half_width(text: &str) -> String {
    let narrow = |c: char| match c {
        '！'..='～' => char::from_u32(u32::from(c) - 0xFF01 + 0x21).expect("ASCII"),
        '\u{3000}' => ' ',
        other => other,
    };
    text.chars().map(narrow).collect()
}

const KANJI_DIGITS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// 2630 as 二千六百三十.
pub fn kanji_number(number: u32) -> String {
    let mut out = String::new();
    let mut rest = number;
    for (unit, name) in [(10_000, '万'), (1_000, '千'), (100, '百'), (10, '十')] {
        let count = rest / unit;
        rest %= unit;
        if count > 1 || (count == 1 && unit == 10_000) {
            out.push_str(&kanji_number(count));
        }
        if count > 0 {
            out.push(name);
        }
    }
    if rest > 0 {
        out.push(KANJI_DIGITS[rest as usize]);
    }
    out
}

/// 北1条西 as 北一条西.
pub fn in_kanji(digits: &str) -> String {
    let mut out = String::new();
    let mut number = String::new();
    for c in digits.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        if let Ok(value) = number.parse() {
            out.push_str(&kanji_number(value));
            number.clear();
        }
        out.extend((c != '\0').then_some(c));
    }
    out
}

/// 203 as 二〇三.
pub fn kanji_digits(number: u32) -> String {
    number.to_string().bytes().map(|digit| KANJI_DIGITS[usize::from(digit - b'0')]).collect()
}

/// The value of a kanji number with units up to 千; `None` for anything else.
pub fn kanji_value(text: &str) -> Option<u32> {
    let (mut total, mut digit) = (0, 0);
    for c in text.chars() {
        if let Some(value) = KANJI_DIGITS.iter().position(|kanji| *kanji == c) {
            digit = u32::try_from(value).ok()?;
            continue;
        }
        let unit = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1_000,
            _ => return None,
        };
        total += digit.max(1) * unit;
        digit = 0;
    }
    (!text.is_empty()).then_some(total + digit)
}

/// A form that is equal for all writings of one name.
pub fn loose(text: &str) -> String {
    let one = |c: char| match c {
        'ヶ' | 'ケ' | 'が' | 'ガ' | 'ヵ' => 'ケ',
        'の' | 'ノ' | '之' | '乃' => 'ノ',
        'ッ' | 'ツ' | 'っ' | 'つ' => 'ツ',
        other => VARIANTS
            .iter()
            .find(|group| group.contains(other))
            .and_then(|group| group.chars().next())
            .unwrap_or(other),
    };
    half_width(text).chars().map(one).collect()
}

/// [`loose`] with counted numerals in digits: `北１条西` and `北一条西` are equal.
pub fn canonical(text: &str) -> String {
    let kanji = text.chars().any(|c| KANJI_DIGITS.contains(&c) || c == '十');
    let written = if kanji { variant_numeral(text) } else { None };
    loose(written.as_deref().unwrap_or(text))
}

/// The text with a variant for every kanji that has one; `None` if none has.
pub fn variant_kanji(text: &str, random: &mut Seeded) -> Option<String> {
    let mut changed = false;
    let mut swap = |c: char| {
        let group = VARIANTS.iter().find(|group| group.contains(c));
        let Some(group) = group else { return c };
        let others: Vec<char> = group.chars().filter(|other| *other != c).collect();
        changed = true;
        random.pick(&others)
    };
    let written: String = text.chars().map(&mut swap).collect();
    changed.then_some(written)
}

/// The name with one of ヶ, ケ, が and ガ in every place of them; `None` if nothing changes.
pub fn variant_ke(text: &str, random: &mut Seeded) -> Option<String> {
    let other = random.pick(&['ヶ', 'ケ', 'が', 'ガ']);
    let swap = |c: char| if "ヶケがガ".contains(c) { other } else { c };
    differing(text, text.chars().map(swap).collect())
}

/// The name with one of の, ノ and 之 in every place of them; `None` if nothing changes.
pub fn variant_no(text: &str, random: &mut Seeded) -> Option<String> {
    let other = random.pick(&['の', 'ノ', '之']);
    let swap = |c: char| if "のノ之".contains(c) { other } else { c };
    differing(text, text.chars().map(swap).collect())
}

/// The name with its numerals in the other form: `三条` as `3条`, `１０条` as `十条`.
pub fn variant_numeral(text: &str) -> Option<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut index = 0;
    while index < characters.len() {
        let run =
            |of: &dyn Fn(char) -> bool| characters[index..].iter().take_while(|c| of(**c)).count();
        let kanji = run(&|c| KANJI_DIGITS.contains(&c) || "十百".contains(c));
        let digits = run(&|c| ('０'..='９').contains(&c));
        let length = kanji.max(digits);
        let next_letters: String = characters[index + length..].iter().take(2).collect();
        let counted = ["条", "線", "号", "番町", "番通", "丁目", "区", "丁"]
            .iter()
            .any(|counter| next_letters.starts_with(counter));
        let run: String = characters[index..index + length].iter().collect();
        if kanji > 0 && counted {
            out.push_str(&kanji_value(&run)?.to_string());
        } else if digits > 0 && counted {
            out.push_str(&kanji_number(half_width(&run).parse().ok()?));
        } else if length > 0 {
            out.push_str(&run);
        } else {
            out.push(characters[index]);
        }
        index += length.max(1);
    }
    differing(text, out)
}

fn differing(text: &str, written: String) -> Option<String> {
    (written != text).then_some(written)
}

/// Characters written as a hyphen between numbers: those that the scorer accepts, and the kanji 一.
pub const HYPHENS: [char; 19] = [
    '-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}',
    '\u{FF0D}', '\u{30FC}', '\u{FF70}', '\u{2500}', '\u{2501}', '\u{FE63}', '\u{FE58}', '\u{2043}',
    '\u{23AF}', '\u{23E4}', '一',
];

/// Lot numbers in one of the forms that people write, chosen at random.
pub fn lot(numbers: &[u32], chome: bool, random: &mut Seeded) -> String {
    let words: &[&str] = match (numbers.len(), chome) {
        (1, _) => &["", "番地", "番"],
        (2, true) => &["丁目", "番"],
        (2, false) => &["番地の", ""],
        _ => &["丁目", "番", "号"],
    };
    let spoken = |number: &dyn Fn(u32) -> String| -> String {
        if numbers.len() == 1 {
            let counter = if words.is_empty() { "" } else { words[words.len() - 1] };
            return number(numbers[0]) + counter;
        }
        numbers.iter().zip(words).map(|(value, word)| number(*value) + word).collect()
    };
    let joined = |hyphen: char| -> String {
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        numbers.join(&hyphen.to_string())
    };
    match random.below(6) {
        0 => joined('-'),
        1 => full_width(&joined('-')),
        2 => joined(random.pick(&HYPHENS)),
        3 => spoken(&|number| number.to_string()),
        4 => full_width(&spoken(&|number| number.to_string())),
        _ => spoken(&kanji_number),
    }
}

/// `1-2-3`.
pub fn plain_lot(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    numbers.join("-")
}

#[test]
fn numerals_are_converted_between_digits_and_kanji() {
    let table = [(1, "一"), (10, "十"), (20, "二十"), (105, "百五"), (2630, "二千六百三十")];
    for (number, written) in table {
        assert_eq!(kanji_number(number), written);
        assert_eq!(kanji_value(written), Some(number));
    }
    assert_eq!(kanji_digits(203), "二〇三");
    assert_eq!(variant_numeral("北一条西"), Some("北1条西".to_owned()));
    assert_eq!(variant_numeral("南１０条"), Some("南十条".to_owned()));
    assert_eq!(variant_numeral("三田"), None);
}
