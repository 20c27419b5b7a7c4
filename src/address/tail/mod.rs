//! What stands behind the town: the lot, the building, its floor and room.
//!
//! ```text
//! 字東浜 甲１２番地の３　サンビル（２階２０１号）　山田商事
//! aza   lot           building floor_room        unplaced      lot_num = "12-3"
//! ```
//!
//! `lot` finds the numbers of the lot and decides which of them are a room, `place` reads what
//! stands behind it, `floor` knows how floors and rooms are written, `number` when a number is
//! part of a name. All read the folded characters by their places; only the spans speak of bytes.
//!
//! Total: any text gives spans that lie in order, do not overlap, and cover it. A text in which no
//! lot, building or floor is found stays whole. Time is linear in the text.
//!
//! Does not know which aza and towns there are: an aza in front of the lot is handed back for whoever
//! has the gazetteer.

mod floor;
mod lot;
mod number;
mod place;
mod remainder;
mod scan;
mod words;

use crate::text::fold::Folded;
use scan::{Text, is_hyphen, is_letter, is_sign};

/// What is known of the place in front of the tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Context {
    /// Whether its houses have numbers by residence indication (chome, block, house); `None` if that
    /// is not known.
    pub residence_indication: Option<bool>,
    /// Whether the lot begins with a chome; `None` if that is not known.
    pub has_chome: Option<bool>,
    /// In Kyoto and wherever a chome in kanji is part of a town's name (三本木五丁目).
    pub chome_is_name: bool,
    /// Where a building stands whose name is known, as places of the folded text. The lot stands in
    /// front of it, floor and room behind it; the name may go on.
    pub building: Option<(usize, usize)>,
}

/// What a stretch of a tail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// An aza or a name of any kind in front of the lot, and all of a tail that nothing was found in
    /// and that does not look like a building.
    Aza,
    /// The lot with its units, letters (甲, イ) and remarks (外３筆, 地先).
    Lot,
    /// A building, an institution, 様方.
    Building,
    FloorRoom,
    /// Spaces, brackets, hyphens between the parts.
    Separator,
    /// Tenants and remarks behind all that.
    Unplaced,
}

/// A stretch of the text, in bytes of what was folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TailSpan {
    pub part: Part,
    pub start: u32,
    pub end: u32,
}

/// A tail in its parts. Reusable: one that has grown to its size allocates no more.
#[derive(Debug, Clone, Default)]
pub struct Tail {
    lot_num: String,
    spans: Vec<TailSpan>,
    floors: Option<(u32, u32)>,
}

impl Tail {
    /// The lot as half-width numbers joined by hyphens; `None` also for 無番地 and the like, which are
    /// a [`Part::Lot`] without one.
    pub fn lot_num(&self) -> Option<&str> {
        (!self.lot_num.is_empty()).then_some(&*self.lot_num)
    }

    /// The stretches in order, without gap or overlap. No part but separators and what is unplaced
    /// occurs twice.
    pub fn spans(&self) -> &[TailSpan] {
        &self.spans
    }

    pub fn range(&self, part: Part) -> Option<(u32, u32)> {
        let span = self.spans.iter().find(|span| span.part == part)?;
        Some((span.start, span.end))
    }

    /// The floors alone, in bytes: a stretch of [`Part::FloorRoom`].
    pub fn floors(&self) -> Option<(u32, u32)> {
        self.floors
    }
}

/// Reads a tail. `folded` is text folded at the level Address.
pub fn parse(folded: &[Folded], context: Context, tail: &mut Tail) {
    tail.lot_num.clear();
    tail.spans.clear();
    tail.floors = None;
    let text = Text(folded);
    let mut parts = Places::default();
    let known = context.building.filter(|(start, end)| start < end && *end <= text.len());
    let mut lot = lot::find(Text(&folded[..known.map_or(text.len(), |(start, _)| start)]), context);
    let place = place::read(text, lot.as_ref(), known);
    if let Some(lot) = &mut lot {
        if place.is_room_of_lot {
            lot.take_room();
        }
        lot.write(text, &mut tail.lot_num);
        parts.aza = trimmed(text, 0, lot.start);
        parts.lot = Some((lot.start, lot.end));
    }
    parts.building = place.building;
    parts.floor_room = place.floor_room;
    let is_bare = parts.lot.is_none() && parts.floor_room.is_none() && known.is_none();
    if is_bare && place::is_aza(text) {
        parts.aza = trimmed(text, 0, text.len());
        parts.building = None;
    }
    let byte = |place: usize| folded.get(place).map(|folded| folded.start);
    let end = folded.last().map_or(0, |folded| folded.end);
    tail.floors =
        place.floors.map(|(from, to)| (byte(from).unwrap_or(end), byte(to).unwrap_or(end)));
    parts.write(text, &mut tail.spans);
    // A part of one character that folding made several of (¼) has no bytes of its own.
    if tail.range(Part::Lot).is_none() {
        tail.lot_num.clear();
    }
    if tail.range(Part::FloorRoom).is_none() {
        tail.floors = None;
    }
}

type Stretch = (usize, usize);

#[derive(Default)]
struct Places {
    aza: Option<Stretch>,
    lot: Option<Stretch>,
    building: Option<Stretch>,
    floor_room: Option<Stretch>,
}

impl Places {
    fn write(&self, text: Text<'_>, spans: &mut Vec<TailSpan>) {
        let mut parts = [
            (Part::Aza, self.aza),
            (Part::Lot, self.lot),
            (Part::Building, self.building),
            (Part::FloorRoom, self.floor_room),
        ];
        parts.sort_by_key(|(_, stretch)| stretch.map_or(usize::MAX, |(start, _)| start));
        let mut behind = 0;
        for (part, stretch) in parts {
            let Some((start, end)) = stretch else { break };
            between(text, behind, start, spans);
            push(text, part, start.max(behind), end, spans);
            behind = end.max(behind);
        }
        between(text, behind, text.len(), spans);
    }
}

/// Writes what stands between two parts: signs at its ends separate, the rest is unplaced.
fn between(text: Text<'_>, start: usize, end: usize, spans: &mut Vec<TailSpan>) {
    // A long-vowel mark by itself is a hyphen.
    let is_word = (start..end).any(|place| {
        let character = text.at(place);
        !is_sign(character) && !is_hyphen(character)
    });
    match trimmed(text, start, end) {
        Some((first, last)) if is_word => {
            push(text, Part::Separator, start, first, spans);
            push(text, Part::Unplaced, first, last, spans);
            push(text, Part::Separator, last, end, spans);
        }
        _ => push(text, Part::Separator, start, end, spans),
    }
}

fn push(text: Text<'_>, part: Part, start: usize, end: usize, spans: &mut Vec<TailSpan>) {
    let (Some(first), Some(last)) = (text.0.get(start), end.checked_sub(1)) else { return };
    if start < end && first.start < text.0[last].end {
        spans.push(TailSpan { part, start: first.start, end: text.0[last].end });
    }
}

/// A stretch without the signs at its ends; `None` if nothing else is there.
fn trimmed(text: Text<'_>, start: usize, end: usize) -> Option<Stretch> {
    let is_outer = |place: usize| is_sign(text.at(place)) && !is_inner_mark(text, place);
    let first = (start..end).find(|place| !is_outer(*place))?;
    let is_last = |place: usize| !is_outer(place) || closes_word(text, first, place);
    let last = (first..end).rev().find(|place| is_last(*place))?;
    Some((first, last + 1))
}

/// The most characters between a bracket at the end of a name and the one that opened it.
const BRACKET_MAX: usize = 128;

/// Whether the sign at a place is part of the word before it: the full stop of ＢＬＤＧ．, a bracket
/// that was opened inside.
fn closes_word(text: Text<'_>, first: usize, place: usize) -> bool {
    let opening = match text.at(place) {
        '.' => return is_letter(text.before(place)),
        '」' => '「',
        '』' => '『',
        ']' => '[',
        '】' => '【',
        '〕' => '〔',
        ')' => '(',
        _ => return false,
    };
    let near = place.saturating_sub(BRACKET_MAX).max(first);
    (near..place).any(|place| text.at(place) == opening)
}

/// Whether the bracket at a place belongs to a mark such as （株）.
fn is_inner_mark(text: Text<'_>, place: usize) -> bool {
    text.is_mark(place) || (text.at(place) == ')' && place >= 2 && text.is_mark(place - 2))
}

#[cfg(test)]
mod tests;
