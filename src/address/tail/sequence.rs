//! The numbers of a lot with their units: chome, block, lot, branch and house, joined in a dozen ways.
//!
//! Determines where the numbers end, and which of the last are a room ([`Sequence::without_room`]).

use super::number::{Joint, Number, joint};
use super::result::{Context, LotNumbers};
use super::scan::{
    Text, is_digit, is_hiragana, is_hyphen, is_kanji, is_katakana, is_lot_letter, is_space,
    is_tilde,
};
use super::{room, words};

/// Whether a number with a lot's unit, or without a unit, is at a position: `１６番地１`, not `７階`.
pub(super) fn is_lot_start(text: Text<'_>, place: usize) -> bool {
    Number::at(text, place).is_some_and(|number| {
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
    pub(super) fn at(text: Text<'_>, place: usize, after_unit: bool) -> Option<(LotUnit, usize)> {
        // A space before a unit: `１ 丁目`.
        let start = text.skip(place, is_space);
        let space = start - place;
        let unit = match text.at(start) {
            '丁' if text.at(start + 1) == '目' => (LotUnit::Chome, 2),
            '丁' if joint(text, start + 1).is_some() => (LotUnit::Chome, 1),
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

#[derive(Clone, Copy, Default)]
struct Numbered {
    number: Number,
    unit: Option<LotUnit>,
    end: usize,
    joint: Joint,
}

/// Most areas counted by 号 before a lot.
const AREAS_MAX: usize = 2;

const NUMBERS_MAX: usize = 8;

/// The numbers of a lot, from the largest unit to the smallest; not empty.
pub(super) struct Sequence {
    parts: [Numbered; NUMBERS_MAX],
    /// How many of them belong to the lot.
    count: usize,
    /// How many were read; those beyond `count` are a room.
    read: usize,
}

impl Sequence {
    pub(super) fn read(text: Text<'_>, place: usize) -> Option<Sequence> {
        let mut sequence = Sequence { parts: Default::default(), count: 0, read: 0 };
        let mut next = Some((Joint::None, place));
        let mut areas = 0;
        while let Some((joined, start)) = next {
            let Some(part) = sequence.part(text, start, joined) else { break };
            next = sequence.next(text, &part);
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
                next = next.filter(|next| sequence.goes_on(text, &part, *next));
            }
        }
        (sequence.count > 0).then_some(sequence)
    }

    fn parts(&self) -> &[Numbered] {
        &self.parts[..self.count]
    }

    /// Whether it is a single number of three digits without a unit.
    pub(super) fn is_bare(&self) -> bool {
        matches!(self.parts(), [part] if part.unit.is_none() && part.number.is_room())
    }

    pub(super) fn start(&self) -> usize {
        self.parts[0].number.start
    }

    pub(super) fn end(&self) -> usize {
        self.parts().last().map_or(0, |part| part.end)
    }

    fn part(&self, text: Text<'_>, start: usize, joint: Joint) -> Option<Numbered> {
        let number = Number::at(text, start)?;
        if let Some(number) = self.before_floor(text, number, joint) {
            return Some(Numbered { number, unit: None, end: number.end, joint });
        }
        // ４番地の４Ｆステージ: a number after の belongs to the lot.
        let is_floor = number.is_floor(text) && (joint != Joint::Of || text.at(number.end) != 'f');
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
        Some(Numbered { number, unit: unit.map(|(unit, _)| unit), end, joint })
    }

    /// The last number of a lot that directly precedes a floor. A lot that already has all its numbers needs none
    /// of its digits.
    fn before_floor(&self, text: Text<'_>, number: Number, joint: Joint) -> Option<Number> {
        let is_behind = match self.parts().last() {
            None => number.start == 0,
            Some(_) => self.count < self.levels() && !matches!(joint, Joint::Space | Joint::Tilde),
        };
        let has_short_lots = self.count > 1;
        number.before_floor(text, has_short_lots).filter(|_| is_behind)
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
        let behind = text.at(number.end);
        let joined = joint(text, number.end)
            .is_some_and(|(joint, _)| matches!(joint, Joint::Hyphen | Joint::Of));
        let in_kanji = self.parts().iter().all(|part| part.number.is_kanji);
        let other_script =
            !is_kanji(behind) && !is_hiragana(behind) && !matches!(behind, 'ノ' | 'ツ' | 'ケ');
        let ends = text.is_boundary(number.end) || has_letter_behind(text, number.end);
        joined || ends || (in_kanji && self.count > 0 && other_script)
    }

    /// The next number and its joint, if the lot may continue with it.
    fn next(&self, text: Text<'_>, part: &Numbered) -> Option<(Joint, usize)> {
        if part.unit == Some(LotUnit::Banchi)
            && let Some(start) = behind_ordinal(text, part.end)
        {
            return Some((Joint::Of, start));
        }
        if part.unit == Some(LotUnit::Chome)
            && let Some(start) = behind_side(text, part.end)
        {
            return Some((Joint::None, start));
        }
        let (joint, start) = joint(text, part.end)?;
        let follows = part.unit.is_some() || !matches!(joint, Joint::None | Joint::Space);
        follows.then_some((joint, start))
    }

    /// Whether the lot continues after `part` with the number at `next`.
    fn goes_on(&self, text: Text<'_>, part: &Numbered, next: (Joint, usize)) -> bool {
        let (joint, start) = next;
        let Some(number) = Number::at(text, start) else { return false };
        let has_go = text.at(number.end) == '号';
        let is_another = part.unit == Some(LotUnit::Banchi) && text.has(number.end, "番地");
        match joint {
            // ２５４６番地２５４７番地: two lots.
            Joint::None | Joint::Space if is_another => false,
            Joint::Of | Joint::None if part.unit == Some(LotUnit::Go) => joint == Joint::Of,
            // ２７号－７０７: the lot is complete.
            Joint::Space | Joint::Tilde if part.unit == Some(LotUnit::Go) => false,
            Joint::Hyphen if part.unit == Some(LotUnit::Go) => !number.is_room_of_lot() && !has_go,
            // ５番地　３０１
            Joint::Space if part.unit != Some(LotUnit::Chome) => !number.is_room(),
            // １～３ is a range; in ４番１～３号 and １～２～３ it is a hyphen.
            Joint::Tilde => {
                let in_block = self.parts().iter().any(|part| part.unit.is_some());
                let another = is_tilde(text.at(number.end));
                let one = self.parts().iter().any(|part| part.joint == Joint::Tilde);
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
            && last.unit == Some(LotUnit::Go)
            && is_joined(last)
            && last.number.is_room_of_lot()
            && parts[parts.len() - 2].unit.is_none()
        {
            return parts.len() - 1;
        }
        let has_no_chome = parts[0].unit.is_none() && context.has_chome == Some(false);
        let levels = if has_no_chome { 2 } else { self.levels() };
        if parts.len() > 1 && last.joint == Joint::Hyphen && last.unit.is_none() {
            // ７３－１Ｂ号室, ５番３－４Ｃ, ７－１０－３０４Ａ.
            let is_room = parts.len() > levels || (parts.len() > 2 && last.number.is_room_of_lot());
            match room::behind_letter(text, last.end) {
                Some(true) => return parts.len() - 1,
                Some(false) if is_room => return parts.len() - 1,
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
    pub(super) fn take_room(&mut self) {
        self.count = self.read;
    }

    pub(super) fn numbers(&self) -> LotNumbers {
        LotNumbers::of(self.parts().iter().map(|part| part.number.value))
    }

    /// The numbers with text between them and the previous number, such as a letter or side.
    pub(super) fn apart(&self) -> impl Iterator<Item = Number> {
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
        for (at, part) in self.parts().iter().enumerate() {
            if at > 0 {
                out.push('-');
                if part.number.start > self.parts[at - 1].end {
                    before(out, part.number);
                }
            }
            if part.number.is_kanji {
                out.push_str(itoa::Buffer::new().format(part.number.value));
            } else {
                out.extend((part.number.start..part.number.end).map(|place| text.at(place)));
            }
        }
    }
}

/// The position after a side or block letter between chome and number: `２１丁目南１番`, `４丁目ヌ８５`.
fn behind_side(text: Text<'_>, place: usize) -> Option<usize> {
    let side = text.at(place);
    let is_side = matches!(
        side,
        '右' | '左' | '東' | '西' | '南' | '北' | '上' | '下' | '甲' | '乙' | '丙' | '丁'
    ) || (is_katakana(side) && !is_hyphen(side) && !matches!(side, 'ノ'));
    // 一丁目南八－一
    let in_kanji = Number::at(text, place + 1).filter(|number| number.is_kanji);
    let joined = in_kanji.and_then(|number| joint(text, number.end)).map(|(joint, _)| joint);
    let is_kanji_lot = matches!(joined, Some(Joint::Hyphen | Joint::Of));
    (is_side && (is_digit(text.at(place + 1)) || is_kanji_lot)).then_some(place + 1)
}

/// Whether a letter of the lot ends the word after a number in kanji: 六のロ.
pub(super) fn has_letter_behind(text: Text<'_>, place: usize) -> bool {
    matches!(text.at(place), 'ノ' | 'の')
        && is_lot_letter(text.at(place + 1))
        && text.is_boundary(place + 2)
}

/// The position of a number after 第 or の第 that ends its word: `８５３番地の第１`.
fn behind_ordinal(text: Text<'_>, place: usize) -> Option<usize> {
    let start = text.any(place, &words::ORDINALS)? + place;
    let number = Number::at(text, start)?;
    text.is_boundary(number.end).then_some(start)
}

/// Reads a further lot, as in `１６番地・１７番地`, and returns the position after it. A bare number of three digits is a
/// room, unless the lot before is such a number too (`３９５・３９６`).
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
