//! Tails by class, and what holds of every text.

mod buildings;
mod lots;
mod rooms;
mod totality;

use super::*;
use crate::text::fold::{Level, fold};

/// Parses a text; the parts as the text has them.
fn parts(text: &str, context: Context) -> [String; 5] {
    let mut folded = Vec::new();
    fold(text, Level::Address, &mut folded);
    let mut tail = Tail::default();
    parse(&folded, context, &mut tail);
    let slice = |part| {
        let range = tail.range(part);
        range.map_or("", |(start, end)| &text[start as usize..end as usize]).to_owned()
    };
    [
        slice(Part::Aza),
        tail.lot_num().unwrap_or_default().to_owned(),
        slice(Part::Building),
        slice(Part::FloorRoom),
        slice(Part::Unplaced),
    ]
}

/// Checks that a tail has this lot and no more.
#[track_caller]
fn lot(text: &str, lot: &str) {
    check_in(Context::default(), text, ["", lot, "", "", ""]);
}

/// Checks the lot, the building, and the floor and room.
#[track_caller]
fn check(text: &str, lot: &str, building: &str, floor_room: &str) {
    check_in(Context::default(), text, ["", lot, building, floor_room, ""]);
}

/// Checks aza, lot, building, floor and room, and what is unplaced.
#[track_caller]
fn check_in(context: Context, text: &str, expected: [&str; 5]) {
    assert_eq!(parts(text, context), expected, "{text}");
}
