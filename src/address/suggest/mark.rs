//! Which letters of a suggested text were typed.

use super::forms::{NameForm, NamePart};
use super::names::bytes_of;

/// A typed part of a suggestion's text. `units`: how many units of it were typed, in compared form; `None` for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Area { form: NameForm, units: Option<u8> },
    Town { units: Option<u8> },
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
    for mark in marks.0.iter().flatten() {
        let (before, part, units) = match *mark {
            Mark::Area { form, units } => {
                let (before, part) = names.part(form.part);
                (before, part, units)
            }
            Mark::Town { units } => {
                let before = [names.prefecture, names.county, names.city, names.ward].concat();
                (before, names.town.to_owned(), units)
            }
        };
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
    fn part(&self, part: NamePart) -> (String, String) {
        let Names { prefecture, county, city, ward, .. } = *self;
        match part {
            NamePart::Prefecture => (String::new(), prefecture.to_owned()),
            NamePart::Whole => (prefecture.to_owned(), [county, city, ward].concat()),
            NamePart::WithoutCounty => ([prefecture, county].concat(), [city, ward].concat()),
            NamePart::Ward => ([prefecture, county, city].concat(), ward.to_owned()),
        }
    }
}

/// The length in UTF-16 units.
fn length(text: &str) -> usize {
    text.encode_utf16().count()
}
