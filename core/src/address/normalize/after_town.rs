//! Writes the components after the town: aza, lot, building, floor and room.
//!
//! A Kyoto street after the lot, and text that belongs to no part, are cut out before the tail is read.

use std::borrow::Cow;
use std::ops::Range;

use super::{NormalizeScratch, Normalizer};
use crate::address::building;
use crate::address::decoration;
use crate::address::gazetteer::ArchivedAreaForm as AreaForm;
use crate::address::name_match::section_mark;
use crate::address::result::{Address, Component, CorrectionKind, Span, SpanKind};
use crate::address::tail::{self, Context, Part, Tail, is_common_kanji as is_kanji, is_numeral};
use crate::address::units::is_separator;
use crate::text::fold::{Folded, Level, fold, fold_char};

impl<'a> Normalizer<'a> {
    /// Appends an aza to the town, or makes it the town if none is known. The range is in bytes.
    pub(super) fn append_aza(&mut self, bytes: (u32, u32)) {
        let raw = self.raw(bytes);
        let aza = &mut self.scratch.aza;
        aza.clear();
        fold(raw, Level::Width, aza);
        aza.retain(|folded| !is_separator(folded.character));
        let is_kanji = |folded: &Folded| is_kanji(folded.character);
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
        self.cut_date(tail_start);
        self.cut_roman_names(tail_start);
        let mut context = self.context();
        let mut tail = std::mem::take(&mut self.scratch.tail);
        let cut = self.cut_tail(tail_start, &mut context);
        let rest = if cut { &self.scratch.rest } else { &self.scratch.folded[tail_start..] };
        tail::parse(self.text, rest, context, &mut tail);
        if !has_city && tail.lot_num().is_none() {
            self.write_open_rest(tail_start);
            self.scratch.tail = tail;
            return;
        }
        let open_component = if has_city { Component::Town } else { Component::City };
        let is_unknown = !self.address.is_from_code && self.has_unknown_name(&tail);
        self.address.has_unknown_name = is_unknown;
        for span in tail.spans() {
            let kind = match span.part {
                Part::Aza if self.address.is_from_code => SpanKind::Part(Component::Building),
                Part::Aza if is_unknown => SpanKind::Unplaced,
                Part::Aza => SpanKind::Part(open_component),
                Part::Lot => SpanKind::Part(Component::BlockLotNum),
                Part::Building | Part::Tenant => SpanKind::Part(Component::Building),
                Part::FloorRoom | Part::SecondRoom => SpanKind::Part(Component::FloorRoom),
                Part::Separator => SpanKind::Separator,
                Part::Unplaced => SpanKind::Unplaced,
            };
            let (start, end) = (span.start, span.end);
            self.add_span_around_decorations(Span { kind, start, end });
            let raw = self.without_decorations(start, end);
            let raw = raw.trim();
            match span.part {
                // 〒100-8921 総務省: a name without a lot.
                Part::Aza if self.address.is_from_code => {
                    self.address.set(Component::Building, raw);
                }
                Part::Aza if is_unknown => self.address.set_unknown_name(raw),
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
        self.correct_chome(&tail);
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

    /// Whether a name stands between the town and the lot that the data lack and that no 字 and no number marks as an
    /// aza: 城東ほげほげ1-2. The text may then mean another place.
    fn has_unknown_name(&self, tail: &Tail) -> bool {
        let area = &self.scratch.area;
        let Some(range) = tail.range(Part::Aza).filter(|_| area.has_town() && area.is_certain())
        else {
            return false;
        };
        let name = self.raw(range).trim();
        // イ部, ハの部: the blocks of 能登.
        let is_marked = ["字", "大字", "小字"].iter().any(|mark| name.starts_with(mark))
            || name.ends_with('部') && name.chars().all(|it| !is_kanji(it) || it == '部');
        let is_number = |sign: char| is_numeral(fold_char(sign, Level::Address));
        // 一番町 is a town, 一番 a lot.
        let is_numbered = name.contains(is_number)
            && !name.contains("番町")
            && ["地割", "線", "号", "番", "区", "組", "割", "条", "丁"]
                .iter()
                .any(|counter| name.contains(counter));
        !is_marked && !is_numbered
    }

    /// Adds a span without the decorations in it, which have their own.
    fn add_span_around_decorations(&mut self, span: Span) {
        let mut start = span.start;
        for number in 0..self.scratch.decorations.len() {
            let (from, to) = self.decoration_bytes(number);
            if start < to && from < span.end {
                self.scratch.spans.push(Span { start, end: from.max(start), ..span });
                start = to;
            }
        }
        self.scratch.spans.push(Span { start: start.min(span.end), ..span });
    }

    /// The text of some bytes without the decorations in it.
    fn without_decorations(&self, start: u32, end: u32) -> Cow<'a, str> {
        let mut kept: Option<String> = None;
        let mut from = start;
        for number in 0..self.scratch.decorations.len() {
            let (first, last) = self.decoration_bytes(number);
            if start <= first && last <= end {
                kept.get_or_insert_default().push_str(self.raw((from, first)));
                from = last;
            }
        }
        match kept {
            None => Cow::Borrowed(self.raw((start, end))),
            Some(kept) => Cow::Owned(kept + self.raw((from, end))),
        }
    }

    /// Makes a date in place of the lot unplaced text.
    fn cut_date(&mut self, tail_start: usize) {
        if self.scratch.area.candidates.is_empty() {
            return;
        }
        let Some(date) = decoration::date(&self.scratch.folded, tail_start) else { return };
        self.address.has_date = true;
        self.add_decoration(date);
    }

    /// Makes Roman names of the area behind it unplaced text.
    fn cut_roman_names(&mut self, tail_start: usize) {
        let NormalizeScratch { area, folded, .. } = &*self.scratch;
        // Few addresses have Latin letters: the others need no names.
        if !folded[tail_start..].iter().any(|it| it.character.is_ascii_alphabetic()) {
            return;
        }
        let [only] = area.candidates[..] else { return };
        let Some(city) = self.reference.city(only.city) else { return };
        let town = area.below.town.and_then(|town| self.reference.record_of_town(town));
        let town = town.map(|record| record.town().roman.text);
        let areas = [city.prefecture(), city.city_without_county_and_ward(), city.city_ward()];
        let is_area = |word: &str, in_brackets: bool| {
            let is_town = in_brackets && town.is_some_and(|name| name.eq_ignore_ascii_case(word));
            is_town || areas.iter().any(|area| area.roman.text.eq_ignore_ascii_case(word))
        };
        for range in decoration::roman_repetitions(folded, tail_start, is_area) {
            self.add_decoration(range);
        }
    }

    /// Makes these folded characters unplaced text, if none of them is yet.
    fn add_decoration(&mut self, range: Range<usize>) {
        let decorations = &mut self.scratch.decorations;
        if decorations.iter().any(|other| other.start < range.end && range.start < other.end) {
            return;
        }
        let place = decorations.partition_point(|other| other.start < range.start);
        decorations.insert(place, range);
        let (start, end) = self.decoration_bytes(place);
        self.scratch.spans.push(Span { kind: SpanKind::Unplaced, start, end });
    }

    /// Records that the text writes the chome of the lot with other signs: ニ丁目, 2町目.
    fn correct_chome(&mut self, tail: &Tail) {
        let Some((start, end)) = tail.range(Part::Lot) else { return };
        let why = (CorrectionKind::Letters, None);
        for repaired in &self.scratch.chome {
            if start <= repaired.start && repaired.end <= end {
                let bytes = (repaired.start, repaired.end);
                self.address.add_correction(why, Component::BlockLotNum, bytes, &repaired.became);
            }
        }
        let lot = self.raw((start, end));
        if let Some(mark) = lot.find("町目") {
            let became = lot.get(..mark).map(|number| format!("{number}丁目")).unwrap_or_default();
            let mark_end = start + u32::try_from(mark + "町目".len()).unwrap_or(0);
            self.address.add_correction(why, Component::BlockLotNum, (start, mark_end), &became);
        }
    }

    /// Sets `rest` to the tail without the Kyoto street and the decorations, and returns `true`; `false` if it has
    /// none of them. A known side of a chome gets its position in the tail.
    fn cut_tail(&mut self, tail_start: usize, context: &mut Context) -> bool {
        let NormalizeScratch { area, units, folded, rest, side, decorations, .. } =
            &mut *self.scratch;
        let position =
            |unit: usize| units.get(unit).map_or(folded.len(), |unit| unit.first as usize);
        let street = area.below.street.clone();
        let street = street.map(|street| position(street.start)..position(street.end));
        let mut cuts: Vec<(Range<usize>, char)> = Vec::new();
        cuts.extend(street.map(|street| (street, ' ')));
        // A word ends at a control character, so that no part continues over it.
        cuts.extend(decorations.iter().cloned().map(|decoration| (decoration, '\u{1}')));
        cuts.retain(|(cut, _)| tail_start <= cut.start && cut.start < cut.end);
        cuts.sort_by_key(|(cut, _)| cut.start);
        // A cut text becomes one character.
        let moved = |position: usize| {
            let before = cuts.iter().filter(|(cut, _)| cut.end <= position);
            let removed: usize = before.map(|(cut, _)| cut.len() - 1).sum();
            (position - removed).saturating_sub(tail_start)
        };
        context.building = context.building.map(|(start, end)| (moved(start), moved(end)));
        let side = side.clone().map(|side| (position(side.start), position(side.end)));
        context.side = side.map(|(start, end)| (moved(start), moved(end)));
        if cuts.is_empty() {
            return false;
        }
        rest.clear();
        let mut from = tail_start;
        for (Range { start, end }, replacement) in cuts {
            if start < from {
                continue;
            }
            rest.extend_from_slice(&folded[from..start]);
            let (start, end_byte) = (folded[start].start, folded[end - 1].end);
            rest.push(Folded { character: replacement, start, end: end_byte });
            from = end;
        }
        rest.extend_from_slice(&folded[from..]);
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
    fn context(&self) -> Context {
        let gazetteer = self.reference.gazetteer;
        let area = &self.scratch.area;
        let kyoto = area.candidates.iter().any(|one| gazetteer.cities[one.city].has_streets);
        let town = area.below.town.filter(|_| area.is_certain());
        let record = town.and_then(|town| self.reference.record_of_town(town));
        let flags = record.map(|record| record.flags());
        let known = town.and_then(|town| {
            building::find(gazetteer, town, &self.scratch.units[area.end()..], |row| {
                let record = self.reference.record(row);
                record.map(|record| record.building().text).unwrap_or_default()
            })
        });
        Context {
            // Positions in the whole text, until `cut_tail` moves them.
            building: known,
            side: None,
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
