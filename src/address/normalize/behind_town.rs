//! Writes the components after the town: aza, lot, building, floor and room.
//!
//! A Kyoto street after the lot, and the side of a chome between its numbers, are cut out before the tail is read.

use super::{Reading, Scratch};
use crate::address::building;
use crate::address::gazetteer::ArchivedForm as Form;
use crate::address::result::{Address, Component, Piece, Span};
use crate::address::tail::{self, Context, Part};
use crate::address::units::is_separator;
use crate::address::walk::section_mark;
use crate::text::fold::{Folded, Level, fold};

impl Reading<'_> {
    /// Appends an aza to the town, or makes it the town if none is known.
    pub(super) fn append_aza(&mut self, (start, end): (u32, u32)) {
        let text = self.text;
        let raw = text.get(start as usize..end as usize).unwrap_or_default();
        let aza = &mut self.scratch.aza;
        aza.clear();
        fold(raw, Level::Width, aza);
        aza.retain(|folded| !is_separator(folded.character));
        let is_kanji = |folded: &Folded| matches!(folded.character, '々' | '\u{3400}'..='\u{9FFF}');
        self.address.extend(Component::Town, |out| {
            for (place, folded) in aza.iter().enumerate() {
                let between = place > 0
                    && is_kanji(&aza[place - 1])
                    && aza.get(place + 1).is_some_and(is_kanji);
                // Usually written with another letter: 南ヶ丘, 南が丘.
                let is_ke = between && matches!(folded.character, 'ヶ' | 'が');
                out.push(if is_ke { 'ケ' } else { folded.character });
            }
        });
    }

    /// Writes lot, building, floor and room; other text goes to the first open component.
    pub(super) fn read_tail(&mut self, behind: usize) {
        let decided = !self.scratch.area.candidates.is_empty()
            && self.scratch.area.form != Some(Form::County);
        let mut context = self.context(behind);
        let mut tail = std::mem::take(&mut self.scratch.tail);
        let cut = self.cut_tail(behind, &mut context);
        let rest = if cut { &self.scratch.rest } else { &self.scratch.folded[behind..] };
        tail::parse(rest, context, &mut tail);
        if !decided && tail.lot_num().is_none() {
            self.leave_open(behind);
            self.scratch.tail = tail;
            return;
        }
        // The first open component.
        let name = if decided { Component::Town } else { Component::City };
        for span in tail.spans() {
            let piece = match span.part {
                Part::Aza => Piece::Part(name),
                Part::Lot => Piece::Part(Component::BlockLotNum),
                Part::Building => Piece::Part(Component::Building),
                Part::FloorRoom => Piece::Part(Component::FloorRoom),
                Part::Behind => Piece::Part(Component::Building),
                Part::RoomBehind => Piece::Part(Component::FloorRoom),
                Part::Separator => Piece::Separator,
                Part::Unplaced => Piece::Unplaced,
            };
            let (start, end) = (span.start, span.end);
            self.scratch.marks.push(Span { piece, start, end });
            let raw = self.text.get(start as usize..end as usize).unwrap_or_default().trim();
            match span.part {
                Part::Aza if decided => {
                    let aza = self.unmarked(start, end);
                    self.append_aza(aza);
                }
                Part::Aza => set_open(self.address, &mut self.scratch.aza, raw),
                Part::Building => self.address.set(Component::Building, raw),
                Part::FloorRoom => self.address.set(Component::FloorRoom, raw),
                Part::Behind => {
                    self.address.join(Component::Building, raw);
                    self.address.set_behind(raw);
                }
                Part::RoomBehind => self.address.join(Component::FloorRoom, raw),
                Part::Unplaced if tail.range(Part::Behind).is_none() => {
                    self.address.set_behind(raw);
                }
                _ => {}
            }
        }
        if let Some(lot) = tail.lot_num() {
            let with_letters = tail.lot_with_letters().unwrap_or(lot);
            // 八日市場ハの１１００番地: の joins here, while ノ would be a letter.
            let range =
                tail.range(Part::Lot).and_then(|(start, _)| self.text.get(start as usize..));
            let is_joint = range.is_some_and(|lot| lot.starts_with('の'));
            let with_letters = with_letters.trim_start_matches(|c| is_joint && c == 'ノ');
            self.address.set_lot(lot, with_letters);
            self.address.details.lot = tail.lot_numbers();
        }
        self.scratch.tail = tail;
    }

    /// Sets `rest` to the tail without the Kyoto street or the side of a chome; `false` if it has neither.
    fn cut_tail(&mut self, behind: usize, context: &mut Context) -> bool {
        let Scratch { area, units, folded, rest, side, .. } = &mut *self.scratch;
        let street = area.below.street.clone().map(|street| (street, ' '));
        let side = side.clone().map(|side| (side, '-'));
        let Some((cut, mark)) = street.or(side) else { return false };
        let place = |unit: usize| units.get(unit).map_or(folded.len(), |unit| unit.first as usize);
        let (start, end) = (place(cut.start), place(cut.end));
        if start < behind || start >= end {
            return false;
        }
        rest.clear();
        rest.extend_from_slice(&folded[behind..start]);
        rest.push(Folded { character: mark, start: folded[start].start, end: folded[end - 1].end });
        rest.extend_from_slice(&folded[end..]);
        // The cut text has become one character.
        let moved = |at: usize| if at + behind < end { at } else { at - (end - start - 1) };
        context.building = context.building.map(|(start, end)| (moved(start), moved(end)));
        true
    }

    /// The bytes of an aza without its leading 大字 or 字, if it is the whole town.
    fn unmarked(&mut self, start: u32, end: u32) -> (u32, u32) {
        if self.address.get(Component::Town).is_some() {
            return (start, end);
        }
        let first = self.scratch.units.iter().position(|unit| {
            self.scratch.folded.get(unit.first as usize).is_some_and(|at| at.start >= start)
        });
        let length = first.and_then(|first| section_mark(&self.scratch.units, first));
        self.address.details.koaza_alone = length == Some(1);
        match (first, length) {
            (Some(first), Some(length)) => (self.bytes(first, first + length).1.min(end), end),
            _ => (start, end),
        }
    }

    fn context(&self, behind: usize) -> Context {
        let gazetteer = self.reference.gazetteer;
        let area = &self.scratch.area;
        let kyoto = area.candidates.iter().any(|one| gazetteer.cities[one.city].streets);
        let row = area.below.town.and_then(|town| gazetteer.first_row(town));
        let record = row.and_then(|row| self.reference.record(row));
        let flags = record.map(|record| record.flags());
        let known = area.below.town.and_then(|town| {
            let text = &self.scratch.units[area.end()..];
            building::find(gazetteer, town, text, |row| {
                let record = self.reference.record(row);
                record.map(|record| record.building().text).unwrap_or_default()
            })
        });
        Context {
            building: known.map(|(start, end)| (start - behind, end - behind)),
            residence_indication: flags.and_then(|flags| flags.jukyohyoji.then_some(true)),
            has_chome: flags.map(|flags| flags.chome),
            chome_is_name: kyoto && area.below.town.is_none(),
        }
    }

    /// Puts the rest of the text into the component after the last one named.
    fn leave_open(&mut self, behind: usize) {
        let rest = &self.scratch.folded[behind..];
        let first = rest.iter().find(|folded| !is_separator(folded.character));
        let last = rest.iter().rfind(|folded| !is_separator(folded.character));
        if let (Some(first), Some(last)) = (first, last) {
            let (start, end) = (first.start, last.end);
            let raw = self.text.get(start as usize..end as usize).unwrap_or_default();
            set_open(self.address, &mut self.scratch.aza, raw);
            self.scratch.marks.push(Span { piece: Piece::Part(Component::City), start, end });
        }
    }
}

/// Makes `city` the text that cannot be placed, literally; half-width kana are joined with their marks.
fn set_open(address: &mut Address, folded: &mut Vec<Folded>, raw: &str) {
    if !raw.contains(|character| matches!(character, '\u{FF61}'..='\u{FF9F}')) {
        return address.set(Component::City, raw);
    }
    folded.clear();
    fold(raw, Level::Width, folded);
    address.set_with(Component::City, |out| {
        out.extend(folded.iter().map(|folded| folded.character));
    });
}
