//! Finds the records of one keyword, with the value of each match.
//!
//! A keyword of one letter matches only fields that consist of it.

use std::ops::Range;

use rkyv::rend::u16_le;

use super::points::{Coverage, MatchValue, field_of_match, fields, slot_end, value_across_fields};
use super::search_index::SearchIndex;
use crate::dataset::postal::syntax::PostalField;
use crate::index::code_index::ArchivedCodeIndex;
use crate::index::postal_texts::{Part, UnitOffset, slot};
use crate::index::row_set::RowSet;
use crate::snapshot::Fault;
use crate::text::codes::PostalCode;
use crate::text::fold;

/// Rows with a match of the keyword; a match in a municipality has all its rows.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    start: u32,
    end: u32,
    pub value: MatchValue,
}

impl Hit {
    #[inline]
    pub fn rows(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Debug)]
pub struct KeywordHits {
    pub set: RowSet,
    /// Rows whose municipality or prefecture begins with the keyword, or whose prefecture and municipality it
    /// contains both.
    pub named_places: Option<RowSet>,
    /// The matches; a record that matches in several fields has several.
    pub hits: Vec<Hit>,
}

impl KeywordHits {
    #[inline]
    fn push(&mut self, rows: Range<u32>, value: MatchValue) {
        let hit = Hit { start: rows.start, end: rows.end, value };
        match rows.len() {
            1 => self.set.insert(hit.rows().start),
            _ => self.set.insert_range(hit.rows()),
        }
        self.hits.push(hit);
    }
}

/// Longest text that may be a postal code, in bytes: nine characters of three bytes, and room for spaces.
const CODE_BYTES_MAX: usize = 36;

pub struct KeywordLookup<'s> {
    codes: &'s ArchivedCodeIndex,
    search_index: &'s SearchIndex,
    text: &'s str,
    letters: Vec<char>,
}

impl<'s> KeywordLookup<'s> {
    pub fn new(
        codes: &'s ArchivedCodeIndex,
        search_index: &'s SearchIndex,
        text: &'s str,
    ) -> KeywordLookup<'s> {
        let mut letters = Vec::new();
        fold::search_letters(text, Part::Line.level(), &mut letters);
        KeywordLookup { codes, search_index, text, letters }
    }

    /// The records in which this field, or without one any field, contains the keyword.
    pub fn hits(&self, field: Option<PostalField>) -> Result<KeywordHits, Fault> {
        let set = RowSet::empty(self.search_index.row_count);
        let mut hits = KeywordHits { set, named_places: None, hits: Vec::new() };
        let (mut kana_letters, mut positions) = (Vec::new(), Vec::new());
        let index = self.search_index.index.root();
        for part in Part::ALL {
            if field.is_some_and(|field| !fields(part).contains(&field)) {
                continue;
            }
            let mut letters = &self.letters;
            if part.level() != Part::Line.level() {
                fold::search_letters(self.text, part.level(), &mut kana_letters);
                letters = &kana_letters;
            }
            if letters.len() > 1 {
                index.find(part, letters, &mut positions)?;
                let length = letters.len() as u32;
                // A separate loop per part, so that the part is not tested for each match.
                match part {
                    Part::Place => self.add(Part::Place, length, field, &positions, &mut hits),
                    Part::Line => self.add(Part::Line, length, field, &positions, &mut hits),
                    Part::Inside => self.add(Part::Inside, length, field, &positions, &mut hits),
                    Part::Name => self.add(Part::Name, length, field, &positions, &mut hits),
                    Part::Kana => self.add(Part::Kana, length, field, &positions, &mut hits),
                }
            }
        }
        if self.letters.len() == 1 {
            fold::search_letters(self.text, Part::Kana.level(), &mut kana_letters);
            for (letters, are_kana) in [(&self.letters, false), (&kana_letters, true)] {
                if let [letter] = letters[..] {
                    self.add_one_letter(letter, are_kana, field, &mut hits);
                }
            }
        } else if field.is_none() {
            self.add_postal_code(&mut hits);
            self.add_split_matches(&mut hits)?;
        }
        Ok(hits)
    }

    /// Adds the matches of a keyword of `length` letters that begin at these positions of a part.
    #[inline(always)]
    fn add(
        &self,
        part: Part,
        length: u32,
        field: Option<PostalField>,
        positions: &[u32],
        hits: &mut KeywordHits,
    ) {
        let (lengths, units) =
            (self.search_index.index.root().lengths(part), self.search_index.units());
        hits.hits.reserve(positions.len());
        for position in positions {
            let Some(UnitOffset { unit, offset: position }) = lengths.locate(*position) else {
                continue;
            };
            let (ends, end) = (lengths.ends(unit), position + length);
            let mut found = field_of_match(part, ends, position..end);
            let may_be_lot = matches!(found, None | Some((PostalField::BlockLot, _)));
            if part == Part::Line && (may_be_lot || field == Some(PostalField::BlockLot)) {
                found = self.in_lot_with_town(unit, ends, position..end).or(found);
            }
            let value = match found {
                Some((known, coverage)) if field.is_none_or(|field| field == known) => {
                    MatchValue::in_field(known, coverage)
                }
                // The text before a business's building does not belong to its written form.
                None if field.is_none()
                    && (part != Part::Inside
                        || position >= slot_end(ends, slot::INSIDE_STREET)) =>
                {
                    value_across_fields(position, end, ends)
                }
                _ => continue,
            };
            if let Some(rows) = units.rows_of(part, unit) {
                if part == Part::Place && !matches!(found, Some((_, Coverage::Middle))) {
                    let none = || RowSet::empty(self.search_index.row_count);
                    let places = hits.named_places.get_or_insert_with(none);
                    places.insert_range(rows.start as usize..rows.end as usize);
                }
                hits.push(rows, value);
            }
        }
    }

    /// A match in a lot that begins with the town, where the town is indexed before the rest of the lot.
    fn in_lot_with_town(
        &self,
        unit: u32,
        ends: &[u16_le],
        found: Range<u32>,
    ) -> Option<(PostalField, Coverage)> {
        let end = slot_end(ends, slot::BLOCK_LOT);
        let is_in_lot = found.end <= end && self.search_index.town_in_lot.contains(unit as usize);
        is_in_lot
            .then(|| (PostalField::BlockLot, Coverage::new(found.start == 0, found.end == end)))
    }

    /// Adds the fields that consist of this letter, are of the wanted field, and are in kana or not.
    fn add_one_letter(
        &self,
        letter: char,
        are_kana: bool,
        field: Option<PostalField>,
        hits: &mut KeywordHits,
    ) {
        let is_wanted = |it: PostalField| {
            (it == PostalField::CorporationKana) == are_kana
                && field.is_none_or(|field| field == it)
        };
        let found = self.search_index.one_letter_fields.find(letter).iter();
        for it in found.filter(|it| is_wanted(it.field)) {
            hits.push(it.rows.clone(), it.value);
        }
    }

    /// Adds the rows of the postal code that the keyword is, if it is one.
    fn add_postal_code(&self, hits: &mut KeywordHits) {
        if self.text.len() > CODE_BYTES_MAX {
            return;
        }
        let letters: String = self.letters.iter().collect();
        if let Ok(code) = PostalCode::parse(&letters) {
            for row in self.codes.find(code.number()) {
                let row = row.to_native();
                hits.push(row..row + 1, MatchValue::CODE);
            }
        }
    }

    /// Adds matches that span the end of a place and the beginning of a line below it. Most keywords contain no
    /// letter in which a place ends, and cost nothing here.
    fn add_split_matches(&self, hits: &mut KeywordHits) -> Result<(), Fault> {
        let index = self.search_index.index.root();
        let [of_places, of_lines] = [Part::Place, Part::Line].map(|part| index.lengths(part));
        let units = self.search_index.units();
        let (mut found, mut places) = (Vec::new(), Vec::new());
        for split in 1..self.letters.len() {
            let (of_place, of_line) = self.letters.split_at(split);
            if !self.search_index.may_end_place(of_place) {
                continue;
            }
            index.find(Part::Place, of_place, &mut found)?;
            if found.is_empty() && split > 1 {
                // Then nothing longer occurs in a place either.
                return Ok(());
            }
            let ends = |it: &UnitOffset| of_places.length(it.unit) == it.offset + split as u32;
            places.clear();
            places.extend(of_places.locate_all(&found).filter(ends).map(|it| it.unit));
            if places.is_empty() {
                continue;
            }
            index.find(Part::Line, of_line, &mut found)?;
            let mut places = places.iter().filter_map(|unit| units.rows_of(Part::Place, *unit));
            let Some(mut place) = places.next() else { continue };
            // Places and lines both ascend.
            for line in of_lines.locate_all(&found).filter(|line| line.offset == 0) {
                let row = line.unit;
                while place.end <= row {
                    let Some(next) = places.next() else { break };
                    place = next;
                }
                if place.contains(&row) {
                    let value =
                        value_across_fields(0, of_line.len() as u32, of_lines.ends(line.unit));
                    hits.push(row..row + 1, value);
                }
            }
        }
        Ok(())
    }
}
