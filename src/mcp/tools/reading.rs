//! Names of places for their readings: the searches compare names as they are written, and agents often know only how a
//! place is read.

use serde::Deserialize;

use crate::api::RequestTarget;
use crate::mcp::tool::{ApiClient, Prefecture, ToolError, Versioned};
use crate::text::kana::{is_hiragana, is_katakana};

/// Suggestions to read; several have the same name.
const SUGGESTIONS: u8 = 20;

/// Most names for one reading: each is an alternative of a search.
const NAMES_MAX: usize = 4;

/// The kinds of places to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    All,
    /// Counties, cities and wards.
    Municipalities,
}

#[derive(Debug, Deserialize)]
struct Suggested {
    prefecture: String,
    city: String,
    town: String,
    level: String,
}

impl Suggested {
    fn name(self, places: Places) -> Option<String> {
        let name = match (&*self.level, places) {
            ("city", _) => self.city,
            (_, Places::Municipalities) => return None,
            ("prefecture", Places::All) => self.prefecture,
            (_, Places::All) => self.town,
        };
        // A search refuses keywords of one letter.
        (name.chars().count() > 1).then_some(name)
    }
}

/// Whether a word is only kana or Roman letters, so that it may be the reading of a name.
pub fn is_reading(word: &str) -> bool {
    /// Behind the Latin letters of Unicode, which include those with macrons.
    const LATIN_END: char = '\u{250}';
    let is_half_width_kana = |letter: char| ('\u{ff66}'..='\u{ff9f}').contains(&letter);
    word.chars().all(|letter| {
        is_hiragana(letter)
            || is_katakana(letter)
            || is_half_width_kana(letter)
            || matches!(letter, 'ー' | '-' | '\'')
            || (letter < LATIN_END && letter.is_alphabetic())
    })
}

/// The different names of places whose reading begins with a word, the likeliest first.
pub async fn names_of(
    client: &ApiClient,
    reading: &str,
    prefecture: Option<Prefecture>,
    places: Places,
) -> Result<Vec<String>, ToolError> {
    let target = RequestTarget::new("/v1/suggest/address");
    let mut target = target.with("q", reading).with("limit", SUGGESTIONS);
    if let Some(prefecture) = prefecture {
        target = target.with("near", format!("{:02}", prefecture.code()));
    }
    let Versioned::<Vec<Suggested>> { data, .. } = client.get(target).await?;
    let mut names: Vec<String> = Vec::new();
    for name in data.into_iter().filter_map(|place| place.name(places)) {
        if !names.contains(&name) && names.len() < NAMES_MAX {
            names.push(name);
        }
    }
    Ok(names)
}

/// Says how readings were read, for the hint of an answer.
pub fn told(readings: &[(&str, Vec<String>)]) -> String {
    let told =
        readings.iter().map(|(word, names)| format!("{word} was read as {}", names.join(", ")));
    told.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_has_only_kana_or_roman_letters() {
        for (word, expected) in [
            ("まるのうち", true),
            ("マルノウチ", true),
            ("ﾏﾙﾉｳﾁ", true),
            ("marunouchi", true),
            ("Kōtō-ku", true),
            ("丸の内", false),
            ("1丁目", false),
            ("100", false),
        ] {
            assert_eq!(is_reading(word), expected, "{word}");
        }
    }
}
