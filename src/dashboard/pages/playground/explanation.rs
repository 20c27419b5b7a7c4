//! How the API read an address, from the member `explain` of its answer: the text of each component, what it became and
//! why, with corrections marked. If the text is ambiguous, the possible places too.
//!
//! If the municipality does not have the town, the API returns the records of the whole municipality, towns with
//! similar names first; a notice names the town that the user probably meant.

use serde_json::Value;

use super::api_request::{SearchKind, playground_url};
use crate::dashboard::prelude::*;
use crate::text::fold::{Level, folded};

/// Candidates shown; the JSON below has them all.
const CANDIDATES_MAX: usize = 20;

/// The reason for a town that is not in the data. The API has no such reason.
const UNKNOWN_TOWN: &str = "unknown";

pub fn explanation(words: &Words, explain: &Value) -> Markup {
    let list = |name: &str| explain[name].as_array().map_or(&[][..], Vec::as_slice);
    let (parts, candidates) = (list("components"), list("candidates"));
    // A part shows its first correction; every other correction has a row of its own.
    let corrections = list("corrections");
    let is_of = |correction: &Value, part: &Value| {
        correction["component"] == part["component"] && correction["kind"] == part["why"]
    };
    let since = |part: &Value| {
        corrections.iter().find(|one| is_of(one, part)).and_then(|one| one["since"].as_u64())
    };
    let other_corrections =
        corrections.iter().filter(|one| !parts.iter().any(|part| is_of(one, part)));
    let headings =
        [words.explain_part, words.explain_read, words.explain_became, words.explain_why];
    html! {
        h2 { (words.explain) }
        p {
            span.badge { (match_text(words, text(&explain["match"]))) }
            @if let Some(point) = point_text(words, &explain["point"]) { " " (point) }
        }
        @if !parts.is_empty() {
            div.scroll.explain {
                table {
                    thead {
                        tr {
                            @for heading in headings { th scope="col" { (heading) } }
                        }
                    }
                    tbody {
                        @for part in parts {
                            (row(words, part, why(explain, part), since(part)))
                        }
                        @for one in other_corrections {
                            (row(words, one, text(&one["kind"]), one["since"].as_u64()))
                        }
                    }
                }
            }
        }
        @if !candidates.is_empty() {
            h3 { (words.explain_candidates) }
            ol.candidates {
                @for one in candidates.iter().take(CANDIDATES_MAX) {
                    li {
                        (text(&one["prefecture"])) (text(&one["city"])) (text(&one["town"]))
                        " " code { (text(&one["jisx0402"])) }
                    }
                }
            }
        }
    }
}

/// The reason for a component. If only the municipality was matched, its data do not have the town.
fn why<'e>(explain: &'e Value, part: &'e Value) -> &'e str {
    match (text(&explain["match"]), text(&part["component"])) {
        ("city", "town") => UNKNOWN_TOWN,
        _ => text(&part["why"]),
    }
}

/// A row of the table. `since` is the year since which a name is old.
fn row(words: &Words, part: &Value, why: &str, since: Option<u64>) -> Markup {
    // A part that was filled in is not an error in the text.
    let is_corrected = !matches!(why, "as_is" | "variant" | "completed");
    html! {
        tr.corrected[is_corrected] {
            td { code { (text(&part["component"])) } }
            td { @match text(&part["read"]) { "" => (NO_VALUE), read => (read) } }
            td { b { (text(&part["became"])) } }
            td {
                @if is_corrected { span.badge.fault { (reason_text(words, why)) } }
                @else if why == "completed" { span.badge { (reason_text(words, why)) } }
                @else { (reason_text(words, why)) }
                @if let Some(year) = since { " " (fill(words.why_since, [year.to_string()])) }
            }
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The text of a level of `match`: how far the address was read.
fn match_text<'w>(words: &'w Words, level: &'w str) -> &'w str {
    match level {
        "full" => words.match_full,
        "town" => words.match_town,
        "city" => words.match_city,
        "prefecture" => words.match_prefecture,
        "none" => words.match_none,
        other => other,
    }
}

fn reason_text<'w>(words: &'w Words, why: &'w str) -> &'w str {
    match why {
        "as_is" => words.why_as_is,
        "variant" => words.why_variant,
        "completed" => words.why_completed,
        "old_name" => words.why_old_name,
        "other_register" => words.why_other_register,
        "letters" => words.why_letters,
        "repeated" => words.why_repeated,
        "reading" => words.why_reading,
        "contradicted" => words.why_contradicted,
        UNKNOWN_TOWN => words.why_unknown_town,
        other => other,
    }
}

/// Latitude, longitude and the kind of place; `None` without a point.
fn point_text(words: &Words, point: &Value) -> Option<String> {
    let level = match point["level"].as_str()? {
        "koaza" => words.point_koaza,
        "chome" => words.point_chome,
        "town" => words.point_town,
        "city" => words.point_city,
        other => other,
    };
    let (lat, lon) = (point["lat"].to_string(), point["lon"].to_string());
    Some(fill(words.point, [lat.as_str(), lon.as_str(), level]))
}

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
    use crate::dashboard::words::{ENGLISH, JAPANESE};

    #[test]
    fn each_part_shows_its_text_and_corrections_are_marked() {
        let explain = json!({
            "match": "full",
            "components": [
                {"component": "prefecture", "read": null, "became": "兵庫県", "why": "completed"},
                {"component": "city", "read": "篠山市", "became": "丹波篠山市", "why": "old_name"},
                {"component": "town", "read": "<b>", "became": "北新町", "why": "as_is"},
            ],
            "corrections": [
                {"kind": "old_name", "component": "city", "since": 2019, "read": "篠山市",
                 "became": "丹波篠山市"},
                {"kind": "repeated", "component": "city", "read": "篠山市篠山市", "became": "篠山市"},
            ],
            "candidates": [],
            "point": {"lat": 35.07, "lon": 135.2, "level": "town"},
        });
        let page = explanation(&ENGLISH, &explain).into_string();
        assert_eq!(page.matches("<tr class=\"corrected\">").count(), 2, "{page}");
        assert!(page.contains("<span class=\"badge\">filled in"), "{page}");
        assert!(page.contains("old name</span> since 2019"), "{page}");
        assert!(page.contains("written twice"), "{page}");
        assert!(page.contains("&lt;b&gt;") && page.contains("35.07, 135.2"), "{page}");
        assert!(!page.contains("<ol"), "no candidates: {page}");
        let page = explanation(&JAPANESE, &explain).into_string();
        assert!(page.contains("旧名称") && page.contains("補完"), "{page}");
    }

    #[test]
    fn candidates_are_listed_in_their_order() {
        let explain = json!({
            "match": "none", "components": [], "corrections": [], "point": null,
            "candidates": [
                {"jisx0402": "15101", "prefecture": "新潟県", "city": "新潟市北区", "town": "細山"},
                {"jisx0402": "15104", "prefecture": "新潟県", "city": "新潟市江南区", "town": null},
            ],
        });
        let page = explanation(&ENGLISH, &explain).into_string();
        let places = ["新潟県新潟市北区細山", "新潟県新潟市江南区 "].map(|place| page.find(place));
        assert!(places[0].is_some() && places[0] < places[1], "{page}");
        assert!(!page.contains("<table"), "{page}");
    }

    #[test]
    fn a_town_unknown_in_its_municipality_is_marked() {
        let town =
            json!({"component": "town", "read": "六本樹", "became": "六本樹", "why": "as_is"});
        let mut explain = json!({"match": "city", "components": [town]});
        let page = explanation(&ENGLISH, &explain).into_string();
        assert!(
            page.contains("<tr class=\"corrected\">") && page.contains("unknown town"),
            "{page}"
        );
        explain["match"] = "town".into();
        let page = explanation(&ENGLISH, &explain).into_string();
        assert!(!page.contains("corrected") && page.contains("as written"), "{page}");
    }

    #[test]
    fn any_json_can_be_explained() {
        for explain in [json!(null), json!({"components": 1, "point": {"level": "x"}}), json!([])] {
            assert!(!explanation(&ENGLISH, &explain).into_string().is_empty());
        }
    }
}

#[cfg(test)]
mod unknown_town_tests {
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
