//! Address tails (lot, building, floor, room), one file for each kind, and properties that hold for any text.

mod buildings;
mod floors;
mod letters;
mod lots;
mod rooms;
mod tenants;
mod totality;

use super::*;
use crate::text::fold::{Level, fold};

fn read(text: &str, context: Context) -> Tail {
    let mut folded = Vec::new();
    fold(text, Level::Address, &mut folded);
    let mut tail = Tail::default();
    parse(text, &folded, context, &mut tail);
    tail
}

fn slice(text: &str, tail: &Tail, part: Part) -> String {
    let range = tail.range(part);
    range.map_or("", |(start, end)| &text[start as usize..end as usize]).to_owned()
}

/// Parses a text; the parts as written in the text.
fn parts(text: &str, context: Context) -> [String; 5] {
    let tail = read(text, context);
    let slice = |part| slice(text, &tail, part);
    [
        slice(Part::Aza),
        tail.lot_num().unwrap_or_default().to_owned(),
        slice(Part::Building),
        slice(Part::FloorRoom),
        slice(Part::Unplaced),
    ]
}

/// The tenant, and the second floor or room.
fn tenant_and_room(text: &str, context: Context) -> [String; 2] {
    let tail = read(text, context);
    [Part::Tenant, Part::SecondRoom].map(|part| slice(text, &tail, part))
}

/// Checks that a tail has exactly this lot.
#[track_caller]
fn lot(text: &str, lot: &str) {
    check_in(Context::default(), text, ["", lot, "", "", ""]);
}

/// Checks the lot, the building, and the floor and room.
#[track_caller]
fn check(text: &str, lot: &str, building: &str, floor_room: &str) {
    check_in(Context::default(), text, ["", lot, building, floor_room, ""]);
}

/// Checks aza, lot, building, floor and room, and the unplaced text.
#[track_caller]
fn check_in(context: Context, text: &str, expected: [&str; 5]) {
    assert_eq!(parts(text, context), expected, "{text}");
}
