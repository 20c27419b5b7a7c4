//! Finds the records of one keyword, with the level of each match.
//!
//! A keyword of one letter matches only fields that consist of it.

use std::ops::Range;

use rkyv::rend::u16_le;

use super::fields::{across, end_of, fields, place};
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
    /// Rows whose municipality or prefecture begins with the keyword, or whose prefecture and municipality it
    /// contains both.
    pub places: Option<RowSet>,
    /// Their matches; a record that matches in several fields has several.
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

/// Limit for postal codes in bytes: nine characters of three bytes, and room for spaces.
const CODE_BYTES_MAX: usize = 36;

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

    /// The records in which this field, or without one any field, contains the keyword.
    pub fn hits(&self, field: Option<Field>) -> Result<Hits, Fault> {
        let set = RowSet::empty(self.searchable.rows);
        let mut hits = Hits { set, places: None, hits: Vec::new() };
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
                // A separate loop per part, so that the part is not tested for each match.
                match part {
                    Part::Place => self.take(Part::Place, length, field, &found, &mut hits),
                    Part::Line => self.take(Part::Line, length, field, &found, &mut hits),
                    Part::Inside => self.take(Part::Inside, length, field, &found, &mut hits),
                    Part::Name => self.take(Part::Name, length, field, &found, &mut hits),
                    Part::Kana => self.take(Part::Kana, length, field, &found, &mut hits),
                }
            }
        }
        if let [letter] = self.letters.as_slice() {
            folding::characters(self.text, Part::Kana.level(), &mut of_kana);
            self.take_one(*letter, |it| it != Field::CorporationKana, field, &mut hits);
            if let [letter] = of_kana.as_slice() {
                self.take_one(*letter, |it| it == Field::CorporationKana, field, &mut hits);
            }
        } else if field.is_none() {
            self.take_code(&mut hits);
            self.take_split(&mut hits)?;
        }
        Ok(hits)
    }

    #[inline(always)]
    fn take(&self, part: Part, length: u32, field: Option<Field>, found: &[u32], hits: &mut Hits) {
        let lengths = self.searchable.index.root().lengths(part);
        hits.hits.reserve(found.len());
        for position in found {
            let Some(Spot { unit, position }) = lengths.spot(*position) else { continue };
            let (ends, end) = (lengths.ends(unit), position + length);
            let mut found = place(part, ends, position..end);
            let may_be_lot = matches!(found, None | Some((Field::BlockLot, _)));
            if part == Part::Line && (may_be_lot || field == Some(Field::BlockLot)) {
                found = self.in_lot_with_town(unit, ends, position..end).or(found);
            }
            let level = match found {
                Some((known, extent)) if field.is_none_or(|field| field == known) => {
                    Level::of(known, extent)
                }
                // The text before a business's building does not belong to its written form.
                None if field.is_none()
                    && (part != Part::Inside || position >= end_of(ends, slot::INSIDE_STREET)) =>
                {
                    across(position, end, ends)
                }
                _ => continue,
            };
            if let Some(rows) = self.rows(part, unit) {
                if part == Part::Place && !matches!(found, Some((_, Extent::Middle))) {
                    let none = || RowSet::empty(self.searchable.rows);
                    hits.places.get_or_insert_with(none).insert_range(rows.clone());
                }
                hits.push(rows, level);
            }
        }
    }

    /// A match in a lot that begins with the town, where the town is indexed before the rest of the lot.
    fn in_lot_with_town(
        &self,
        unit: u32,
        ends: &[u16_le],
        found: Range<u32>,
    ) -> Option<(Field, Extent)> {
        let end = end_of(ends, slot::BLOCK_LOT);
        let is_in_lot = found.end <= end && self.searchable.town_in_lot.contains(unit as usize);
        is_in_lot.then(|| (Field::BlockLot, Extent::of(found.start == 0, found.end == end)))
    }

    /// Takes the fields that consist of this letter and pass.
    fn take_one(
        &self,
        letter: char,
        passes: impl Fn(Field) -> bool,
        field: Option<Field>,
        hits: &mut Hits,
    ) {
        let found = self.searchable.one_letter.find(letter).iter();
        for it in found.filter(|it| passes(it.field) && field.is_none_or(|field| field == it.field))
        {
            hits.push(it.rows.start as usize..it.rows.end as usize, it.level);
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

    /// Searches the keyword as a postal code.
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

    /// Finds matches that span the end of a place and the beginning of a line below it. Most keywords contain no
    /// letter in which a place ends, and cost nothing here.
    fn take_split(&self, hits: &mut Hits) -> Result<(), Fault> {
        let index = self.searchable.index.root();
        let [of_places, of_lines] = [Part::Place, Part::Line].map(|part| index.lengths(part));
        let (mut found, mut places) = (Vec::new(), Vec::new());
        for split in 1..self.letters.len() {
            let (of_place, of_line) = self.letters.split_at(split);
            if !self.searchable.ends_place(of_place) {
                continue;
            }
            index.find(Part::Place, of_place, &mut found)?;
            if found.is_empty() && split > 1 {
                // Then nothing longer occurs in a place either.
                return Ok(());
            }
            let ends = |it: &Spot| of_places.length(it.unit) == it.position + split as u32;
            places.clear();
            places.extend(of_places.spots(&found).filter(ends).map(|it| it.unit));
            if places.is_empty() {
                continue;
            }
            index.find(Part::Line, of_line, &mut found)?;
            let mut places = places.iter().filter_map(|unit| self.rows(Part::Place, *unit));
            let Some(mut place) = places.next() else { continue };
            // Places and lines both ascend.
            for line in of_lines.spots(&found).filter(|line| line.position == 0) {
                let row = line.unit as usize;
                while place.end <= row {
                    let Some(next) = places.next() else { break };
                    place = next;
                }
                if place.contains(&row) {
                    let level = across(0, of_line.len() as u32, of_lines.ends(line.unit));
                    hits.push(row..row + 1, level);
                }
            }
        }
        Ok(())
    }
}
