//! The endpoints about the server and the request.

use super::parameters::COUNT;
use crate::api::endpoint::Handler::{Budgeted, Immediate};
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::resource::server;
use crate::api::shape::Shape::{
    Bool, Date, List, Map, OneOf, OrNull, Pattern, PatternOf, Text, Whole,
};
use crate::api::shape::{Member, Object, Shape, member};
use crate::api::words::words;

/// The path of the metrics, which the operator may serve on a listener of their own.
pub const METRICS: &str = "/metrics";

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/whoami",
        handler: Immediate(server::whoami),
        summary: words(
            "The client address as the server sees it",
            "サーバーから見たリクエストの送信元",
        ),
        answer: words("The IP address of the client", "クライアントのIPアドレス"),
        content: Content::Json(&WHOAMI),
        example: "/v1/whoami",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/sources",
        handler: Immediate(server::sources),
        summary: words(
            "What the loaded data were built from, and the terms",
            "読み込まれているデータの出典と利用条件",
        ),
        answer: words(
            "For each dataset its version, its age and its publications with their licences and credit lines",
            "データごとのバージョン、経過日数、出典（利用条件と表示すべき出典の文言）",
        ),
        content: Content::Json(&SOURCES),
        example: "/v1/sources",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/version",
        needs: None,
        handler: Immediate(server::version),
        summary: words("Which program answers", "応答しているプログラムのバージョン"),
        answer: words(
            "The version of the program, and the format of the snapshots that it reads",
            "プログラムのバージョンと、読み込めるスナップショットの形式",
        ),
        content: Content::Json(&VERSION),
        example: "/version",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/healthz",
        needs: None,
        handler: Immediate(server::health),
        summary: words("Whether the process responds", "プロセスの応答確認"),
        answer: words("Always ok", "常にok"),
        content: Content::Json(&HEALTH),
        example: "/healthz",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/readyz",
        needs: None,
        handler: Immediate(server::ready),
        summary: words(
            "Whether the server is ready for requests",
            "リクエストを受け付けられる状態か",
        ),
        parameters: &[parameter(
            "require",
            PatternOf(server::requirements_pattern),
            words(
                "Datasets that must be loaded, separated by commas; after @ the oldest accepted version",
                "必要なデータ。コンマで区切り、@の後に許容する最も古いバージョンを指定できる",
            ),
            "postal,corporate@2026-08-03",
        )],
        answer: words(
            "The loaded versions of each dataset; 503 if no data are loaded, if required data are missing, while a server \
             that follows releases has an older one than the active one, and before the server stops (--drain)",
            "データごとの読み込み状況。何もない場合、必要なデータがない場合、配布されている現行のリリースより古い間、停止する前（--drain）は503",
        ),
        content: Content::Json(&READY),
        errors: &[Code::InvalidVersion],
        example: "/readyz",
        ..Endpoint::GET
    },
    Endpoint {
        path: METRICS,
        needs: None,
        handler: Budgeted(server::metrics),
        summary: words("The metrics of the server", "サーバーの計測値"),
        answer: words("OpenMetrics 1.0", "OpenMetrics 1.0"),
        content: Content::Other("application/openmetrics-text"),
        errors: &[Code::InvalidToken],
        example: "/metrics",
        ..Endpoint::GET
    },
];

#[rustfmt::skip] // One member a line.
const PEER: Shape = Shape::Object(&Object::new("Peer", &[
    member("type", OneOf(&["v4", "v6"]), words("Kind of address", "アドレスの種類")),
    member("address", Text, words("Address", "アドレス")),
]));

const REMOTE: Member =
    member("remote_addr", PEER, words("The peer address of the connection", "接続元"));
pub static WHOAMI: Object = Object::new("WhoAmI", &[REMOTE]);

/// A credit line and the terms behind it.
#[rustfmt::skip] // One member a line.
const PUBLICATION: Shape = Shape::Object(&Object::new("Publication", &[
    member("name", Text, words("Name of the publication", "データの名称")),
    member("publisher", Text, words("Publisher", "公表者")),
    member("url", Text, words("Page of the publication", "公表しているページ")),
    member("licence", Text, words("Terms that the publisher states", "利用条件")),
    member("credit", Text, words("The line to show with the data", "表示すべき出典の文言")),
    member("silent", OrNull(&SILENCE), words("Set if the publisher has released no edition for longer than usual", "公表が通常より長く途絶えているときだけ設定される")),
]));

#[rustfmt::skip] // One member a line.
const SILENCE: Shape = Shape::Object(&Object::new("Silence", &[
    member("last_edition", Date, words("The last edition", "最後の版")),
    member("checked", Date, words("The day on which that was looked up", "確認した日")),
]));

#[rustfmt::skip] // One member a line.
const SOURCE: Shape = Shape::Object(&Object::new("DataSource", &[
    member("dataset", Text, words("A dataset, or holidays", "データの種類。祝日はholidays")),
    member("version", OrNull(&Date), words("Data version; null for holidays by the rules in the program", "データのバージョン。プログラム内の規則による祝日ではnull")),
    member("age_days", OrNull(&COUNT), words("Days since then; null for a later day", "経過日数。未来の日付ではnull")),
    member("old", Bool, words("Whether it is older than the publisher usually leaves it", "公表の間隔からみて古いか")),
    member("sample", Bool, words("Whether the data are made up, for trials", "動作確認用の架空のデータか")),
    member("publications", List(&PUBLICATION), words("What it was built from", "出典")),
    member("corrections", CORRECTIONS, words("The operator's corrections of the newest version; absent without any", "最新バージョンに対する運用者の補正。補正がなければ省略")).optional(),
]));

#[rustfmt::skip] // One member a line.
const CORRECTIONS: Shape = Shape::Object(&Object::new("LaidCorrections", &[
    member("rows", COUNT, words("Rows of the files of corrections", "補正ファイルの行数")),
    member("in_effect", COUNT, words("Rows that change the data today", "今日のデータを変えている行数")),
    member("caught_up", COUNT, words("Rows that the published data have caught up with, so that they can be removed", "公表データが追いつき、削除できる行数")),
    member("without_effect", COUNT, words("Rows that contradict the published data", "公表データと矛盾し、効果のない行数")),
]));

pub static SOURCES: Object = Object::new(
    "DataSources",
    &[
        member("sources", List(&SOURCE), words("The data, dataset by dataset", "データごとの出典")),
        member(
            "corrections_refused",
            Text,
            words(
                "Why the files of corrections as they are now are not in use; absent if they are",
                "補正ファイルの現在の内容が使われていない理由。使われていれば省略",
            ),
        )
        .optional(),
    ],
);

#[rustfmt::skip] // One member a line.
pub static VERSION: Object = Object::new("ProgramVersion", &[
    member("version", Text, words("Version of the program", "プログラムのバージョン")),
    member("commit", OrNull(&Text), words("Commit that it was compiled from; null if the build did not say", "コンパイル元のコミット。ビルド時に渡されていなければnull")),
    member("snapshot_format", COUNT, words("Format of the snapshots that it reads and writes", "読み書きするスナップショットの形式の番号")),
]);

pub static HEALTH: Object =
    Object::new("Health", &[member("status", OneOf(&["ok"]), words("Always ok", "常にok"))]);

#[rustfmt::skip] // One member a line.
const DATASET: Shape = Shape::Object(&Object::new("LoadedDataset", &[
    member("versions", COUNT, words("Number of versions", "バージョンの数")),
    member("latest", Date, words("The newest", "最新のバージョン")),
]));

#[rustfmt::skip] // One member a line.
pub static READY: Object = Object::new("Readiness", &[
    member("status", OneOf(&["ready", "no data", "missing data", "behind", "draining"]), words("Whether the server is ready for requests, or why not. behind: it has just started and is still downloading the active release; draining: it is about to stop", "リクエストを受け付けられる状態か、できない理由。behindは起動直後で有効なリリースを取得中、drainingは停止する前")),
    member("missing", List(&Text), words("Required data that are not loaded", "必要なのに読み込まれていないデータ")).optional(),
    member("data", Map("^[a-z]+$", &DATASET), words("The loaded versions of each dataset", "データごとの読み込み状況")),
]);

#[rustfmt::skip] // One member a line.
pub static ERROR: Object = Object::new("Error", &[
    member("type", Pattern("^/docs/errors#[a-z_]+$"), words("URL of the explanation of the error", "エラーの説明の場所")),
    member("title", Text, words("Name of the error", "エラーの名称")),
    member("status", Whole { min: 400, max: 599 }, words("Status", "HTTPステータス")),
    member("code", Pattern("^[a-z_]+$"), words("Stable error code; programs may compare it", "エラーコード。意味は変わらないので、プログラムの判定に使える")),
    member("detail", Text, words("What was expected and what was found", "期待した値と実際の値")),
    member("parameter", Text, words("The parameter that caused the error", "原因となったパラメーター")).optional(),
]);
