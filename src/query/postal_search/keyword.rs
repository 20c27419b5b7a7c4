//! One keyword to the records that match it, with what each match is worth.

use std::ops::Range;

use rkyv::rend::u16_le;

use super::points::{Extent, Level};
use super::searchable::Searchable;
use crate::index::exact::ArchivedCodeIndex;
use crate::index::folding;
use crate::index::postal_texts::{Part, Spot, slot};
use crate::index::row_set::RowSet;
use crate::query::syntax::Field;
use crate::snapshot::Fault;
use crate::text::codes::PostalCode;

#[derive(Debug, Clone, Copy)]
pub struct Hit {
    start: u32,
    end: u32,
    pub level: Level,
}

impl Hit {
    #[inline]
    pub fn rows(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Debug)]
pub struct Hits {
    pub set: RowSet,
    /// Their matches, several for a record that matches in several fields.
    pub hits: Vec<Hit>,
}

impl Hits {
    #[inline]
    fn push(&mut self, rows: Range<usize>, level: Level) {
        match rows.len() {
            1 => self.set.insert(rows.start),
            _ => self.set.insert_range(rows.clone()),
        }
        self.hits.push(Hit { start: rows.start as u32, end: rows.end as u32, level });
    }
}

/// Bytes of the longest postal code: nine characters of three bytes, and room for spaces.
const CODE_BYTES_MAX: usize = 36;

fn fields(part: Part) -> &'static [Field] {
    match part {
        Part::Place => &[Field::Prefecture, Field::City],
        Part::Line => &[
            Field::Town,
            Field::Koaza,
            Field::BlockLot,
            Field::KyotoStreet,
            Field::Building,
            Field::Floor,
        ],
        Part::Inside => &[Field::KyotoStreet, Field::Building, Field::Floor],
        Part::Name => &[Field::Corporation],
        Part::Kana => &[Field::CorporationKana],
    }
}

/// The letter behind the last of a slot.
#[inline]
fn end_of(ends: &[u16_le], slot: usize) -> u32 {
    ends.get(slot).map_or(0, |end| u32::from(end.to_native()))
}

/// The field of a text in which a match stands and how much of it it is; `None` across fields.
#[inline(always)]
fn place(part: Part, ends: &[u16_le], found: Range<u32>) -> Option<(Field, Extent)> {
    match part {
        Part::Place => {
            let prefecture = end_of(ends, slot::CITY - 1);
            let (field, slots) = match found.start < prefecture {
                true => (Field::Prefecture, slot::PREFECTURE..slot::CITY),
                false => (Field::City, slot::CITY..ends.len()),
            };
            if field == Field::Prefecture && found.end > prefecture {
                return None;
            }
            // The kinds are left out or written: 港, 港区, 大阪市北, 北.
            let starts = slots.clone().step_by(2);
            let mut starts = starts.map(|slot| if slot == 0 { 0 } else { end_of(ends, slot - 1) });
            let begins = starts.any(|start| start == found.start);
            let mut slots = slots;
            let finishes = slots.any(|slot| end_of(ends, slot) == found.end);
            Some((field, Extent::of(begins, finishes)))
        }
        Part::Line | Part::Inside => {
            let mut begin = 0;
            for (slot, field) in fields(part).iter().enumerate() {
                let end = end_of(ends, slot);
                if found.start < end {
                    let extent = Extent::of(begin == found.start, end == found.end);
                    return (found.end <= end).then_some((*field, extent));
                }
                begin = end;
            }
            None
        }
        Part::Name | Part::Kana => {
            // The legal form before and behind is left out or written.
            let proper = end_of(ends, slot::PROPER_NAME - 1)..end_of(ends, slot::PROPER_NAME);
            let begins = found.end > proper.start && [0, proper.start].contains(&found.start);
            let finishes = [proper.end, end_of(ends, slot::PROPER_NAME + 1)].contains(&found.end);
            Some((fields(part)[0], Extent::of(begins, finishes)))
        }
    }
}

pub struct Lookup<'s> {
    codes: &'s ArchivedCodeIndex,
    searchable: &'s Searchable,
    text: &'s str,
    letters: Vec<char>,
}

impl<'s> Lookup<'s> {
    pub fn of(
        codes: &'s ArchivedCodeIndex,
        searchable: &'s Searchable,
        text: &'s str,
    ) -> Lookup<'s> {
        let mut letters = Vec::new();
        folding::characters(text, Part::Line.level(), &mut letters);
        Lookup { codes, searchable, text, letters }
    }

    /// The records of which the field contains the keyword, or any field.
    pub fn hits(&self, field: Option<Field>) -> Result<Hits, Fault> {
        let mut hits = Hits { set: RowSet::empty(self.searchable.rows), hits: Vec::new() };
        let (mut of_kana, mut found) = (Vec::new(), Vec::new());
        let index = self.searchable.index.root();
        for part in Part::ALL {
            if field.is_some_and(|field| !fields(part).contains(&field)) {
                continue;
            }
            let mut letters = &self.letters;
            if part.level() != Part::Line.level() {
                folding::characters(self.text, part.level(), &mut of_kana);
                letters = &of_kana;
            }
            if letters.len() > 1 {
                index.find(part, letters, &mut found)?;
                let length = letters.len() as u32;
                // A loop of its own for each part: no match asks which one it is in.
                match part {
                    Part::Place => self.take(Part::Place, length, field, &found, &mut hits),
                    Part::Line => self.take(Part::Line, length, field, &found, &mut hits),
                    Part::Inside => self.take(Part::Inside, length, field, &found, &mut hits),
                    Part::Name => self.take(Part::Name, length, field, &found, &mut hits),
                    Part::Kana => self.take(Part::Kana, length, field, &found, &mut hits),
                }
            }
        }
        if field.is_none() {
            self.take_code(&mut hits);
            if hits.hits.is_empty() {
                self.take_across(&mut hits)?;
            }
        }
        Ok(hits)
    }

    #[inline(always)]
    fn take(&self, part: Part, length: u32, field: Option<Field>, found: &[u32], hits: &mut Hits) {
        let lengths = self.searchable.index.root().lengths(part);
        hits.hits.reserve(found.len());
        for position in found {
            let Some(Spot { unit, position }) = lengths.spot(*position) else { continue };
            let Some((known, extent)) =
                place(part, lengths.ends(unit), position..position + length)
            else {
                continue;
            };
            if field.is_none_or(|field| field == known)
                && let Some(rows) = self.rows(part, unit)
            {
                hits.push(rows, Level::of(Some(known), extent));
            }
        }
    }

    #[inline]
    fn rows(&self, part: Part, unit: u32) -> Option<Range<usize>> {
        let unit = unit as usize;
        match part {
            Part::Place => {
                let rows = &self.searchable.areas.all().get(unit)?.rows;
                Some(rows.start as usize..rows.end as usize)
            }
            Part::Line => Some(unit..unit + 1),
            Part::Inside | Part::Name | Part::Kana => {
                let row = *self.searchable.businesses.get(unit)? as usize;
                Some(row..row + 1)
            }
        }
    }

    /// Reads the keyword as a postal code.
    fn take_code(&self, hits: &mut Hits) {
        if self.text.len() > CODE_BYTES_MAX {
            return;
        }
        let letters: String = self.letters.iter().collect();
        if let Ok(code) = PostalCode::parse(&letters) {
            for row in self.codes.find(code.number()) {
                let row = row.to_native() as usize;
                hits.push(row..row + 1, Level::CODE);
            }
        }
    }

    fn take_across(&self, hits: &mut Hits) -> Result<(), Fault> {
        let index = self.searchable.index.root();
        let mut found = Vec::new();
        for part in [Part::Place, Part::Line, Part::Inside] {
            index.find(part, &self.letters, &mut found)?;
            let lengths = index.lengths(part);
            for Spot { unit, position } in lengths.spots(&found) {
                let ends = lengths.ends(unit);
                // What stands before a business's building is not written before it.
                if part == Part::Inside && position < end_of(ends, slot::INSIDE_STREET) {
                    continue;
                }
                if let Some(rows) = self.rows(part, unit) {
                    let end = position + self.letters.len() as u32;
                    hits.push(rows, across(position, end, ends));
                }
            }
        }
        self.take_split(hits)
    }

    /// Finds the end of a place and the beginning of a line below it.
    fn take_split(&self, hits: &mut Hits) -> Result<(), Fault> {
        let index = self.searchable.index.root();
        let [of_places, of_lines] = [Part::Place, Part::Line].map(|part| index.lengths(part));
        let mut found = Vec::new();
        for split in 1..self.letters.len() {
            let (of_place, of_line) = self.letters.split_at(split);
            index.find(Part::Place, of_place, &mut found)?;
            if found.is_empty() && split > 1 {
                // Nothing longer stands in a place either.
                return Ok(());
            }
            let ends = |it: &Spot| of_places.length(it.unit) == it.position + split as u32;
            let places: Vec<Spot> = of_places.spots(&found).filter(ends).collect();
            if places.is_empty() {
                continue;
            }
            index.find(Part::Line, of_line, &mut found)?;
            let begins = |it: &Spot| it.position == 0;
            let lines: Vec<Spot> = of_lines.spots(&found).filter(begins).collect();
            for place in &places {
                let Some(rows) = self.rows(Part::Place, place.unit) else { continue };
                let from = lines.partition_point(|line| (line.unit as usize) < rows.start);
                let to = lines.partition_point(|line| (line.unit as usize) < rows.end);
                for line in &lines[from..to] {
                    let row = line.unit as usize;
                    let level = across(0, of_line.len() as u32, of_lines.ends(line.unit));
                    hits.push(row..row + 1, level);
                }
            }
        }
        Ok(())
    }
}

/// How well an address across fields matches a text with these fields.
fn across(start: u32, end: u32, ends: &[u16_le]) -> Level {
    let ends_at = |field: &u16_le| u32::from(field.to_native()) == end;
    let extent = match (start, ends.last().is_some_and(ends_at)) {
        (0, true) => Extent::Whole,
        (0, false) if ends.iter().any(ends_at) => return Level::TO_A_FIELD,
        (0, false) => Extent::Beginning,
        _ => Extent::Middle,
    };
    Level::of(None, extent)
}
