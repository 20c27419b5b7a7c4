//! Tails by class, and what holds of every text.

use super::*;
use crate::text::fold::{Level, fold};

#[derive(Debug, PartialEq, Eq, Default)]
struct Parts<'a> {
    aza: &'a str,
    lot: String,
    building: &'a str,
    floor_room: &'a str,
}

fn parts(text: &str, context: Context) -> Parts<'_> {
    let mut folded = Vec::new();
    fold(text, Level::Address, &mut folded);
    let mut tail = Tail::default();
    parse(&folded, context, &mut tail);
    let slice = |part| {
        let range = tail.range(part);
        range.map_or("", |(start, end)| &text[start as usize..end as usize])
    };
    Parts {
        aza: slice(Part::Aza),
        lot: tail.lot_num().unwrap_or_default().to_owned(),
        building: slice(Part::Building),
        floor_room: slice(Part::FloorRoom),
    }
}

#[track_caller]
fn check(text: &str, lot: &str, building: &str, floor_room: &str) {
    check_in(Context::default(), text, ("", lot, building, floor_room));
}

#[track_caller]
fn check_in(context: Context, text: &str, expected: (&str, &str, &str, &str)) {
    let found = parts(text, context);
    let found = (found.aza, &*found.lot, found.building, found.floor_room);
    assert_eq!(found, expected, "{text}");
}

#[test]
fn lots() {
    check("1-2-3", "1-2-3", "", "");
}
