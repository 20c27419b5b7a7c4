//! The municipalities that the beginning of a text may mean although it does not name them as the data do: without 市 or
//! with another ending, with a wrong letter, behind a wrong prefecture, written twice or in the wrong order.

use std::ops::Range;

use super::align::{Accepted, NAME_MAX, align, letter_bit};
use super::cost::is_kana;
use crate::address::area::{self, Area, PrefectureMatch};
use crate::address::gazetteer::{ArchivedAreaForm as AreaForm, ArchivedGazetteer};
use crate::address::name_match::{Tolerance, is_name, match_names};
use crate::address::result::{Component, CorrectionKind};
use crate::address::units::{Unit, code_at, codes, unit};

/// A municipality that the text may mean.
#[derive(Debug, Clone)]
pub(super) struct NearArea {
    pub(super) city: usize,
    /// The units of its name.
    pub(super) name: Range<usize>,
    /// The position after it.
    pub(super) end: usize,
    pub(super) form: AreaForm,
    pub(super) cost: u16,
    pub(super) why: Option<(CorrectionKind, Component)>,
    /// `None` if the text names none, or a wrong one.
    pub(super) prefecture: Option<PrefectureMatch>,
    /// The units of a prefecture that the municipality contradicts.
    pub(super) wrong_prefecture: Option<Range<usize>>,
    /// The units of a town that stands in front of it.
    pub(super) town_before: Option<Range<usize>>,
}

impl NearArea {
    /// A municipality that these units name literally, behind `prefecture` if the text names one.
    pub(super) fn literal(
        city: usize,
        name: Range<usize>,
        form: AreaForm,
        prefecture: Option<PrefectureMatch>,
    ) -> NearArea {
        NearArea {
            city,
            end: name.end,
            name,
            form,
            cost: 0,
            why: None,
            prefecture,
            wrong_prefecture: None,
            town_before: None,
        }
    }

    /// Whether this is a misspelt ward of the city that the text names literally.
    pub(super) fn is_ward_of(&self, literal: &Area) -> bool {
        literal.form == Some(AreaForm::WithoutWard)
            && matches!(self.why, Some((_, Component::CityWard)))
    }

    /// The same, corrected at this cost.
    fn corrected(self, cost: u16, kind: CorrectionKind, component: Component) -> NearArea {
        NearArea { cost, why: Some((kind, component)), ..self }
    }
}

/// The cost of a municipality without its 市, 区, 町 or 村.
const WITHOUT_ENDING: u16 = 3;
/// The cost of 町 for 市 and the like.
const OTHER_ENDING: u16 = 2;
/// The cost of a prefecture or ward that the rest contradicts.
pub(super) const CONTRADICTED: u16 = 5;
/// The cost of a name that is written twice or in the wrong order.
pub(super) const REPEATED: u16 = 2;
/// What a name that ends in 区 directly behind a city with wards gains as a ward: few towns end so.
const AS_WARD: u16 = 3;
/// Highest cost of a misspelt municipality.
const MISSPELT_MAX: u16 = 6;
/// Highest cost of a municipality of three letters of which the first is wrong: 真宿区.
const READ_ALIKE_MAX: u16 = 4;
/// Longest town in front of its municipality.
const TOWN_BEFORE_MAX: usize = 12;

const ENDINGS: [u16; 4] = [unit('市'), unit('区'), unit('町'), unit('村')];
/// What people write for these: 群 and 都 for 郡.
const OTHER_ENDINGS: [u16; 7] =
    [unit('市'), unit('区'), unit('町'), unit('村'), unit('郡'), unit('群'), unit('都')];

/// Calls `found` for every municipality that the text from `start` on may mean. `literal` is what it names literally.
pub(super) fn near_areas(
    gazetteer: &ArchivedGazetteer,
    text: &[Unit],
    start: usize,
    literal: &Area,
    found: &mut dyn FnMut(NearArea),
) {
    let prefecture = literal.prefecture.as_ref();
    let begin = prefecture.map_or(start, |named| named.name.end);
    let mut search = Search { gazetteer, text, prefecture, found };
    // A county that the text names is no municipality without its ending.
    let county = literal.form == Some(AreaForm::County);
    let names_city = !matches!(literal.form, None | Some(AreaForm::County));
    // Nor is the beginning of a municipality that the text names: 養老郡 of 養老郡養老町 is no 養老町.
    let named_end = if names_city { literal.name.end } else { begin };
    search.without_ending(begin, if county { literal.end() } else { begin }, named_end);
    if county {
        search.county_again(literal);
    }
    if !names_city {
        search.misspelt(begin);
        if let Some(named) = prefecture {
            search.behind_wrong_prefecture(named);
        }
        search.behind_town(literal.end().max(begin));
    }
    if literal.form == Some(AreaForm::Ward) {
        search.ward_before_city(literal);
    }
    search.misspelt_wards(literal);
    search.named_again(literal);
    search.other_wards(literal);
}

struct Search<'a> {
    gazetteer: &'a ArchivedGazetteer,
    text: &'a [Unit],
    prefecture: Option<&'a PrefectureMatch>,
    found: &'a mut dyn FnMut(NearArea),
}

impl Search<'_> {
    fn is_inside(&self, city: usize) -> bool {
        let prefecture = self.gazetteer.cities[city].prefecture;
        self.prefecture.is_none_or(|named| named.code == prefecture)
    }

    fn add(&mut self, name: usize, range: Range<usize>, cost: u16, kind: CorrectionKind) {
        let name = &self.gazetteer.area_of[name];
        let city = usize::from(name.city.to_native());
        if name.form == AreaForm::County || !self.is_inside(city) {
            return;
        }
        let component = match name.form {
            AreaForm::Ward => Component::CityWard,
            _ => Component::City,
        };
        let form = AreaForm::WithoutCounty;
        let near = NearArea::literal(city, range, form, self.prefecture.cloned());
        (self.found)(near.corrected(cost, kind, component));
    }

    /// Municipalities whose name the text has but for its last letter: 武蔵野八幡町, 氷見町, 広尾郡広尾. None ends
    /// before `named_end`.
    fn without_ending(&mut self, begin: usize, shortest: usize, named_end: usize) {
        let keys = &self.gazetteer.areas;
        let mut names = 0..keys.count();
        for (depth, position) in (begin..self.text.len()).enumerate() {
            let code = self.text[position].code;
            if depth > 1 && position >= shortest {
                let next = code_at(self.text, position);
                for ending in ENDINGS {
                    let longer = keys.narrow(&names, depth, ending);
                    let whole = keys.with_length(&longer, depth + 1);
                    for name in whole.filter(|_| next != Some(ending)) {
                        let is_other = next.is_some_and(|next| OTHER_ENDINGS.contains(&next));
                        let range = begin..position + 1;
                        if is_other && position + 1 >= named_end {
                            // 富岡市 is rather 富岡市 than 富岡町.
                            let is_named = position + 1 == named_end;
                            let cost = if is_named { CONTRADICTED } else { OTHER_ENDING };
                            self.add(name, range, cost, CorrectionKind::Letters);
                        }
                        let range = begin..position;
                        if position >= named_end {
                            self.add(name, range, WITHOUT_ENDING, CorrectionKind::Completed);
                        }
                    }
                }
            }
            names = keys.narrow(&names, depth, code);
            if names.is_empty() {
                return;
            }
        }
    }

    /// Municipalities whose name the text has with wrong letters: 宇左市, 西牟婁群白浜町.
    fn misspelt(&mut self, begin: usize) {
        let keys = &self.gazetteer.areas;
        let Some(first) = code_at(self.text, begin) else { return };
        let window = &self.text[begin..self.text.len().min(begin + NAME_MAX)];
        // The letters of each beginning of the text.
        let mut beginnings = [0_u64; NAME_MAX + 1];
        for (position, letter) in codes(window).enumerate() {
            beginnings[position + 1] = beginnings[position] | letter_bit(letter);
        }
        let mut letters = Vec::new();
        for name in 0..keys.count() {
            let city = usize::from(self.gazetteer.area_of[name].city.to_native());
            let units = keys.units(name);
            if !(3..=NAME_MAX).contains(&units.len()) || !self.is_inside(city) {
                continue;
            }
            let written = beginnings[(units.len() + 2).min(window.len())];
            let is_written = |letter: u16| written & letter_bit(letter) != 0;
            let differing = units.iter().filter(|letter| !is_written(letter.to_native())).count();
            let kana = units.iter().filter(|letter| is_kana(letter.to_native())).count();
            let begins = units.iter().take(2).any(|letter| {
                codes(&window[..window.len().min(3)]).any(|code| code == letter.to_native())
            });
            // One letter may be wrong, and kanji may be written for any kana in a prefecture.
            let in_kanji = self.prefecture.is_some() && kana > 1 && differing <= kana + 1;
            if !(begins && differing <= 1 || in_kanji) {
                continue;
            }
            letters.clear();
            letters.extend(units.iter().map(|unit| unit.to_native()));
            let is_whole = |_: usize| true;
            let other_lengths = kana > 0 && differing > 1;
            let accepted = Accepted { limit: MISSPELT_MAX, other_lengths };
            let Some(near) = align(&letters, self.text, begin, accepted, is_whole) else {
                continue;
            };
            let is_sure = usize::from(near.equal) + 1 >= letters.len().min(4);
            let same_first = first == letters[0] || near.equal > 2 || near.cost <= READ_ALIKE_MAX;
            if near.cost > 0 && is_sure && same_first && near.end > begin + 1 {
                self.add(name, begin..near.end, near.cost, CorrectionKind::Letters);
            }
        }
    }

    /// Wards whose name the text has with wrong letters behind that of their city: 横浜市仲区.
    fn misspelt_wards(&mut self, literal: &Area) {
        if literal.form != Some(AreaForm::WithoutWard) {
            return;
        }
        let keys = &self.gazetteer.areas;
        let Range { start, end } = literal.name;
        let of_city = (start..end).enumerate().fold(0..keys.count(), |names, (depth, position)| {
            keys.narrow(&names, depth, self.text[position].code)
        });
        for name in of_city {
            let area = &self.gazetteer.area_of[name];
            let city = usize::from(area.city.to_native());
            if area.form != AreaForm::Full || !self.is_inside(city) {
                continue;
            }
            let letters: Vec<u16> = keys.units(name).iter().map(|unit| unit.to_native()).collect();
            let accepted = Accepted { limit: MISSPELT_MAX, other_lengths: false };
            let near = align(&letters, self.text, start, accepted, |_| true);
            let Some(near) = near.filter(|near| near.cost > 0 && near.end > end + 1) else {
                continue;
            };
            let (range, prefecture) = (start..near.end, self.prefecture.cloned());
            let ward = NearArea::literal(city, range, AreaForm::Full, prefecture);
            let kind = CorrectionKind::Letters;
            let is_ward = self.text[near.end - 1].code == unit('区');
            let cost = near.cost.saturating_sub(if is_ward { AS_WARD } else { 0 }).max(1);
            (self.found)(ward.corrected(cost, kind, Component::CityWard));
        }
    }

    /// Municipalities of other prefectures: 千葉県笠間市. Their own prefecture may follow the wrong one.
    fn behind_wrong_prefecture(&mut self, named: &PrefectureMatch) {
        let begin = named.name.end;
        let mut rest = Area::default();
        area::locate(self.gazetteer, self.text, begin, &[], &mut rest);
        for candidate in rest.candidates.iter().filter(|_| rest.form != Some(AreaForm::County)) {
            let form = rest.form.unwrap_or(AreaForm::Full);
            let (name, prefecture) = (rest.name.clone(), rest.prefecture.clone());
            let near = NearArea::literal(candidate.city, name, form, prefecture);
            let wrong_prefecture = Some(named.name.clone());
            (self.found)(NearArea { cost: CONTRADICTED, wrong_prefecture, ..near });
        }
    }

    /// Municipalities behind their town: 石川県市ノ瀬町輪島市.
    fn behind_town(&mut self, begin: usize) {
        let last = self.text.len().min(begin + TOWN_BEFORE_MAX);
        let keys = &self.gazetteer.areas;
        for position in begin + 1..last {
            if !is_name(self.text[position - 1].code) && !self.text[position - 1].is_kanji {
                return;
            }
            let hits = match_names(keys, 0..keys.count(), self.text, position, Tolerance::Literal);
            for (name, end) in hits.names() {
                let name = &self.gazetteer.area_of[name];
                let city = usize::from(name.city.to_native());
                let is_city = matches!(name.form, AreaForm::Full | AreaForm::WithoutCounty);
                if !is_city || !self.is_inside(city) || self.prefecture.is_none() {
                    continue;
                }
                let prefecture = self.prefecture.cloned();
                let near = NearArea::literal(city, position..end, name.form, prefecture);
                let near = near.corrected(REPEATED, CorrectionKind::Repeated, Component::City);
                let town_before = Some(begin..position);
                (self.found)(NearArea { town_before, ..near.clone() });
                // Or the town follows, and the text before means nothing.
                (self.found)(NearArea { cost: CONTRADICTED, ..near });
            }
        }
    }

    /// Wards in front of their city: 神奈川県中区横浜市.
    fn ward_before_city(&mut self, literal: &Area) {
        let begin = literal.name.end;
        let mut rest = Area::default();
        area::locate(self.gazetteer, self.text, begin, &[], &mut rest);
        for candidate in rest.candidates.iter().filter(|_| rest.prefecture.is_none()) {
            let is_named = literal.candidates.iter().any(|it| it.city == candidate.city);
            if rest.form == Some(AreaForm::WithoutWard) && is_named {
                self.add_repeated(candidate.city, literal, rest.name.end);
            }
        }
    }

    /// The municipality behind its prefecture, both written again: 大洲市愛媛県大洲市.
    fn named_again(&mut self, literal: &Area) {
        let [only] = literal.candidates.as_slice() else { return };
        let mut rest = Area::default();
        area::locate(self.gazetteer, self.text, literal.name.end, &[], &mut rest);
        let is_same = rest.candidates.iter().any(|candidate| candidate.city == only.city);
        if rest.prefecture.is_some() && is_same {
            self.add_repeated(only.city, literal, rest.name.end);
        }
    }

    /// The municipalities behind their county, which is written twice: 愛知郡愛知郡東郷町.
    fn county_again(&mut self, literal: &Area) {
        let Range { start, end } = literal.name;
        let again = end..end + (end - start);
        let is_same =
            self.text.get(again).is_some_and(|it| codes(it).eq(codes(&self.text[start..end])));
        if !is_same {
            return;
        }
        let mut rest = Area::default();
        area::locate(self.gazetteer, self.text, end, &[], &mut rest);
        let names_city = !matches!(rest.form, None | Some(AreaForm::County));
        for candidate in rest.candidates.iter().filter(|_| names_city) {
            self.add_repeated(candidate.city, literal, rest.name.end);
        }
    }

    /// Adds a municipality that the text names twice, or behind its ward: from the literal name up to `end`.
    fn add_repeated(&mut self, city: usize, literal: &Area, end: usize) {
        let (name, prefecture) = (literal.name.start..end, literal.prefecture.clone());
        let near = NearArea::literal(city, name, AreaForm::WithoutCounty, prefecture);
        (self.found)(near.corrected(REPEATED, CorrectionKind::Repeated, Component::City));
    }

    /// The other wards of a city, since the town may be in one of them.
    fn other_wards(&mut self, literal: &Area) {
        let [only] = literal.candidates.as_slice() else { return };
        if literal.form != Some(AreaForm::Full) {
            return;
        }
        let written = &self.text[literal.name.clone()];
        let Some(city_length) = area::length_with_mark(written, '市') else { return };
        if city_length == written.len() {
            return;
        }
        let keys = &self.gazetteer.areas;
        let city = keys.with_rest(0..keys.count(), 0, codes(&written[..city_length]));
        for name in city {
            let name = &self.gazetteer.area_of[name];
            let ward = usize::from(name.city.to_native());
            let is_ward = name.form == AreaForm::WithoutWard && ward != only.city;
            if is_ward && self.is_inside(ward) {
                let (name, prefecture) = (literal.name.clone(), literal.prefecture.clone());
                let near = NearArea::literal(ward, name, AreaForm::Full, prefecture);
                let kind = CorrectionKind::Contradicted;
                (self.found)(near.corrected(CONTRADICTED, kind, Component::CityWard));
            }
        }
    }
}
