//! The numbers of a lot with their units: chome, block, lot, branch and house, connected in a dozen ways.
//!
//! Determines where the numbers end, and which of the last are a room ([`LotSequence::without_room`]).

use super::number::{Connector, Number, connector, is_joined};
use super::result::{Context, LotNumbers};
use super::room::{self, RoomLetter};
use super::scan::{
    CharRange, Text, is_digit, is_hiragana, is_hyphen, is_kanji, is_katakana, is_lot_letter,
    is_space, is_tilde,
};
use super::words;

/// Whether a number with a lot's unit, or without a unit, is at a position: `１６番地１`, not `７階`.
pub(super) fn is_lot_start(text: Text<'_>, position: usize) -> bool {
    Number::at(text, position).is_some_and(|number| {
        let opens = text.at(number.end) == '番';
        !number.is_floor(text) && !number.is_name(text, true) && (opens || !number.is_kanji)
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LotUnit {
    Chome,
    Block,
    Banchi,
    Ban,
    Go,
    /// 地, only in `１番１地`.
    Plot,
}

impl LotUnit {
    /// The unit at a position, and its length with the spaces before it. `after_unit`: the number before has a unit.
    pub(super) fn at(
        text: Text<'_>,
        position: usize,
        after_unit: bool,
    ) -> Option<(LotUnit, usize)> {
        // A space before a unit: `１ 丁目`.
        let start = text.skip(position, is_space);
        let space = start - position;
        let unit = match text.at(start) {
            // ２町目 is written for ２丁目.
            '丁' | '町' if text.at(start + 1) == '目' => (LotUnit::Chome, 2),
            '丁' if connector(text, start + 1).is_some() => (LotUnit::Chome, 1),
            '街' if text.at(start + 1) == '区' => (LotUnit::Block, 2),
            '画' if text.at(start + 1) == '地' => (LotUnit::Block, 2),
            '番' if text.at(start + 1) == '地' => (LotUnit::Banchi, 2),
            '番' if text.at(start + 1) == '号' => (LotUnit::Ban, 2),
            '番' => (LotUnit::Ban, 1),
            // ２７番１号地
            '号' if after_unit && text.at(start + 1) == '地' && !is_kanji(text.at(start + 2)) => {
                (LotUnit::Go, 2)
            }
            '号' => (LotUnit::Go, 1),
            // １番１地, １番１地市立病院.
            '地' if after_unit && (text.is_boundary(start + 1) || text.at(start + 2) == '立') => {
                (LotUnit::Plot, 1)
            }
            _ => return None,
        };
        Some((unit.0, unit.1 + space))
    }
}

/// A number of a lot.
#[derive(Clone, Copy, Default)]
struct LotNumber {
    number: Number,
    unit: Option<LotUnit>,
    /// The position after the unit.
    end: usize,
    /// What connects it with the number before.
    connector: Connector,
}

/// Most areas with a number and 号 before a lot: １０号４－１.
const AREAS_MAX: usize = 2;

/// Most numbers of a lot.
const NUMBERS_MAX: usize = 8;

/// The numbers of a lot, from the largest unit to the smallest; not empty.
pub(super) struct LotSequence {
    parts: [LotNumber; NUMBERS_MAX],
    /// How many of them belong to the lot.
    count: usize,
    /// How many were read; those beyond `count` are a room.
    read_count: usize,
}

impl LotSequence {
    /// Reads the lot that begins at a position. `side`: a known side of a chome between two of its numbers.
    pub(super) fn read(
        text: Text<'_>,
        position: usize,
        side: Option<CharRange>,
    ) -> Option<LotSequence> {
        let mut sequence = LotSequence { parts: Default::default(), count: 0, read_count: 0 };
        let mut next = Some((Connector::None, position));
        let mut areas = 0;
        while let Some((connector, start)) = next {
            let Some(part) = sequence.read_number(text, start, connector) else { break };
            next = sequence.next_number(text, &part, side);
            // １０号４－１: a number with 号 before a lot is an area.
            let is_area = part.unit == Some(LotUnit::Go)
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
                next = next.filter(|next| sequence.continues_with(text, &part, *next));
            }
        }
        (sequence.count > 0).then_some(sequence)
    }

    fn parts(&self) -> &[LotNumber] {
        &self.parts[..self.count]
    }

    /// What decides whether another lot or a room follows it.
    pub(super) fn as_before(&self) -> LotBefore {
        let parts = self.parts();
        let chome = usize::from(parts[0].unit == Some(LotUnit::Chome) || parts.len() > 2);
        LotBefore {
            is_bare: matches!(parts, [part] if part.unit.is_none() && part.number.is_room()),
            has_branch: parts.len() > chome + 1,
            main: parts.get(chome).map_or(0, |part| part.number.value.min(u64::from(u32::MAX))),
        }
    }

    pub(super) fn start(&self) -> usize {
        self.parts[0].number.start
    }

    pub(super) fn end(&self) -> usize {
        self.parts().last().map_or(0, |part| part.end)
    }

    /// Reads one number with its unit; `None` if it is a floor or part of a name.
    fn read_number(&self, text: Text<'_>, start: usize, connector: Connector) -> Option<LotNumber> {
        let number = Number::at(text, start)?;
        if let Some(number) = self.number_without_floor(text, number, connector) {
            return Some(LotNumber { number, unit: None, end: number.end, connector });
        }
        // ４番地の４Ｆステージ: a number after の belongs to the lot.
        let is_floor =
            number.is_floor(text) && (connector != Connector::Of || text.at(number.end) != 'f');
        if is_floor || number.is_name(text, self.count == 0) {
            return None;
        }
        let before = self.parts().last();
        let unit = LotUnit::at(text, number.end, before.is_some_and(|part| part.unit.is_some()));
        if number.is_kanji && unit.is_none() && !self.may_be_bare(text, number) {
            return None;
        }
        // １６３番地二丁目店舗: a name.
        if before.is_some() && unit.is_some_and(|(unit, _)| unit == LotUnit::Chome) {
            return None;
        }
        let end = number.end + unit.map_or(0, |(_, length)| length);
        Some(LotNumber { number, unit: unit.map(|(unit, _)| unit), end, connector })
    }

    /// The last number of a lot that directly precedes a floor. A lot that already has all its numbers needs none
    /// of its digits.
    fn number_without_floor(
        &self,
        text: Text<'_>,
        number: Number,
        connector: Connector,
    ) -> Option<Number> {
        let is_after_lot = match self.parts().last() {
            None => number.start == 0,
            Some(_) => {
                self.count < self.levels()
                    && !matches!(connector, Connector::Space | Connector::Tilde)
            }
        };
        let has_short_lots = self.count > 1;
        number.without_floor(text, has_short_lots).filter(|_| is_after_lot)
    }

    /// How many numbers a lot with this beginning has: chome, block and house, or lot and branch.
    fn levels(&self) -> usize {
        match self.parts().first().and_then(|part| part.unit) {
            Some(LotUnit::Banchi | LotUnit::Ban | LotUnit::Block) => 2,
            _ => 3,
        }
    }

    /// Whether kanji without a unit belong to the lot: `二百十番地三`, not `１番地三井ビル`.
    fn may_be_bare(&self, text: Text<'_>, number: Number) -> bool {
        let next = text.at(number.end);
        let joined = is_joined(text, number.end);
        let in_kanji = self.parts().iter().all(|part| part.number.is_kanji);
        let other_script =
            !is_kanji(next) && !is_hiragana(next) && !matches!(next, 'ノ' | 'ツ' | 'ケ');
        let ends = text.is_boundary(number.end) || has_final_letter(text, number.end);
        joined || ends || (in_kanji && self.count > 0 && other_script)
    }

    /// The connector and the position of the next number, if the lot may continue with it.
    fn next_number(
        &self,
        text: Text<'_>,
        part: &LotNumber,
        side: Option<CharRange>,
    ) -> Option<(Connector, usize)> {
        if let Some((start, end)) = side
            && (start == part.end || start == part.end + 1 && is_hyphen(text.at(part.end)))
        {
            return Some((Connector::None, end));
        }
        if part.unit == Some(LotUnit::Banchi)
            && let Some(start) = after_ordinal(text, part.end)
        {
            return Some((Connector::Of, start));
        }
        if part.unit == Some(LotUnit::Chome)
            && let Some(start) = after_side(text, part.end)
        {
            return Some((Connector::None, start));
        }
        let (connector, start) = connector(text, part.end)?;
        let follows = part.unit.is_some()
            || !matches!(connector, Connector::None | Connector::Space)
            || connector == Connector::Space && self.continues_after_space(text, start);
        follows.then_some((connector, start))
    }

    /// Whether the number after a space continues a lot of which no number has a hyphen: 大山 2 22 4. A number that
    /// looks like a room is one.
    fn continues_after_space(&self, text: Text<'_>, start: usize) -> bool {
        let numbers = self.parts().iter();
        let spaced = numbers
            .map(|part| part.connector)
            .all(|connector| matches!(connector, Connector::None | Connector::Space));
        // The number before is not yet among the parts.
        spaced
            && self.count < 2
            && Number::at(text, start).is_some_and(|number| {
                !number.is_kanji && !number.is_room_of_lot() && text.is_boundary(number.end)
            })
    }

    /// Whether the lot continues after `part` with the number at `next`.
    fn continues_with(&self, text: Text<'_>, part: &LotNumber, next: (Connector, usize)) -> bool {
        let (connector, start) = next;
        let Some(number) = Number::at(text, start) else { return false };
        let has_go = text.at(number.end) == '号';
        let is_another = part.unit == Some(LotUnit::Banchi) && text.has(number.end, "番地");
        let is_after_go = part.unit == Some(LotUnit::Go);
        match connector {
            // ３丁目７号１０番地: the block comes first.
            Connector::None if is_after_go && text.at(number.end) == '番' => {
                !number.is_name(text, false)
            }
            // ２５４６番地２５４７番地: two lots.
            Connector::None | Connector::Space if is_another => false,
            Connector::Of => true,
            // ２７号－７０７: the lot is complete.
            Connector::None | Connector::Space | Connector::Tilde if is_after_go => false,
            Connector::Hyphen if is_after_go => !number.is_room_of_lot() && !has_go,
            // ５番地　３０１
            Connector::Space if part.unit != Some(LotUnit::Chome) => !number.is_room(),
            // １～３ is a range; in ４番１～３号 and １～２～３ it is a hyphen.
            Connector::Tilde => {
                let in_block = self.parts().iter().any(|part| part.unit.is_some());
                let another = is_tilde(text.at(number.end));
                let one = self.parts().iter().any(|part| part.connector == Connector::Tilde);
                in_block || another || one
            }
            _ => true,
        }
    }

    /// Removes the numbers that are a room: `１２番３４－３０１号`, `１－２－３－４０１`. A lot has three numbers with a chome (chome,
    /// block and house, or chome, lot and branch) and two without. A further number is a room if it has three
    /// digits, and in residence indication always.
    pub(super) fn without_room(
        mut self,
        text: Text<'_>,
        context: Context,
    ) -> (LotSequence, Option<(usize, usize)>) {
        let count = self.lot_number_count(text, context);
        let room = self.parts().get(count).map(|room| (room.number.start, self.end()));
        self.read_count = self.count;
        self.count = count;
        (self, room)
    }

    /// How many of the numbers belong to the lot; the others are a room.
    fn lot_number_count(&self, text: Text<'_>, context: Context) -> usize {
        let parts = self.parts();
        let [.., last] = parts else { return self.count };
        let is_joined = |part: &LotNumber| {
            matches!(part.connector, Connector::Hyphen | Connector::Tilde | Connector::Space)
        };
        if parts.len() > 2
            && last.unit == Some(LotUnit::Go)
            && is_joined(last)
            && last.number.is_room_of_lot()
            && parts[parts.len() - 2].unit.is_none()
        {
            return parts.len() - 1;
        }
        let has_no_chome = parts[0].unit.is_none() && context.has_chome == Some(false);
        let levels = if has_no_chome { 2 } else { self.levels() };
        if parts.len() > 1 && last.connector == Connector::Hyphen && last.unit.is_none() {
            // ７３－１Ｂ号室, ５番３－４Ｃ, ７－１０－３０４Ａ.
            let is_room = parts.len() > levels || (parts.len() > 2 && last.number.is_room_of_lot());
            match room::letter_after(text, last.end) {
                Some(RoomLetter::Counted) => return parts.len() - 1,
                Some(RoomLetter::EndsWord) if is_room => return parts.len() - 1,
                _ => {}
            }
        }
        let Some(extra) = parts.get(levels) else { return parts.len() };
        let is_indicated = context.residence_indication == Some(true) && levels == 3;
        if is_joined(extra) && (extra.number.is_room_of_lot() || is_indicated) {
            return levels;
        }
        let is_last_room =
            parts.len() > levels + 1 && is_joined(last) && last.number.is_room_of_lot();
        parts.len() - usize::from(is_last_room)
    }

    /// Makes the numbers that [`without_room`](Self::without_room) removed part of the lot again.
    pub(super) fn absorb_room(&mut self) {
        self.count = self.read_count;
    }

    pub(super) fn numbers(&self) -> LotNumbers {
        LotNumbers::from_values(self.parts().iter().map(|part| part.number.value))
    }

    /// The numbers that text separates from the number before, such as a letter or a side.
    pub(super) fn numbers_after_text(&self) -> impl Iterator<Item = Number> {
        let pairs = self.parts().windows(2);
        pairs.filter(|pair| pair[1].number.start > pair[0].end).map(|pair| pair[1].number)
    }

    /// Writes the numbers joined by hyphens; `before` writes the text that precedes some of them.
    pub(super) fn write(
        &self,
        text: Text<'_>,
        out: &mut String,
        mut before: impl FnMut(&mut String, Number),
    ) {
        for (index, part) in self.parts().iter().enumerate() {
            if index > 0 {
                out.push('-');
                if part.number.start > self.parts[index - 1].end {
                    before(out, part.number);
                }
            }
            if part.number.is_kanji {
                out.push_str(itoa::Buffer::new().format(part.number.value));
            } else {
                out.extend((part.number.start..part.number.end).map(|position| text.at(position)));
            }
        }
    }
}

/// The position after the side or the letter of a block between chome and number: `２１丁目南１番`, `４丁目ヌ８５`.
fn after_side(text: Text<'_>, position: usize) -> Option<usize> {
    let side = text.at(position);
    let is_letter = matches!(side, '甲' | '乙' | '丙' | '丁')
        || (is_katakana(side) && !is_hyphen(side) && !matches!(side, 'ノ'));
    let is_side = is_side(side) || is_letter;
    // 一丁目南八－一, 七丁目左十号
    let is_kanji_lot = Number::at(text, position + 1).is_some_and(|number| {
        let ends = is_joined(text, number.end) || text.at(number.end) == '号';
        number.is_kanji && ends && !number.is_name(text, false)
    });
    (is_side && (is_digit(text.at(position + 1)) || is_kanji_lot)).then_some(position + 1)
}

/// Whether it is the side of a street or chome: 旭川's 左 and 右, the directions of 札幌.
fn is_side(character: char) -> bool {
    matches!(character, '右' | '左' | '東' | '西' | '南' | '北' | '上' | '下')
}

/// Whether a letter of the lot follows a number in kanji and ends the word: 六のロ.
pub(super) fn has_final_letter(text: Text<'_>, position: usize) -> bool {
    text.at(position) == 'ノ'
        && is_lot_letter(text.at(position + 1))
        && text.is_boundary(position + 2)
}

/// The position of a number after 第 or の第 that ends its word: `８５３番地の第１`.
fn after_ordinal(text: Text<'_>, position: usize) -> Option<usize> {
    let start = text.word_end(position, &words::ORDINALS)?;
    let number = Number::at(text, start)?;
    text.is_boundary(number.end).then_some(start)
}

/// The lot before another lot or a room.
#[derive(Clone, Copy)]
pub(super) struct LotBefore {
    /// Whether it is a single number of three digits without a unit.
    is_bare: bool,
    /// Whether a branch follows its main number.
    has_branch: bool,
    /// The number after the chome.
    main: u64,
}

/// The position after another lot: `１６番地・１７番地`. A bare number of three digits is a room, unless the lot before is
/// such a number too (`３９５・３９６`).
pub(super) fn another_lot_end(text: Text<'_>, position: usize, before: LotBefore) -> Option<usize> {
    let number = Number::at(text, position)?;
    let is_room = number.is_room() && !text.has(number.end, "番");
    let is_counted = is_room && text.at(number.end) == '号';
    let is_alone = is_room && !before.is_bare && !is_hyphen(text.at(number.end));
    if is_counted || is_alone || is_wing_and_room(text, number, before) {
        return None;
    }
    LotSequence::read(text, position, None).map(|sequence| sequence.end())
}

/// Whether a number after a list sign is a wing with a room: 10番地、5-101. In 16-1・17-102 the next lot of a list has a
/// branch, as the lot before.
fn is_wing_and_room(text: Text<'_>, wing: Number, before: LotBefore) -> bool {
    let room = is_hyphen(text.at(wing.end)).then(|| Number::at(text, wing.end + 1)).flatten();
    let is_next_lot =
        before.has_branch && (before.main + 1..before.main + 10).contains(&wing.value);
    room.is_some_and(|room| {
        let on_floor = (1..=40).contains(&(room.value % 100));
        let ends = text.is_boundary(room.end) || text.at(room.end) == '号';
        wing.value < 100 && room.is_room_of_lot() && on_floor && ends && !is_next_lot
    })
}

/// Whether a number with 番地 is at a position.
pub(super) fn is_banchi(text: Text<'_>, position: usize) -> bool {
    is_digit(text.at(position))
        && Number::at(text, position).is_some_and(|number| text.has(number.end, "番地"))
}
