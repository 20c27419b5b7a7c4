//! Parses dates in Japanese pages: 2026年7月31日, 令和8年7月31日, 令和元年5月1日; full-width digits and blanks are allowed
//! anywhere.

use jiff::civil::Date;

/// The eras used by pages, with the year before their first year.
const ERAS: [(&str, i16); 3] = [("令和", 2018), ("平成", 1988), ("昭和", 1925)];

pub fn first_date(text: &str) -> Option<Date> {
    dates(&normalise(text)).next().map(|(date, _)| date)
}

/// The date before 更新, unless 分 follows: 「2026年7月31日更新分」 names a file, not the page.
pub fn update_date(text: &str) -> Option<Date> {
    let text = normalise(text);
    let is_update = |rest: &str| {
        let rest = rest.trim_start_matches(['に', '）', ')']);
        rest.strip_prefix("更新").is_some_and(|rest| !rest.starts_with('分'))
    };
    let mut dates = dates(&text);
    dates.find(|(_, rest)| is_update(rest)).map(|(date, _)| date)
}

/// Turns full-width digits into ASCII, and removes blanks.
fn normalise(text: &str) -> String {
    let narrow = |c: char| match c {
        '０'..='９' => char::from(b'0' + (c as u32 - '０' as u32) as u8),
        c => c,
    };
    text.chars().filter(|c| !c.is_whitespace()).map(narrow).collect()
}

/// All dates in a normalised text, with the text after each.
fn dates(text: &str) -> impl Iterator<Item = (Date, &str)> {
    text.match_indices('年').filter_map(move |(index, mark)| {
        let year = year_before(&text[..index])?;
        let (month, rest) = number(&text[index + mark.len()..], '月')?;
        let (day, rest) = number(rest, '日')?;
        Some((Date::new(year, month, day).ok()?, rest))
    })
}

/// The year at the end of a text: of an era, or four digits.
fn year_before(text: &str) -> Option<i16> {
    let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (before, number) = text.split_at(text.len() - digits);
    if let Some(before) = text.strip_suffix('元') {
        return ERAS.iter().find(|(era, _)| before.ends_with(era)).map(|(_, start)| start + 1);
    }
    let number: i16 = number.parse().ok()?;
    match ERAS.iter().find(|(era, _)| before.ends_with(era)) {
        Some((_, start)) => (1..=99).contains(&number).then(|| start + number),
        None => (digits == 4).then_some(number),
    }
}

/// Parses one or two digits before a unit; also returns the text after it.
fn number(text: &str, unit: char) -> Option<(i8, &str)> {
    let (digits, rest) = text.split_once(unit)?;
    let is_valid =
        (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((is_valid.then(|| digits.parse().ok())??, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_pages_write_them() {
        for (text, expected) in [
            ("2026年7月31日", Some("2026-07-31")),
            ("令和8年8月21日", Some("2026-08-21")),
            ("令和元年5月1日", Some("2019-05-01")),
            ("平成31年4月30日", Some("2019-04-30")),
            ("令和 ８ 年\n １２ 月　３１日 更新", Some("2026-12-31")),
            ("（令和08年08月01日時点）", Some("2026-08-01")),
            ("第2条 2026年7月31日", Some("2026-07-31")),
            ("26年7月31日", None),
            ("2026年2月30日", None),
            ("2026年13月1日", None),
            ("2026年007月1日", None),
            ("令和0年1月1日", None),
            ("令和100年1月1日", None),
            ("元年1月1日", None),
            ("2026-07-31", None),
            ("年月日", None),
            ("", None),
        ] {
            let found = first_date(text).map(|date| date.to_string());
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn the_date_of_a_page_is_not_the_date_of_a_file() {
        for (text, expected) in [
            ("2026年7月31日更新", Some("2026-07-31")),
            (" 2026年 7月31日 更新 ", Some("2026-07-31")),
            ("2026年7月31日更新分", None),
            ("2026年6月30日更新分 2026年7月31日更新", Some("2026-07-31")),
            ("令和8年7月31日更新", Some("2026-07-31")),
            ("2026年7月31日", None),
        ] {
            let found = update_date(text).map(|date| date.to_string());
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }
}
