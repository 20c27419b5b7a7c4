//! The notice about a town that the municipality does not have, with the name that the user probably meant.
//!
//! In this case the API returns the records of the whole municipality, towns with similar names first.

use serde_json::Value;

use super::api_request::{SearchKind, playground_url};
use crate::dashboard::prelude::*;
use crate::text::fold::{Level, folded};

/// The town in the text of an address, if its municipality has none of that name.
fn unknown_town(json: &Value) -> Option<&str> {
    let is_city = json["explain"]["match"] == "city";
    json["query"]["town"].as_str().filter(|town| is_city && !town.is_empty())
}

pub fn notice(words: &Words, json: &Value, text: &str) -> Markup {
    let Some(town) = unknown_town(json) else { return Markup::default() };
    let city = json["query"]["city"].as_str().unwrap_or_default();
    let similar = similar_town(json, town);
    html! {
        p.notice.refused {
            b { (fill(words.unknown_town, [city, town])) } " " (words.unknown_town_detail)
            @if let Some(similar) = similar {
                " " (words.did_you_mean) " "
                a href=(playground_url(SearchKind::Address, &text.replacen(town, similar, 1), 0)) { (similar) }
            }
        }
    }
}

/// The first town among the records with a similar name.
fn similar_town<'j>(json: &'j Value, town: &str) -> Option<&'j str> {
    let records = json["data"].as_array()?;
    let mut names = records.iter().filter_map(|record| record["town"].as_str());
    names.find(|name| is_similar(name, town))
}

/// Whether two names have at least half of the letters of the longer one in common. Hiragana and katakana count as the
/// same letters.
fn is_similar(one: &str, other: &str) -> bool {
    let letters = |text: &str| folded(text, Level::Address).chars().collect::<Vec<_>>();
    let (one, mut other) = (letters(one), letters(other));
    let longer = one.len().max(other.len());
    let common = one.iter().filter(|letter| {
        let index = other.iter().position(|known| known == *letter);
        index.map(|index| other.swap_remove(index)).is_some()
    });
    longer > 0 && 2 * common.count() >= longer
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dashboard::words::ENGLISH;

    #[test]
    fn names_with_half_of_their_letters_in_common_are_alike() {
        for (one, other, expected) in [
            ("六本木", "六本樹", true),
            ("霞が関", "霞ガ席", true),
            ("赤坂", "あああ", false),
            ("", "", false),
            ("ああ", "あいうえ", false),
        ] {
            assert_eq!(is_similar(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn an_unknown_town_is_reported_with_a_link_to_the_likely_one() {
        let mut json = json!({
            "data": [{"town": ""}, {"town": "六本木"}],
            "query": {"city": "港区", "town": "六本樹"},
            "explain": {"match": "city"},
        });
        let page = notice(&ENGLISH, &json, "港区六本樹1-1").into_string();
        assert!(
            page.contains("港区 has no town 六本樹.") && page.contains(">六本木</a>"),
            "{page}"
        );
        assert!(page.contains("text=%E6%B8%AF%E5%8C%BA%E5%85%AD%E6%9C%AC%E6%9C%A81-1&"), "{page}");
        json["data"] = json!([{"town": "赤坂"}, 1]);
        let page = notice(&ENGLISH, &json, "港区六本樹1-1").into_string();
        assert!(page.contains("六本樹") && !page.contains("<a"), "{page}");
        for level in ["town", "full", "none"] {
            json["explain"]["match"] = level.into();
            assert_eq!(notice(&ENGLISH, &json, "x").into_string(), "");
        }
        assert_eq!(notice(&ENGLISH, &json!(null), "x").into_string(), "");
    }
}
