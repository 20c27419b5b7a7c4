//! Lot numbers (番地 and anything below), distinguished from names with digits.
//!
//! Records have neither lots nor bare numbers (docs/rules.md#postal-records). `１９０－１`, `１番１～２３号`,
//! `４０の１番地`, `２２５９～` are lots; `１３号沢`, `１区`, `７番通`, `第１号`, `３丁目` are not.

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
