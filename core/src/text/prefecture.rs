//! The prefectures by their JIS X 0401 codes, in kanji and in Roman letters.

#[rustfmt::skip] // Several names a line.
pub const PREFECTURES: [(u16, &str); 47] = [
    (1, "北海道"), (2, "青森県"), (3, "岩手県"), (4, "宮城県"), (5, "秋田県"),
    (6, "山形県"), (7, "福島県"), (8, "茨城県"), (9, "栃木県"), (10, "群馬県"),
    (11, "埼玉県"), (12, "千葉県"), (13, "東京都"), (14, "神奈川県"), (15, "新潟県"),
    (16, "富山県"), (17, "石川県"), (18, "福井県"), (19, "山梨県"), (20, "長野県"),
    (21, "岐阜県"), (22, "静岡県"), (23, "愛知県"), (24, "三重県"), (25, "滋賀県"),
    (26, "京都府"), (27, "大阪府"), (28, "兵庫県"), (29, "奈良県"), (30, "和歌山県"),
    (31, "鳥取県"), (32, "島根県"), (33, "岡山県"), (34, "広島県"), (35, "山口県"),
    (36, "徳島県"), (37, "香川県"), (38, "愛媛県"), (39, "高知県"), (40, "福岡県"),
    (41, "佐賀県"), (42, "長崎県"), (43, "熊本県"), (44, "大分県"), (45, "宮崎県"),
    (46, "鹿児島県"), (47, "沖縄県"),
];

/// As written in the tax agency's English columns: without long vowels, and without 都, 府 and 県. Japan Post writes
/// one of them differently (Gumma).
#[rustfmt::skip] // Several names a line, in the order of their codes.
const ROMAN: [&str; 47] = [
    "Hokkaido", "Aomori", "Iwate", "Miyagi", "Akita", "Yamagata", "Fukushima", "Ibaraki", "Tochigi",
    "Gunma", "Saitama", "Chiba", "Tokyo", "Kanagawa", "Niigata", "Toyama", "Ishikawa", "Fukui",
    "Yamanashi", "Nagano", "Gifu", "Shizuoka", "Aichi", "Mie", "Shiga", "Kyoto", "Osaka", "Hyogo",
    "Nara", "Wakayama", "Tottori", "Shimane", "Okayama", "Hiroshima", "Yamaguchi", "Tokushima",
    "Kagawa", "Ehime", "Kochi", "Fukuoka", "Saga", "Nagasaki", "Kumamoto", "Oita", "Miyazaki",
    "Kagoshima", "Okinawa",
];

pub fn roman(code: u8) -> Option<&'static str> {
    ROMAN.get(usize::from(code).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_roman_name() {
        for (code, expected) in [
            (0, None),
            (1, Some("Hokkaido")),
            (13, Some("Tokyo")),
            (26, Some("Kyoto")),
            (31, Some("Tottori")),
            (47, Some("Okinawa")),
            (48, None),
            (99, None),
        ] {
            assert_eq!(roman(code), expected, "{code}");
        }
    }
}
