//! Kyoto: addresses by street in a town's parentheses.
//!
//! A street address ends with a direction from a crossing: 上る, 下る, 東入, 西入, possibly followed by more
//! (上の下立売通御前西入２丁目). One direction makes the whole list a list of streets, since some items have none (三条通白川橋東４丁目).

use super::brackets::split_outside;

const DIRECTIONS: [&str; 4] = ["上る", "下る", "東入", "西入"];

/// The street addresses of `list`, each in full; `None` if the list has no direction. An item with only a direction
/// continues the one before.
pub(super) fn parse_streets(list: &str) -> Option<Vec<String>> {
    if !DIRECTIONS.iter().any(|direction| list.contains(direction)) {
        return None;
    }
    let mut streets: Vec<String> = Vec::new();
    for item in split_outside(list, &["、", "・"]) {
        let is_abbreviated = DIRECTIONS.iter().any(|direction| item.starts_with(direction));
        let street = match streets.last().and_then(|previous| crossing(previous)) {
            Some(crossing) if is_abbreviated => format!("{crossing}{item}"),
            _ => item.to_owned(),
        };
        if !street.is_empty() && !streets.contains(&street) {
            streets.push(street);
        }
    }
    Some(streets)
}

/// The part of a street address before its direction.
fn crossing(street: &str) -> Option<&str> {
    let end = DIRECTIONS.iter().filter_map(|direction| street.find(direction)).min()?;
    Some(&street[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_one_address() {
        #[track_caller]
        fn check(list: &str, expected: Option<&[&str]>) {
            let found = parse_streets(list);
            let expected = expected.map(|e| e.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
            assert_eq!(found, expected, "{list}");
        }
        check(
            "上長者町通堀川東入、東堀川通上長者町上る、東堀川通中立売通下る",
            Some(&["上長者町通堀川東入", "東堀川通上長者町上る", "東堀川通中立売通下る"]),
        );
        check(
            "三条通白川橋東入４丁目、三条通白川橋東４丁目",
            Some(&["三条通白川橋東入４丁目", "三条通白川橋東４丁目"]),
        );
        check("元誓願寺通浄福寺西入", Some(&["元誓願寺通浄福寺西入"]));
        // The known files do not abbreviate; other publishers of the same names do.
        check("烏丸通今出川上る、下る", Some(&["烏丸通今出川上る", "烏丸通今出川下る"]));
        check("出水通猪熊東入・西入２丁目", Some(&["出水通猪熊東入", "出水通猪熊西入２丁目"]));
        check("下る", Some(&["下る"]));
        check("１～３丁目", None);
        check("その他", None);
        check("", None);
    }
}
