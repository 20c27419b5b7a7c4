//! `/v1/bank/…`: institutions, their branches, and the list of versions; and the suggestions of both.
//!
//! The endpoints exist from API version 2023-09-01 on. Search parameters exist from 2026-08-01 on and are ignored
//! in older versions, whatever their value.

use super::{RequestedData, requested_data, requested_on_day, suggest};
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::{ApiRequest, one_of, path_value};
use crate::api::pipeline::reply::Reply;
use crate::dataset::Catalog;
use crate::dataset::bank::bank_type::BankType;
use crate::dataset::bank::corrections::{BANKS, bank_of, branch_of};
use crate::dataset::bank::members::Institution;
use crate::dataset::bank::names::{EntryKind, TypedName};
use crate::dataset::bank::record::BankView;
use crate::dataset::bank::search::{NameMatch, NameQuery};
use crate::dataset::bank::suggest::{
    SuggestedBranch, SuggestedInstitution, suggest_banks, suggest_branches,
};
use crate::dataset::bank::{BankData, write_branch, write_branches};
use crate::dataset::correction::Correction;
use crate::dataset::member::{write_answer, write_answers};
use crate::text::codes::{ApiVersion, BankCode, BranchCode};

pub const SINCE: ApiVersion = ApiVersion::V2023_09_01;

/// Units of work to compare a branch with a name, and to write it.
const UNITS_PER_BRANCH: u64 = 500;

const SEARCH_SINCE: ApiVersion = ApiVersion::V2026_08_01;

/// The directory as it is on the day of the request.
fn directory<'r>(request: &'r ApiRequest<'_>) -> Result<RequestedData<'r, BankData>, ApiError> {
    match request.api_version < SEARCH_SINCE {
        true => requested_data(request, Catalog::bank),
        false => requested_on_day(request, Catalog::bank),
    }
}

pub fn list(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let requested = directory(request)?;
    let kind = search_parameter(request, "type", BankType::ALL, BankType::name)?;
    let wanted = name_query(request, EntryKind::Banks)?;
    if kind.is_none()
        && wanted.is_none()
        && let Some(prepared) = request.data.bank_list(requested.data)
    {
        requested.mark(|row| BANKS == *row.file);
        return Ok(requested.prepared_reply(prepared));
    }
    let banks = requested.sound(requested.data.banks())?;
    let of_kind = banks
        .map(BankView::entry)
        .filter(|bank| kind.is_none_or(|kind| kind.includes(bank.code())));
    let (api, version) = (request.api_version, requested.version());
    let Some(wanted) = wanted else {
        requested.mark(|row| {
            bank_of(row).is_some_and(|code| kind.is_none_or(|kind| kind.includes(code)))
        });
        return Ok(
            requested.reply(|out| write_answers(out, api, version, of_kind.map(Institution)))
        );
    };
    let found = of_kind.filter_map(|bank| Some((wanted.class_of(bank)?, bank)));
    let mut found: Vec<_> = found.collect();
    // A stable sort keeps institutions in the order of their codes.
    found.sort_by_key(|(class, _)| *class);
    requested.mark(|row| found.iter().any(|(_, bank)| bank_of(row) == Some(bank.code())));
    let banks = found.into_iter().map(|(_, bank)| Institution(bank));
    Ok(requested.reply(|out| write_answers(out, api, version, banks)))
}

pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let code = bank_code(request)?;
    let requested = directory(request)?;
    let bank = find_bank(&requested, BANK_CODE, code)?;
    requested.mark(|row| bank_of(row) == Some(code.number()));
    let (api, version) = (request.api_version, requested.version());
    Ok(requested.reply(|out| write_answer(out, api, version, Institution(bank.entry()))))
}

pub fn branches(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let code = bank_code(request)?;
    let requested = directory(request)?;
    let wanted = name_query(request, EntryKind::Branches)?;
    let bank = find_bank(&requested, BANK_CODE, code)?;
    let branches = bank.branches();
    budget.admit_units(branches.len() as u64 * UNITS_PER_BRANCH)?;
    requested.mark(|row| match branch_of(row) {
        Some((bank, _)) if bank != code.number() => false,
        Some((_, branch)) => wanted.as_ref().is_none_or(|wanted| {
            let mut found = branches.clone().filter(|it| it.code() == branch);
            found.any(|branch| wanted.class_of(branch).is_some())
        }),
        None => bank_of(row) == Some(code.number()),
    });
    let branches = branches
        .filter(|branch| wanted.as_ref().is_none_or(|wanted| wanted.class_of(*branch).is_some()));
    Ok(requested.reply(|out| {
        write_branches(out, request.api_version, requested.version(), bank.entry(), branches);
    }))
}

pub fn branch(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "branch_code";
    let code = bank_code(request)?;
    let branch = path_value(request, "branch", NAME, Code::InvalidBranchCode, BranchCode::parse)?;
    let requested = directory(request)?;
    let bank = find_bank(&requested, BANK_CODE, code)?;
    let is_of = |row: &Correction| branch_of(row) == Some((code.number(), branch.number()));
    requested.mark(|row| is_of(row) || bank_of(row) == Some(code.number()));
    let rows = requested.sound(requested.data.branch(code, branch))?;
    if rows.len() == 0 {
        let detail = format!(
            "expected a branch that institution {code} has in version {}; found {branch}{}",
            requested.version(),
            requested.abolished_by(is_of)
        );
        return Err(ApiError::in_parameter(NAME, Code::NoSuchBranch, detail));
    }
    Ok(requested.reply(|out| {
        write_branch(out, request.api_version, requested.version(), bank.entry(), rows);
    }))
}

/// `GET /v1/suggest/bank`.
pub fn suggestions(
    request: &ApiRequest<'_>,
    budget: &CostBudget<'_>,
) -> Result<Reply, HandlerError> {
    let (text, limit) = (suggest::text(&request.params, budget)?, suggest::limit(&request.params)?);
    let requested = requested_on_day(request, Catalog::bank)?;
    let found = match TypedName::parse(&text, EntryKind::Banks) {
        Some(typed) => requested.sound(suggest_banks(requested.data, &typed, limit))?,
        None => Vec::new(),
    };
    let version = requested.version();
    requested.mark(|row| found.iter().any(|it| bank_of(row) == Some(it.entry.code())));
    let rows = found.iter().map(SuggestedInstitution);
    Ok(requested.reply(|out| write_answers(out, request.api_version, version, rows)))
}

/// `GET /v1/suggest/branch`.
pub fn branch_suggestions(
    request: &ApiRequest<'_>,
    budget: &CostBudget<'_>,
) -> Result<Reply, HandlerError> {
    const NAME: &str = "bank";
    let code = request.params.non_empty(NAME)?.unwrap_or_default();
    let code = BankCode::parse(&code)
        .map_err(|error| ApiError::in_parameter(NAME, Code::InvalidBankCode, error.to_string()))?;
    let (text, limit) = (suggest::text(&request.params, budget)?, suggest::limit(&request.params)?);
    let requested = requested_on_day(request, Catalog::bank)?;
    let bank = find_bank(&requested, NAME, code)?;
    let typed = TypedName::parse(&text, EntryKind::Branches);
    let found = typed.map(|typed| suggest_branches(bank, &typed, limit)).unwrap_or_default();
    let version = requested.version();
    let bank = code.number();
    requested.mark(|row| found.iter().any(|it| branch_of(row) == Some((bank, it.entry.code()))));
    let rows = found.iter().map(|found| SuggestedBranch(found, code));
    Ok(requested.reply(|out| write_answers(out, request.api_version, version, rows)))
}

/// The name of the path parameter in errors.
const BANK_CODE: &str = "bank_code";

fn bank_code(request: &ApiRequest<'_>) -> Result<BankCode, ApiError> {
    path_value(request, "bank", BANK_CODE, Code::InvalidBankCode, BankCode::parse)
}

/// The institution of the code in the parameter `name`.
pub fn find_bank<'d>(
    requested: &RequestedData<'d, BankData>,
    name: &'static str,
    code: BankCode,
) -> Result<BankView<'d>, ApiError> {
    let bank = requested.sound(requested.data.bank(code))?;
    bank.ok_or_else(|| {
        let abolished = requested.abolished_by(|row| bank_of(row) == Some(code.number()));
        let found = format!("{code}{abolished}");
        requested.no_such(name, Code::NoSuchBank, "an institution", found)
    })
}

/// The searched name. An empty `q` counts as absent; `match` is validated in any case.
fn name_query(request: &ApiRequest<'_>, among: EntryKind) -> Result<Option<NameQuery>, ApiError> {
    let how = search_parameter(request, "match", NameMatch::ALL, NameMatch::name)?;
    let how = how.unwrap_or_default();
    if request.api_version < SEARCH_SINCE {
        return Ok(None);
    }
    Ok(request.params.typed("q")?.map(|q| NameQuery::new(&q, how, among)))
}

/// The value of a parameter that names one of `all`, by the words that `word_of` gives.
fn search_parameter<T: Copy, const N: usize>(
    request: &ApiRequest<'_>,
    name: &'static str,
    all: [T; N],
    word_of: fn(T) -> &'static str,
) -> Result<Option<T>, ApiError> {
    if request.api_version < SEARCH_SINCE {
        return Ok(None);
    }
    let Some(text) = request.params.get(name)? else { return Ok(None) };
    one_of(name, &text, &all.map(|value| (value, word_of(value)))).map(Some)
}
