//! Forms of an area's name: whole, without its county, only the ward, and each without 都, 市 or the like.

use super::{Area, AreaKind, FORMS};
use crate::address::units::key;
use crate::record::postal::{CityRow, Name};
use crate::text::spellings::{Letter, reading};

/// The part of an address that a form is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamePart {
    Prefecture = 0,
    /// County, city and ward.
    Whole = 1,
    WithoutCounty = 2,
    Ward = 3,
}

/// A form of an area's name: a part of its address, with or without the suffix for its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameForm {
    pub part: NamePart,
    /// Whether it is without the suffix: 都, 市 or the like.
    pub is_short: bool,
}

/// Encodes an area's form as an item.
pub(super) fn item(area: u32, form: NameForm) -> u32 {
    area * FORMS as u32 + form.part as u32 * 2 + u32::from(form.is_short)
}

/// Decodes an item to its area and form.
pub(super) fn of_item(item: u32) -> (u32, NameForm) {
    let part = match item as usize % FORMS / 2 {
        0 => NamePart::Prefecture,
        1 => NamePart::Whole,
        2 => NamePart::WithoutCounty,
        _ => NamePart::Ward,
    };
    (item / FORMS as u32, NameForm { part, is_short: item % 2 == 1 })
}

/// A form of an area with its letters; without letters if the area has no such form.
pub(super) struct FormLetters {
    pub form: NameForm,
    pub written: Vec<Letter>,
    pub reading: Vec<Letter>,
}

/// The forms of an area.
pub(super) fn forms(area: &Area, cities: &[CityRow]) -> Vec<FormLetters> {
    let city = &cities[usize::from(area.city)];
    let parts = match area.kind {
        AreaKind::Prefecture => vec![(NamePart::Prefecture, vec![&city.prefecture])],
        AreaKind::DesignatedCity => {
            vec![(NamePart::WithoutCounty, vec![&city.city_without_county_and_ward])]
        }
        AreaKind::Municipality => parts_of_city(city),
    };
    let mut found = Vec::new();
    for (part, names) in parts {
        let joined =
            |text: fn(&Name) -> &str| names.iter().map(|name| text(name)).collect::<String>();
        let (name, kana) = (joined(|it| &it.name), joined(|it| &it.kana));
        let read = |kana: &str| reading::letters(kana).collect::<Vec<Letter>>();
        let form = NameForm { part, is_short: false };
        found.push(FormLetters { form, written: key(&name), reading: read(&kana) });
        let (written, kana) = (without_kind(&name), kana_without_kind(&name, &kana));
        let written = written.filter(|short| short.chars().count() > 1).map_or(Vec::new(), key);
        let reading = kana.filter(|short| short.chars().count() > 1).map_or(Vec::new(), read);
        found.push(FormLetters { form: NameForm { part, is_short: true }, written, reading });
    }
    found
}

/// The parts of a municipality's name that are forms, each with the names that make it up.
fn parts_of_city(city: &CityRow) -> Vec<(NamePart, Vec<&Name>)> {
    let (county, alone, ward) = (&city.county, &city.city_without_county_and_ward, &city.city_ward);
    if [county, alone, ward].map(|part| part.name.as_str()).concat() != city.city.name {
        return vec![(NamePart::Whole, vec![&city.city])];
    }
    let mut parts = vec![(NamePart::Whole, vec![&city.city])];
    if !county.name.is_empty() {
        parts.push((NamePart::WithoutCounty, vec![alone, ward]));
    }
    if !ward.name.is_empty() {
        parts.push((NamePart::Ward, vec![ward]));
    }
    parts
}

/// A name without its suffix: 東京 for 東京都. 道 stays, since nobody says 北海.
fn without_kind(name: &str) -> Option<&str> {
    name.strip_suffix(['都', '府', '県', '市', '区', '町', '村']).filter(|short| !short.is_empty())
}

fn kana_without_kind<'k>(name: &str, kana: &'k str) -> Option<&'k str> {
    let kinds: &[&str] = match name.chars().next_back()? {
        '都' => &["ト"],
        '府' => &["フ"],
        '県' => &["ケン"],
        '市' => &["シ"],
        '区' => &["ク"],
        '町' => &["チョウ", "マチ"],
        '村' => &["ソン", "ムラ"],
        _ => return None,
    };
    kinds.iter().find_map(|kind| kana.strip_suffix(kind))
}
