//! Answers about the server and the request, and the body of every error.

use super::search::COUNT;
use crate::api::shape::Shape::{self, Date, List, Map, OneOf, Pattern, Text, Whole};
use crate::api::shape::{Object, member};
use crate::api::words::words;

#[rustfmt::skip] // One member a line.
static PEER: Object = Object::of("Peer", &[
    member("type", OneOf(&["v4", "v6"]), words("Kind of address", "アドレスの種類")),
    member("address", Text, words("Address", "アドレス")),
]);

static WHO: Object = Object::of(
    "WhoAmI",
    &[member("remote_addr", Shape::Object(&PEER), words("The peer of the connection", "接続元"))],
);
pub static WHOAMI: Shape = Shape::Object(&WHO);

static HEALTHY: Object =
    Object::of("Health", &[member("status", OneOf(&["ok"]), words("Always ok", "常にok"))]);
pub static HEALTH: Shape = Shape::Object(&HEALTHY);

#[rustfmt::skip] // One member a line.
static DATASET: Object = Object::of("LoadedDataset", &[
    member("versions", COUNT, words("How many versions", "バージョンの数")),
    member("latest", Date, words("The newest", "最新のバージョン")),
]);

#[rustfmt::skip] // One member a line.
static READINESS: Object = Object::of("Readiness", &[
    member("status", OneOf(&["ready", "no data", "missing data", "behind", "draining"]), words("Whether the server should get requests, else why not; behind: it has started with an older release and fetches the active one; draining: it is about to stop", "リクエストを受け付けられる状態か、できない理由。behindは起動直後で有効なリリースを取得中、drainingは停止する前")),
    member("missing", List(&Text), words("What is required and not loaded", "必要なのに読み込まれていないデータ")).optional(),
    member("data", Map("^[a-z]+$", &Shape::Object(&DATASET)), words("What is loaded of each dataset", "データごとの読み込み状況")),
]);
pub static READY: Shape = Shape::Object(&READINESS);

#[rustfmt::skip] // One member a line.
static FAILURE: Object = Object::of("Error", &[
    member("type", Pattern("^/docs/errors#[a-z_]+$"), words("Where the error is explained", "エラーの説明の場所")),
    member("title", Text, words("What it is called", "エラーの名称")),
    member("status", Whole { min: 400, max: 599 }, words("Status", "HTTPステータス")),
    member("code", Pattern("^[a-z_]+$"), words("Stable code; a program may compare it", "不変のエラーコード。プログラムで比較してよい")),
    member("detail", Text, words("What was expected and what was found", "期待した値と実際の値")),
    member("parameter", Text, words("The parameter at fault", "原因となったパラメーター")).optional(),
]);
pub static ERROR: Shape = Shape::Object(&FAILURE);
