//! The endpoints of the search by location.

use super::parameters::{
    BATCH_POST, DATA_VERSION, ID, LIMIT, PAGE, QUERIES_MAX, SENT_LIMIT, VERSION, batch_params,
    batch_results, data,
};
use crate::account::Rights;
use crate::api::endpoint::Handler::{Batch, Budgeted};
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::error::Code;
use crate::api::resource::batch::handle;
use crate::api::resource::reverse::{self, BatchedLocation};
use crate::api::shape::Shape::{Decimal, List, OneOf, OrNull, Text};
use crate::api::shape::{Member, Object, Shape, member};
use crate::api::words::{Words, words};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::reverse::{ASKED_LOCATION, NEAR_TOWN};
use crate::snapshot::Dataset as _;

const LAT: Parameter = parameter(
    "lat",
    Decimal,
    words("Latitude in decimal degrees, -90 to 90", "緯度（十進法の度）。-90から90"),
    "35.681236",
)
.required();

const LON: Parameter = parameter(
    "lon",
    Decimal,
    words("Longitude in decimal degrees, -180 to 180", "経度（十進法の度）。-180から180"),
    "139.767125",
)
.required();

const PLACES: Parameter = Parameter {
    meaning: words(
        "Maximum number of places, 1 to 100; default: 10",
        "返す件数の上限。1から100、省略すると10",
    ),
    ..LIMIT
};

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/reverse",
        needs: Some(Rights::STANDARD),
        datasets: &[PostalData::KIND],
        handler: Budgeted(reverse::reverse),
        summary: words(
            "The towns near a location, with their postal codes",
            "座標に近い町域とその郵便番号",
        ),
        parameters: &[LAT, LON, PLACES, VERSION],
        answer: words(
            "The places whose points are nearest, within 10 km, the nearest first",
            "代表点が10km以内にある場所。近い順",
        ),
        content: Content::Json(&FOUND),
        errors: &[Code::InvalidCoordinates, Code::InvalidLimit, Code::NoCoordinates],
        example: "/v1/reverse?lat=35.681236&lon=139.767125&limit=2",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/batch/reverse",
        needs: Some(Rights::STANDARD_BATCH),
        datasets: &[PostalData::KIND],
        handler: Batch(handle::<BatchedLocation>),
        summary: words(
            "The towns near up to 1,000 locations in one request",
            "1回のリクエストで最大1,000件の座標から町域",
        ),
        answer: words(
            "The places near each location, in the order of the queries",
            "問い合わせの順に、それぞれの座標に近い場所",
        ),
        content: Content::Json(&BATCH),
        body: Some(&BATCH_BODY),
        errors: &[Code::InvalidCoordinates, Code::InvalidLimit, Code::NoCoordinates],
        example: "/v1/batch/reverse",
        example_body: r#"{"default_limit":1,"queries":[{"id":"1","lat":35.681236,"lon":139.767125}]}"#,
        ..BATCH_POST
    },
];

const DATA: Member = data(List(&NEAR_TOWN), words("The places, the nearest first", "場所。近い順"));

const QUERY: Member =
    member("query", ASKED_LOCATION, words("The location that was sent", "送られた座標"));

const REASON: Member = member(
    "reason",
    OrNull(&OneOf(&["outside_japan", "no_place_within_10_km"])),
    words("Why no place was found; null if one was", "場所が見つからなかった理由。見つかればnull"),
);

const NOTE: Member = member(
    "note",
    Text,
    words(
        "Says that the places are near by their points, and no boundary is known",
        "代表点の近さで選んだもので、境界は考慮していないという注意書き（英語）",
    ),
);

pub static FOUND: Object =
    Object::new("NearTowns", &[DATA_VERSION, DATA, QUERY, SENT_LIMIT, REASON, NOTE]);

const BATCH_PARAMS: Shape = Shape::Object(&Object::new(
    "ReverseBatchParams",
    &[member("default_limit", PAGE, DEFAULT_LIMIT)],
));
const DEFAULT_LIMIT: Words =
    words("Default of limit for queries without one; 1 if omitted", "limitの既定値。省略すると1");
const BATCH_RECORD: Shape =
    Shape::Object(&Object::new("ReverseBatchRecord", &[DATA, QUERY, SENT_LIMIT, REASON, NOTE, ID]));
const RESULTS: Member = batch_results(List(&BATCH_RECORD));
pub static BATCH: Object =
    Object::new("ReverseBatch", &[DATA_VERSION, batch_params(BATCH_PARAMS), RESULTS]);

#[rustfmt::skip] // One member a line.
const BATCH_QUERY: Shape = Shape::Object(&Object::new("ReverseBatchQuery", &[
    member("lat", Decimal, words("Latitude in decimal degrees", "緯度（十進法の度）")),
    member("lon", Decimal, words("Longitude in decimal degrees", "経度（十進法の度）")),
    member("limit", OrNull(&PAGE), words("Maximum number of places", "返す件数の上限")).optional(),
    ID.optional(),
]).open());

#[rustfmt::skip] // One member a line.
pub static BATCH_BODY: Object = Object::new("ReverseBatchRequest", &[
    member("default_limit", OrNull(&PAGE), DEFAULT_LIMIT).optional(),
    member("queries", Shape::UpTo(QUERIES_MAX, &BATCH_QUERY), words("The locations", "座標")),
]).open();
