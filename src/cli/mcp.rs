//! `daicho mcp`: tools for an MCP client that starts this process. Standard output is only for the protocol; errors go
//! to standard error.

use std::io::{self, IsTerminal};

use clap::Args;
use rmcp::transport::stdio_pipes;
use tracing_subscriber::EnvFilter;

use super::data::{CorrectionsArg, SnapshotsArg, no_snapshots, open_data};
use super::error::CommandError;
use crate::api::data::Data;
use crate::dataset::correction::Extent;
use crate::mcp;
use crate::signals::Signals;

/// Run a Model Context Protocol server on standard input and output: tools for addresses, postal codes,
/// corporations, invoice numbers, banks and business days
#[derive(Debug, Args)]
pub struct McpArgs {
    #[command(flatten)]
    snapshots: SnapshotsArg,
    #[command(flatten)]
    corrections: CorrectionsArg,
}

/// Log filter. Further events of `rmcp` are off at every level: they have the texts of messages, such as addresses.
const LOG_FILTER: &str = "info,rmcp=warn";

pub fn run(args: McpArgs) -> Result<(), CommandError> {
    let log = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_env_filter(EnvFilter::new(LOG_FILTER));
    log.init();
    if io::stdin().is_terminal() {
        tracing::info!(
            "waiting for an MCP client on standard input; docs/mcp.md explains how to add daicho to one"
        );
    }
    let folder = args.snapshots.snapshots;
    let prepared = |catalog| Data::new(catalog, None);
    let data = open_data(&folder, &args.corrections, Extent::SERVED, prepared)?;
    if data.catalog.is_empty() {
        return Err(no_snapshots(&folder, "daicho build"));
    }
    let client = mcp::local_client(data, folder).map_err(CommandError::failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(CommandError::failed)?;
    let served = runtime.block_on(async {
        let mut signals = Signals::to_end().map_err(CommandError::failed)?;
        let (input, output) = stdio_pipes();
        tokio::select! {
            served = mcp::serve(client, input, output) => served.map_err(CommandError::Failed),
            _ = signals.next() => Ok(()),
        }
    });
    // A thread may be blocked reading standard input, and cannot be interrupted.
    runtime.shutdown_background();
    served
}
