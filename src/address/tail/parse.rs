//! Parses a tail from its first character to its last: finds the parts, then covers the text with spans.

use super::result::{Context, LotNumbers, Part, Tail, TailSpan};
use super::scan::{CharRange, Text, is_hyphen, is_sign, trimmed};
use super::{lot, premises};
use crate::text::fold::Folded;

/// Parses a tail. `folded` is text folded at the level Address.
pub fn parse(folded: &[Folded], context: Context, tail: &mut Tail) {
    tail.lot_num.clear();
    tail.lot_with_letters.clear();
    tail.lot_numbers = LotNumbers::default();
    tail.spans.clear();
    tail.floors = None;
    let text = Text(folded);
    let mut parts = PartRanges::default();
    let known = context.building.filter(|(start, end)| start < end && *end <= text.len());
    let mut lot = lot::find(Text(&folded[..known.map_or(text.len(), |(start, _)| start)]), context);
    let premises = premises::read(text, lot.as_ref(), known);
    if let Some(lot) = &mut lot {
        if premises.is_room_of_lot {
            lot.absorb_room();
        }
        lot.write(text, &mut tail.lot_num);
        lot.write_with_letters(text, &mut tail.lot_with_letters);
        tail.lot_numbers = lot.numbers();
        parts.aza = trimmed(text, 0, lot.start);
        parts.lot = Some((lot.start, lot.end));
    }
    parts.building = premises.building;
    parts.floor_room = premises.floor_room;
    parts.tenant = premises.tenant;
    parts.second_room = premises.second_room;
    let is_bare = parts.lot.is_none() && parts.floor_room.is_none() && known.is_none();
    if is_bare && premises::is_aza(text) {
        parts.aza = trimmed(text, 0, text.len());
        parts.building = None;
    }
    let byte = |position: usize| folded.get(position).map(|folded| folded.start);
    let end = folded.last().map_or(0, |folded| folded.end);
    tail.floors =
        premises.floors.map(|(from, to)| (byte(from).unwrap_or(end), byte(to).unwrap_or(end)));
    parts.write(text, &mut tail.spans);
    // A part that is only one of several characters folded from one (¼) has no bytes of its own.
    if tail.range(Part::Lot).is_none() {
        tail.lot_num.clear();
        tail.lot_with_letters.clear();
        tail.lot_numbers = LotNumbers::default();
    }
    let has_floors = |(first, last): (u32, u32)| {
        tail.floors.is_some_and(|(start, end)| first <= start && end <= last)
    };
    if ![Part::FloorRoom, Part::SecondRoom]
        .iter()
        .any(|part| tail.range(*part).is_some_and(has_floors))
    {
        tail.floors = None;
    }
}

/// The ranges of the parts that were found.
#[derive(Default)]
struct PartRanges {
    aza: Option<CharRange>,
    lot: Option<CharRange>,
    building: Option<CharRange>,
    floor_room: Option<CharRange>,
    tenant: Option<CharRange>,
    second_room: Option<CharRange>,
}

impl PartRanges {
    /// Appends the spans of the parts and of the gaps between them.
    fn write(&self, text: Text<'_>, spans: &mut Vec<TailSpan>) {
        let mut parts = [
            (Part::Aza, self.aza),
            (Part::Lot, self.lot),
            (Part::Building, self.building),
            (Part::FloorRoom, self.floor_room),
            (Part::Tenant, self.tenant),
            (Part::SecondRoom, self.second_room),
        ];
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
