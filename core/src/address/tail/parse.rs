//! Parses a tail from its first character to its last: finds the parts, then covers the text with spans.

use super::result::{Context, Part, Tail, TailSpan};
use super::scan::{CharRange, Text, is_hyphen, is_sign, trimmed};
use super::{lot, premises};
use crate::text::fold::Folded;

/// Parses a tail. `folded` is a part of the text `source`, folded at the level Address.
pub fn parse(source: &str, folded: &[Folded], context: Context, tail: &mut Tail) {
    tail.clear_lot();
    tail.spans.clear();
    let text = Text(folded);
    let known = context.building.filter(|(start, end)| start < end && *end <= text.len());
    let mut lot = lot::find(Text(&folded[..known.map_or(text.len(), |(start, _)| start)]), context);
    let premises = premises::read(text, lot.as_ref(), known);
    let mut building = premises.building;
    let mut aza = None;
    if let Some(lot) = &mut lot {
        if premises.is_room_of_lot {
            lot.absorb_room();
        }
        lot.write(text, &mut tail.lot_num);
        lot.write_with_letters(text, source, &mut tail.lot_with_letters);
        tail.lot_numbers = lot.numbers();
        aza = trimmed(text, 0, lot.start);
    } else if premises.floor_room.is_none() && known.is_none() && premises::is_aza(text) {
        aza = trimmed(text, 0, text.len());
        building = None;
    }
    let parts = [
        (Part::Aza, aza),
        (Part::Lot, lot.map(|lot| (lot.start, lot.end))),
        (Part::Building, building),
        (Part::FloorRoom, premises.floor_room),
        (Part::Tenant, premises.tenant),
        (Part::SecondRoom, premises.second_room),
    ];
    write_spans(text, parts, &mut tail.spans);
    // A part that is only one of several characters folded from one (¼) has no bytes of its own.
    if tail.range(Part::Lot).is_none() {
        tail.clear_lot();
    }
    let end = folded.last().map_or(0, |folded| folded.end);
    let byte = |position: usize| folded.get(position).map_or(end, |folded| folded.start);
    let rooms = [Part::FloorRoom, Part::SecondRoom].map(|part| tail.range(part));
    let is_inside = |(from, to): &(u32, u32)| {
        rooms.iter().flatten().any(|(start, end)| start <= from && to <= end)
    };
    tail.floors = premises.floors.map(|(from, to)| (byte(from), byte(to))).filter(is_inside);
}

/// Appends the spans of the parts and of the gaps between them.
fn write_spans(
    text: Text<'_>,
    mut parts: [(Part, Option<CharRange>); 6],
    spans: &mut Vec<TailSpan>,
) {
    parts.sort_by_key(|(_, range)| range.map_or(usize::MAX, |(start, _)| start));
    let mut covered = 0;
    for (part, range) in parts {
        let Some((start, end)) = range else { break };
        push_gap(text, covered, start, spans);
        push_span(text, part, start.max(covered), end, spans);
        covered = end.max(covered);
    }
    push_gap(text, covered, text.len(), spans);
}

/// Appends the gap between two parts: signs at its ends are separators, the rest is unplaced.
fn push_gap(text: Text<'_>, start: usize, end: usize, spans: &mut Vec<TailSpan>) {
    // A lone long-vowel mark is a hyphen, and の joins a floor to the lot.
    let is_word = (start..end).any(|position| {
        let character = text.at(position);
        let is_joint = character == 'ノ' && end == start + 1;
        !is_sign(character) && !is_hyphen(character) && !is_joint
    });
    match trimmed(text, start, end) {
        Some((first, last)) if is_word => {
            push_span(text, Part::Separator, start, first, spans);
            push_span(text, Part::Unplaced, first, last, spans);
            push_span(text, Part::Separator, last, end, spans);
        }
        _ => push_span(text, Part::Separator, start, end, spans),
    }
}

/// Appends a span, unless it has no bytes of its own.
fn push_span(text: Text<'_>, part: Part, start: usize, end: usize, spans: &mut Vec<TailSpan>) {
    let (Some(first), Some(last)) = (text.0.get(start), end.checked_sub(1)) else { return };
    if start < end && first.start < text.0[last].end {
        spans.push(TailSpan { part, start: first.start, end: text.0[last].end });
    }
}
