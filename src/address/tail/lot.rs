//! The lot: chome, block, lot and branch numbers, in digits or kanji, joined in a dozen ways.
//!
//! Numbers that belong to a name are not part of it: behind 第, in front of 地割, 線, 条 and the other
//! words of [`words::NAMES`], 号 before another number (`第５８号１６番地１`, the 字 of Fukui). Nor are the
//! last numbers where they are a room: see [`Sequence::without_room`].

use super::Context;
use super::number::{Joint, Number, is_hyphen_kanji, joint};
use super::scan::{
    Text, is_digit, is_hiragana, is_hyphen, is_kanji, is_katakana, is_letter, is_lot_letter,
    is_numeral, is_space, is_stem, is_tilde, is_zodiac,
};
use super::words;

/// A lot and where it stands, with its letters, units and remarks.
pub(super) struct Lot {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where a room stands that its numbers run into: `１－２－３－４０１`.
    pub(super) room: Option<(usize, usize)>,
    /// `None` for a lot that says it has no number.
    numbers: Option<Sequence>,
}

impl Lot {
    /// Takes the room back into the lot: a building with a floor of its own follows it.
    pub(super) fn take_room(&mut self) {
        if let (Some((_, end)), Some(sequence)) = (self.room.take(), &mut self.numbers) {
            self.end = end;
            sequence.count = sequence.read;
        }
    }

    /// Appends the lot in half-width digits joined by hyphens.
    pub(super) fn write(&self, text: Text<'_>, out: &mut String) {
        if let Some(sequence) = &self.numbers {
            sequence.write(text, out);
        }
    }
}

pub(super) fn find(text: Text<'_>, context: Context) -> Option<Lot> {
    let mut place = 0;
    // No building is named in front of it.
    let mut searched = 0;
    while place < text.len() {
        let character = text.at(place);
        if character == '(' && place > 0 && !text.is_mark(place) {
            // What a bracket holds behind a name is a remark.
            place = text.closing(place, text.len()) + 1;
            continue;
        }
        if !is_numeral(character) {
            place += 1;
            continue;
        }
        let run = text.skip(place, |c| is_digit(c) == is_digit(character) && is_numeral(c));
        if (searched..place).any(|at| text.any(at, &words::BUILDINGS).is_some()) {
            return None;
        }
        searched = place;
        if opens(text, place, context)
            && let Some(sequence) = Sequence::read(text, place)
        {
            let start = letters_before(text, sequence.parts[0].number.start);
            let (sequence, room) = sequence.without_room(text, context);
            let end = match room {
                Some(_) => sequence.end(),
                None => super::remainder::end(text, sequence.end(), sequence.is_bare()),
            };
            return Some(Lot { start, end, room, numbers: Some(sequence) });
        }
        place = run;
    }
    numberless(text)
}

fn numberless(text: Text<'_>) -> Option<Lot> {
    let start = (0..text.len()).find(|place| text.any(*place, &words::NUMBERLESS).is_some())?;
    let end = start + text.any(start, &words::NUMBERLESS)?;
    Some(Lot { start, end: super::remainder::end(text, end, false), room: None, numbers: None })
}

fn opens(text: Text<'_>, place: usize, context: Context) -> bool {
    let Some(number) = Number::at(text, place) else { return false };
    if text.before(place) == '第' && !text.has(number.end, "番地") {
        return false;
    }
    if number.is_kanji {
        return opens_in_kanji(text, number, context);
    }
    // サンシャイン６０: a bare number behind a long foreign word is part of a name; アリア１０５ is an aza.
    let name = text.0[..place].iter().rev();
    let name = name.take_while(|c| is_letter(c.character) || is_katakana(c.character)).count();
    let is_bare = Unit::at(text, number.end, false).is_none()
        && !is_hyphen(text.at(number.end))
        && joint(text, number.end).is_none_or(|(joint, _)| joint == Joint::Space);
    name < 4 || !is_bare || text.any(0, &words::AZA).is_some()
}

/// Kanji open a lot only with its units, in front of another number, or alone: 三田 and 五十嵐 are
/// names.
fn opens_in_kanji(text: Text<'_>, number: Number, context: Context) -> bool {
    let behind = number.end;
    if text.has(behind, "丁目") {
        return !context.chome_is_name;
    }
    if text.has(behind, "番地") {
        return true;
    }
    if context.chome_is_name {
        return false;
    }
    let is_first = number.start == 0 || is_space(text.before(number.start));
    match text.at(behind) {
        '丁' => {
            // 四丁四百六十五: all in kanji, to the end.
            let all = Number::at(text, behind + 1)
                .is_some_and(|next| next.is_kanji && text.is_boundary(next.end));
            is_first && (all || is_lot_start(text, behind + 1))
        }
        '番' => {
            // 十番２丁目: a name.
            let next = joint(text, behind + 1)
                .and_then(|(_, start)| Number::at(text, start))
                .is_some_and(|next| {
                    // 字西田三番５: part of a name, as kanji and digits are not mixed.
                    (is_first || next.is_kanji) && !text.has(next.end, "丁目")
                });
            let ends = is_first && text.is_boundary(behind + 1);
            (next || ends) && !number.is_name(text, true)
        }
        '号' => {
            let in_line = text.any_before(number.start, &words::LINES);
            let next = Number::at(text, behind + 1).is_some();
            (is_first || in_line) && (next || text.is_boundary(behind + 1))
        }
        _ => {
            let next = joint(text, behind);
            let joined = next.is_some_and(|(joint, _)| matches!(joint, Joint::Hyphen | Joint::Of));
            is_first && (joined || text.is_boundary(behind))
        }
    }
}

/// Whether a number with a lot's unit or without unit stands at a place: `１６番地１`, not `７階`.
fn is_lot_start(text: Text<'_>, place: usize) -> bool {
    Number::at(text, place).is_some_and(|number| {
        let opens = text.at(number.end) == '番';
        !number.is_floor(text) && !number.is_name(text, true) && (opens || !number.is_kanji)
    })
}

/// The place of the letters in front of a lot's first number: `甲１２`, `イ－１７`; without them `start`.
fn letters_before(text: Text<'_>, start: usize) -> usize {
    let mut place = start;
    let before = text.before(place);
    if place > 1 && (is_hyphen(before) || matches!(before, 'ノ' | 'の')) {
        place -= 1;
    }
    let letter = text.before(place);
    let Some(letter_at) = place.checked_sub(1) else { return start };
    let before = text.before(letter_at);
    // 字渡リ１３４９: only what numbers lots stands behind a name.
    let numbers = letter_at == 0 || is_lot_letter(letter);
    let alone = numbers && is_katakana(letter) && letter != 'ー' && !is_katakana(before);
    // 亥４５番地, Ａ－５: these are letters only where nothing stands before them.
    let first = letter_at == 0 && (is_zodiac(letter) || is_letter(letter));
    // 五番丁５２, 字裏丁１７５: part of a name.
    let is_block = letter == '丁' && letter_at > 0;
    if (is_stem(letter) && !is_block) || alone || first { letter_at } else { start }
}

/// What counts a number of the lot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    Chome,
    Block,
    Banchi,
    Ban,
    Go,
    /// 地, in `１番１地` alone.
    Plot,
}

impl Unit {
    /// The unit at a place and its length.
    fn at(text: Text<'_>, place: usize, after_unit: bool) -> Option<(Unit, usize)> {
        // A space in front of a unit: `１ 丁目`.
        let start = text.skip(place, is_space);
        let space = start - place;
        let unit = match text.at(start) {
            '丁' if text.at(start + 1) == '目' => (Unit::Chome, 2),
            '丁' if joint(text, start + 1).is_some() => (Unit::Chome, 1),
            '街' if text.at(start + 1) == '区' => (Unit::Block, 2),
            '画' if text.at(start + 1) == '地' => (Unit::Block, 2),
            '番' if text.at(start + 1) == '地' => (Unit::Banchi, 2),
            '番' if text.at(start + 1) == '号' => (Unit::Ban, 2),
            '番' => (Unit::Ban, 1),
            // ２７番１号地
            '号' if after_unit && text.at(start + 1) == '地' && !is_kanji(text.at(start + 2)) => {
                (Unit::Go, 2)
            }
            '号' => (Unit::Go, 1),
            // １番１地, １番１地市立病院.
            '地' if after_unit && (text.is_boundary(start + 1) || text.at(start + 2) == '立') => {
                (Unit::Plot, 1)
            }
            _ => return None,
        };
        Some((unit.0, unit.1 + space))
    }
}

#[derive(Clone, Copy, Default)]
struct Numbered {
    number: Number,
    unit: Option<Unit>,
    end: usize,
    joint: Joint,
}

/// The most areas counted by 号 in front of a lot.
const AREAS_MAX: usize = 2;

const NUMBERS_MAX: usize = 8;

/// The numbers of a lot, from the largest unit to the smallest; at least one.
struct Sequence {
    parts: [Numbered; NUMBERS_MAX],
    /// How many of them are the lot's.
    count: usize,
    /// How many were read: the others are a room.
    read: usize,
}

impl Sequence {
    /// Reads numbers with their units and joints from a place.
    fn read(text: Text<'_>, place: usize) -> Option<Sequence> {
        let mut sequence = Sequence { parts: Default::default(), count: 0, read: 0 };
        let mut next = Some((Joint::None, place));
        let mut areas = 0;
        while let Some((joined, start)) = next {
            let Some(part) = sequence.part(text, start, joined) else { break };
            next = sequence.next(text, &part);
            // １０号４－１: what 号 counts in front of a lot is an area.
            let is_area = part.unit == Some(Unit::Go)
                && sequence.count == 0
                && next.is_some_and(|(_, start)| is_lot_start(text, start));
            if is_area && areas < AREAS_MAX {
                areas += 1;
            } else {
                if sequence.count == NUMBERS_MAX {
                    break;
                }
                sequence.parts[sequence.count] = part;
                sequence.count += 1;
                next = next.filter(|next| sequence.goes_on(text, &part, *next));
            }
        }
        (sequence.count > 0).then_some(sequence)
    }

    fn parts(&self) -> &[Numbered] {
        &self.parts[..self.count]
    }

    /// Whether it is one number of three digits without unit.
    fn is_bare(&self) -> bool {
        matches!(self.parts(), [part] if part.unit.is_none() && part.number.is_room())
    }

    fn end(&self) -> usize {
        self.parts().last().map_or(0, |part| part.end)
    }

    /// The number at a place, if it is one of a lot.
    fn part(&self, text: Text<'_>, start: usize, joint: Joint) -> Option<Numbered> {
        let number = Number::at(text, start)?;
        if number.is_floor(text) || number.is_name(text, self.count == 0) {
            return None;
        }
        let before = self.parts().last();
        let unit = Unit::at(text, number.end, before.is_some_and(|part| part.unit.is_some()));
        if number.is_kanji && unit.is_none() && !self.may_be_bare(text, number) {
            return None;
        }
        // １６３番地二丁目店舗: a name.
        if before.is_some() && unit.is_some_and(|(unit, _)| unit == Unit::Chome) {
            return None;
        }
        let end = number.end + unit.map_or(0, |(_, length)| length);
        Some(Numbered { number, unit: unit.map(|(unit, _)| unit), end, joint })
    }

    /// Whether a number in kanji without unit belongs to the lot and not to a name behind it:
    /// `二百十番地三`, not `１番地三井ビル`.
    fn may_be_bare(&self, text: Text<'_>, number: Number) -> bool {
        let behind = text.at(number.end);
        let joined = super::number::joint(text, number.end)
            .is_some_and(|(joint, _)| matches!(joint, Joint::Hyphen | Joint::Of));
        let in_kanji = self.parts().iter().all(|part| part.number.is_kanji);
        let other_script =
            !is_kanji(behind) && !is_hiragana(behind) && !matches!(behind, 'ノ' | 'ツ' | 'ケ');
        joined || text.is_boundary(number.end) || (in_kanji && self.count > 0 && other_script)
    }

    /// The next number and its joint, if a lot may go on to it.
    fn next(&self, text: Text<'_>, part: &Numbered) -> Option<(Joint, usize)> {
        if part.unit == Some(Unit::Banchi)
            && let Some(start) = behind_ordinal(text, part.end)
        {
            return Some((Joint::Of, start));
        }
        if part.unit == Some(Unit::Chome)
            && let Some(start) = behind_side(text, part.end)
        {
            return Some((Joint::None, start));
        }
        let (joint, start) = joint(text, part.end)?;
        let follows = part.unit.is_some() || !matches!(joint, Joint::None | Joint::Space);
        follows.then_some((joint, start))
    }

    /// Whether the lot goes on behind `part` with the number at `next`.
    fn goes_on(&self, text: Text<'_>, part: &Numbered, next: (Joint, usize)) -> bool {
        let (joint, start) = next;
        let Some(number) = Number::at(text, start) else { return false };
        let has_go = text.at(number.end) == '号';
        let is_another = part.unit == Some(Unit::Banchi) && text.has(number.end, "番地");
        match joint {
            // ２５４６番地２５４７番地: two lots.
            Joint::None | Joint::Space if is_another => false,
            Joint::Of | Joint::None if part.unit == Some(Unit::Go) => joint == Joint::Of,
            // ２７号－７０７: the lot is complete.
            Joint::Space | Joint::Tilde if part.unit == Some(Unit::Go) => false,
            Joint::Hyphen if part.unit == Some(Unit::Go) => !number.is_room() && !has_go,
            // ５番地　３０１
            Joint::Space if part.unit != Some(Unit::Chome) => !number.is_room(),
            // １～３ is a range; ４番１～３号 and １～２～３ have a hyphen.
            Joint::Tilde => {
                let in_block = self.parts().iter().any(|part| part.unit.is_some());
                let another = is_tilde(text.at(number.end));
                let one = self.parts().iter().any(|part| part.joint == Joint::Tilde);
                in_block || another || one
            }
            _ => true,
        }
    }

    /// Takes off the numbers that are a room: `１２番３４－３０１号`, `１－２－３－４０１`.
    ///
    /// A lot has three numbers with a chome and two without: chome, block and house, or chome, lot
    /// and branch. What follows is a room if it has three digits, and in residence indication always.
    fn without_room(
        mut self,
        text: Text<'_>,
        context: Context,
    ) -> (Sequence, Option<(usize, usize)>) {
        let count = self.lot_count(text, context);
        let room = self.parts().get(count).map(|room| (room.number.start, self.end()));
        self.read = self.count;
        self.count = count;
        (self, room)
    }

    fn lot_count(&self, text: Text<'_>, context: Context) -> usize {
        let parts = self.parts();
        let [.., last] = parts else { return self.count };
        let is_joined =
            |part: &Numbered| matches!(part.joint, Joint::Hyphen | Joint::Tilde | Joint::Space);
        if parts.len() > 2
            && last.unit == Some(Unit::Go)
            && is_joined(last)
            && last.number.is_room()
            && parts[parts.len() - 2].unit.is_none()
        {
            return parts.len() - 1;
        }
        let levels = match parts[0].unit {
            Some(Unit::Chome) => 3,
            Some(Unit::Banchi | Unit::Ban | Unit::Block) => 2,
            _ if context.has_chome == Some(false) => 2,
            _ => 3,
        };
        if parts.len() > 1 && last.joint == Joint::Hyphen && last.unit.is_none() {
            // ７３－１Ｂ号室, ５番３－４Ｃ, ７－１０－３０４Ａ.
            let is_room = parts.len() > levels || (parts.len() > 2 && last.number.is_room());
            match super::floor::behind_letter(text, last.end) {
                Some(true) => return parts.len() - 1,
                Some(false) if is_room => return parts.len() - 1,
                _ => {}
            }
        }
        let Some(extra) = parts.get(levels) else { return parts.len() };
        let is_indicated = context.residence_indication == Some(true) && levels == 3;
        if is_joined(extra) && (extra.number.is_room() || is_indicated) {
            return levels;
        }
        let is_last_room = parts.len() > levels + 1 && is_joined(last) && last.number.is_room();
        parts.len() - usize::from(is_last_room)
    }

    fn write(&self, text: Text<'_>, out: &mut String) {
        for (at, part) in self.parts().iter().enumerate() {
            if at > 0 {
                out.push('-');
            }
            if part.number.is_kanji {
                write_number(part.number.value, out);
            } else {
                out.extend((part.number.start..part.number.end).map(|place| text.at(place)));
            }
        }
    }
}

fn write_number(number: u64, out: &mut String) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = write!(out, "{number}");
}

/// The place behind a side of the street or a block letter between chome and number: `２１丁目南１番`,
/// `４丁目ヌ８５`.
fn behind_side(text: Text<'_>, place: usize) -> Option<usize> {
    let side = text.at(place);
    let is_side = matches!(
        side,
        '右' | '左' | '東' | '西' | '南' | '北' | '上' | '下' | '甲' | '乙' | '丙' | '丁'
    ) || (is_katakana(side) && !is_hyphen(side) && !matches!(side, 'ノ'));
    (is_side && is_digit(text.at(place + 1))).then_some(place + 1)
}

/// The place of a number behind 第 or の第 that ends its word: `８５３番地の第１`.
fn behind_ordinal(text: Text<'_>, place: usize) -> Option<usize> {
    let start = text.any(place, &words::ORDINALS)? + place;
    let number = Number::at(text, start)?;
    text.is_boundary(number.end).then_some(start)
}

/// Reads another lot behind a lot, as in `１６番地・１７番地`: the place behind it. A bare number of three
/// digits is a room, unless the lot before it is such a number too (`３９５・３９６`).
pub(super) fn behind_another(text: Text<'_>, place: usize, is_after_bare: bool) -> Option<usize> {
    let number = Number::at(text, place)?;
    let is_room = number.is_room() && !text.has(number.end, "番");
    if is_room && !is_after_bare && !is_hyphen(text.at(number.end)) {
        return None;
    }
    Sequence::read(text, place).map(|sequence| sequence.end())
}

pub(super) fn is_banchi(text: Text<'_>, place: usize) -> bool {
    is_digit(text.at(place))
        && Number::at(text, place).is_some_and(|number| text.has(number.end, "番地"))
}

pub(super) fn is_letter_of_lot(text: Text<'_>, place: usize) -> bool {
    is_lot_letter(text.at(place)) && !is_hyphen_kanji(text, place)
}
