//! `/v1/bank/yucho` and `/v1/bank/transfer-name`: the account and the name of a payee, as bank transfers write them.

use super::{latest_data, requested_data};
use crate::account::Plan;
use crate::api::error::{ApiError, Code};
use crate::api::pipeline::params::{ApiRequest, unexpected};
use crate::api::pipeline::reply::Reply;
use crate::dataset::Catalog;
use crate::dataset::bank::account::PlacedAccount;
use crate::dataset::bank::bank_type::BankType;
use crate::dataset::bank::corrections::branch_of;
use crate::dataset::bank::transfer_name::name_payee;
use crate::dataset::member::{Day, MemberValue, write_answer};
use crate::text::codes::{BranchCode, YuchoAccount, YuchoFault};

const SYMBOL: &str = "symbol";
const NUMBER: &str = "number";
const BRANCH_CODE: &str = "branch_code";
const ACCOUNT_NUMBER: &str = "account_number";

/// `GET /v1/bank/yucho`: either name of an account gives both. What is given beyond one of them must agree.
pub fn yucho(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let text = |name| request.params.non_empty(name);
    let names = [SYMBOL, NUMBER, BRANCH_CODE, ACCOUNT_NUMBER];
    let given = [text(SYMBOL)?, text(NUMBER)?, text(BRANCH_CODE)?, text(ACCOUNT_NUMBER)?];
    let given = given.each_ref().map(|text| text.as_deref());
    let (account, parameter) = match given {
        [Some(symbol), Some(number), ..] => (YuchoAccount::from_symbol(symbol, number), SYMBOL),
        [_, _, Some(branch), Some(account)] => {
            let branch = BranchCode::parse(branch).map_err(|error| {
                ApiError::in_parameter(BRANCH_CODE, Code::InvalidBranchCode, error.to_string())
            })?;
            (YuchoAccount::from_transfer(branch, account), BRANCH_CODE)
        }
        _ => return Err(incomplete(names.into_iter().zip(given))),
    };
    let account = account.map_err(account_error)?;
    for (name, text) in names.into_iter().zip(given) {
        text.map_or(Ok(()), |text| check_agrees(account, name, text))?;
    }
    let requested = requested_data(request, Catalog::bank)?;
    let mut banks = requested.sound(requested.data.banks())?;
    let Some(bank) = banks.find(|bank| BankType::Yucho.includes(bank.entry().code())) else {
        let detail = "expected an institution of the type yucho in the data; found none";
        return Err(ApiError::new(Code::NoSuchBank, detail));
    };
    let Some(branch) = bank.branches().find(|branch| branch.code() == account.branch()) else {
        let found = format!("{:03}", account.branch());
        return Err(requested.no_such(parameter, Code::NoSuchBranch, "a branch", found));
    };
    requested.mark(|row| branch_of(row) == Some((bank.entry().code(), branch.code())));
    let placed = PlacedAccount { account, bank: bank.entry(), branch };
    let (api, version) = (request.api_version, requested.version());
    Ok(requested.reply(|out| write_answer(out, api, version, placed)))
}

/// Refuses a part of another account than the one that the other parameters name.
fn check_agrees(account: YuchoAccount, name: &'static str, text: &str) -> Result<(), ApiError> {
    let symbol = account.symbol().to_string();
    let number = format!("{:02}", account.number());
    let branch = format!("{:03}", account.branch());
    let (own, found) = match name {
        SYMBOL => (symbol, YuchoAccount::from_symbol(text, &number).ok()),
        NUMBER => (number, YuchoAccount::from_symbol(&symbol, text).ok()),
        BRANCH_CODE => {
            let same = BranchCode::parse(text).is_ok_and(|code| code.number() == account.branch());
            (branch, same.then_some(account))
        }
        _ => {
            let code = BranchCode::parse(&branch).ok();
            let found = code.and_then(|code| YuchoAccount::from_transfer(code, text).ok());
            (format!("{:07}", account.account()), found)
        }
    };
    if found == Some(account) {
        return Ok(());
    }
    let expected = format!("{own}, as the other parameters say");
    Err(unexpected(name, Code::InvalidAccount, expected, text))
}

fn account_error(fault: YuchoFault) -> ApiError {
    let (parameter, code) = match fault {
        YuchoFault::Symbol(_) | YuchoFault::CheckDigit { .. } => (SYMBOL, Code::InvalidAccount),
        YuchoFault::OrdinaryNumber(_) | YuchoFault::CurrentNumber(_) => {
            (NUMBER, Code::InvalidAccount)
        }
        YuchoFault::Branch(_) => (BRANCH_CODE, Code::InvalidBranchCode),
        YuchoFault::OrdinaryAccount(_) | YuchoFault::CurrentAccount(_) => {
            (ACCOUNT_NUMBER, Code::InvalidAccount)
        }
    };
    ApiError::in_parameter(parameter, code, fault.to_string())
}

/// The error of a request that has neither pair of parameters.
fn incomplete<'t>(given: impl Iterator<Item = (&'static str, Option<&'t str>)>) -> ApiError {
    let (found, missing): (Vec<_>, Vec<_>) = given.partition(|(_, text)| text.is_some());
    let names: Vec<&str> = found.into_iter().map(|(name, _)| name).collect();
    let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let parameter = missing.first().map_or(SYMBOL, |(name, _)| name);
    let detail =
        format!("expected symbol and number, or branch_code and account_number; found {found}");
    ApiError::in_parameter(parameter, Code::InvalidParameter, detail)
}

/// `GET /v1/bank/transfer-name`. Readings of corporations need the plan of their look-up.
pub fn transfer_name(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "name";
    const READING: &str = "reading";
    let missing = || {
        let detail = "expected name (the name of a payee); found none";
        ApiError::in_parameter(NAME, Code::InvalidParameter, detail)
    };
    let name = request.params.non_empty(NAME)?.ok_or_else(missing)?;
    if name.chars().nth(NAME_MAX).is_some() {
        let found = name.chars().count();
        let detail = format!("expected a name of at most {NAME_MAX} letters; found {found}");
        return Err(ApiError::in_parameter(NAME, Code::InvalidParameter, detail));
    }
    let reading = request.params.non_empty(READING)?;
    let has_corporations = request.account()?.plan >= Plan::Premium;
    let corporations = latest_data(request, Catalog::corporate).ok().filter(|_| has_corporations);
    let data = corporations.as_ref().map(|corporations| &**corporations.data);
    let payee = name_payee(&name, reading.as_deref(), data);
    let payee = match &corporations {
        Some(corporations) => corporations.sound(payee)?,
        None => {
            payee.map_err(|_damaged| ApiError::new(Code::NoData, "no corporate data is loaded"))?
        }
    };
    let parameter = if reading.is_some() { READING } else { NAME };
    let payee = payee.map_err(|fault| {
        ApiError::in_parameter(parameter, Code::InvalidParameter, fault.to_string())
    })?;
    let mut body = b"{\"version\":".to_vec();
    let version = corporations.as_ref().map(|corporations| Day(corporations.version().number()));
    version.write(&mut body, request.api_version);
    body.extend_from_slice(b",\"data\":");
    (&payee).write(&mut body, request.api_version);
    body.push(b'}');
    Ok(Reply::tagged(&request.head.headers, body))
}

/// Longest name in letters: a corporation's has 150 at most.
const NAME_MAX: usize = 200;
