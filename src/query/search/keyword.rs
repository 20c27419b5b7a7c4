//! One keyword to the records that match it, with what each match is worth.

use std::ops::Range;

use super::Searchable;
use super::points::{Extent, Level};
use crate::index::grams::{Letter, Part, Spot, slot};
use crate::index::row_set::RowSet;
use crate::query::postal::Checked;
use crate::query::syntax::Field;
use crate::text::codes::PostalCode;

/// A run of rows that match, and how well.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The rows.
    pub rows: Range<usize>,
    /// How well.
    pub level: Level,
}

/// The records that match a keyword.
#[derive(Debug)]
pub struct Hits {
    /// Their rows.
    pub set: RowSet,
    /// Their matches, several for a record that matches in several fields.
    pub hits: Vec<Hit>,
}

impl Hits {
    fn push(&mut self, rows: Range<usize>, level: Level) {
        self.set.insert_range(rows.clone());
        self.hits.push(Hit { rows, level });
    }
}

/// Fields of each part in the order of their slots. Two slots of a prefecture are one field, as are
/// the three of a name.
fn fields(part: Part) -> &'static [(Field, Range<usize>)] {
    match part {
        Part::Place => {
            const {
                &[
                    (Field::Prefecture, slot::PREFECTURE..slot::PREFECTURE_KIND + 1),
                    (Field::City, slot::CITY..slot::CITY_KIND + 1),
                ]
            }
        }
        Part::Line => {
            const {
                &[
                    (Field::Town, slot::TOWN..slot::TOWN + 1),
                    (Field::Koaza, slot::KOAZA..slot::KOAZA + 1),
                    (Field::BlockLot, slot::BLOCK_LOT..slot::BLOCK_LOT + 1),
                    (Field::KyotoStreet, slot::STREET..slot::STREET + 1),
                    (Field::Building, slot::BUILDING..slot::BUILDING + 1),
                    (Field::Floor, slot::FLOOR..slot::FLOOR + 1),
                ]
            }
        }
        Part::Inside => {
            const {
                &[
                    (Field::KyotoStreet, slot::INSIDE_STREET..slot::INSIDE_STREET + 1),
                    (Field::Building, slot::INSIDE_BUILDING..slot::INSIDE_BUILDING + 1),
                    (Field::Floor, slot::INSIDE_FLOOR..slot::INSIDE_FLOOR + 1),
                ]
            }
        }
        Part::Name => const { &[(Field::Corporation, 0..3)] },
        Part::Kana => const { &[(Field::CorporationKana, 0..3)] },
    }
}

/// A look-up of one keyword.
pub struct Lookup<'s> {
    data: &'s Checked,
    searchable: &'s Searchable,
    text: &'s str,
    /// Its letters in addresses and names; none where one is in no text.
    letters: Option<Vec<Letter>>,
}

impl<'s> Lookup<'s> {
    /// Begins a look-up.
    pub fn of(data: &'s Checked, searchable: &'s Searchable, text: &'s str) -> Lookup<'s> {
        let letters = searchable.index.root().letters(text, Part::Line);
        Lookup { data, searchable, text, letters }
    }

    /// The records of which the field contains the keyword, or any field.
    pub fn hits(&self, field: Option<Field>) -> Hits {
        let mut hits = Hits { set: RowSet::empty(self.searchable.rows), hits: Vec::new() };
        let mut spots = Vec::new();
        for part in Part::ALL {
            let searched = |(known, _): &(Field, _)| field.is_none_or(|field| field == *known);
            if !fields(part).iter().any(searched) {
                continue;
            }
            let kana = (part.level() != Part::Line.level())
                .then(|| self.searchable.index.root().letters(self.text, part));
            let letters = kana.as_ref().unwrap_or(&self.letters);
            let Some(letters) = letters.as_deref().filter(|letters| letters.len() > 1) else {
                continue;
            };
            self.searchable.index.root().find(part, letters, &mut spots);
            self.take(part, letters.len() as u32, field, &spots, &mut hits);
        }
        if field.is_none() {
            self.take_code(&mut hits);
            if hits.hits.is_empty() {
                self.take_across(&mut hits);
            }
        }
        hits
    }

    fn take(&self, part: Part, length: u32, field: Option<Field>, spots: &[Spot], hits: &mut Hits) {
        let shapes = self.searchable.index.root().shapes(part);
        for spot in spots {
            let ends = shapes.ends(spot.unit());
            let end_of = |slot: usize| ends.get(slot).map_or(0, |end| u32::from(end.to_native()));
            let (start, end) = (spot.position(), spot.position() + length);
            let inside = |(_, slots): &&(Field, Range<usize>)| end_of(slots.end - 1) > start;
            let Some((known, slots)) = fields(part).iter().find(inside) else { continue };
            if field.is_some_and(|field| field != *known) || end > end_of(slots.end - 1) {
                continue;
            }
            let begins = if slots.start == 0 { 0 } else { end_of(slots.start - 1) };
            let whole = end_of(slots.end - 1);
            let extent = match (part, slots.len()) {
                // A name is whole with or without the legal form before or behind it.
                (Part::Name | Part::Kana, _) => {
                    let proper = end_of(slot::PROPER_NAME - 1)..end_of(slot::PROPER_NAME);
                    extent(start..end, &[begins, proper.start], &[whole, proper.end])
                }
                (_, 2) => extent(start..end, &[begins], &[whole, end_of(slots.start)]),
                _ => extent(start..end, &[begins], &[whole]),
            };
            if let Some(rows) = self.rows(part, spot.unit()) {
                hits.push(rows, Level::of(Some(*known), extent));
            }
        }
    }

    /// The rows of a unit.
    fn rows(&self, part: Part, unit: u32) -> Option<Range<usize>> {
        let unit = unit as usize;
        match part {
            Part::Place => Some(self.searchable.areas.places().get(unit)?.rows.clone()),
            Part::Line => Some(unit..unit + 1),
            Part::Inside | Part::Name | Part::Kana => {
                let row = *self.searchable.businesses.get(unit)? as usize;
                Some(row..row + 1)
            }
        }
    }

    fn take_code(&self, hits: &mut Hits) {
        let mut characters = Vec::with_capacity(8);
        if self.text.len() <= 24 {
            crate::index::folding::characters(self.text, Part::Line.level(), &mut characters);
        }
        if characters.len() == 8 && characters[3] == '-' {
            characters.remove(3);
        }
        let digits: String = characters.into_iter().collect();
        if let Ok(code) = PostalCode::parse(&digits) {
            for row in self.data.codes.root().find(code.number()) {
                hits.push(row as usize..row as usize + 1, Level::CODE);
            }
        }
    }

    /// Reads the keyword as an address across fields.
    fn take_across(&self, hits: &mut Hits) {
        let Some(letters) = self.letters.as_deref() else { return };
        let index = self.searchable.index.root();
        let mut spots = Vec::new();
        for part in [Part::Place, Part::Line, Part::Inside] {
            index.find(part, letters, &mut spots);
            for spot in &spots {
                let ends = index.shapes(part).ends(spot.unit());
                let end = spot.position() + letters.len() as u32;
                let street = ends.first().map_or(0, |end| u32::from(end.to_native()));
                // What stands before a business's building is not written before it.
                if part == Part::Inside && spot.position() < street {
                    continue;
                }
                if let Some(rows) = self.rows(part, spot.unit()) {
                    hits.push(rows, across(spot.position(), end, ends));
                }
            }
        }
        self.take_split(letters, hits);
    }

    /// Finds the end of a place and the beginning of a line below it.
    fn take_split(&self, letters: &[Letter], hits: &mut Hits) {
        let index = self.searchable.index.root();
        let (mut places, mut lines) = (Vec::new(), Vec::new());
        for split in 1..letters.len() {
            let (of_place, of_line) = letters.split_at(split);
            index.find(Part::Place, of_place, &mut places);
            if places.is_empty() && split > 1 {
                // Nothing longer stands in a place either.
                return;
            }
            let length = split as u32;
            let shapes = index.shapes(Part::Place);
            places.retain(|it| shapes.length(it.unit()) == Some(it.position() + length));
            if places.is_empty() {
                continue;
            }
            index.find(Part::Line, of_line, &mut lines);
            lines.retain(|spot| spot.position() == 0);
            for place in &places {
                let Some(rows) = self.rows(Part::Place, place.unit()) else { continue };
                let from = lines.partition_point(|line| (line.unit() as usize) < rows.start);
                let to = lines.partition_point(|line| (line.unit() as usize) < rows.end);
                for line in &lines[from..to] {
                    let ends = index.shapes(Part::Line).ends(line.unit());
                    let row = line.unit() as usize;
                    hits.push(row..row + 1, across(0, of_line.len() as u32, ends));
                }
            }
        }
    }
}

/// How much of a field a match is, which may begin and end at any of these places.
fn extent(found: Range<u32>, starts: &[u32], ends: &[u32]) -> Extent {
    match (starts.contains(&found.start), ends.contains(&found.end)) {
        (true, true) => Extent::Whole,
        (true, false) => Extent::Beginning,
        (false, _) => Extent::Middle,
    }
}

/// How well an address across fields matches a text with these fields.
fn across(start: u32, end: u32, ends: &[rkyv::rend::u16_le]) -> Level {
    let ends_at = |field: &rkyv::rend::u16_le| u32::from(field.to_native()) == end;
    let extent = match (start, ends.last().is_some_and(ends_at)) {
        (0, true) => Extent::Whole,
        (0, false) if ends.iter().any(ends_at) => return Level::TO_A_FIELD,
        (0, false) => Extent::Beginning,
        _ => Extent::Middle,
    };
    Level::of(None, extent)
}
