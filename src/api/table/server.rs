//! The endpoints about the server and the request.

use crate::api::endpoint::Handler::Immediate;
use crate::api::endpoint::Kind::Requirements;
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::resource::server;
use crate::api::shapes::server as server_shapes;
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
        content: Content::Json(&server_shapes::WHOAMI),
        example: "/v1/whoami",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/healthz",
        needs: None,
        handler: Immediate(server::health),
        summary: words("Whether the process responds", "プロセスの応答確認"),
        answer: words("Always ok", "常にok"),
        content: Content::Json(&server_shapes::HEALTH),
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
            Requirements,
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
        content: Content::Json(&server_shapes::READY),
        errors: &[Code::InvalidVersion],
        example: "/readyz",
        ..Endpoint::GET
    },
    Endpoint {
        path: METRICS,
        needs: None,
        handler: Immediate(server::metrics),
        summary: words("The metrics of the server", "サーバーの計測値"),
        answer: words("OpenMetrics 1.0", "OpenMetrics 1.0"),
        content: Content::Other("application/openmetrics-text"),
        errors: &[Code::InvalidToken],
        example: "/metrics",
        ..Endpoint::GET
    },
];
