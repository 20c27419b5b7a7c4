//! Which letters of a suggested text were typed.

use super::forms::NamePart;
use super::names::bytes_of;

/// A typed part of a suggestion's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The part of an area's name; `None` for the town.
    pub part: Option<NamePart>,
    /// How many units of it were typed, in compared form; `None` for all.
    pub units: Option<u8>,
}

/// At most three areas and a town.
pub const MARKS_MAX: usize = 4;

/// The typed parts of a suggestion's text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks([Option<Mark>; MARKS_MAX]);

impl Marks {
    pub(super) fn with(mut self, mark: Mark) -> Marks {
        if let Some(free) = self.0.iter_mut().find(|mark| mark.is_none()) {
            *free = Some(mark);
        }
        self
    }
}

/// The names that make up a suggestion's text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Names<'n> {
    pub prefecture: &'n str,
    pub county: &'n str,
    pub city: &'n str,
    pub ward: &'n str,
    pub town: &'n str,
}

/// The typed ranges of the text, in UTF-16 units, ascending and not adjacent.
pub fn highlight(marks: &Marks, names: &Names<'_>) -> Vec<[usize; 2]> {
    let mut ranges: Vec<[usize; 2]> = Vec::new();
    for Mark { part, units } in marks.0.iter().flatten() {
        let (before, part) = names.part(*part);
        let typed = units.map_or(part.as_str(), |units| &part[..bytes_of(&part, units.into())]);
        let start = length(&before);
        ranges.push([start, start + length(typed)]);
    }
    ranges.retain(|range| range[0] < range[1]);
    ranges.sort_unstable();
    ranges.dedup_by(|next, before| {
        let touches = next[0] <= before[1];
        if touches {
            before[1] = before[1].max(next[1]);
        }
        touches
    });
    ranges
}

impl Names<'_> {
    /// The text before a part, and the part.
    fn part(&self, part: Option<NamePart>) -> (String, String) {
        let names = [self.prefecture, self.county, self.city, self.ward, self.town];
        let range = match part {
            Some(NamePart::Prefecture) => 0..1,
            Some(NamePart::Whole) => 1..4,
            Some(NamePart::WithoutCounty) => 2..4,
            Some(NamePart::Ward) => 3..4,
            None => 4..5,
        };
        (names[..range.start].concat(), names[range].concat())
    }
}

/// The length in UTF-16 units.
fn length(text: &str) -> usize {
    text.encode_utf16().count()
}
