//! The address of a customer beside the registered address of a corporation: how near they are.
//!
//! The registered address says what to look for, so a text needs no gazetteer: it is compared with the prefecture, the
//! municipality, the town and the lot of the candidate. Municipalities are those that have corporations. Knows neither
//! former municipalities nor misspelt towns.

use std::collections::HashMap;
use std::ops::Range;

use super::rules::Reason;
use crate::query::areas::{Area, merge_adjacent};
use crate::text::codes::digits::PREFECTURES;
use crate::text::fold::{Level, fold};
use crate::text::numerals::{self, is_hyphen, is_numeral};

/// Most kanji of the number of a chome.
const CHOME_LETTERS_MAX: usize = 4;

/// The municipalities that have corporations, with their prefectures, by the first letter.
#[derive(Debug, Default)]
pub struct Municipalities {
    by_letter: HashMap<char, Vec<Municipality>>,
    prefectures: Vec<Prefecture>,
}

#[derive(Debug)]
struct Municipality {
    /// In its comparable form.
    name: String,
    /// As it is registered.
    prefecture: String,
    rows: Range<u32>,
}

#[derive(Debug)]
struct Prefecture {
    /// As it is registered.
    registered: String,
    /// In its comparable form.
    name: String,
    rows: Vec<Range<u32>>,
}

impl Municipalities {
    pub fn new(areas: &[Area]) -> Municipalities {
        let mut found = Municipalities::default();
        for area in areas {
            let Some(city) = area.city.as_deref().map(comparable) else { continue };
            let mut names = vec![city.clone()];
            // 西多摩郡瑞穂町 is also written without its county.
            names.extend(town_of_county(&city).map(str::to_owned));
            for name in names {
                let Some(first) = name.chars().next() else { continue };
                let (prefecture, rows) = (area.prefecture.clone(), area.rows.clone());
                let of_letter = found.by_letter.entry(first).or_default();
                of_letter.push(Municipality { name, prefecture, rows });
            }
            match found.prefectures.iter_mut().find(|it| it.registered == area.prefecture) {
                Some(known) => known.rows.push(area.rows.clone()),
                None => found.prefectures.push(Prefecture {
                    registered: area.prefecture.clone(),
                    name: comparable(&area.prefecture),
                    rows: vec![area.rows.clone()],
                }),
            }
        }
        for prefecture in &mut found.prefectures {
            prefecture.rows = merge_adjacent(prefecture.rows.drain(..));
        }
        found
    }

    /// Whether the data have corporations of every prefecture.
    pub fn has_all_prefectures(&self) -> bool {
        self.prefectures.len() >= PREFECTURES.len()
    }

    /// The municipalities with whose name a text begins; of several lengths, the longest.
    fn named(&self, text: &str) -> Vec<&Municipality> {
        let first = text.chars().next().unwrap_or_default();
        let known = self.by_letter.get(&first).map(Vec::as_slice).unwrap_or_default();
        let fits = known.iter().filter(|it| text.starts_with(&*it.name));
        let longest = fits.clone().map(|it| it.name.len()).max().unwrap_or_default();
        fits.filter(|it| it.name.len() == longest).collect()
    }
}

/// An address as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedAddress {
    /// After the prefecture.
    rest: String,
    /// The prefecture that it names, or those of the municipality that it names, as registered; empty if unknown.
    prefectures: Vec<String>,
    /// The rows of the municipality that it names, or else of the prefecture.
    pub rows: Vec<Range<u32>>,
}

impl TypedAddress {
    /// `None` for a blank text.
    pub fn parse(text: &str, municipalities: &Municipalities) -> Option<TypedAddress> {
        let text = comparable(text);
        if text.is_empty() {
            return None;
        }
        let prefecture = municipalities.prefectures.iter().find(|it| text.starts_with(&*it.name));
        let rest = text[prefecture.map_or(0, |it| it.name.len())..].to_owned();
        let mut named = municipalities.named(&rest);
        if let Some(prefecture) = prefecture {
            named.retain(|it| it.prefecture == prefecture.registered);
        }
        let mut rows: Vec<Range<u32>> = named.iter().map(|it| it.rows.clone()).collect();
        let prefectures = match prefecture {
            Some(prefecture) => {
                if rows.is_empty() {
                    rows.clone_from(&prefecture.rows);
                }
                vec![prefecture.registered.clone()]
            }
            None => named.iter().map(|it| it.prefecture.clone()).collect(),
        };
        Some(TypedAddress { rest, prefectures, rows })
    }

    /// Whether it names prefectures, but not this one.
    pub fn is_elsewhere(&self, prefecture: &str) -> bool {
        !self.prefectures.is_empty() && !self.prefectures.iter().any(|it| it == prefecture)
    }

    /// How near it is to a registered address in a prefecture where it may be; `None` if it names no place.
    pub fn compare(&self, city: &str, street: &str) -> Option<Reason> {
        let [city, street] = [city, street].map(comparable);
        let own = Street::parse(&street);
        if let Some(rest) =
            self.rest.strip_prefix(&*city).or_else(|| without_county(&self.rest, &city))
        {
            return Some(Street::parse(rest).compare(&own).unwrap_or(Reason::SameCity));
        }
        // A text without the ward (岡山市伊島町1), or with a former municipality in front.
        if let Some((large, ward)) = city.split_once('市').filter(|(_, ward)| ward.ends_with('区'))
        {
            let large = self.rest.strip_prefix(large).and_then(|rest| rest.strip_prefix('市'));
            if let Some(rest) = large {
                let near = Street::parse(rest).compare(&own);
                let is_ward_alone = rest.starts_with(ward);
                return Some(match near {
                    Some(near) => near,
                    None if is_ward_alone || rest.is_empty() => Reason::SameCity,
                    None => Reason::SamePrefecture,
                });
            }
        }
        if own.has_lot()
            && let Some(at) = self.rest.find(&*own.town).filter(|_| !own.town.is_empty())
            && Street::parse(&self.rest[at..]).compare(&own) == Some(Reason::SameLot)
        {
            return Some(Reason::SameLot);
        }
        (!self.prefectures.is_empty()).then_some(Reason::SamePrefecture)
    }
}

/// The town or village of a county (西多摩郡瑞穂町); cities such as 郡山市 are in none.
fn town_of_county(city: &str) -> Option<&str> {
    let (county, town) = city.split_once('郡')?;
    (!county.is_empty() && town.ends_with(['町', '村'])).then_some(town)
}

/// The text after a municipality that is written without its county.
fn without_county<'t>(text: &'t str, city: &str) -> Option<&'t str> {
    text.strip_prefix(town_of_county(city)?)
}

/// The part of an address below the municipality: a town and the numbers of its lot.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Street {
    town: String,
    numbers: Vec<String>,
}

impl Street {
    /// Of a comparable text.
    fn parse(text: &str) -> Street {
        let text = text.strip_prefix("大字").or_else(|| text.strip_prefix('字')).unwrap_or(text);
        let start = text.find(|it: char| it.is_ascii_digit()).unwrap_or(text.len());
        let (town, lot) = text.split_at(start);
        let end = lot.find(|it: char| !it.is_ascii_digit() && it != '-').unwrap_or(lot.len());
        let numbers = lot[..end].split('-').filter(|number| !number.is_empty());
        Street {
            town: town.trim_end_matches('-').to_owned(),
            numbers: numbers.map(|number| number.trim_start_matches('0').to_owned()).collect(),
        }
    }

    fn has_lot(&self) -> bool {
        self.numbers.len() > 1
    }

    /// How near two streets of one municipality are; `None` if their towns differ or one has none.
    fn compare(&self, other: &Street) -> Option<Reason> {
        if self.town.is_empty() || other.town.is_empty() {
            return None;
        }
        let is_longer =
            |long: &str, short: &str| long.starts_with(short) && short.chars().nth(1).is_some();
        if self.town != other.town {
            let is_part = is_longer(&self.town, &other.town) || is_longer(&other.town, &self.town);
            return is_part.then_some(Reason::SameTown);
        }
        let both = self.numbers.iter().zip(&other.numbers);
        let common = both.take_while(|(one, other)| one == other).count();
        let shorter = self.numbers.len().min(other.numbers.len());
        let is_whole =
            common == shorter && (common > 1 || self.numbers.len() == other.numbers.len());
        Some(if common > 0 && is_whole { Reason::SameLot } else { Reason::SameTown })
    }
}

/// An address in one form: folded, without spaces, with hyphens between the numbers of a lot.
fn comparable(text: &str) -> String {
    let mut letters = Vec::new();
    fold(text, Level::Address, &mut letters);
    let letters: Vec<char> =
        letters.iter().map(|it| it.character).filter(|it| !it.is_whitespace()).collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let rest = &letters[at..];
        if let Some((number, length)) = is_numeral(letter).then(|| chome(rest)).flatten() {
            out.push_str(&number.to_string());
            at += length;
            continue;
        }
        let is_after_digit = out.ends_with(|it: char| it.is_ascii_digit());
        let mark = is_after_digit.then(|| lot_mark(rest)).flatten();
        match mark {
            Some((length, is_hyphen)) => {
                if is_hyphen {
                    out.push('-');
                }
                at += length;
            }
            // 番地の-5 has two marks.
            None if out.ends_with('-') && is_hyphen(letter) => at += 1,
            None => {
                out.push(letter);
                at += 1;
            }
        }
    }
    out.trim_end_matches('-').to_owned()
}

/// A mark after a number of a lot: its length, and whether it separates numbers.
fn lot_mark(rest: &[char]) -> Option<(usize, bool)> {
    const MARKS: [&str; 6] = ["丁目", "番地ノ", "番地", "番ノ", "番", "号"];
    for mark in MARKS {
        if mark.chars().eq(rest.iter().copied().take(mark.chars().count())) {
            return Some((mark.chars().count(), true));
        }
    }
    let is_before_digit = rest.get(1).is_some_and(char::is_ascii_digit);
    match rest.first() {
        Some(',') if is_before_digit => Some((1, false)),
        Some('ノ') if is_before_digit => Some((1, true)),
        Some(letter) if is_hyphen(*letter) => Some((1, true)),
        _ => None,
    }
}

/// The number of a chome in kanji (二十三丁目), and its length without 丁目.
fn chome(letters: &[char]) -> Option<(u64, usize)> {
    let (number, length) = numerals::read(letters.iter().copied().take(CHOME_LETTERS_MAX))?;
    letters[length..].starts_with(&['丁', '目']).then_some((number, length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn municipalities() -> Municipalities {
        let area = |prefecture: &str, city: &str| Area {
            prefecture: prefecture.to_owned(),
            city: Some(city.to_owned()),
            rows: 0..1,
        };
        Municipalities::new(&[
            area("東京都", "港区"),
            area("東京都", "羽村市"),
            area("岡山県", "岡山市北区"),
            area("神奈川県", "足柄上郡中井町"),
            area("岐阜県", "土岐市"),
        ])
    }

    #[test]
    fn addresses_have_one_form() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(comparable(text), expected, "{text}");
        }
        check("", "");
        check("六本木1-9-18", "六本木1-9-18");
        check("六本木一丁目９番１８号", "六本木1-9-18");
        check("六本木 １丁目９－１８", "六本木1-9-18");
        check("下石町３２９番地の５", "下石町329-5");
        check("字市中一番甲3,535番地", "字市中一番甲3535");
        check("二十三丁目", "23");
        check("十丁目", "10");
    }

    #[test]
    fn nearness_is_said() {
        #[track_caller]
        fn check(text: &str, registered: [&str; 3], expected: Option<Reason>) {
            let typed = TypedAddress::parse(text, &municipalities());
            let [prefecture, city, street] = registered;
            let found = typed.and_then(|typed| match typed.is_elsewhere(prefecture) {
                true => Some(Reason::OtherPlace),
                false => typed.compare(city, street),
            });
            assert_eq!(found, expected, "{text}");
        }
        let roppongi = ["東京都", "港区", "六本木１丁目９番１８号"];
        check("東京都港区六本木1-9-18 サンプル", roppongi, Some(Reason::SameLot));
        check("港区六本木一丁目9番18号", roppongi, Some(Reason::SameLot));
        check("港区六本木1-9", roppongi, Some(Reason::SameLot));
        check("港区六本木2-1", roppongi, Some(Reason::SameTown));
        check("港区六本木", roppongi, Some(Reason::SameTown));
        check("港区", roppongi, Some(Reason::SameCity));
        check("港区芝1-1", roppongi, Some(Reason::SameCity));
        check("東京都羽村市", roppongi, Some(Reason::SamePrefecture));
        check("土岐市下石町", roppongi, Some(Reason::OtherPlace));
        check("サンプル", roppongi, None);
        check("", roppongi, None);
        let okayama = ["岡山県", "岡山市北区", "伊島町１丁目２番５号"];
        check("岡山県岡山市伊島町1-2-5", okayama, Some(Reason::SameLot));
        check("岡山県岡山市", okayama, Some(Reason::SameCity));
        let nakai = ["神奈川県", "足柄上郡中井町", "久所６６１番地の１４"];
        check("神奈川県中井町久所661-14", nakai, Some(Reason::SameLot));
        let hamura = ["東京都", "羽村市", "五ノ神４丁目１２番地９"];
        check("東京都西多摩郡羽村町五ノ神4-12-9", hamura, Some(Reason::SameLot));
    }

    proptest! {
        #[test]
        fn any_text_is_compared(text in ".{0,30}", street in "[一二十丁目番地号の0-9-]{0,12}") {
            if let Some(typed) = TypedAddress::parse(&text, &municipalities()) {
                typed.compare("港区", &street);
            }
        }
    }
}
