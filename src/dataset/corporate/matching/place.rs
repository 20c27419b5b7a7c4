//! The address of a customer beside the registered address of a corporation: how near they are.
//!
//! The registered address says what to look for, so a text needs no gazetteer: it is compared with the prefecture, the
//! municipality, the town and the lot of the candidate. Municipalities are those that have corporations. Knows neither
//! former municipalities nor misspelt towns; `docs/code/reasons.md` says what the address normaliser would add.

use std::collections::HashMap;
use std::ops::Range;

use super::rules::Reason;
use crate::query::areas::{Area, merge_adjacent};
use crate::text::codes::digits::PREFECTURES;
use crate::text::fold::{Level, folded};
use crate::text::numerals::{self, is_hyphen, is_numeral};

/// Most kanji of the number of a chome.
const CHOME_LETTERS_MAX: usize = 4;

/// Least digits of a lot of one number, and least letters of its town, that two places hardly have in common.
const SURE_LOT_DIGITS_MIN: usize = 3;
const SURE_TOWN_LETTERS_MIN: usize = 2;

/// The municipalities that have corporations, with their prefectures, by the first letter.
#[derive(Debug, Default)]
pub struct Municipalities {
    by_letter: HashMap<char, Vec<Municipality>>,
    prefectures: Vec<Prefecture>,
    /// The comparable name of the municipality of each place, by the number of the place.
    cities: Vec<String>,
}

#[derive(Debug)]
struct Municipality {
    /// In its comparable form.
    name: String,
    /// Its index in [`Municipalities::prefectures`].
    prefecture: usize,
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
    /// From the areas of the data, and the municipality of each place as it is registered.
    pub fn new<'c>(areas: &[Area], cities: impl Iterator<Item = &'c str>) -> Municipalities {
        let mut found = Municipalities::default();
        for area in areas {
            let Some(city) = area.city.as_deref().map(comparable) else { continue };
            let prefecture = found.prefecture(&area.prefecture);
            found.prefectures[prefecture].rows.push(area.rows.clone());
            let mut names = vec![city.clone()];
            // 西多摩郡瑞穂町 is also written without its county.
            names.extend(town_of_county(&city).map(str::to_owned));
            for name in names {
                let Some(first) = name.chars().next() else { continue };
                let of_letter = found.by_letter.entry(first).or_default();
                of_letter.push(Municipality { name, prefecture, rows: area.rows.clone() });
            }
        }
        for prefecture in &mut found.prefectures {
            prefecture.rows = merge_adjacent(prefecture.rows.drain(..));
        }
        found.cities = cities.map(comparable).collect();
        found
    }

    /// The index of a prefecture, which is added if it is new.
    fn prefecture(&mut self, registered: &str) -> usize {
        let known = self.prefectures.iter().position(|it| it.registered == registered);
        known.unwrap_or_else(|| {
            let (registered, name) = (registered.to_owned(), comparable(registered));
            self.prefectures.push(Prefecture { registered, name, rows: Vec::new() });
            self.prefectures.len() - 1
        })
    }

    /// The comparable name of the municipality of a place; empty if it has none.
    pub fn city(&self, place: Option<usize>) -> &str {
        place.and_then(|place| self.cities.get(place)).map_or("", String::as_str)
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
    /// The rows of the prefecture that it names, or of those of the municipality that it names; empty if unknown.
    prefectures: Vec<Range<u32>>,
    /// Whether it names a municipality that has corporations; one of before a merger has none.
    names_municipality: bool,
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
        let Municipalities { prefectures, .. } = municipalities;
        let prefecture = prefectures.iter().position(|it| text.starts_with(&*it.name));
        let rest = text[prefecture.map_or(0, |it| prefectures[it].name.len())..].to_owned();
        let mut named = municipalities.named(&rest);
        if let Some(prefecture) = prefecture {
            named.retain(|it| it.prefecture == prefecture);
        }
        let names_municipality = !named.is_empty();
        let mut rows: Vec<Range<u32>> = named.iter().map(|it| it.rows.clone()).collect();
        let prefectures = match prefecture.map(|it| &prefectures[it].rows) {
            Some(of_prefecture) => {
                if rows.is_empty() {
                    rows.clone_from(of_prefecture);
                }
                of_prefecture.clone()
            }
            None => named.iter().flat_map(|it| prefectures[it.prefecture].rows.clone()).collect(),
        };
        Some(TypedAddress { rest, prefectures, names_municipality, rows })
    }

    /// Whether it names prefectures, but not that of this row.
    pub fn is_elsewhere(&self, row: u32) -> bool {
        !self.prefectures.is_empty() && !self.prefectures.iter().any(|rows| rows.contains(&row))
    }

    /// How near it is to a registered address in a prefecture where it may be; `None` if it names no place. `city` is
    /// comparable already.
    pub fn compare(&self, city: &str, street: &str) -> Option<Reason> {
        let street = comparable(street);
        let own = Street::parse(&street);
        if let Some(rest) =
            self.rest.strip_prefix(city).or_else(|| without_county(&self.rest, city))
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
        if (own.has_lot() || !self.names_municipality && own.has_sure_lot())
            && let Some(at) = self.rest.find(own.town).filter(|_| !own.town.is_empty())
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Street<'t> {
    town: &'t str,
    /// The numbers, with hyphens between them.
    lot: &'t str,
}

impl<'t> Street<'t> {
    /// Of a comparable text.
    fn parse(text: &'t str) -> Street<'t> {
        let text = text.strip_prefix("大字").or_else(|| text.strip_prefix('字')).unwrap_or(text);
        let start = text.find(|it: char| it.is_ascii_digit()).unwrap_or(text.len());
        let (town, lot) = text.split_at(start);
        let end = lot.find(|it: char| !it.is_ascii_digit() && it != '-').unwrap_or(lot.len());
        Street { town: town.trim_end_matches('-'), lot: &lot[..end] }
    }

    fn numbers(&self) -> impl Iterator<Item = &'t str> {
        let numbers = self.lot.split('-').filter(|number| !number.is_empty());
        numbers.map(|number| number.trim_start_matches('0'))
    }

    fn has_lot(&self) -> bool {
        self.numbers().nth(1).is_some()
    }

    /// Whether town and lot are those of one place, although the lot is a single number (細草1813).
    fn has_sure_lot(&self) -> bool {
        self.lot.len() >= SURE_LOT_DIGITS_MIN && self.town.chars().count() >= SURE_TOWN_LETTERS_MIN
    }

    /// How near two streets of one municipality are; `None` if their towns differ or one has none.
    fn compare(&self, other: &Street<'_>) -> Option<Reason> {
        if self.town.is_empty() || other.town.is_empty() {
            return None;
        }
        let is_longer =
            |long: &str, short: &str| long.starts_with(short) && short.chars().nth(1).is_some();
        if self.town != other.town {
            let is_part = is_longer(self.town, other.town) || is_longer(other.town, self.town);
            return is_part.then_some(Reason::SameTown);
        }
        let [own_count, other_count] = [self, other].map(|street| street.numbers().count());
        let both = self.numbers().zip(other.numbers());
        let common = both.take_while(|(one, other)| one == other).count();
        let shorter = own_count.min(other_count);
        let is_whole = common == shorter && (common > 1 || own_count == other_count);
        Some(if common > 0 && is_whole { Reason::SameLot } else { Reason::SameTown })
    }
}

/// An address in one form: folded, without spaces, with hyphens between the numbers of a lot.
fn comparable(text: &str) -> String {
    let letters = without_spaces(folded(text, Level::Address));
    let mut out = String::with_capacity(letters.len());
    let mut rest = letters.as_str();
    while let Some(letter) = rest.chars().next() {
        if let Some((number, length)) = is_numeral(letter).then(|| chome(rest)).flatten() {
            out.push_str(&number.to_string());
            rest = &rest[length..];
            continue;
        }
        let is_after_digit = out.ends_with(|it: char| it.is_ascii_digit());
        let mark = is_after_digit.then(|| lot_mark(rest)).flatten();
        match mark {
            Some((length, is_hyphen)) => {
                if is_hyphen {
                    out.push('-');
                }
                rest = &rest[length..];
            }
            // 番地の-5 has two marks.
            None => {
                if !(out.ends_with('-') && is_hyphen(letter)) {
                    out.push(letter);
                }
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

/// A text without its spaces. One between two numbers separates them: the room in 2-12-10 302号.
fn without_spaces(text: String) -> String {
    if !text.contains(char::is_whitespace) {
        return text;
    }
    let (mut out, mut follows_space) = (String::with_capacity(text.len()), false);
    for letter in text.chars() {
        if letter.is_whitespace() {
            follows_space = true;
            continue;
        }
        let is_between = follows_space && letter.is_ascii_digit();
        if is_between && out.ends_with(|it: char| it.is_ascii_digit()) {
            out.push('-');
        }
        out.push(letter);
        follows_space = false;
    }
    out
}

/// A mark after a number of a lot: its length, and whether it separates numbers.
fn lot_mark(rest: &str) -> Option<(usize, bool)> {
    const MARKS: [&str; 6] = ["丁目", "番地ノ", "番地", "番ノ", "番", "号"];
    if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
        return Some((mark.len(), true));
    }
    let mut letters = rest.chars();
    let letter = letters.next()?;
    let is_before_digit = letters.next().is_some_and(|it| it.is_ascii_digit());
    match letter {
        ',' if is_before_digit => Some((1, false)),
        'ノ' if is_before_digit => Some((letter.len_utf8(), true)),
        _ if is_hyphen(letter) => Some((letter.len_utf8(), true)),
        _ => None,
    }
}

/// The number of a chome in kanji (二十三丁目), and its length without 丁目.
fn chome(rest: &str) -> Option<(u64, usize)> {
    let (number, count) = numerals::read(rest.chars().take(CHOME_LETTERS_MAX))?;
    let length = rest.chars().take(count).map(char::len_utf8).sum();
    rest[length..].starts_with("丁目").then_some((number, length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A prefecture and its municipality each.
    const PLACES: [[&str; 2]; 5] = [
        ["東京都", "港区"],
        ["東京都", "羽村市"],
        ["岡山県", "岡山市北区"],
        ["神奈川県", "足柄上郡中井町"],
        ["岐阜県", "土岐市"],
    ];

    /// The rows of a place: ten each.
    fn rows(place: usize) -> Range<u32> {
        place as u32 * 10..(place as u32 + 1) * 10
    }

    fn municipalities() -> Municipalities {
        let area = |(place, [prefecture, city]): (usize, [&str; 2])| Area {
            prefecture: prefecture.to_owned(),
            city: Some(city.to_owned()),
            rows: rows(place),
        };
        let areas: Vec<Area> = PLACES.into_iter().enumerate().map(area).collect();
        Municipalities::new(&areas, PLACES.into_iter().map(|[_, city]| city))
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
        check("鎌田2-12-10 302号", "鎌田2-12-10-302");
        check("鎌田２－１２－１０　３０２", "鎌田2-12-10-302");
        check("鎌田 2 丁目 12 番 10 号 3 0 2", "鎌田2-12-10-3-0-2");
    }

    #[test]
    fn nearness_is_said() {
        #[track_caller]
        fn check(text: &str, registered: [&str; 3], expected: Option<Reason>) {
            let municipalities = municipalities();
            let typed = TypedAddress::parse(text, &municipalities);
            let [prefecture, city, street] = registered;
            let place = PLACES.iter().position(|it| *it == [prefecture, city]);
            let city = municipalities.city(place);
            let found = typed.and_then(|typed| match typed.is_elsewhere(rows(place?).start) {
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
        check("港区六本木1-9-18 302号室", roppongi, Some(Reason::SameLot));
        // A single number of a lot, without a municipality that has corporations.
        let single = ["神奈川県", "足柄上郡中井町", "久所１８１３番地"];
        check("足柄上郡旧中井村久所1813", single, Some(Reason::SameLot));
        check("足柄上郡旧中井村久所1814", single, None);
        check("土岐市久所1813", single, Some(Reason::OtherPlace));
        let small = ["神奈川県", "足柄上郡中井町", "久所１８番地"];
        check("足柄上郡旧中井村久所18", small, None);
        let in_tokyo = ["東京都", "港区", "久所１８１３番地"];
        check("羽村市久所1813", in_tokyo, Some(Reason::SamePrefecture));
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
