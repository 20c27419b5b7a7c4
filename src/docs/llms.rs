//! `/llms.txt`: the entry point for agents, in the format of llmstxt.org.

use std::fmt::Write as _;

use crate::api::endpoint::Endpoint;
use crate::api::table::RESOURCES;

const HEAD: &str = "# daicho\n\n\
> A self-hosted server for Japanese reference data over HTTP: postal codes and addresses, corporations, invoice issuers, \
banks, schools, holidays.\n\n\
- Send `Authorization: Token KEY` with every request below `/v1`. Answers are JSON.\n\
- In `q` a space means OR: write `AND` where both must match. An address belongs in `t`, not in `q`.\n\
- An error has a stable `code`; `/docs/errors` says what to do about each.\n\n\
## Documentation\n\n\
- [OpenAPI 3.1](/openapi.json): every path, parameter, member and error\n\
- [Guide](/docs/): the language of q, keys, quotas, webhooks, operating\n\
- [Forms](/docs/forms): the script that fills address forms in a browser\n\
- [Exports](/docs/export): the tables that `daicho export` writes, and recipes for databases\n\
- [Reference](/docs/reference): every endpoint with code and a real answer\n";

/// Only if this program has the tools: an agent would try the path.
const AGENTS: &str = if cfg!(feature = "mcp") {
    "- [Agents](/docs/mcp): the same data as tools of the Model Context Protocol, at `POST /mcp`\n"
} else {
    ""
};

const JAPANESE: &str = "- [日本語](/docs/ja/): the same in Japanese\n";

pub fn text() -> String {
    let mut out = [HEAD, AGENTS, JAPANESE].concat();
    for resource in RESOURCES {
        write!(out, "\n## {}\n\n", resource.title.en).expect("a string takes it");
        for endpoint in resource.endpoints {
            let Endpoint { path, summary, .. } = endpoint;
            let (verb, summary) = (endpoint.method.as_str(), summary.en);
            writeln!(out, "- `{verb} {path}`: {summary}").expect("a string takes it");
        }
    }
    out
}
