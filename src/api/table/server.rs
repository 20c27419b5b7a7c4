//! The endpoints that tell about the server and the request.

use crate::api::endpoint::Run::AtOnce;
use crate::api::endpoint::{Content, Endpoint};
use crate::api::shapes::server as server_shapes;
use crate::api::words::words;
use crate::api::{account, health};

/// The path of the counters, which the operator may serve apart from the rest.
pub const METRICS: &str = "/metrics";

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/whoami",
        run: AtOnce(account::whoami),
        summary: words(
            "Where the server sees the request come from",
            "サーバーから見たリクエストの送信元",
        ),
        answer: words("The address of the peer", "接続元のIPアドレス"),
        content: Content::Json(&server_shapes::WHOAMI),
        example: "/v1/whoami",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/healthz",
        needs: None,
        run: AtOnce(health::health),
        summary: words("Whether the process answers", "プロセスの応答確認"),
        answer: words("Always ok", "常にok"),
        content: Content::Json(&server_shapes::HEALTH),
        example: "/healthz",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/readyz",
        needs: None,
        run: AtOnce(health::ready),
        summary: words("Whether data is loaded", "データが読み込まれているか"),
        answer: words(
            "What is loaded of each dataset; 503 where nothing is",
            "データごとの読み込み状況。何もなければ503",
        ),
        content: Content::Json(&server_shapes::READY),
        example: "/readyz",
        ..Endpoint::GET
    },
    Endpoint {
        path: METRICS,
        needs: None,
        run: AtOnce(health::metrics),
        summary: words("The counters of the server", "サーバーの計測値"),
        answer: words("OpenMetrics 1.0", "OpenMetrics 1.0"),
        content: Content::Other("application/openmetrics-text"),
        example: "/metrics",
        ..Endpoint::GET
    },
];
