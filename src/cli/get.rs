//! `daicho get`: any `GET` of the API, answered from a snapshot folder in this process: without a server, an account
//! and a key. `daicho lookup` and `daicho search` are short forms of it, with options in place of parameters.
//!
//! [`LocalApi`] has no limits of cost and time: it serves nobody else.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use http_body_util::BodyExt;
use hyper::header::{CONTENT_TYPE, HeaderName};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

use super::data::{
    AnswerArg, CorrectionsArg, DataArg, SnapshotsArg, choose, open_data, report_refused,
};
use super::error::CommandError;
use super::needed::Needed;
use super::print::{print, print_lines, print_notes, said};
use crate::account::{Account, Keyring};
use crate::api::data::Data;
use crate::api::endpoint::{Endpoint, Handler, Verb};
use crate::api::error::{ApiError, Code};
use crate::api::executor::Slots;
use crate::api::executor::cost_budget::CostLimits;
use crate::api::pipeline::reply::{NOTICE, SAMPLE};
use crate::api::pipeline::router::{NoRoute, route};
use crate::api::pipeline::{AccountAnswer, answer_for_account};
use crate::api::table::TABLE;
use crate::api::{Api, RequestTarget};
use crate::dataset::Catalog;
use crate::dataset::correction::Extent;
use crate::query::syntax::Grouping;
use crate::server::access_log::RequestId;
use crate::server::connection::{Connection, Remote};
use crate::server::metrics::Metrics;
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::DataVersion;

const ABOUT: &str = "Print the answer of the API to a GET request, without a server";

#[derive(Debug, Args)]
#[command(about = ABOUT, long_about = long_about())]
pub struct GetArgs {
    /// The path of the request with its query string, such as '/v1/bank?q=みず'
    path: String,
    #[command(flatten)]
    snapshots: SnapshotsArg,
    #[command(flatten)]
    corrections: CorrectionsArg,
}

pub fn run(args: &GetArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let (folder, grouping) = (&args.snapshots.snapshots, Grouping::default());
    // A target that is no URL is refused below.
    let needed = head_of(&args.path).map(|head| Needed::by(&head.uri)).unwrap_or_default();
    let local = LocalApi::open(folder, &args.corrections, needed.extent(), grouping)?;
    for versions in local.data().catalog.datasets() {
        if let Some(newest) = versions.newest() {
            report_refused(newest.version(), versions.refused().into_iter());
        }
    }
    let answer = local.get(&args.path).map_err(|error| refused(&local, &args.path, &error))?;
    print_notices(&answer, |notice| {
        format!("daicho: {notice}; 'daicho get --help' lists the parameters\n")
    });
    print(stdout, answer.body())?;
    let is_json = header(&answer, &CONTENT_TYPE).is_some_and(|kind| kind.contains("json"));
    if is_json { print(stdout, "\n") } else { Ok(()) }
}

fn header<'a>(answer: &'a Response<Bytes>, name: &HeaderName) -> Option<&'a str> {
    answer.headers().get(name)?.to_str().ok()
}

/// Prints what an answer says about its data to standard error: a notice in this line, and that the data are made up.
fn print_notices(answer: &Response<Bytes>, line: impl FnOnce(&str) -> String) {
    // Several notices stand in one header.
    let said_each = |notices: &str| notices.split("; ").map(said).collect::<Vec<_>>().join("; ");
    if let Some(notices) = header(answer, &NOTICE) {
        print_notes(&line(&said_each(notices)));
    }
    if let Some(samples) = header(answer, &SAMPLE) {
        print_notes(&format!("daicho: {}\n", said_each(samples)));
    }
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

/// The API over a snapshot folder, and the data version that its answers come from.
pub struct ShortForm {
    api: LocalApi,
    pub version: DataVersion,
    /// Whether the command names the version, which then answers as it was published.
    names_version: bool,
    pub is_json: bool,
}

impl ShortForm {
    /// The version of the dataset that `versions` selects from the catalog: the requested one, or else the latest.
    pub fn open<D: Dataset>(
        answer: &AnswerArg,
        versions: impl FnOnce(&Catalog) -> &Versions<D>,
    ) -> Result<ShortForm, CommandError> {
        let requested = answer.data.version()?;
        let DataArg { snapshots, corrections, .. } = &answer.data;
        let folder = &snapshots.snapshots;
        let needed = Needed::of(vec![D::KIND], requested.is_some());
        let api = LocalApi::open(folder, corrections, needed.extent(), Grouping::Allowed)?;
        let data = api.data();
        let version = choose(versions(&data.catalog), requested, folder)?.file().version();
        let names_version = requested.is_some();
        Ok(ShortForm { api, version, names_version, is_json: answer.json })
    }

    pub fn data(&self) -> Arc<Data> {
        self.api.data()
    }

    /// Prints the answer from the version, or lines for people about it, and returns it. `missing` says what does not exist if
    /// there is no answer.
    pub fn print(
        &self,
        target: RequestTarget,
        stdout: &mut dyn Write,
        missing: impl FnOnce(Code) -> String,
        as_text: impl FnOnce(&Value) -> String,
    ) -> Result<Value, CommandError> {
        let version = self.version;
        let target = if self.names_version { target.with("version", version) } else { target };
        let answer = self.api.get(&target.into_text());
        let answer = answer.map_err(|error| match error.code {
            Code::DamagedData => CommandError::Damaged(error.detail.into_owned()),
            code if code.status().as_u16() == 404 => {
                CommandError::Failed(format!("{} in version {version}", missing(code)))
            }
            _ => CommandError::Failed(error.detail.into_owned()),
        })?;
        print_notices(&answer, |notice| format!("daicho: {notice}\n"));
        let value = serde_json::from_slice(answer.body()).map_err(CommandError::failed)?;
        match self.is_json {
            true => print(stdout, [answer.body(), &b"\n"[..]].concat())?,
            false => print_lines(stdout, &as_text(&value))?,
        }
        Ok(value)
    }
}

/// The member of a record as text; empty for `null`.
pub fn text<'v>(record: &'v Value, name: &str) -> Cow<'v, str> {
    match &record[name] {
        Value::Null => "".into(),
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

pub fn elements(array: &Value) -> &[Value] {
    array.as_array().map_or(&[], Vec::as_slice)
}

/// The ASCII characters of a typed target that are encoded. Escapes stay as they are.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'#');

/// The head of the `GET` of a typed target.
fn head_of(target: &str) -> hyper::http::Result<Parts> {
    let request = Request::get(utf8_percent_encode(target, ENCODED).to_string()).body(())?;
    Ok(request.into_parts().0)
}

pub struct LocalApi {
    api: Arc<Api>,
    connection: Arc<Connection>,
}

impl LocalApi {
    pub fn open(
        folder: &Path,
        corrections: &CorrectionsArg,
        extent: Extent<'_>,
        grouping: Grouping,
    ) -> Result<LocalApi, CommandError> {
        let data = open_data(folder, corrections, extent, Data::unprepared)?;
        let slots = Slots::new(CostLimits::UNLIMITED);
        let api = Api::local(data, Keyring::new([]), slots, folder.to_owned());
        let metrics = Arc::new(Metrics::over(Vec::new()));
        Ok(LocalApi {
            api: Arc::new(Api { grouping, ..api }),
            connection: Arc::new(Connection::open(1, Remote::own_process(), 0, metrics)),
        })
    }

    /// The files of the folder that were refused as damaged.
    pub fn refused_files(&self) -> Vec<String> {
        let data = self.data();
        let refused = data.catalog.datasets().into_iter().flat_map(|versions| versions.refused());
        refused.map(ToString::to_string).collect()
    }

    pub fn data(&self) -> Arc<Data> {
        Arc::clone(&self.api.data.load())
    }

    /// The answer to a `GET` of a path with its query string.
    pub fn get(&self, target: &str) -> Result<Response<Bytes>, ApiError> {
        if !target.starts_with('/') {
            let detail = "expected a path that begins with /; found another text";
            return Err(ApiError::new(Code::NoSuchEndpoint, detail));
        }
        let malformed =
            |error: hyper::http::Error| ApiError::new(Code::MalformedRequest, error.to_string());
        let head = head_of(target).map_err(malformed)?;
        match route(&Method::GET, head.uri.path()) {
            Err(NoRoute::Method(_allow)) => {
                let detail = "expected a path that GET reads; found one that takes POST only";
                return Err(ApiError::new(Code::MethodNotAllowed, detail));
            }
            Ok(matched) if matches!(matched.endpoint.handler, Handler::Store(_)) => {
                let detail = "expected a path that needs no account; found one of the radar";
                return Err(ApiError::new(Code::StateUnavailable, detail));
            }
            _ => {}
        }
        let id = RequestId { connection: 1, request: 1 };
        let account = Account::operator();
        let AccountAnswer { response, error } =
            answer_for_account(&self.api, &self.connection, id, &head, &account, Duration::MAX);
        if let Some(error) = error {
            return Err(error);
        }
        let (head, body) = response.into_parts();
        let unreadable = |cause| ApiError::new(Code::Internal, format!("no answer: {cause}"));
        // No body waits for anything, so it needs neither threads nor timers.
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(unreadable)?;
        let body = runtime.block_on(body.collect()).map_err(unreadable)?;
        Ok(Response::from_parts(head, body.to_bytes()))
    }
}
