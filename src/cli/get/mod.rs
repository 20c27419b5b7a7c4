//! `daicho get`: any `GET` of the API, answered from a snapshot folder in this process: without a server, an account
//! and a key. `daicho lookup` and `daicho search` are short forms of it, with options in place of parameters.

mod local;
pub mod short_form;

use std::fmt::Write as _;
use std::io::{self, Write};

use clap::Args;
use hyper::header::CONTENT_TYPE;

use self::local::LocalApi;
use super::data::SnapshotsArg;
use super::error::CommandError;
use super::print::print;
use crate::api::endpoint::{Endpoint, Handler, Verb};
use crate::api::error::{ApiError, Code};
use crate::api::pipeline::reply::NOTICE;
use crate::api::table::TABLE;
use crate::query::syntax::Grouping;

const ABOUT: &str = "Print the answer of the API to a GET request, without a server";

#[derive(Debug, Args)]
#[command(about = ABOUT, long_about = long_about())]
pub struct GetArgs {
    /// The path of the request with its query string, such as '/v1/bank?q=みず'
    path: String,
    #[command(flatten)]
    snapshots: SnapshotsArg,
}

pub fn run(args: &GetArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let local = LocalApi::open(&args.snapshots.snapshots, Grouping::default())?;
    let answer = local.get(&args.path).map_err(|error| refused(&local, &args.path, &error))?;
    if let Some(notice) = answer.header(&NOTICE) {
        // The answer follows in any case: ignore errors of writing the notice.
        let _ =
            writeln!(io::stderr(), "daicho: {notice}; 'daicho get --help' lists the parameters");
    }
    print(stdout, &answer.body)?;
    let is_json = answer.header(&CONTENT_TYPE).is_some_and(|kind| kind.contains("json"));
    if is_json { print(stdout, "\n") } else { Ok(()) }
}

/// The help, with the paths from the table of endpoints.
fn long_about() -> String {
    let is_answered = |endpoint: &&Endpoint| {
        endpoint.method == Verb::Get && !matches!(endpoint.handler, Handler::Store(_))
    };
    let mut text = format!(
        "{ABOUT}\n\nThe answer comes from a snapshot folder and needs no key. 'daicho lookup' and 'daicho search' \
         are short forms. The paths with their parameters:\n"
    );
    for endpoint in TABLE.iter().filter(is_answered) {
        let names: Vec<&str> = endpoint.query_parameters().collect();
        let mark = if names.is_empty() { "" } else { "?" };
        let _ = writeln!(text, "  {}{mark}{}", endpoint.path, names.join("&"));
    }
    text
}

/// The error of a request, with what to do.
fn refused(local: &LocalApi, path: &str, error: &ApiError) -> CommandError {
    let remedy = match error.code {
        Code::NoSuchEndpoint => {
            "'daicho get --help' lists the paths, such as /v1/postalcode/1000001"
        }
        Code::MethodNotAllowed | Code::StateUnavailable => "send it to a server (daicho serve)",
        Code::NoData => "build them with 'daicho build', or name their folder with --snapshots",
        Code::NoSuchVersion => "'daicho snapshot list' lists the versions of the folder",
        Code::DamagedData => "'daicho snapshot verify' names the file",
        code => code.remedy().en,
    };
    let message = format!("{path:?}: {}; {remedy}", error.detail);
    let is_missing = matches!(error.code, Code::NoData | Code::NoSuchVersion);
    match local.refused_files().into_iter().find(|_| is_missing) {
        // Perhaps the data are missing because of this file.
        Some(damaged) => CommandError::Damaged(format!("{message}; a file is damaged: {damaged}")),
        None if error.code == Code::DamagedData => CommandError::Damaged(message),
        None => CommandError::Failed(message),
    }
}
