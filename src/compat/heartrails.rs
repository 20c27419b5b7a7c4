//! HeartRails Geo API: `GET /api/json?method=…`, as JSON or, with `jsonp`, as a call of that function.
//!
//! `searchByGeoLocation` finds the towns near `x` (longitude) and `y` (latitude), `searchByPostal` those of a code,
//! `suggest` those whose name has a text. A town has its chome in kanji, readings in hiragana, and its point as texts. A
//! wrong request is status 200 with a text in the member `error`; the words are our own. There are no offices.

use std::borrow::Cow;

use super::protocol::{JSON, POSTAL, Protocol, budgeted};
use super::script::{JAVASCRIPT, callback_name, push_string, write_call};
use super::town::printed;
use crate::address::Point;
use crate::address::points::location::{Location, LocationFault};
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::{ApiRequest, Params};
use crate::api::pipeline::reply::Reply;
use crate::api::resource::{RequestedData, latest_data};
use crate::api::shape::Shape::Text;
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::dataset::phrase::phrase;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::reverse::{NearTown, NoPlace};
use crate::dataset::postal::search::PostalSearch;
use crate::dataset::postal::syntax::{PostalQuery, PostalVocabulary};
use crate::json::{push_code, put, write_list};
use crate::record::postal::PostalView;
use crate::text::codes::PostalCode;
use crate::text::kana::hiragana;

pub const PROTOCOL: Protocol = Protocol {
    name: "heartrails",
    endpoints: &[budgeted(
        Endpoint { content: Content::Other(JSON), ..POSTAL },
        "/api/json",
        answer,
        words("Towns by location, postal code or name", "座標、郵便番号、地名による町域の検索"),
        PARAMETERS,
        "/api/json?method=searchByPostal&postal=1000001",
    )],
};

const PARAMETERS: &[Parameter] = &[
    parameter(
        "method",
        Text,
        words(
            "searchByGeoLocation, searchByPostal or suggest",
            "searchByGeoLocation、searchByPostal、suggestのいずれか",
        ),
        "searchByPostal",
    ),
    parameter("x", Text, words("Longitude, with y", "経度。yとともに指定する"), "139.767125"),
    parameter("y", Text, words("Latitude, with x", "緯度。xとともに指定する"), "35.681236"),
    parameter("postal", Text, words("Seven digits", "7桁の数字"), "1000001"),
    parameter("keyword", Text, words("A part of a name", "地名の一部"), "千代田"),
    parameter("jsonp", Text, words("Name of a function", "関数名"), "f"),
];

/// Towns that an answer near a location has, as in the original.
const NEAR_MAX: usize = 10;

/// Rows that a search by name reads; each town counts once.
const ROWS_MAX: usize = 100;

/// A town of an answer.
struct Listed {
    city: [String; 2],
    town: [String; 2],
    prefecture: String,
    code: Option<u32>,
    point: Option<Point>,
    metres: Option<f64>,
}

/// The towns, or the text of the member `error`.
type Outcome = Result<Vec<Listed>, Cow<'static, str>>;

fn answer(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let callback = callback_name("jsonp", request.params.get("jsonp")?)?;
    let requested = latest_data(request, Catalog::postal)?;
    budget.require_ready(requested.data.is_search_checked())?;
    let method = request.params.get("method")?.unwrap_or_default();
    let outcome = match &*method {
        "searchByGeoLocation" => near(&requested)?,
        "searchByPostal" => of_code(&requested)?,
        "suggest" => named(&requested, budget)?,
        _ => {
            Err("expected method=searchByGeoLocation, searchByPostal or suggest; found another"
                .into())
        }
    };
    let write = |out: &mut Vec<u8>| write_outcome(out, &outcome);
    let (headers, tag) = (&request.head.headers, requested.tag());
    let version = Some(requested.version());
    Ok(match callback {
        None => Reply::foreign(headers, tag, version, JSON, write),
        Some(function) => Reply::foreign(headers, tag, version, JAVASCRIPT, |out| {
            write_call(out, &function, write);
        }),
    })
}

fn near(requested: &RequestedData<'_, PostalData>) -> Result<Outcome, HandlerError> {
    let location = match location(&requested.request.params) {
        Ok(location) => location,
        Err(fault) => return Ok(Err(fault.to_string().into())),
    };
    let Some(found) = requested.sound(requested.data.nearest(location, NEAR_MAX))? else {
        return Ok(Err(NO_POINTS.into()));
    };
    let mut listed = Vec::new();
    for place in found {
        let town = requested.sound(requested.data.near_town(place))?;
        listed.extend(town.as_ref().map(Listed::near));
    }
    Ok(match (listed.is_empty(), NoPlace::of(location)) {
        (false, _) => Ok(listed),
        (true, NoPlace::TooFar) => {
            Err("no town has its point within 10 km of this location".into())
        }
        (true, NoPlace::OutsideJapan) => Err("the location is not in Japan".into()),
    })
}

const NO_POINTS: &str = "the data have no coordinates that can be searched; build them with \
    `daicho build postal --towns FILE`";

/// The location of `x` and `y`.
fn location(params: &Params<'_>) -> Result<Location, LocationFault> {
    let text = |name| params.get(name).ok().flatten().unwrap_or_default();
    Location::parse(&text("y"), &text("x"))
}

fn of_code(requested: &RequestedData<'_, PostalData>) -> Result<Outcome, HandlerError> {
    let text = requested.request.params.get("postal")?.unwrap_or_default();
    let code = match PostalCode::parse(&text) {
        Ok(code) => code,
        Err(error) => return Ok(Err(error.to_string().into())),
    };
    let records = requested.sound(requested.data.lookup(code))?;
    let points = requested.sound(requested.data.lookup_points(code))?;
    let listed = distinct(records.zip(points));
    Ok(if listed.is_empty() { Err("no town has this postal code".into()) } else { Ok(listed) })
}

fn named(
    requested: &RequestedData<'_, PostalData>,
    budget: &CostBudget<'_>,
) -> Result<Outcome, HandlerError> {
    const NAME: &str = "keyword";
    let text = requested.request.params.get(NAME)?.unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(Err("expected keyword (a part of a name); found none".into()));
    }
    let q = match PostalQuery::parse(&phrase::<PostalVocabulary>(text.trim())) {
        Ok(q) => q,
        Err(error) => return Ok(Err(error.to_string().into())),
    };
    let search = PostalSearch { q: Some(&q), limit: ROWS_MAX, ..PostalSearch::default() };
    let cost = requested.sound(requested.data.search_cost(&search))?;
    budget.admit(&cost, NAME, &text)?;
    let found = requested.data.search_within_budget(&search, &budget.work);
    let found = found.map_err(|error| requested.handler_error(budget, NAME, error))?;
    let records = requested.sound(requested.data.rows(&found.rows))?;
    let points = requested.sound(requested.data.points_of_rows(&found.rows))?;
    let listed = distinct(records.zip(points));
    Ok(if listed.is_empty() { Err("no town has this text in its name".into()) } else { Ok(listed) })
}

/// The towns of records, each once, without offices.
fn distinct<'s>(records: impl Iterator<Item = (PostalView<'s>, Option<Point>)>) -> Vec<Listed> {
    let mut seen = Vec::new();
    let areas = records.filter(|(record, _)| record.corporation().is_none());
    let first = areas.filter(|(record, _)| {
        let town = (record.city_number(), record.town_raw().text, record.postal_code());
        let is_first = !seen.contains(&town);
        if is_first {
            seen.push(town);
        }
        is_first
    });
    first.map(|(record, point)| Listed::of_record(record, point)).collect()
}

impl Listed {
    fn near(town: &NearTown<'_>) -> Listed {
        let chome = town.chome.map_or_else(String::new, |chome| format!("{chome}ちょうめ"));
        Listed {
            city: [town.city.city().name.text.to_owned(), in_hiragana(town.city.city().kana.text)],
            town: [town.town_with_part(), in_hiragana(town.town()[1]) + &chome],
            prefecture: town.city.prefecture().name.text.to_owned(),
            code: town.codes.first().copied(),
            point: Some(town.near.point),
            metres: Some(town.near.metres),
        }
    }

    fn of_record(record: PostalView<'_>, point: Option<Point>) -> Listed {
        let (city, town) = (record.city().city(), record.town_raw().text);
        let town = printed(town, record.town_kana_raw().text);
        Listed {
            city: [city.name.text.to_owned(), in_hiragana(city.kana.text)],
            town: [town.name.to_owned(), in_hiragana(town.kana)],
            prefecture: record.city().prefecture().name.text.to_owned(),
            code: Some(record.postal_code()),
            point,
            metres: None,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let [lat, lon] = match self.point {
            Some(point) => [point.lat.to_string(), point.lon.to_string()],
            None => [String::new(), String::new()],
        };
        let members = [
            ("{\"city\":", &self.city[0]),
            (",\"city_kana\":", &self.city[1]),
            (",\"town\":", &self.town[0]),
            (",\"town_kana\":", &self.town[1]),
            (",\"x\":", &lon),
            (",\"y\":", &lat),
        ];
        for (name, value) in members {
            put(out, &[name]);
            push_string(out, value);
        }
        if let Some(metres) = self.metres {
            put(out, &[",\"distance\":", &format!("{metres:.3}")]);
        }
        put(out, &[",\"prefecture\":"]);
        push_string(out, &self.prefecture);
        put(out, &[",\"postal\":\""]);
        if let Some(code) = self.code {
            push_code::<7>(out, code);
        }
        put(out, &["\"}"]);
    }
}

fn in_hiragana(kana: &str) -> String {
    kana.chars().map(hiragana).collect()
}

fn write_outcome(out: &mut Vec<u8>, outcome: &Outcome) {
    match outcome {
        Ok(listed) => {
            put(out, &["{\"response\":{\"location\":"]);
            write_list(out, listed.iter(), |out, town| town.write(out));
        }
        Err(error) => {
            put(out, &["{\"response\":{\"error\":"]);
            push_string(out, error);
        }
    }
    put(out, &["}}"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_is_the_longitude_and_y_the_latitude() {
        let read = |query| location(&Params::new(Some(query)));
        let tokyo = Location::parse("35.68", "139.76").expect("degrees");
        assert_eq!(read("method=searchByGeoLocation&x=139.76&y=35.68"), Ok(tokyo));
        assert!(read("x=35.68&y=139.76").expect_err("exchanged").to_string().contains("exchange"));
        for wrong in ["", "x=139.76", "y=35.68", "x=a&y=35", "x=139&y=35&y=36"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn readings_are_hiragana() {
        assert_eq!(in_hiragana("チヨダク"), "ちよだく");
        assert_eq!(in_hiragana("エフビレッジー１"), "えふびれっじー１");
    }

    #[test]
    fn an_error_is_a_text_that_may_stand_in_a_script() {
        let mut out = Vec::new();
        write_outcome(&mut out, &Err("</script>\"".into()));
        assert_eq!(out, br#"{"response":{"error":"\u003c/script>\""}}"#);
    }
}
