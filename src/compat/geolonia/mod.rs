//! The address data of geolonia: a list of all municipalities, and a file of the towns of each, by which
//! normalize-japanese-addresses reads addresses to level 3.
//!
//! Version 2 is at `/api/ja`, version 1, which clients before 3.0 read, at `/v1-ja/api/ja`. The towns are those of the
//! postal data; chome and points are there if the snapshot was built with a file of coordinates. `machiaza_id` is empty:
//! the postal data have no number of a town. No blocks and lots are known, so no file says where to find them.

mod municipality;
mod town;

use super::files::kept_reply;
use super::protocol::{JSON, POSTAL_JSON, Protocol, budgeted};
use crate::api::endpoint::{BudgetedHandler, Endpoint, Parameter, parameter};
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::{ApiRequest, path_parameter};
use crate::api::pipeline::reply::Reply;
use crate::api::resource::{RequestedData, latest_data};
use crate::api::shape::Shape::Text;
use crate::api::words::words;
use crate::calendar::start_of_day;
use crate::dataset::Catalog;
use crate::dataset::postal::PostalData;
use crate::json::{push_string, put, write_list};
use crate::text::codes::DataVersion;
use municipality::{Municipality, add_points, listed, write_municipality, write_prefecture};
use town::{write_town, write_town_v1};

pub const PROTOCOL: Protocol = Protocol {
    name: "geolonia",
    endpoints: &[
        file("/api/ja.json", country, &[], "/api/ja.json"),
        file(
            "/api/ja/{prefecture}.json",
            prefecture,
            &[PREFECTURE],
            "/api/ja/%E6%9D%B1%E4%BA%AC%E9%83%BD.json",
        ),
        file(
            "/api/ja/{prefecture}/{city}.json",
            towns,
            &[PREFECTURE, CITY],
            "/api/ja/%E6%9D%B1%E4%BA%AC%E9%83%BD/%E5%8D%83%E4%BB%A3%E7%94%B0%E5%8C%BA.json",
        ),
        file("/v1-ja/api/ja.json", country_v1, &[], "/v1-ja/api/ja.json"),
        file(
            "/v1-ja/api/ja/{prefecture}/{city}.json",
            towns_v1,
            &[PREFECTURE, CITY],
            "/v1-ja/api/ja/%E6%9D%B1%E4%BA%AC%E9%83%BD/%E5%8D%83%E4%BB%A3%E7%94%B0%E5%8C%BA.json",
        ),
        file(
            "/v1-ja/api/ja/{prefecture}/{city}/{town}.json",
            no_blocks_v1,
            &[PREFECTURE, CITY, TOWN],
            "",
        ),
        file(
            "/v1-ja/api/ja/{prefecture}/{city}/{town}/{list}.json",
            no_blocks_v1,
            &[PREFECTURE, CITY, TOWN, LIST],
            "",
        ),
    ],
};

const PREFECTURE: Parameter =
    parameter("prefecture", Text, words("Its name", "都道府県名"), "東京都");

const CITY: Parameter =
    parameter("city", Text, words("County, municipality and ward", "郡・市区町村・区"), "千代田区");

const TOWN: Parameter = parameter("town", Text, words("Its name", "町丁目名"), "千代田");

const LIST: Parameter = parameter("list", Text, words("住居表示", "住居表示"), "住居表示");

const fn file(
    path: &'static str,
    handler: BudgetedHandler,
    parameters: &'static [Parameter],
    example: &'static str,
) -> Endpoint {
    let summary = words("Municipalities and towns", "市区町村と町丁目");
    budgeted(POSTAL_JSON, path, handler, summary, parameters, example)
}

type Answer = Result<Reply, HandlerError>;

fn country(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Answer {
    let requested = latest_data(request, Catalog::postal)?;
    kept_reply(&requested, budget, JSON, ("geolonia", 0), |data| {
        let mut municipalities = requested.sound(listed(data))?;
        requested.sound(add_points(data, &mut municipalities))?;
        Ok(with_meta(requested.version(), |out| {
            let prefectures =
                municipalities.chunk_by(|left, right| left.prefecture() == right.prefecture());
            write_list(out, prefectures, write_prefecture);
        }))
    })
}

fn country_v1(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Answer {
    let requested = latest_data(request, Catalog::postal)?;
    kept_reply(&requested, budget, JSON, ("geolonia v1", 0), |data| {
        let municipalities = requested.sound(listed(data))?;
        let mut out = b"{".to_vec();
        let prefectures =
            municipalities.chunk_by(|left, right| left.prefecture() == right.prefecture());
        for (index, cities) in prefectures.enumerate() {
            put(&mut out, &[if index == 0 { "" } else { "," }]);
            push_string(&mut out, cities[0].view.prefecture().name.text);
            put(&mut out, &[":"]);
            write_list(&mut out, cities.iter(), |out, city| push_string(out, &city.full_name()));
        }
        put(&mut out, &["}"]);
        Ok(out)
    })
}

fn prefecture(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Answer {
    let requested = latest_data(request, Catalog::postal)?;
    let mut cities = in_prefecture(request, &requested)?;
    let number = cities[0].prefecture();
    kept_reply(&requested, budget, JSON, ("geolonia prefecture", number), |data| {
        requested.sound(add_points(data, &mut cities))?;
        Ok(with_meta(requested.version(), |out| write_list(out, cities.iter(), write_municipality)))
    })
}

fn towns(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Answer {
    let requested = latest_data(request, Catalog::postal)?;
    let city = in_path(request, &requested)?;
    kept_reply(&requested, budget, JSON, ("geolonia towns", city.kept_number()), |data| {
        let parts = requested.sound(data.town_parts(city.number))?;
        Ok(with_meta(requested.version(), |out| {
            write_list(out, parts.iter(), |out, part| write_town(out, &city, part));
        }))
    })
}

fn towns_v1(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Answer {
    let requested = latest_data(request, Catalog::postal)?;
    let city = in_path(request, &requested)?;
    kept_reply(&requested, budget, JSON, ("geolonia towns v1", city.kept_number()), |data| {
        let parts = requested.sound(data.town_parts(city.number))?;
        let mut out = Vec::new();
        write_list(&mut out, parts.iter(), |out, part| write_town_v1(out, &city, part));
        Ok(out)
    })
}

/// The blocks of a town, of which none are known: clients of version 1 ask for them above level 3, and stay there
/// without.
fn no_blocks_v1(request: &ApiRequest<'_>, _budget: &CostBudget<'_>) -> Answer {
    let requested = latest_data(request, Catalog::postal)?;
    in_path(request, &requested)?;
    let (headers, version) = (&request.head.headers, Some(requested.version()));
    Ok(Reply::foreign(headers, requested.tag(), version, JSON, |out| put(out, &["[]"])))
}

/// `{"meta":{"updated":…},"data":…}`. Clients add the second to the address of files, so that caches forget old ones.
fn with_meta(version: DataVersion, write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let updated = start_of_day(version).as_second().to_string();
    let mut out = Vec::new();
    put(&mut out, &["{\"meta\":{\"updated\":", &updated, "},\"data\":"]);
    write(&mut out);
    put(&mut out, &["}"]);
    out
}

/// The municipalities of the prefecture in the path; at least one.
fn in_prefecture<'s>(
    request: &ApiRequest<'_>,
    requested: &RequestedData<'s, PostalData>,
) -> Result<Vec<Municipality<'s>>, ApiError> {
    let name = path_parameter("prefecture", Code::NoSuchPrefecture, request.path("prefecture"))?;
    let mut cities = requested.sound(listed(requested.data))?;
    cities.retain(|city| city.view.prefecture().name.text == name);
    if cities.is_empty() {
        let what = "the name of a prefecture, such as 東京都,";
        return Err(requested.no_such(
            "prefecture",
            Code::NoSuchPrefecture,
            what,
            format_args!("{name:?}"),
        ));
    }
    Ok(cities)
}

/// The municipality in the path.
fn in_path<'s>(
    request: &ApiRequest<'_>,
    requested: &RequestedData<'s, PostalData>,
) -> Result<Municipality<'s>, ApiError> {
    let name = path_parameter("city", Code::NoSuchEndpoint, request.path("city"))?;
    let cities = in_prefecture(request, requested)?;
    cities.into_iter().find(|city| city.full_name() == name).ok_or_else(|| {
        let what =
            "the name of a municipality of the prefecture with county and ward, such as 千代田区,";
        requested.no_such("city", Code::NoSuchEndpoint, what, format_args!("{name:?}"))
    })
}
