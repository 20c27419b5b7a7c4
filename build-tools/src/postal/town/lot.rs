//! Lot numbers (番地 and anything below), distinguished from names with digits; and ranges of numbered names, which are
//! expanded: `１～３丁目`, `第９地割～第１１地割`, `西５～８線`.
//!
//! Records have neither lots nor bare numbers (docs/rules.md#postal-records). `１９０－１`, `１番１～２３号`, `４０の１番地`, `２２５９～`
//! are lots; `１３号沢`, `１区`, `７番通`, `第１号`, `３丁目` are not.

use daicho_core::text::half_width::full_width_ascii;

/// Words for a kind of lot or of address that name no place.
const WORDS_WITHOUT_PLACE: [&str; 8] =
    ["丁目", "番地", "大字", "全域", "各町", "番地のみ", "無番地", "番地を除く"];

/// Conditions on the number before them.
const CONDITIONS: [&str; 5] = ["以上", "以下", "以降", "以内", "以外"];

pub(super) fn is_digit(c: char) -> bool {
    ('０'..='９').contains(&c)
}

/// The length in bytes of the digits at the beginning of `text`.
pub(super) fn leading_digits(text: &str) -> usize {
    text.find(|c| !is_digit(c)).unwrap_or(text.len())
}

/// `text` without its lot: `下川原１９０－１` gives 下川原, `３丁目１８` 3丁目, `２００番以上` nothing.
pub(super) fn without_lot(text: &str) -> &str {
    let text = CONDITIONS.iter().find_map(|condition| text.strip_suffix(condition)).unwrap_or(text);
    if WORDS_WITHOUT_PLACE.contains(&text) {
        return "";
    }
    let text = text.strip_suffix("無番地").unwrap_or(text);
    let mut before = None;
    for (position, c) in text.char_indices() {
        let starts_number = is_digit(c) && !before.is_some_and(|b| is_digit(b) || b == '第');
        if starts_number && is_lot(&text[position..]) {
            return &text[..position];
        }
        before = Some(c);
    }
    text
}

fn is_lot(text: &str) -> bool {
    let mut rest = text;
    if leading_digits(rest) == 0 {
        return false;
    }
    while !rest.is_empty() {
        let digits = leading_digits(rest);
        if digits > 0 {
            rest = &rest[digits..];
            continue;
        }
        // の joins numbers (`４０の１`); before anything else it belongs to a name (`１５号の沢`).
        let joined = rest.strip_prefix('の').filter(|after| leading_digits(after) > 0);
        let marked =
            ["番地", "番", "号", "－", "～"].iter().find_map(|mark| rest.strip_prefix(mark));
        match joined.or(marked) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

pub(super) const RANGE: char = '～';

/// Most names of one range; the longest official one has 21. A longer one is treated as a misprint.
const RANGE_NAMES_MAX: u32 = 200;

/// A name with one number in it: 西・５・線, 第・２・地割, ・１・丁目.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberedName<'a> {
    pub(super) before: &'a str,
    number: u32,
    /// The text after the number; empty for a bare number.
    pub(super) after: &'a str,
}

impl<'a> NumberedName<'a> {
    /// Splits at the last number of `text`; `None` if it has none or one too large.
    pub(super) fn parse(text: &'a str) -> Option<NumberedName<'a>> {
        let end = text.char_indices().rev().find(|(_, c)| is_digit(*c)).map(|(end, _)| end)?;
        let start = text[..end]
            .rfind(|c| !is_digit(c))
            .map_or(0, |last| last + text[last..].chars().next().map_or(0, char::len_utf8));
        let length = leading_digits(&text[start..]);
        let number = parse_digits(&text[start..start + length])?;
        Some(NumberedName { before: &text[..start], number, after: &text[start + length..] })
    }
}

/// The names in the range `text`; `text` itself if it is not a range.
pub(super) fn expand_range(text: &str) -> Vec<String> {
    let Some((first, last)) = text.split_once(RANGE) else {
        return vec![text.to_owned()];
    };
    if let (Some(from), Some(to)) = (NumberedName::parse(first), NumberedName::parse(last)) {
        // 第２地割～第４地割 repeats everything; １～３丁目 and 種市第１５地割～第２１地割 leave a part out.
        let has_same_before = to.before.is_empty()
            || from.before == to.before
            || (to.before == "第" && from.before.ends_with('第'));
        let has_same_after = from.after.is_empty() || from.after == to.after;
        let is_bounded = from.number < to.number && to.number - from.number < RANGE_NAMES_MAX;
        if has_same_before && has_same_after && is_bounded {
            return (from.number..=to.number)
                .map(|n| format!("{}{}{}", from.before, full_width(n), to.after))
                .collect();
        }
    }
    // The names in between are unknown. 南一区１８号～２１号南 has its name only once for both ends.
    let name = match (NumberedName::parse(first), NumberedName::parse(last)) {
        (Some(from), Some(to)) if to.before.is_empty() && !from.after.is_empty() => from.before,
        _ => "",
    };
    let mut ends = vec![first.to_owned(), format!("{name}{}", last.replace(RANGE, ""))];
    ends.dedup();
    ends.retain(|end| !end.is_empty());
    ends
}

/// The value of full-width digits; `None` beyond nine digits, which no number of the source has.
fn parse_digits(text: &str) -> Option<u32> {
    if text.is_empty() || text.chars().count() > 9 {
        return None;
    }
    text.chars().try_fold(0_u32, |value, c| {
        let digit = u32::from(c).checked_sub(u32::from('０')).filter(|d| *d < 10)?;
        Some(value * 10 + digit)
    })
}

fn full_width(number: u32) -> String {
    number.to_string().chars().map(full_width_ascii).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_lots_and_keeps_names() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(without_lot(text), expected, "{text}");
        }
        for lot in [
            "１９０－１",
            "１番１～２３号",
            "４０の１番地",
            "２２５９～",
            "１番地～２０６１番地",
            "５３１６番地１～５３１６番地１６７",
            "１７００番地～",
            "７９９の１～８６７番地",
            "２００番以上",
            "４５０番地以下",
            "５１３の１以内",
            "３０００番地以降",
            "無番地",
            "番地のみ",
            "番地",
            "丁目",
            "大字",
            "全域",
            "各町",
            "１－９７～１１６",
            "",
        ] {
            check(lot, "");
        }
        for name in [
            "１３号沢",
            "１５号の沢",
            "１区",
            "７番通",
            "第１号",
            "第１",
            "３丁目",
            "４～７区",
            "３丁目本通り",
            "１丁目東",
            "烏帽子国有林７７林班",
            "妙高山国有林第２８班",
            "一番町",
            "道番",
            "平石夷野番外",
            "○○屋敷",
            "第２地割～第４地割",
        ] {
            check(name, name);
        }
        check("下川原１９０－１", "下川原");
        check("国見２３～２９８番地", "国見");
        check("３丁目１８", "３丁目");
        check("２丁目１番１～２３号", "２丁目");
        check("３丁目１１番５～８号", "３丁目");
        check("西５～８線７９～１１０番地", "西５～８線");
        check("３丁目２８３番以上", "３丁目");
        check("２丁目以外", "２丁目");
        check("南原無番地", "南原");
        check("中島５０５～５１８番地", "中島");
    }
}

#[cfg(test)]
mod range_tests {
    use super::*;

    #[test]
    fn ranges_are_expanded() {
        #[track_caller]
        fn check(text: &str, expected: &[&str]) {
            assert_eq!(expand_range(text), expected, "{text}");
        }
        check("１～３丁目", &["１丁目", "２丁目", "３丁目"]);
        check("９～１１丁目", &["９丁目", "１０丁目", "１１丁目"]);
        check("２丁目～４丁目", &["２丁目", "３丁目", "４丁目"]);
        check("第２地割～第４地割", &["第２地割", "第３地割", "第４地割"]);
        check("種市第１地割～第２地割", &["種市第１地割", "種市第２地割"]);
        check("左草１地割～左草２地割", &["左草１地割", "左草２地割"]);
        check("西５～７線", &["西５線", "西６線", "西７線"]);
        check("猪位金１～３区", &["猪位金１区", "猪位金２区", "猪位金３区"]);
        check("１条～３条", &["１条", "２条", "３条"]);
        check("本町", &["本町"]);
        // Not a range of numbers: only the two ends are known.
        check("３～１丁目", &["３", "１丁目"]);
        check("１丁目～１丁目", &["１丁目"]);
        check("甲１丁目～乙３丁目", &["甲１丁目", "乙３丁目"]);
        check("１～９９９９丁目", &["１", "９９９９丁目"]);
        check("１～９９９９９９９９９９９９丁目", &["１", "９９９９９９９９９９９９丁目"]);
        check("南一区１８号～２１号南", &["南一区１８号", "南一区２１号南"]);
        check("あ～う", &["あ", "う"]);
        check("あ～う～え", &["あ", "うえ"]);
        check("～", &[]);
        check("", &[""]);
    }
}
