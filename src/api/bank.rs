//! `/v1/bank/…`: institutions, their branches, and the list of versions.
//!
//! The endpoints exist from API version 2023-09-01 on. Search parameters exist from 2026-08-01 on and are ignored
//! in older versions, whatever their value.

use super::ask::Ask;
use super::error::{ApiError, Code};
use super::params::{one_of, path_value};
use super::reply::Reply;
use super::version::{RequestedData, choose, list_versions, since};
use crate::json;
use crate::query::{BankData, BankType, EntryKind, NameMatch, NameQuery};
use crate::record::bank::BankView;
use crate::text::codes::{ApiVersion, BankCode, BranchCode};

pub const SINCE: ApiVersion = ApiVersion::V2023_09_01;

const SEARCH_SINCE: ApiVersion = ApiVersion::V2026_08_01;

pub fn list(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let requested = open(ask)?;
    let kind = search_parameter(ask, "type", &BankType::ALL)?;
    let wanted = name_query(ask, EntryKind::Banks)?;
    if kind.is_none()
        && wanted.is_none()
        && let Some(prepared) = ask.data.bank_list(requested.data)
    {
        return Ok(requested.prepared(ask, prepared));
    }
    let banks = requested.data.banks().map_err(|error| requested.damaged(ask, &error))?;
    let banks = banks.map(BankView::entry).filter(|bank| {
        kind.is_none_or(|kind| kind.includes(bank.code()))
            && wanted.as_ref().is_none_or(|wanted| wanted.matches(*bank))
    });
    Ok(requested.reply(ask, |out| json::write_banks(out, requested.version(), banks)))
}

pub fn lookup(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    since(ask, SINCE)?;
    let code = bank_code(ask)?;
    let requested = open(ask)?;
    let bank = find(ask, &requested, BANK_CODE, code)?;
    Ok(requested.reply(ask, |out| json::write_bank(out, requested.version(), bank.entry())))
}

pub fn branches(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    since(ask, SINCE)?;
    let code = bank_code(ask)?;
    let requested = open(ask)?;
    let wanted = name_query(ask, EntryKind::Branches)?;
    let bank = find(ask, &requested, BANK_CODE, code)?;
    let branches = bank.branches();
    let branches =
        branches.filter(|branch| wanted.as_ref().is_none_or(|wanted| wanted.matches(*branch)));
    Ok(requested.reply(ask, |out| {
        json::write_branches(out, ask.api_version, requested.version(), bank.entry(), branches);
    }))
}

pub fn branch(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "branch_code";
    since(ask, SINCE)?;
    let code = bank_code(ask)?;
    let branch = ask.path("branch");
    let branch = path_value(NAME, Code::InvalidBranchCode, branch, BranchCode::parse)?;
    let requested = open(ask)?;
    let bank = find(ask, &requested, BANK_CODE, code)?;
    let rows =
        requested.data.branch(code, branch).map_err(|error| requested.damaged(ask, &error))?;
    if rows.len() == 0 {
        let detail = format!(
            "expected a branch that institution {code} has in version {}; found {branch}",
            requested.version()
        );
        return Err(ApiError::of(NAME, Code::NoSuchBranch, detail));
    }
    Ok(requested.reply(ask, |out| {
        json::write_branch(out, ask.api_version, requested.version(), bank.entry(), rows);
    }))
}

pub fn versions(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    since(ask, SINCE)?;
    Ok(list_versions(ask, ask.data.catalog.bank()))
}

fn open<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, BankData>, ApiError> {
    since(ask, SINCE)?;
    choose_bank(ask)
}

pub fn choose_bank<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, BankData>, ApiError> {
    choose(ask, ask.data.catalog.bank(), "/v1/bank/versions")
}

/// The name of the path parameter in errors.
const BANK_CODE: &str = "bank_code";

fn bank_code(ask: &Ask<'_>) -> Result<BankCode, ApiError> {
    path_value(BANK_CODE, Code::InvalidBankCode, ask.path("bank"), BankCode::parse)
}

/// The institution of the code in the parameter `name`.
pub fn find<'d>(
    ask: &Ask<'_>,
    requested: &RequestedData<'d, BankData>,
    name: &'static str,
    code: BankCode,
) -> Result<BankView<'d>, ApiError> {
    let bank = requested.data.bank(code).map_err(|error| requested.damaged(ask, &error))?;
    bank.ok_or_else(|| {
        let detail = format!(
            "expected an institution that version {} has; found {code}",
            requested.version()
        );
        ApiError::of(name, Code::NoSuchBank, detail)
    })
}

/// The searched name. An empty `q` counts as absent; `match` is validated in any case.
fn name_query(ask: &Ask<'_>, among: EntryKind) -> Result<Option<NameQuery>, ApiError> {
    let how = search_parameter(ask, "match", &NameMatch::ALL)?.unwrap_or_default();
    if ask.api_version < SEARCH_SINCE {
        return Ok(None);
    }
    Ok(ask.params.filled("q")?.map(|q| NameQuery::new(&q, how, among)))
}

fn search_parameter<T: Copy>(
    ask: &Ask<'_>,
    name: &'static str,
    words: &[(T, &'static str)],
) -> Result<Option<T>, ApiError> {
    if ask.api_version < SEARCH_SINCE {
        return Ok(None);
    }
    ask.params.get(name)?.map(|text| one_of(name, &text, words)).transpose()
}
