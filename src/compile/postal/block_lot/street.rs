//! Kyoto: the street address before a town's name, which this file prints in the town column (烏丸通六角下る ｜ 七観音町６３４) or
//! at the head of the block-lot column.

/// Directions from a crossing, in both spellings.
const DIRECTIONS: [&str; 8] = ["上る", "下る", "上ル", "下ル", "東入", "西入", "南入", "北入"];

/// An address below the city, split after its street.
pub(super) struct StreetSplit<'a> {
    /// Empty if there is none.
    pub(super) street: &'a str,
    pub(super) rest: &'a str,
}

pub(super) fn without_street(block_lot: &str) -> StreetSplit<'_> {
    StreetSplit { street: "", rest: block_lot }
}

/// Splits off the street from a Kyoto row's town and block-lot columns.
pub(super) fn split_street<'a>(town: &'a str, block_lot: &'a str) -> StreetSplit<'a> {
    if direction_end(town).is_some() {
        return StreetSplit { street: town, rest: block_lot };
    }
    let Some(end) = direction_end(block_lot) else { return without_street(block_lot) };
    // １９－１（堀川通鞍馬口上ル）: the street as a remark.
    if let Some((before, remark)) = block_lot.split_once('（') {
        return StreetSplit { street: remark.trim_end_matches('）'), rest: before };
    }
    let (street, rest) = block_lot.split_at(end);
    StreetSplit { street, rest }
}

/// The end of the first direction in `text`, including the ル of 東入ル and a following `２丁目`.
fn direction_end(text: &str) -> Option<usize> {
    let (start, direction) = DIRECTIONS
        .iter()
        .filter_map(|direction| text.find(direction).map(|start| (start, *direction)))
        .min()?;
    let mut end = start + direction.len();
    for ending in ["ル", "る"] {
        if text[end..].starts_with(ending) {
            end += ending.len();
        }
    }
    let after_digits = text[end..].trim_start_matches(|c| ('０'..='９').contains(&c));
    if after_digits.len() < text.len() - end && after_digits.starts_with("丁目") {
        end = text.len() - after_digits.len() + "丁目".len();
    }
    Some(end)
}
