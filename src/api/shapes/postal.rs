//! Postal records, municipalities, and the bodies of the address search.

use super::members::{
    BLOCK_LOT_NUM, BUILDING, COUNT, DATA_VERSION, FACETS_OR_NULL, FLOOR_ROOM, JISX0402,
    KYOTO_STREET, LIMIT, OFFSET, PAGE, POSTAL_CODE, QUERIES_MAX, TEXT_OR_NULL, TOTAL, TOWN,
    batch_params, batch_results, data,
};
use crate::api::shape::Shape::{
    self, Bool, Decimal, List, OneNumber, OneOf, OrNull, Pattern, Text,
};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::text::codes::ApiVersion;

/// The API version from which postal records have 35 members.
const ALL_SINCE: ApiVersion = ApiVersion::V2022_11_01;

/// The API version from which municipalities have 15 members.
const COUNTY_SINCE: ApiVersion = ApiVersion::V2023_09_01;

#[rustfmt::skip] // One member a line.
const CORPORATION: Shape = Shape::Object(&Object::new("LargeBusiness", &[
    member("name", Text, words("Name", "事業所名")),
    member("name_kana", Text, words("Its reading", "事業所名の読み")),
    member("block_lot", Text, words("Address below the town, as printed", "小字・丁目・番地等（公表のまま）")),
    BLOCK_LOT_NUM,
    member("post_office", Text, words("Post office", "取扱郵便局")),
    member("code_type", OneNumber(&[0, 1]), words("0 a large business, 1 a post-office box", "0は大口事業所、1は私書箱")),
]));

#[rustfmt::skip] // One member a line.
const POINT: Shape = Shape::Object(&Object::new("Point", &[
    member("lat", Decimal, words("Latitude in degrees", "緯度（度）")),
    member("lon", Decimal, words("Longitude in degrees", "経度（度）")),
    member("level", OneOf(&["koaza", "chome", "town", "city"]), words("The area that the point represents", "座標が表す範囲")),
]));

// Members that records, municipalities and candidates share.
const MUNICIPALITY_CODE: Member =
    member("jisx0402", JISX0402, words("Code of the municipality", "市区町村コード（JIS X 0402）"));
const PREFECTURE: Member = member("prefecture", Text, words("Prefecture", "都道府県"));
const PREFECTURE_KANA: Member =
    member("prefecture_kana", Text, words("Its reading", "都道府県の読み"));
const PREFECTURE_ROMAN: Member =
    member("prefecture_roman", Text, words("In Roman letters", "都道府県のローマ字"));
const CITY: Member =
    member("city", Text, words("County, city and ward in one", "市区町村（郡・区を含む）"));
const CITY_KANA: Member = member("city_kana", Text, words("Its reading", "市区町村の読み"));
const CITY_ROMAN: Member =
    member("city_roman", Text, words("In Roman letters", "市区町村のローマ字"));
const COUNTY: Member = member("county", Text, words("County, or empty", "郡。なければ空"));
const COUNTY_KANA: Member = member("county_kana", Text, words("Its reading", "郡の読み"));
const COUNTY_ROMAN: Member =
    member("county_roman", Text, words("In Roman letters", "郡のローマ字"));
const CITY_WITHOUT_COUNTY_AND_WARD: Member = member(
    "city_without_county_and_ward",
    Text,
    words("The part between county and ward", "郡と区を除いた市区町村"),
);
const CITY_WITHOUT_COUNTY_AND_WARD_KANA: Member =
    member("city_without_county_and_ward_kana", Text, words("Its reading", "その読み"));
const CITY_WITHOUT_COUNTY_AND_WARD_ROMAN: Member =
    member("city_without_county_and_ward_roman", Text, words("In Roman letters", "そのローマ字"));

#[rustfmt::skip] // One member a line.
const RECORD: Shape = Shape::Object(&Object::new("PostalRecord", &[
    MUNICIPALITY_CODE,
    member("old_code", Pattern("^([0-9]{3}|[0-9]{5})$"), words("Former postal code", "旧郵便番号")),
    member("postal_code", POSTAL_CODE, words("Postal code", "郵便番号")),
    PREFECTURE,
    PREFECTURE_KANA,
    PREFECTURE_ROMAN.since(ALL_SINCE),
    CITY,
    CITY_KANA,
    CITY_ROMAN.since(ALL_SINCE),
    COUNTY.since(ALL_SINCE),
    COUNTY_KANA.since(ALL_SINCE),
    COUNTY_ROMAN.since(ALL_SINCE),
    CITY_WITHOUT_COUNTY_AND_WARD.since(ALL_SINCE),
    CITY_WITHOUT_COUNTY_AND_WARD_KANA.since(ALL_SINCE),
    CITY_WITHOUT_COUNTY_AND_WARD_ROMAN.since(ALL_SINCE),
    member("city_ward", Text, words("Ward of a designated city, or empty", "政令指定都市の区。なければ空")).since(ALL_SINCE),
    member("city_ward_kana", Text, words("Its reading", "区の読み")).since(ALL_SINCE),
    member("city_ward_roman", Text, words("In Roman letters", "区のローマ字")).since(ALL_SINCE),
    member("town", Text, words("Town area", "町域")),
    member("town_kana", Text, words("Its reading", "町域の読み")),
    member("town_roman", Text, words("In Roman letters", "町域のローマ字")).since(ALL_SINCE),
    member("town_raw", Text, words("The town column as the source prints it", "町域欄（公表のまま）")),
    member("town_kana_raw", Text, words("Its reading as the source prints it", "町域の読みの欄（公表のまま）")),
    member("koaza", Text, words("Koaza, chome or 地割", "小字、丁目または地割")),
    member("kyoto_street", Text, words("Kyoto street name", "京都の通り名")),
    member("building", Text, words("Building", "建物名")),
    member("floor", Text, words("Floor", "階")),
    member("town_partial", Bool, words("The town has several codes", "一町域が二以上の郵便番号で表される")),
    member("town_addressed_koaza", Bool, words("Lot numbers restart in each koaza", "小字毎に番地が起番されている")),
    member("town_multi", Bool, words("The code covers several towns", "一つの郵便番号で二以上の町域を表す")),
    member("town_chome", Bool, words("The town has chome", "丁目を有する町域")),
    member("town_jukyohyoji", Bool, words("The town uses residence indication", "住居表示を実施している")).since(ALL_SINCE),
    member("update_status", OneNumber(&[0, 1, 2]), words("0 unchanged, 1 added or changed, 2 abolished", "0は変更なし、1は追加・変更、2は廃止")).since(ALL_SINCE),
    member("update_reason", OneNumber(&[0, 1, 2, 3, 4, 5, 6]), words("Reason for the change, as published by Japan Post", "変更理由（日本郵便による）")).since(ALL_SINCE),
    member("corporation", OrNull(&CORPORATION), words("The large business, or null", "大口事業所。なければnull")),
    member("point", OrNull(&POINT), words("Coordinates; only with point=1", "座標。point=1のときだけ")).optional(),
]));

const DATA: Member = data(List(&RECORD), words("The records", "レコード"));
pub static LOOKUP: Object = Object::new("PostalRecords", &[DATA_VERSION, DATA]);

#[rustfmt::skip] // One member a line.
const MUNICIPALITY: Shape = Shape::Object(&Object::new("City", &[
    MUNICIPALITY_CODE,
    member("prefecture_code", Pattern("^[0-9]{2}$"), words("Prefecture code, the first two digits", "都道府県コード（先頭2桁）")),
    member("city_code", Pattern("^[0-9]{3}$"), words("The last three digits", "残りの3桁")),
    PREFECTURE,
    PREFECTURE_KANA,
    CITY,
    CITY_KANA,
    PREFECTURE_ROMAN.since(ALL_SINCE),
    CITY_ROMAN.since(ALL_SINCE),
    COUNTY.since(COUNTY_SINCE),
    COUNTY_KANA.since(COUNTY_SINCE),
    COUNTY_ROMAN.since(COUNTY_SINCE),
    CITY_WITHOUT_COUNTY_AND_WARD.since(COUNTY_SINCE),
    CITY_WITHOUT_COUNTY_AND_WARD_KANA.since(COUNTY_SINCE),
    CITY_WITHOUT_COUNTY_AND_WARD_ROMAN.since(COUNTY_SINCE),
]));

const MUNICIPALITIES: Member = data(List(&MUNICIPALITY), words("The municipalities", "市区町村"));
pub static CITIES: Object = Object::new("Cities", &[DATA_VERSION, MUNICIPALITIES]);

#[rustfmt::skip] // One member a line.
const UNDERSTOOD: Shape = Shape::Object(&Object::new("AddressQuery", &[
    member("q", TEXT_OR_NULL, words("The q that was sent", "送られたq")),
    member("t", TEXT_OR_NULL, words("The t that was sent", "送られたt")),
    member("prefecture", TEXT_OR_NULL, words("Prefecture", "都道府県")),
    member("county", TEXT_OR_NULL, words("County", "郡")),
    member("city", TEXT_OR_NULL, words("City", "市区町村")),
    member("city_ward", TEXT_OR_NULL, words("Ward of a designated city", "政令指定都市の区")),
    TOWN,
    KYOTO_STREET,
    BLOCK_LOT_NUM,
    BUILDING,
    FLOOR_ROOM,
]));

const PLACE: Shape = OneOf(&[
    "prefecture",
    "county",
    "city",
    "city_ward",
    "town",
    "kyoto_street",
    "block_lot_num",
    "building",
    "floor_room",
]);

const COUNT_OR_NULL: Shape = OrNull(&COUNT);

#[rustfmt::skip] // One member a line.
const PART: Shape = Shape::Object(&Object::new("AddressPart", &[
    member("component", PLACE, words("The part", "構成要素")),
    member("start", COUNT_OR_NULL, words("Start in t, in bytes", "tでの始まり（バイト）")),
    member("end", COUNT_OR_NULL, words("End in t, in bytes", "tでの終わり（バイト）")),
    member("read", TEXT_OR_NULL, words("The text at that place", "そこにある文字列")),
    member("became", Text, words("The value it was read as", "読み取った値")),
    member("why", OneOf(&["as_is", "variant", "completed", "old_name", "other_register", "letters", "repeated"]), words("Why", "理由")),
]));

#[rustfmt::skip] // One member a line.
const CORRECTION: Shape = Shape::Object(&Object::new("AddressCorrection", &[
    member("kind", OneOf(&["old_name", "other_register", "letters", "completed", "repeated"]), words("Kind of correction", "修正の種類")),
    member("component", PLACE, words("The part", "構成要素")),
    member("since", COUNT_OR_NULL, words("The year in which the name was replaced", "旧名称になった年")),
    member("start", COUNT, words("Start in t, in bytes", "tでの始まり（バイト）")),
    member("end", COUNT, words("End in t, in bytes", "tでの終わり（バイト）")),
    member("read", TEXT_OR_NULL, words("The text at that place", "そこにある文字列")),
    member("became", Text, words("The value it was read as", "読み取った値")),
]));

const CANDIDATE: Shape =
    Shape::Object(&Object::new("AddressCandidate", &[MUNICIPALITY_CODE, PREFECTURE, CITY, TOWN]));

#[rustfmt::skip] // One member a line.
const EXPLANATION: Shape = Shape::Object(&Object::new("AddressExplanation", &[
    member("match", OneOf(&["full", "town", "city", "prefecture", "none"]), words("How precisely the address was matched", "どこまで特定できたか")),
    member("components", List(&PART), words("The parts", "構成要素")),
    member("corrections", List(&CORRECTION), words("Corrections that were made", "修正")),
    member("candidates", List(&CANDIDATE), words("Candidates if the address matches several places", "複数の場所に読めるときの候補")),
    member("point", OrNull(&POINT), words("Coordinates", "座標")),
]));

const QUERY: Member = member(
    "query",
    UNDERSTOOD,
    words("The sent parameters and the parts of the address", "問い合わせと住所の構成要素"),
);

const AREAS: Member = member(
    "facets",
    FACETS_OR_NULL,
    words("Pairs of path and count, or null", "パスと件数の組。なければnull"),
);

const EXPLAIN: Member = member(
    "explain",
    OrNull(&EXPLANATION),
    words("How t was parsed; only with explain=1", "tの読み取り方。explain=1のときだけ"),
)
.optional();

pub static SEARCH: Object =
    Object::new("PostalSearch", &[DATA_VERSION, DATA, QUERY, TOTAL, OFFSET, LIMIT, AREAS, EXPLAIN]);

#[rustfmt::skip] // One member a line.
const BATCH_PARAMS: Shape = Shape::Object(&Object::new("PostalBatchParams", &[
    member("default_q", TEXT_OR_NULL, words("Default of q for queries without one", "qの既定値")),
    member("default_limit", PAGE, words("Default of limit for queries without one", "limitの既定値")),
]));
const BATCH_RECORD: Shape = Shape::Object(&Object::new(
    "PostalBatchRecord",
    &[DATA, QUERY, TOTAL, OFFSET, LIMIT, AREAS, EXPLAIN],
));
const RESULTS: Member = batch_results(List(&BATCH_RECORD));
pub static BATCH: Object =
    Object::new("PostalBatch", &[DATA_VERSION, batch_params(BATCH_PARAMS), RESULTS]);

#[rustfmt::skip] // One member a line.
const BATCH_QUERY: Shape = Shape::Object(&Object::new("PostalBatchQuery", &[
    member("t", Text, words("An address", "住所")),
    member("q", TEXT_OR_NULL, words("A query", "検索式")).optional(),
    member("limit", OrNull(&PAGE), words("Maximum number of records", "返す件数の上限")).optional(),
]).open());

#[rustfmt::skip] // One member a line.
pub static BATCH_BODY: Object = Object::new("PostalBatchRequest", &[
    member("default_q", TEXT_OR_NULL, words("Default of q for queries without one", "qの既定値")).optional(),
    member("default_limit", OrNull(&PAGE), words("Default of limit for queries without one; 1 if omitted", "limitの既定値。省略すると1")).optional(),
    member("explain", OrNull(&OneNumber(&[0, 1])), words("1 adds an explanation of how each address was parsed", "1を指定すると読み取り方も返す")).optional(),
    member("queries", Shape::UpTo(QUERIES_MAX, &BATCH_QUERY), words("The queries", "問い合わせ")),
]).open();
