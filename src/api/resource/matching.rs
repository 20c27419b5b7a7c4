//! `/v1/match/corporation`: the corporation of a name, perhaps with an address; and its batch.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::batch::{
    BatchData, BatchQuery, BesideRecords, ParsedBatch, id, queries, required_text, text, write_id,
};
use super::corporate::form_of_batch;
use super::requested_data;
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::input::{Object, fault};
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::Reply;
use crate::dataset::Catalog;
use crate::dataset::corporate::corrections::number_of;
use crate::dataset::corporate::matching::rules::Reason::AliasEqual;
use crate::dataset::corporate::matching::{MatchAnswer, MatchQuery, match_corporation};
use crate::dataset::corporate::{CorporateData, write_corporate_record};
use crate::dataset::correction::Correction;
use crate::dataset::member::{MemberValue, write_answer};
use crate::query::budget::QueryError;
use crate::query::cost::{Cost, CostPart};
use crate::query::syntax::Grouping;
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::text::codes::{CorporateNumber, PostalCode};
use crate::text::fold::{Level, folded};
use crate::text::numerals::is_hyphen;
use crate::work::WorkBudget;

/// Units of the most expensive match: a name with an error, and the addresses of the corporations near it.
const UNITS_PER_MATCH: u64 = 3_500_000;

fn cost(name: &str) -> Cost {
    let mut cost = Cost::none();
    cost.add(CostPart::Term(0..name.len()), UNITS_PER_MATCH);
    cost
}

pub fn corporation(
    request: &ApiRequest<'_>,
    budget: &CostBudget<'_>,
) -> Result<Reply, HandlerError> {
    let params = &request.params;
    let name = params.non_empty("name")?.ok_or_else(|| {
        let detail = "expected name (the name of a corporation); found none";
        ApiError::in_parameter("name", Code::MissingQuery, detail)
    })?;
    let address = params.non_empty("address")?.unwrap_or_default();
    let postal_code = params.non_empty("postal_code")?;
    let postal_code = postal_code.map(|text| read_postal_code("postal_code", &text)).transpose()?;
    let telephone = params.non_empty("tel")?;
    let has_telephone = telephone.is_some();
    telephone.map(|text| check_telephone("tel", &text)).transpose()?;
    let requested = requested_data(request, Catalog::corporate)?;
    budget.require_ready(requested.data.is_search_checked())?;
    budget.admit(&cost(&name), "name", &name)?;
    let query = MatchQuery { name: &name, address: &address, postal_code, has_telephone };
    let version = requested.version();
    requested.search_reply(budget, "name", |out| {
        let answer = match_corporation(requested.data, &query, &budget.work)
            .map_err(|error| error.in_file(requested.data.file()))?;
        let by_alias: Vec<_> = found_by_alias(&answer).collect();
        requested.mark(|row| number_of(row).is_some_and(|number| by_alias.contains(&number)));
        write_answer(out, request.api_version, version, &answer);
        Ok(())
    })
}

/// The candidates that an alias of the operator found.
fn found_by_alias(answer: &MatchAnswer<'_>) -> impl Iterator<Item = CorporateNumber> {
    let by_alias = answer.candidates.iter().filter(|it| it.reasons.contains(&AliasEqual));
    by_alias.map(|candidate| candidate.view.number())
}

fn read_postal_code(parameter: impl Into<Cow<'static, str>>, text: &str) -> Result<u32, ApiError> {
    let code = PostalCode::parse(text);
    code.map(|code| code.number()).map_err(|error| {
        ApiError::in_parameter(parameter, Code::InvalidPostalCode, error.to_string())
    })
}

/// Digits of a telephone number of the country, with its leading zero.
const TELEPHONE_DIGITS: RangeInclusive<usize> = 10..=11;

/// Refuses what is no telephone number of the country.
fn check_telephone(parameter: impl Into<Cow<'static, str>>, text: &str) -> Result<(), ApiError> {
    let plain = folded(text.trim(), Level::Width);
    let national = plain.strip_prefix("+81").map_or_else(|| plain.clone(), |it| format!("0{it}"));
    let is_mark = |letter: char| is_hyphen(letter) || matches!(letter, ' ' | '(' | ')' | '.');
    let digits: String = national.chars().filter(|letter| !is_mark(*letter)).collect();
    let is_number = digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && TELEPHONE_DIGITS.contains(&digits.len());
    if is_number {
        return Ok(());
    }
    let detail = format!(
        "expected a telephone number of ten or eleven digits, such as 03-1234-5678; found '{text}'"
    );
    Err(ApiError::in_parameter(parameter, Code::InvalidParameter, detail))
}

pub struct BatchedMatch {
    name: String,
    address: String,
    postal_code: Option<u32>,
    has_telephone: bool,
    id: Option<String>,
}

impl BatchQuery for BatchedMatch {
    type Data = CorporateData;
    type Row = u32;
    type Corrected = CorporateNumber;
    type Scratch = ();

    const VERSIONS: fn(&Catalog) -> &Versions<CorporateData> = Catalog::corporate;

    fn parse_batch(
        body: &mut Object,
        _grouping: Grouping,
    ) -> Result<ParsedBatch<BatchedMatch>, ApiError> {
        let queries = queries(body, |mut query| {
            let (name, path) = required_text(&mut query, "name", "the name of a corporation")?;
            if name.trim().is_empty() {
                return Err(fault(path, "expected a name; found an empty string"));
            }
            let address = text(&mut query, "address")?.map(|(text, _)| text).unwrap_or_default();
            let code = text(&mut query, "postal_code")?;
            let postal_code = code.map(|(text, path)| read_postal_code(path, &text)).transpose()?;
            let telephone = text(&mut query, "tel")?;
            let has_telephone = telephone.is_some();
            telephone.map(|(text, path)| check_telephone(path, &text)).transpose()?;
            let id = id(&mut query)?;
            Ok(BatchedMatch { name, address, postal_code, has_telephone, id })
        })?;
        Ok(ParsedBatch { params: b"{}".to_vec(), queries })
    }

    fn cost(&self, _source: &BatchData<CorporateData>) -> Result<Cost, Arc<OpenError>> {
        Ok(cost(&self.name))
    }

    fn q(&self) -> &str {
        &self.name
    }

    fn changed_by(
        _source: &BatchData<CorporateData>,
        correction: &Correction,
    ) -> Result<Vec<CorporateNumber>, Arc<OpenError>> {
        Ok(number_of(correction).into_iter().collect())
    }

    fn search(
        &self,
        source: &BatchData<CorporateData>,
        _scratch: &mut (),
        result: &mut BesideRecords<CorporateNumber>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let BatchedMatch { name, address, postal_code, has_telephone, id } = self;
        let (postal_code, has_telephone) = (*postal_code, *has_telephone);
        let query = MatchQuery { name, address, postal_code, has_telephone };
        let answer = match_corporation(&source.data, &query, work)
            .map_err(|error| error.in_file(source.data.file()))?;
        let tail = &mut result.tail;
        tail.extend_from_slice(b"\"match\":");
        (&answer).write(tail, source.api_version);
        write_id(tail, id.as_deref());
        result.corrected.extend(found_by_alias(&answer));
        Ok(answer.found().map(|candidate| candidate.row).into_iter().collect())
    }

    fn write_record(source: &BatchData<CorporateData>, row: u32, out: &mut Vec<u8>) {
        let form = form_of_batch(source);
        let record = source.data.record(row);
        record
            .and_then(|record| write_corporate_record(out, &form, &record))
            .expect("the match has read this record");
    }
}
