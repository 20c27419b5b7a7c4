//! The English line of an address, smaller parts first, as the post asks for it on mail from abroad:
//! `1-2-3 Marunouchi, Chiyoda-ku, Tokyo 100-0005`.
//!
//! Names are those of Japan Post's Roman file. A building is left out unless it is written in Roman letters, since the
//! data have no readings of buildings.

use crate::address::{Address, Component};
use crate::text::fold::{Level, folded};

/// The line of an address; `None` if the data have no Roman names, or the address names no municipality. `roman` returns the
/// Roman name of a component, `code` is the postal code in seven digits.
pub fn english_line<'a>(
    address: Option<&Address>,
    roman: impl Fn(Component) -> Option<&'a str>,
    code: Option<&[u8; 7]>,
) -> Option<String> {
    let text = |part| address.and_then(|address| address.get(part)).unwrap_or_default();
    let city = roman(Component::City)?;
    let mut parts: Vec<String> = Vec::new();
    let premises = [text(Component::FloorRoom), text(Component::Building)];
    let premises = premises.map(|part| folded(part, Level::Width));
    parts.extend(premises.into_iter().filter(|part| !part.is_empty() && part.is_ascii()));
    let lot = text(Component::BlockLotNum);
    let town = roman(Component::Town).map(in_title_case).unwrap_or_default();
    parts.push([lot, &town].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" "));
    parts.extend(roman(Component::CityWard).map(in_title_case));
    parts.push(in_title_case(city));
    parts.extend(roman(Component::County).map(in_title_case));
    parts.extend(roman(Component::Prefecture).map(in_title_case));
    parts.retain(|part| !part.is_empty());
    let mut line = parts.join(", ");
    if let Some(code) = code.and_then(|code| std::str::from_utf8(code).ok()) {
        line.push_str(&format!(" {}-{}", &code[..3], &code[3..]));
    }
    Some(line)
}

/// A name of which each word begins with a capital letter; the letters after a hyphen stay small: Chiyoda-ku.
fn in_title_case(name: &str) -> String {
    let mut begins = true;
    let capital = |letter: char| {
        let written =
            if begins { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
        begins = letter.is_whitespace();
        written
    };
    name.chars().map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_with_a_capital_letter() {
        for (name, expected) in [
            ("CHIYODA-KU", "Chiyoda-ku"),
            ("Marunouchi", "Marunouchi"),
            ("KITA 3-JO NISHI", "Kita 3-jo Nishi"),
            ("", ""),
        ] {
            assert_eq!(in_title_case(name), expected);
        }
    }
}
