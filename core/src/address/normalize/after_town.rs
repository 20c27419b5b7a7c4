//! Writes the components after the town: aza, lot, building, floor and room.
//!
//! A Kyoto street after the lot, and the side of a chome between its numbers, are cut out before the tail is read.

use super::{NormalizeScratch, Normalizer};
use crate::address::building;
use crate::address::gazetteer::ArchivedAreaForm as AreaForm;
use crate::address::name_match::section_mark;
use crate::address::result::{Address, Component, Span, SpanKind};
use crate::address::tail::{self, Context, Part};
use crate::address::units::is_separator;
use crate::text::fold::{Folded, Level, fold};

impl Normalizer<'_> {
    /// Appends an aza to the town, or makes it the town if none is known. The range is in bytes.
    pub(super) fn append_aza(&mut self, bytes: (u32, u32)) {
        let raw = self.raw(bytes);
        let aza = &mut self.scratch.aza;
        aza.clear();
        fold(raw, Level::Width, aza);
        aza.retain(|folded| !is_separator(folded.character));
        let is_kanji = |folded: &Folded| matches!(folded.character, '々' | '\u{3400}'..='\u{9FFF}');
        self.address.extend(Component::Town, |out| {
            for (index, folded) in aza.iter().enumerate() {
                let between = index > 0
                    && is_kanji(&aza[index - 1])
                    && aza.get(index + 1).is_some_and(is_kanji);
                // Usually written with another letter: 南ヶ丘, 南が丘.
                let is_ke = between && matches!(folded.character, 'ヶ' | 'が');
                out.push(if is_ke { 'ケ' } else { folded.character });
            }
        });
    }

    /// Reads the tail, which begins at this folded character, and writes lot, building, floor and room. A name before
    /// the lot goes to the first open component.
    pub(super) fn read_tail(&mut self, tail_start: usize) {
        let has_city = !self.scratch.area.candidates.is_empty()
            && self.scratch.area.form != Some(AreaForm::County);
        let mut context = self.context(tail_start);
        let mut tail = std::mem::take(&mut self.scratch.tail);
        let cut = self.cut_tail(tail_start, &mut context);
        let rest = if cut { &self.scratch.rest } else { &self.scratch.folded[tail_start..] };
        tail::parse(rest, context, &mut tail);
        if !has_city && tail.lot_num().is_none() {
            self.write_open_rest(tail_start);
            self.scratch.tail = tail;
            return;
        }
        let open_component = if has_city { Component::Town } else { Component::City };
        for span in tail.spans() {
            let kind = match span.part {
                Part::Aza => SpanKind::Part(open_component),
                Part::Lot => SpanKind::Part(Component::BlockLotNum),
                Part::Building | Part::Tenant => SpanKind::Part(Component::Building),
                Part::FloorRoom | Part::SecondRoom => SpanKind::Part(Component::FloorRoom),
                Part::Separator => SpanKind::Separator,
                Part::Unplaced => SpanKind::Unplaced,
            };
            let (start, end) = (span.start, span.end);
            self.scratch.spans.push(Span { kind, start, end });
            let raw = self.raw((start, end)).trim();
            match span.part {
                Part::Aza if has_city => {
                    let aza = self.without_section_mark(start, end);
                    self.append_aza(aza);
                }
                Part::Aza => set_open_city(self.address, &mut self.scratch.aza, raw),
                Part::Building => self.address.set(Component::Building, raw),
                Part::FloorRoom => self.address.set(Component::FloorRoom, raw),
                Part::Tenant => {
                    self.address.join(Component::Building, raw);
                    self.address.set_trailing_text(raw);
                }
                Part::SecondRoom => self.address.join(Component::FloorRoom, raw),
                Part::Unplaced if tail.range(Part::Tenant).is_none() => {
                    self.address.set_trailing_text(raw);
                }
                Part::Lot | Part::Separator | Part::Unplaced => {}
            }
        }
        if let Some(lot) = tail.lot_num() {
            let with_letters = tail.lot_with_letters().unwrap_or(lot);
            // 八日市場ハの１１００番地: の joins here, while ノ would be a letter.
            let is_joint = tail.range(Part::Lot).is_some_and(|lot| self.raw(lot).starts_with('の'));
            let with_letters = with_letters.trim_start_matches(|c| is_joint && c == 'ノ');
            self.address.set_lot(lot, with_letters);
            self.address.details.lot = tail.lot_numbers();
        }
        self.scratch.tail = tail;
    }

    /// Sets `rest` to the tail without the Kyoto street or the side of a chome, and returns `true`; `false` if it has
    /// neither.
    fn cut_tail(&mut self, tail_start: usize, context: &mut Context) -> bool {
        let NormalizeScratch { area, units, folded, rest, side, .. } = &mut *self.scratch;
        let street = area.below.street.clone().map(|street| (street, ' '));
        let side = side.clone().map(|side| (side, '-'));
        let Some((cut, replacement)) = street.or(side) else { return false };
        let position =
            |unit: usize| units.get(unit).map_or(folded.len(), |unit| unit.first as usize);
        let (start, end) = (position(cut.start), position(cut.end));
        if start < tail_start || start >= end {
            return false;
        }
        rest.clear();
        rest.extend_from_slice(&folded[tail_start..start]);
        rest.push(Folded {
            character: replacement,
            start: folded[start].start,
            end: folded[end - 1].end,
        });
        rest.extend_from_slice(&folded[end..]);
        // The cut text has become one character.
        let moved = |position: usize| {
            if position + tail_start < end { position } else { position - (end - start - 1) }
        };
        context.building = context.building.map(|(start, end)| (moved(start), moved(end)));
        true
    }

    /// The bytes of an aza: without its leading 大字 or 字 if no town precedes it.
    fn without_section_mark(&mut self, start: u32, end: u32) -> (u32, u32) {
        if self.address.get(Component::Town).is_some() {
            return (start, end);
        }
        let first = self.scratch.units.iter().position(|unit| {
            self.scratch.folded.get(unit.first as usize).is_some_and(|folded| folded.start >= start)
        });
        let length = first.and_then(|first| section_mark(&self.scratch.units, first));
        self.address.details.is_koaza_without_town = length == Some(1);
        match (first, length) {
            (Some(first), Some(length)) => (self.byte_range(first..first + length).1.min(end), end),
            _ => (start, end),
        }
    }

    /// What is known about the place before the tail.
    fn context(&self, tail_start: usize) -> Context {
        let gazetteer = self.reference.gazetteer;
        let area = &self.scratch.area;
        let kyoto = area.candidates.iter().any(|one| gazetteer.cities[one.city].has_streets);
        let town = area.below.town;
        let record = town.and_then(|town| self.reference.record_of_town(town));
        let flags = record.map(|record| record.flags());
        let known = town.and_then(|town| {
            building::find(gazetteer, town, &self.scratch.units[area.end()..], |row| {
                let record = self.reference.record(row);
                record.map(|record| record.building().text).unwrap_or_default()
            })
        });
        Context {
            building: known.map(|(start, end)| (start - tail_start, end - tail_start)),
            residence_indication: flags.and_then(|flags| flags.jukyohyoji.then_some(true)),
            has_chome: flags.map(|flags| flags.chome),
            chome_is_name: kyoto && town.is_none(),
        }
    }

    /// Makes the rest of the text the city, since the text names none that is known.
    fn write_open_rest(&mut self, tail_start: usize) {
        let rest = &self.scratch.folded[tail_start..];
        let is_text = |folded: &&Folded| !is_separator(folded.character);
        if let (Some(first), Some(last)) = (rest.iter().find(is_text), rest.iter().rfind(is_text)) {
            let (start, end) = (first.start, last.end);
            let raw = self.raw((start, end));
            set_open_city(self.address, &mut self.scratch.aza, raw);
            self.scratch.spans.push(Span { kind: SpanKind::Part(Component::City), start, end });
        }
    }
}

/// Sets the city to a text that names no known one, literally; half-width kana are joined with their marks.
fn set_open_city(address: &mut Address, folded: &mut Vec<Folded>, raw: &str) {
    if !raw.contains(|character| matches!(character, '\u{FF61}'..='\u{FF9F}')) {
        return address.set(Component::City, raw);
    }
    folded.clear();
    fold(raw, Level::Width, folded);
    address.set_with(Component::City, |out| {
        out.extend(folded.iter().map(|folded| folded.character));
    });
}
