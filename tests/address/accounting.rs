//! What a component lost against its part of the text is a rewriting that this file names.
//!
//! [`assert_spans_cover`](crate::case::assert_spans_cover) shows that each byte of a text is in one span. Here the
//! spans of real addresses are compared with their components: lots keep their numbers and letters, buildings and
//! floors their text, and the numbers of names are those of the register. Not compared: letters of names, which the
//! register may spell otherwise, and lots with numerals in kanji.

use std::collections::BTreeSet;

use daicho::address::{Address, AddressScratch, Component, SpanKind};

use crate::corporate::{files, registered};
use crate::month::{Month, month};
use crate::writing::{canonical, half_width};

/// The letters of a lot that are written as a hyphen, or not at all: units, counters, joints and remarks.
const LOT_LETTERS: &str = "番地丁目号のノ第街区画側部内先外他筆合併無壱弐之と町及び西東南北";
/// Signs between the parts of a text.
const SIGNS: &str = "-‐−―─ー~ ・、,.()";

fn is_sign(character: char) -> bool {
    SIGNS.contains(character)
}

fn is_digit(character: char) -> bool {
    matches!(character, '0'..='9' | '０'..='９')
}

/// The text with each kanji of a digit as that digit: 五十嵐２の町 is 五十嵐二の町.
fn numerals(text: &str) -> String {
    let one = |character: char| {
        let value = "〇一二三四五六七八九".chars().position(|kanji| kanji == character);
        value.and_then(|value| char::from_digit(value as u32, 10)).unwrap_or(character)
    };
    // 五十嵐 is a name.
    text.replace("五十嵐", "").chars().map(one).collect()
}

fn digits(text: &str) -> String {
    half_width(text).chars().filter(char::is_ascii_digit).collect()
}

fn without_signs(text: &str) -> String {
    canonical(text).chars().filter(|character| !is_sign(*character)).collect()
}

fn has_kanji_numeral(text: &str) -> bool {
    text.contains(|character| "〇一二三四五六七八九十百千壱弐ニ".contains(character))
}

/// What a component lost; `None` if nothing.
fn loss(component: Component, spans: &str, value: &str) -> Option<String> {
    match component {
        Component::BlockLotNum if has_kanji_numeral(spans) => None,
        Component::BlockLotNum => {
            // 他１筆 counts further lots.
            let numbers = spans.split('他').next().unwrap_or_default();
            let (found, kept) = (digits(numbers), digits(value));
            if found != kept {
                return Some(format!("numbers {found}, kept {kept}"));
            }
            let kept = canonical(value).to_uppercase();
            let lost = canonical(spans).to_uppercase();
            let lost = lost.chars().find(|letter| {
                let named = letter.is_ascii_digit() || is_sign(*letter);
                !named && !LOT_LETTERS.contains(*letter) && !kept.contains(*letter)
            });
            lost.map(|letter| format!("the letter {letter}"))
        }
        Component::Building | Component::FloorRoom => {
            let (found, kept) = (without_signs(spans), without_signs(value));
            (found != kept).then(|| format!("{found}, kept {kept}"))
        }
        _ => {
            let found = digits(spans);
            let kept = [digits(value), digits(&canonical(value)), digits(&numerals(value))];
            (!found.is_empty() && !kept.contains(&found)).then(|| format!("numbers {found}"))
        }
    }
}

/// The losses of one address.
fn losses(
    month: &Month,
    text: &str,
    scratch: &mut AddressScratch,
    address: &mut Address,
) -> Vec<String> {
    month.data.normalize(text, scratch, address).expect("sound");
    let mut found = Vec::new();
    for pair in address.spans().windows(2) {
        let (before, after) = text.split_at(pair[1].start as usize);
        let inside = before.ends_with(is_digit) && after.starts_with(is_digit);
        // ２－６２Ｆ: no house has 62 floors, so the last digit is the floor.
        let named = pair[0].kind == SpanKind::PostalCode
            || pair[1].kind == SpanKind::Part(Component::FloorRoom);
        if inside && !named {
            found.push("a number is split".to_owned());
        }
    }
    for component in Component::ALL {
        let spans = address.spans().iter().filter(|span| span.kind == SpanKind::Part(component));
        let spans: String =
            spans.map(|span| &text[span.start as usize..span.end as usize]).collect();
        let lost = loss(component, &spans, address.get(component).unwrap_or(""));
        found.extend(lost.map(|lost| format!("{}: {lost}", component.name())));
    }
    found
}

#[needs::official_data]
#[test]
fn components_keep_what_their_part_of_the_text_says() {
    let month = month();
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    let files = files();
    let days = files.iter().step_by(3);
    let texts: BTreeSet<String> =
        days.flat_map(|file| registered(file)).map(|one| one.address()).collect();
    assert!(texts.len() > 20_000, "{} addresses", texts.len());
    let mut misses = Vec::new();
    for text in &texts {
        let lost = losses(month, text, &mut scratch, &mut address);
        misses.extend(lost.into_iter().map(|lost| format!("{text}: {lost}")));
    }
    assert!(misses.is_empty(), "{} of {}:\n{}", misses.len(), texts.len(), misses.join("\n"));
}

/// A broken normaliser is found: each line has a component that lost something.
#[test]
fn a_loss_is_found() {
    let lost = |component, spans, value| loss(component, spans, value).is_some();
    assert!(lost(Component::BlockLotNum, "３番地５号", "3"));
    assert!(lost(Component::BlockLotNum, "Ａ－５", "5"));
    assert!(lost(Component::Building, "第二ビル", "ビル"));
    assert!(lost(Component::FloorRoom, "12階", "2階"));
    assert!(lost(Component::Town, "高田町６", "高田町"));
    assert!(!lost(Component::Town, "高田町６", "高田町六丁目"));
    assert!(!lost(Component::BlockLotNum, "甲１５８番地の1", "甲158-1"));
}
