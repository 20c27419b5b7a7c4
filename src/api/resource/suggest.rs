//! `/v1/suggest/…`: suggestions for partly typed text.

use std::borrow::Cow;

use super::bank::find_bank;
use super::postal::changed_by;
use super::{requested_data, requested_on_day};
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::{ApiRequest, Params, unexpected};
use crate::api::pipeline::reply::Reply;
use crate::dataset::Catalog;
use crate::dataset::bank::corrections::{bank_of, branch_of};
use crate::dataset::bank::names::{EntryKind, TypedName};
use crate::dataset::bank::suggest::{
    SuggestedBranch, SuggestedInstitution, suggest_banks, suggest_branches,
};
use crate::dataset::corporate::corrections::number_of;
use crate::dataset::corporate::suggest::suggest_corporations;
use crate::dataset::member::write_answers;
use crate::dataset::postal::suggest::{NearArea, SuggestQuery, TownName};
use crate::dataset::school::corrections::school_of;
use crate::dataset::school::suggest::{SuggestedSchool, TypedSchool, suggest_schools};
use crate::text::codes::BankCode;
use crate::text::numerals::whole_number;
use crate::text::typed_keys::MatchKind;

pub const SUGGESTIONS_MAX: u64 = 20;

const SUGGESTIONS_DEFAULT: u64 = 10;

pub fn addresses(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let limit = limit(&request.params)?;
    let near = request.params.typed("near")?.map(|near| parse_near(&near)).transpose()?;
    let parent = request.params.typed("parent")?;
    let q = match parent {
        Some(_) => request.params.typed("q")?.unwrap_or(Cow::Borrowed("")),
        None => text(&request.params, budget)?,
    };
    let town = parent.as_deref().map(parse_town).transpose()?;
    let requested = requested_data(request, Catalog::postal)?;
    Ok(requested.try_reply(|out| {
        let found = match &town {
            Some(town) => requested.data.suggest_parts(town, &q, limit)?,
            None => requested.data.suggest(SuggestQuery { q: &q, limit, near })?,
        };
        requested.mark(|row| {
            let changed = changed_by(request.data, requested.data, row);
            changed.is_ok_and(|changed| found.iter().any(|place| changed.changed(place)))
        });
        write_answers(out, request.api_version, requested.version(), found.iter());
        Ok(())
    })?)
}

fn parse_near(text: &str) -> Result<NearArea, ApiError> {
    match (text.len(), whole_number(text)) {
        (2, Some(prefecture)) => Ok(NearArea::Prefecture(prefecture)),
        (5, Some(city)) => Ok(NearArea::City(city)),
        _ => {
            let expected = "two digits of a prefecture or five of a municipality";
            Err(unexpected("near", Code::InvalidParameter, expected, text))
        }
    }
}

fn parse_town(text: &str) -> Result<TownName<'_>, ApiError> {
    TownName::parse(text).ok_or_else(|| {
        let expected = "parent of a suggestion: five digits and a town";
        unexpected("parent", Code::InvalidParameter, expected, text)
    })
}

pub fn corporations(
    request: &ApiRequest<'_>,
    budget: &CostBudget<'_>,
) -> Result<Reply, HandlerError> {
    let (text, limit) = (text(&request.params, budget)?, limit(&request.params)?);
    let requested = requested_data(request, Catalog::corporate)?;
    let found = requested.sound(suggest_corporations(requested.data, &text, limit))?;
    let by_alias = found.iter().filter(|it| it.match_info.kind == MatchKind::Alias);
    let by_alias: Vec<_> = by_alias.map(|it| Some(it.view.number())).collect();
    requested.mark(|row| by_alias.contains(&number_of(row)));
    let version = requested.version();
    Ok(requested.reply(|out| write_answers(out, request.api_version, version, found.iter())))
}

pub fn banks(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let (text, limit) = (text(&request.params, budget)?, limit(&request.params)?);
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

pub fn branches(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    const NAME: &str = "bank";
    let code = request.params.non_empty(NAME)?.unwrap_or_default();
    let code = BankCode::parse(&code)
        .map_err(|error| ApiError::in_parameter(NAME, Code::InvalidBankCode, error.to_string()))?;
    let (text, limit) = (text(&request.params, budget)?, limit(&request.params)?);
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

pub fn schools(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let (text, limit) = (text(&request.params, budget)?, limit(&request.params)?);
    let requested = requested_data(request, Catalog::school)?;
    let (api, version) = (request.api_version, requested.version());
    let Some(typed) = TypedSchool::parse(&text) else {
        let none = std::iter::empty::<&SuggestedSchool<'_>>();
        return Ok(requested.reply(|out| write_answers(out, api, version, none)));
    };
    budget.require_ready(requested.data.is_search_checked())?;
    let cost = requested.sound(requested.data.search_cost(&typed.search(limit)))?;
    budget.admit(&cost, "q", &text)?;
    requested.search_reply(budget, "q", |out| {
        let found = suggest_schools(requested.data, &typed, limit, &budget.work)?;
        requested.mark(|row| found.iter().any(|it| school_of(row) == Some(it.code())));
        write_answers(out, api, version, found.iter());
        Ok(())
    })
}

/// Units of work to compare a byte of a typed text with the names.
const UNITS_PER_BYTE: u64 = 800;

/// The typed text, unchanged. A long one is moved from the thread of the connection.
fn text<'q>(params: &Params<'q>, budget: &CostBudget<'_>) -> Result<Cow<'q, str>, HandlerError> {
    let text = params.typed("q")?.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        ApiError::in_parameter(
            "q",
            Code::MissingQuery,
            "expected q (the beginning of a name); found none",
        )
    })?;
    budget.admit_units(text.len() as u64 * UNITS_PER_BYTE)?;
    Ok(text)
}

pub fn limit(params: &Params<'_>) -> Result<usize, ApiError> {
    let limit = params.number("limit", Code::InvalidLimit, 1..=SUGGESTIONS_MAX)?;
    Ok(usize::try_from(limit.unwrap_or(SUGGESTIONS_DEFAULT)).expect("at most 20"))
}
