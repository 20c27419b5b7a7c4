//! Parses the address of a large business below its town: lot, building and floors
//! (docs/rules.md#large-businesses).
//!
//! The column is free text: chome, lot, koaza, building, floor and room in any form (`１－６－１泉ガーデンタワー１５Ｆ`,
//! `字東浜１２－３`). Rooms are dropped. If a text is not understood the fields stay empty; the API returns the column as
//! well.

use build_tools::postal::BusinessRow;

use crate::address::tail::{self, Context, Part, Tail};
use crate::text::fold::{Folded, Level, fold};
use crate::text::numerals;

/// A higher number is not a floor: `１０１Ｆ` after a building is a room or a typing error.
const HIGHEST_FLOOR: u64 = 99;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct BlockLot {
    /// Lot numbers as half-width digits joined by hyphens; `None` if there are none, or for a post-office box.
    pub(super) block_lot_num: Option<String>,
    pub(super) kyoto_street: String,
    pub(super) building: String,
    /// Floor, half-width as in `15F`, `12階`; `-` for a range, `,` for a list; empty if none.
    pub(super) floor: String,
}

/// Post-office boxes are not parsed, whether they are flagged or the text contains 私書箱.
pub(super) fn parse_block_lot(row: &BusinessRow) -> BlockLot {
    if row.post_office_box || row.block_lot.contains("私書箱") {
        return BlockLot::default();
    }
    let in_kyoto = row.city.starts_with("京都市");
    let (street, rest) = match in_kyoto {
        true => split_street(&row.town, &row.block_lot),
        false => ("", row.block_lot.as_str()),
    };
    let context = Context { chome_is_name: in_kyoto, ..Context::default() };
    let mut folded = Vec::new();
    fold(rest, Level::Address, &mut folded);
    let mut tail = Tail::default();
    tail::parse(rest, &folded, context, &mut tail);
    let text_of = |(start, end): (u32, u32)| rest.get(start as usize..end as usize);
    let floor = tail.floors().and_then(text_of).and_then(half_width_floors).unwrap_or_default();
    let number = tail.lot_num().filter(|number| number.starts_with(|c: char| c.is_ascii_digit()));
    let building = tail.range(Part::Building).and_then(text_of).unwrap_or_default();
    let building = without_remark(building);
    // Without lot and floor, a building cannot be distinguished from a koaza.
    let is_known = number.is_some() || !floor.is_empty();
    BlockLot {
        block_lot_num: number.map(str::to_owned),
        kyoto_street: street.to_owned(),
        building: if is_known { building.to_owned() } else { String::new() },
        floor,
    }
}

/// The building without a remark in brackets after its name; `（株）` and the like are part of the name.
fn without_remark(building: &str) -> &str {
    let is_abbreviation =
        |start: usize| building[start + "（".len()..].chars().nth(1) == Some('）');
    let mut brackets = building.match_indices('（').map(|(start, _)| start);
    let remark = brackets.find(|start| *start > 0 && !is_abbreviation(*start));
    building[..remark.unwrap_or(building.len())].trim_end_matches('　')
}

/// Floors in half-width, or `None` if a number is too high.
fn half_width_floors(text: &str) -> Option<String> {
    let mut folded: Vec<Folded> = Vec::new();
    fold(text, Level::Width, &mut folded);
    let mut out = String::new();
    let mut characters = folded.iter().map(|folded| folded.character);
    while let Some(character) = characters.clone().next() {
        if let Some((number, length)) = leading_number(characters.clone()) {
            if number > HIGHEST_FLOOR {
                return None;
            }
            if out.ends_with(['階', 'F']) {
                out.push(',');
            }
            out.push_str(&number.to_string());
            characters.nth(length - 1);
            continue;
        }
        out.push(match character {
            '~' => '-',
            '・' | '、' | '&' | '/' => ',',
            _ => character,
        });
        characters.next();
    }
    Some(out)
}

/// The number, in digits or kanji, at the beginning of a text, and its length in characters.
fn leading_number(characters: impl Iterator<Item = char> + Clone) -> Option<(u64, usize)> {
    let digits = characters.clone().map_while(|character| character.to_digit(10));
    let length = digits.clone().count();
    if length == 0 {
        return numerals::read(characters);
    }
    let number = digits
        .fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit)));
    Some((number, length))
}

/// Directions from a crossing, in both spellings.
const DIRECTIONS: [&str; 8] = ["上る", "下る", "上ル", "下ル", "東入", "西入", "南入", "北入"];

/// The street of a Kyoto row, empty if there is none, and its block-lot column without it. The street stands before a
/// town's name, which this file prints in the town column (烏丸通六角下る ｜ 七観音町６３４) or at the head of the block-lot column.
fn split_street<'a>(town: &'a str, block_lot: &'a str) -> (&'a str, &'a str) {
    if direction_end(town).is_some() {
        return (town, block_lot);
    }
    let Some(end) = direction_end(block_lot) else { return ("", block_lot) };
    // １９－１（堀川通鞍馬口上ル）: the street as a remark.
    if let Some((before, remark)) = block_lot.split_once('（') {
        return (remark.trim_end_matches('）'), before);
    }
    block_lot.split_at(end)
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

#[cfg(test)]
mod tests;
