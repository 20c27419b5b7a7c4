//! Banks and their branches, by code or by name.

use std::collections::BTreeMap;

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::api::RequestTarget;
use crate::api::pipeline::params::DATE_PARAMETER;
use crate::dataset::bank::BankData;
use crate::mcp::tool::{ApiClient, Limit, NonBlank, Tool, ToolError, Versioned, hint, typed_code};
use crate::snapshot::{Dataset, DatasetKind};

/// An institution or a branch
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Named {
    /// Four digits for an institution, three for a branch
    code: String,
    name: String,
    /// Reading of the name
    katakana: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindBanks {
    /// Part of the name or its reading in Japanese, such as みずほ or ミズホ, or the four-digit code
    name: NonBlank,
    /// The directory of this day, YYYY-MM-DD, for a name that an institution is to get; today by default
    date: Option<NonBlank>,
    #[serde(default)]
    limit: Limit,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Banks {
    /// Date of the data
    version: String,
    /// Number of matches
    count: u64,
    banks: Vec<Named>,
    /// How to narrow or widen the search; absent if all rows are listed
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Tool for FindBanks {
    const NAME: &'static str = "find_banks";
    const TITLE: &'static str = "Find banks (金融機関検索)";
    const DESCRIPTION: &'static str = "Finds Japanese financial institutions (銀行・信用金庫・信用組合・農協 \
        and others) by a part of the name or its reading, or by the code (金融機関コード, four digits). \
        Formal names (広島市信用組合) and kinds alone (信用金庫) work too; 銀行 at the end of the name is optional.";
    const DATASET: Option<DatasetKind> = Some(BankData::KIND);
    type Output = Banks;

    async fn call(self, client: &ApiClient) -> Result<Banks, ToolError> {
        let FindBanks { name, date, limit } = self;
        let target = RequestTarget::new("/v1/bank");
        let (version, mut banks) = if let Some(code) = code(&name, 4) {
            let target = on_day(target.with_segment(&code), date);
            let Versioned { version, data } = client.get(target).await?;
            (version, vec![data])
        } else {
            let target = target.with("q", name.as_str()).with("match", "contains");
            let Versioned { version, data } = client.get(on_day(target, date)).await?;
            (version, data)
        };
        let count = truncate(&mut banks, limit);
        let widen = "use a shorter part of the name or its reading, in Japanese; abolished institutions are not in the data";
        let hint = hint(banks.len(), count, "use more of the name", widen);
        Ok(Banks { version, count, banks, hint })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindBranches {
    /// Code of the institution (金融機関コード), four digits; use find_banks to find it
    bank_code: NonBlank,
    /// Part of the branch name or its reading, or the three-digit code; if omitted, the first branches by code
    name: Option<NonBlank>,
    /// The directory of this day, YYYY-MM-DD, for a name that an institution is to get; today by default
    date: Option<NonBlank>,
    #[serde(default)]
    limit: Limit,
}

#[derive(Debug, Deserialize)]
struct BranchesData {
    bank: Named,
    /// The branches with the code, from a look-up by code.
    #[serde(default)]
    branch: Vec<Named>,
    /// The branches by code, from a search.
    #[serde(default)]
    branches: BTreeMap<String, Vec<Named>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Branches {
    /// Date of the data
    version: String,
    bank: Named,
    /// Number of matching branches
    count: u64,
    branches: Vec<Named>,
    /// How to narrow or widen the search; absent if all rows are listed
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Tool for FindBranches {
    const NAME: &'static str = "find_branches";
    const TITLE: &'static str = "Find branches of a bank (支店検索)";
    const DESCRIPTION: &'static str = "Finds branches (支店) of a Japanese financial institution by a part \
        of the name or its reading, or by the code (支店コード, three digits). Several branches may share a \
        code. Needs the code of the institution; use find_banks to find it.";
    const DATASET: Option<DatasetKind> = Some(BankData::KIND);
    type Output = Branches;

    async fn call(self, client: &ApiClient) -> Result<Branches, ToolError> {
        let FindBranches { bank_code, name, date, limit } = self;
        let target = RequestTarget::new("/v1/bank")
            .with_segment(&typed_code(&bank_code))
            .with_segment("branches");
        let target = match (name.as_ref().and_then(|name| code(name, 3)), name) {
            (Some(code), _) => target.with_segment(&code),
            (None, Some(name)) => target.with("q", name.as_str()).with("match", "contains"),
            (None, None) => target,
        };
        let Versioned { version, data } = client.get(on_day(target, date)).await?;
        let BranchesData { bank, branch, branches } = data;
        let mut branches: Vec<Named> =
            branch.into_iter().chain(branches.into_values().flatten()).collect();
        let count = truncate(&mut branches, limit);
        let widen = "use a shorter part of the name or its reading, in Japanese, or leave out the name to list all branches";
        let hint = hint(branches.len(), count, "use more of the name", widen);
        Ok(Branches { version, bank, count, branches, hint })
    }
}

/// The target, for the directory of a day. The API checks the day.
fn on_day(target: RequestTarget, date: Option<NonBlank>) -> RequestTarget {
    match date {
        Some(date) => target.with(DATE_PARAMETER, date.as_str().trim()),
        None => target,
    }
}

/// The text as a code with this number of digits; `None` for a name.
fn code(text: &NonBlank, digits: usize) -> Option<String> {
    let plain = typed_code(text);
    let is_code = plain.len() == digits && plain.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then_some(plain)
}

/// Cuts the rows off at the limit. Returns how many there were.
fn truncate(rows: &mut Vec<Named>, limit: Limit) -> u64 {
    let count = rows.len() as u64;
    rows.truncate(limit.get().into());
    count
}
