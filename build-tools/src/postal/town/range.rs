//! Expands ranges of numbered names: `１～３丁目`, `第９地割～第１１地割`, `西５～８線`.

use super::lot::{is_digit, leading_digits};

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
    number
        .to_string()
        .bytes()
        .filter_map(|b| char::from_u32(u32::from('０') + u32::from(b - b'0')))
        .collect()
}

#[cfg(test)]
mod tests {
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
