//! What the short forms of `daicho get` share: the data version, the request, and printing text or JSON.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use serde_json::Value;

use super::local::LocalApi;
use crate::api::data::Data;
use crate::api::error::Code;
use crate::api::target::RequestTarget;
use crate::cli::data::{AnswerArg, choose};
use crate::cli::error::CommandError;
use crate::cli::print::print;
use crate::dataset::Catalog;
use crate::query::syntax::Grouping;
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::DataVersion;

/// The API over a snapshot folder, and the data version that its answers come from.
pub struct ShortForm {
    api: LocalApi,
    pub version: DataVersion,
    pub is_json: bool,
}

impl ShortForm {
    /// The version of the dataset that `versions` selects from the catalog: the requested one, or else the latest.
    pub fn open<D: Dataset>(
        answer: &AnswerArg,
        versions: impl FnOnce(&Catalog) -> &Versions<D>,
    ) -> Result<ShortForm, CommandError> {
        let requested = answer.data.version()?;
        let folder = &answer.data.snapshots.snapshots;
        let api = LocalApi::open(folder, Grouping::Allowed)?;
        let data = api.data();
        let version = choose(versions(&data.catalog), requested, folder)?.file().version();
        Ok(ShortForm { api, version, is_json: answer.json })
    }

    pub fn data(&self) -> Arc<Data> {
        self.api.data()
    }

    /// Prints the answer from the version, or the text for it, and returns it. `missing` says what does not exist if
    /// there is no answer.
    pub fn print(
        &self,
        target: RequestTarget,
        stdout: &mut dyn Write,
        missing: impl FnOnce(Code) -> String,
        as_text: impl FnOnce(&Value) -> String,
    ) -> Result<Value, CommandError> {
        let version = self.version;
        let answer = self.api.get(&target.with("version", version).into_text());
        let body = answer.map_err(|error| match error.code {
            Code::DamagedData => CommandError::Damaged(error.detail.into_owned()),
            code if code.status().as_u16() == 404 => {
                CommandError::Failed(format!("{} in version {version}", missing(code)))
            }
            _ => CommandError::Failed(error.detail.into_owned()),
        })?;
        let value = serde_json::from_slice(&body.body).map_err(CommandError::failed)?;
        match self.is_json {
            true => print(stdout, [&body.body, &b"\n"[..]].concat())?,
            false => print(stdout, as_text(&value))?,
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

/// The elements of an array.
pub fn elements(array: &Value) -> &[Value] {
    array.as_array().map_or(&[], Vec::as_slice)
}
