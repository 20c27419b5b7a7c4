//! The baseline of the address bench: a parser with regular expressions, like the well-known open parsers.
//!
//! One expression has all prefectures, one for each prefecture its municipalities, one for each
//! municipality its towns, longest names first, with common variants as character classes.
//! Replacements turn the rest into numbers joined by hyphens.
//!
//! Written for this bench: the open Rust parser of these addresses fetches its towns over the
//! network for every address, and no other crate runs offline. This one compiles an expression on
//! first use and keeps it, so that only matching is measured. It does less than daicho: no postal
//! code, floor, Kyoto street or spans, and the county must be written.

use std::collections::BTreeMap;

use daicho::dataset::postal::PostalData;
use regex::Regex;

/// Expressions by prefecture and municipality.
pub struct RegexParser {
    prefecture: Regex,
    cities: BTreeMap<String, (Regex, Vec<String>)>,
    towns: BTreeMap<(String, String), Regex>,
    chome: Regex,
    numbers: Regex,
    joined: Regex,
    trailing: Regex,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct ParsedAddress {
    pub prefecture: String,
    pub city: String,
    pub town: String,
    pub lot: String,
    pub rest: String,
}

/// A name as a pattern, with its variants as character classes.
fn pattern(name: &str) -> String {
    const CLASSES: [&str; 10] =
        ["ヶケが", "のノ之", "ツッつっ", "沢澤", "崎﨑", "高髙", "斎齋斉", "竜龍", "国國", "広廣"];
    let mut out = String::new();
    for c in name.chars() {
        match CLASSES.iter().find(|class| class.contains(c)) {
            Some(class) => out.extend(["[", class, "]"]),
            None => out.push_str(&regex::escape(&c.to_string())),
        }
    }
    out
}

/// One expression for all names at the start of a text, longest first; 大字 or 字 may precede.
fn alternation<'n>(names: impl IntoIterator<Item = &'n String>) -> Regex {
    let mut names: Vec<&String> = names.into_iter().collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.chars().count()));
    let names: Vec<String> = names.into_iter().map(|name| format!("({})", pattern(name))).collect();
    Regex::new(&format!("^(?:大字|字)?(?:{})", names.join("|"))).expect("escaped above")
}

impl RegexParser {
    pub fn new(data: &PostalData) -> RegexParser {
        let mut towns: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        let mut cities: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for record in data.records().expect("sound").filter(|record| record.corporation().is_none())
        {
            let city = record.city();
            let prefecture = city.prefecture().name.text.to_owned();
            let name = city.city().name.text.to_owned();
            cities.entry(prefecture.clone()).or_default().push(name.clone());
            let town = record.town().name.text.to_owned();
            towns.entry((prefecture, name)).or_default().push(town);
        }
        let city = |mut names: Vec<String>| {
            names.dedup();
            names.sort_by_key(|name| std::cmp::Reverse(name.chars().count()));
            (alternation(&names), names)
        };
        let town = |mut names: Vec<String>| {
            names.sort();
            names.dedup();
            alternation(names.iter().filter(|name| !name.is_empty()))
        };
        RegexParser {
            prefecture: Regex::new("^(.{2}[都道府県]|.{3}県)").expect("a pattern"),
            cities: cities.into_iter().map(|(name, of)| (name, city(of))).collect(),
            towns: towns.into_iter().map(|(name, of)| (name, town(of))).collect(),
            chome: Regex::new("^([一二三四五六七八九十]+|[0-9]+)丁目").expect("a pattern"),
            numbers: Regex::new("^([0-9]+)(?:番地?の?|号|丁目|[-‐‑–—―−ーの])?").expect("a pattern"),
            joined: Regex::new("-+").expect("a pattern"),
            trailing: Regex::new("-$").expect("a pattern"),
        }
    }

    /// Splits a text into its parts.
    pub fn parse(&self, text: &str) -> ParsedAddress {
        let text = half_width(text);
        let mut found = ParsedAddress::default();
        let Some(prefecture) = self.prefecture.find(&text) else {
            return ParsedAddress { rest: text, ..found };
        };
        found.prefecture = prefecture.as_str().to_owned();
        let rest = &text[prefecture.end()..];
        let city = self.cities.get(&found.prefecture).and_then(|(cities, names)| {
            let groups = cities.captures(rest)?;
            let group = (1..groups.len()).find(|group| groups.get(*group).is_some())?;
            Some((names.get(group - 1)?.clone(), groups.get(0)?.end()))
        });
        let Some((city, end)) = city else {
            return ParsedAddress { rest: rest.to_owned(), ..found };
        };
        let rest = &rest[end..];
        let towns = self.towns.get(&(found.prefecture.clone(), city.clone()));
        found.city = city;
        let town = towns.and_then(|towns| towns.find(rest));
        let Some(town) = town else { return ParsedAddress { rest: rest.to_owned(), ..found } };
        found.town = town.as_str().to_owned();
        self.parse_lot(&rest[town.end()..], &mut found);
        found
    }

    fn parse_lot(&self, text: &str, found: &mut ParsedAddress) {
        let mut rest = text;
        let mut lot = String::new();
        if let Some(chome) = self.chome.captures(rest) {
            lot.push_str(&number(&chome[1]));
            lot.push('-');
            rest = &rest[chome[0].len()..];
        }
        while let Some(numbers) = self.numbers.captures(rest) {
            lot.push_str(&numbers[1]);
            lot.push('-');
            rest = &rest[numbers[0].len()..];
        }
        let lot = self.joined.replace_all(&lot, "-");
        found.lot = self.trailing.replace(&lot, "").into_owned();
        found.rest = rest.to_owned();
    }
}

fn half_width(text: &str) -> String {
    let narrow = |c: char| match c {
        '！'..='～' => char::from_u32(u32::from(c) - 0xFF01 + 0x21).unwrap_or(c),
        '\u{3000}' => ' ',
        other => other,
    };
    text.chars().map(narrow).collect()
}

fn number(text: &str) -> String {
    let digits = "〇一二三四五六七八九";
    let (mut total, mut digit) = (0, 0);
    for c in text.chars() {
        match digits.chars().position(|kanji| kanji == c) {
            Some(value) => digit = value,
            None if c == '十' => {
                total += digit.max(1) * 10;
                digit = 0;
            }
            None => return text.to_owned(),
        }
    }
    (total + digit).to_string()
}
