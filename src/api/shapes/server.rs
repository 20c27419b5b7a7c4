//! Answers about the server and the request, and the body of every error.

use super::members::COUNT;
use crate::api::shape::Shape::{self, Date, List, Map, OneOf, Pattern, Text, Whole};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;

#[rustfmt::skip] // One member a line.
const PEER: Shape = Shape::Object(&Object::new("Peer", &[
    member("type", OneOf(&["v4", "v6"]), words("Kind of address", "アドレスの種類")),
    member("address", Text, words("Address", "アドレス")),
]));

const REMOTE: Member =
    member("remote_addr", PEER, words("The peer address of the connection", "接続元"));
pub static WHOAMI: Object = Object::new("WhoAmI", &[REMOTE]);

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
