//! The parameters that several endpoints share, and the patterns of codes.
//!
//! Also the members that several answers share: the data version, the numbers of a search, facets, lists of versions. And
//! the defaults of batches.

use crate::api::endpoint::{Endpoint, Parameter, parameter};
use crate::api::limits::{BATCH_BODY_BYTES_MAX, BATCH_QUERIES_MAX};
use crate::api::pipeline::params::{DATE_PARAMETER, LIMIT_MAX};
use crate::api::shape::Shape::{self, Date, OneNumber, OneOf, OrNull, Pattern, Text, Whole};
use crate::api::shape::{Member, Object, member};
use crate::api::words::{Words, words};
pub use crate::dataset::member::shape::{
    CORPORATE_NUMBER, COUNT, DATE_OR_NULL, INVOICE_NUMBER, TEXT_OR_NULL,
};
use crate::text::codes::ApiVersion;

/// `1` or `0`.
pub const FLAG: Shape = OneNumber(&[1, 0]);

/// `/`, or a path of one or two names.
pub const AREA: Shape = Pattern("^/$|^/[^/]+(/[^/]+)?/?$");

/// A facet of codes: `/` counts all, the path of one name counts that.
const fn facet(name: &'static str, meaning: Words) -> Parameter {
    parameter(name, Pattern("^/([^/]+/?)?$"), meaning, "/")
}

pub const VERSION: Parameter = parameter(
    "version",
    Date,
    words("A data version; default: the newest", "データバージョン。省略すると最新のバージョン"),
    "2026-05-29",
);

pub const OFFSET: Parameter = parameter(
    "offset",
    Whole { min: 0, max: u64::MAX },
    words("Number of records to skip; default: 0", "読み飛ばす件数。省略すると0"),
    "100",
);

pub const LIMIT: Parameter = parameter(
    "limit",
    Whole { min: 1, max: LIMIT_MAX },
    words(
        "Maximum number of records, 1 to 100; default: 100",
        "返す件数の上限。1から100、省略すると100",
    ),
    "10",
);

pub const BANK: Parameter = parameter(
    "bank",
    Pattern("^[0-9]{4}$"),
    words("The code of an institution, four digits", "金融機関コード（4桁）"),
    "0001",
);

const NAME_SINCE: ApiVersion = ApiVersion::V2026_08_01;

pub const NAME: Parameter = parameter(
    "q",
    Text,
    words("A part of the name or its reading", "名称または読みの一部"),
    "みずほ",
)
.since(NAME_SINCE);

pub const MATCH: Parameter = parameter(
    "match",
    OneOf(&["prefix", "contains"]),
    words(
        "How the name is matched: prefix (default) or contains",
        "名称の照合方法。前方一致（prefix、既定）または部分一致（contains）",
    ),
    "prefix",
)
.since(NAME_SINCE);

pub const ON_DAY: Parameter = parameter(
    DATE_PARAMETER,
    Date,
    words(
        "The day whose directory is asked for, with the operator's corrections of that day; default: today",
        "基準日。その日に有効な運用者の補正を反映する。省略すると今日",
    ),
    "2026-12-01",
)
.since(NAME_SINCE);

pub const BANK_TYPE: Parameter = parameter(
    "type",
    OneOf(&["bank", "shinkin", "shinkumi_rokin", "nokyo_gyokyo", "yucho"]),
    words("A kind of institution", "金融機関の種類"),
    "bank",
)
.since(NAME_SINCE);

const QUERY: Parameter = parameter("q", Text, words("A query", "検索式"), "name:台帳").required();

const FACET_AREA: Parameter = parameter(
    "facet_area",
    AREA,
    words("The area whose subareas are counted", "件数を数える地域の親パス"),
    "/東京都",
);

/// How names of corporations are matched.
pub const SEARCH_MODE: Shape = OneOf(&["partial", "exact", "exact_with_kind", "loose"]);

pub const CORPORATE_SEARCH: &[Parameter] = &[
    QUERY,
    parameter(
        "mode",
        SEARCH_MODE,
        words(
            "How names are matched: part of the name (partial, default), the whole name without the kind of corporation (exact), the whole name (exact_with_kind), or the name as people type it (loose)",
            "名称の照合方法。部分一致（partial、既定）、法人の種類を除いた完全一致（exact）、種類を含む完全一致（exact_with_kind）、表記の違いを問わない照合（loose）",
        ),
        "exact",
    ),
    parameter(
        "normalize_name",
        OneOf(&["true", "false"]),
        words(
            "Whether names are returned with half-width letters and digits",
            "名称の英数字を半角に揃えるか",
        ),
        "true",
    ),
    FACET_AREA,
    facet(
        "facet_kind",
        words("The kind of corporation to count; / for all", "件数を数える法人種別。/ですべて"),
    ),
    facet(
        "facet_process",
        words("The process to count; / for all", "件数を数える処理区分。/ですべて"),
    ),
    facet(
        "facet_close_cause",
        words("The cause of closing to count; / for all", "件数を数える閉鎖事由。/ですべて"),
    ),
    OFFSET,
    LIMIT,
    VERSION,
];

pub const SCHOOL_SEARCH: &[Parameter] = &[
    QUERY,
    FACET_AREA,
    facet(
        "facet_prefecture",
        words(
            "The responsible prefecture to count; / for all",
            "件数を数える所管都道府県。/ですべて",
        ),
    ),
    facet(
        "facet_type",
        words("The type of school to count; / for all", "件数を数える学校種。/ですべて"),
    ),
    facet(
        "facet_establishment_type",
        words("The kind of founder to count; / for all", "件数を数える設置区分。/ですべて"),
    ),
    facet(
        "facet_branch",
        words(
            "Main schools, branches or closed schools to count; / for all",
            "件数を数える本分校の区分。/ですべて",
        ),
    ),
    OFFSET,
    LIMIT,
    VERSION,
];

/// A number of records in one answer.
pub const PAGE: Shape = Whole { min: 1, max: LIMIT_MAX };

pub const QUERIES_MAX: u64 = BATCH_QUERIES_MAX as u64;

/// Pairs of path and count.
pub const FACETS: Shape = Shape::List(&Shape::Tuple(&[Text, COUNT]));

/// [`FACETS`]; null unless requested.
pub const FACETS_OR_NULL: Shape = OrNull(&FACETS);

pub const DATA_VERSION: Member =
    member("version", Date, words("The data version", "データバージョン"));

pub const SENT_QUERY: Member =
    member("query", Text, words("The q that was sent", "送られたqそのまま"));

pub const fn data(shape: Shape, meaning: Words) -> Member {
    member("data", shape, meaning)
}

pub const TOTAL: Member =
    member("count", COUNT, words("Total number of matches", "該当する全件数"));

pub const SENT_OFFSET: Member =
    member("offset", COUNT, words("Number of skipped records", "読み飛ばした件数"));

pub const SENT_LIMIT: Member =
    member("limit", PAGE, words("Maximum number of records returned", "返す件数の上限"));

/// The facets of a search: an object, or null unless some were requested.
pub const fn requested_facets(object_or_null: Shape) -> Member {
    let meaning = words("The requested facets, or null", "指定されたファセット。なければnull");
    member("facets", object_or_null, meaning)
}

/// What the entries of batches share.
pub const BATCH_POST: Endpoint = Endpoint {
    body_bytes_max: BATCH_BODY_BYTES_MAX,
    parameters: &[VERSION],
    answer: words(
        "The result of each search, in the order of the queries",
        "問い合わせの順に、それぞれの検索結果",
    ),
    ..Endpoint::POST
};

/// The echo of a batch's defaults.
pub const fn batch_params(object: Shape) -> Member {
    member("params", object, words("The defaults", "既定値"))
}

pub const fn batch_results(list: Shape) -> Member {
    member("records", list, words("The result of each query", "問い合わせごとの結果"))
}

pub const ID: Member =
    member("id", TEXT_OR_NULL, words("The id of the query, as sent", "問い合わせに付けられたid"));

const DATES: Member =
    member("versions", Shape::List(&Date), words("Dates, oldest first", "日付。古い順"));
pub static VERSIONS: Object = Object::new("Versions", &[DATES]);
