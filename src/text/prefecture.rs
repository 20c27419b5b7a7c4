//! The prefectures in Roman letters as the tax agency writes them in its English columns: without long
//! vowels, and without 都, 府 and 県. Japan Post's writing of one differs (Gumma).

#[rustfmt::skip] // Several names a line, in the order of their codes.
const ROMAN: [&str; 47] = [
    "Hokkaido", "Aomori", "Iwate", "Miyagi", "Akita", "Yamagata", "Fukushima", "Ibaraki", "Tochigi",
    "Gunma", "Saitama", "Chiba", "Tokyo", "Kanagawa", "Niigata", "Toyama", "Ishikawa", "Fukui",
    "Yamanashi", "Nagano", "Gifu", "Shizuoka", "Aichi", "Mie", "Shiga", "Kyoto", "Osaka", "Hyogo",
    "Nara", "Wakayama", "Tottori", "Shimane", "Okayama", "Hiroshima", "Yamaguchi", "Tokushima",
    "Kagawa", "Ehime", "Kochi", "Fukuoka", "Saga", "Nagasaki", "Kumamoto", "Oita", "Miyazaki",
    "Kagoshima", "Okinawa",
];

/// The prefecture of a code of JIS X 0401; `None` where there is none.
pub fn roman(code: u8) -> Option<&'static str> {
    ROMAN.get(usize::from(code).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_name_their_prefecture() {
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
