//! `/v1/houjinbangou`: the corporation of a number, its history, the search and its batch, the suggestions; `radar` has
//! the watch list.

use std::borrow::Cow;
use std::sync::Arc;

use super::batch::{
    BatchData, BatchQuery, BesideRecords, LIMIT_DEFAULT, ParsedBatch, id, limit, queries,
    required_text, text, write_id,
};
use super::{RequestedData, digit_fault, requested_data, suggest};
use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::input::{Object, fault};
use crate::api::pipeline::params::{ApiRequest, Params, QueryParams, expression, path_value};
use crate::api::pipeline::path_params::PathParams;
use crate::api::pipeline::reply::Reply;
use crate::dataset::address::Naming;
use crate::dataset::corporate::corrections::number_of;
use crate::dataset::corporate::search::{
    CorporateSearch, FormerNameMatches, FoundRow, NoFormerNames, SearchMode,
};
use crate::dataset::corporate::suggest::suggest_corporations;
use crate::dataset::corporate::syntax::{CorporateQuery, CorporateVocabulary};
use crate::dataset::corporate::{
    CorporateData, CorporateForm, history, write_corporate_search, write_corporation,
    write_found_corporation, write_history,
};
use crate::dataset::correction::Correction;
use crate::dataset::member::write_answers;
use crate::dataset::{Catalog, Declaration};
use crate::index::attributes::Attribute;
use crate::json::{self, QueryOutcome};
use crate::query::budget::QueryError;
use crate::query::cost::Cost;
use crate::query::syntax::Grouping;
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::text::codes::{ApiVersion, CorporateNumber};
use crate::text::typed_keys::MatchKind;
use crate::work::WorkBudget;

/// The API version from which a corporate record has the number of an invoice issuer.
const ISSUERS_SINCE: ApiVersion = ApiVersion::V2024_01_01;

/// The requested data, for answers with the numbers of invoice issuers.
fn requested_with_issuers<'r>(
    request: &'r ApiRequest<'_>,
) -> Result<RequestedData<'r, CorporateData>, ApiError> {
    let requested = requested_data(request, Catalog::corporate)?;
    // Those numbers come from the register of invoice issuers, if one is loaded.
    Ok(match request.data.catalog.invoice().latest() {
        Some(register) if request.api_version >= ISSUERS_SINCE => {
            requested.with_dependency(register.file())
        }
        _ => requested,
    })
}

/// `GET /v1/houjinbangou/{number}`. A number with a wrong check digit is well formed, but no corporation has
/// it.
pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let number = number(request)?;
    let requested = requested_with_issuers(request)?;
    let data = requested.data;
    let row = requested.sound(data.row_of(number))?;
    let row = row.ok_or_else(|| no_such_corporation(&requested, number))?;
    data.prefetch_head(row);
    let form = form(request.data, data, request.api_version, Naming::Published);
    // Match the result in place: the view in it is large to copy.
    requested.try_reply(|out| match data.record_of(row, number) {
        Ok(ref view) => write_corporation(out, &form, view),
        Err(error) => Err(error),
    })
}

/// Starts loading what [`lookup`] reads first.
pub fn prefetch(data: &Data, path: PathParams<'_>) {
    let number = path.get("number").and_then(|number| CorporateNumber::parse(number).ok());
    if let (Some(number), Some(data)) = (number, data.catalog.corporate().latest()) {
        data.prefetch_row(number);
    }
}

const NAME: &str = "corporate_number";

fn number(request: &ApiRequest<'_>) -> Result<CorporateNumber, ApiError> {
    path_value(request, "number", NAME, Code::InvalidCorporateNumber, CorporateNumber::parse)
}

fn no_such_corporation(
    requested: &RequestedData<'_, CorporateData>,
    number: CorporateNumber,
) -> ApiError {
    let mut found = format!("{number}{}", digit_fault(number.is_sound()));
    if let Ok(Some(coverage)) = requested.data.coverage() {
        found.push_str(&format!("; the data have corporations of {} only", coverage.japanese()));
    }
    requested.no_such(NAME, Code::NoSuchCorporation, "a number", found)
}

/// `GET /v1/houjinbangou/{number}/history`: a corporation's past, as the loaded versions up to the requested one show it.
///
/// A single version is read at once, like a look-up. Several are read in a lane: a folder may keep any number, and
/// the first use of each verifies its tables.
pub fn history(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let number = number(request)?;
    let newest = requested_data(request, Catalog::corporate)?;
    let version = newest.version();
    let versions = request.data.catalog.corporate().iter().map(|(_, data)| &**data);
    let versions: Vec<&CorporateData> =
        versions.take_while(|data| data.version() <= version).collect();
    // An older file that is added, removed or rebuilt changes the answer.
    let requested =
        versions.iter().fold(newest, |newest, older| newest.with_dependency(older.file()));
    budget.require_ready(versions.iter().all(|data| data.is_lookup_checked()))?;
    budget.admit(&history::cost(versions.len()), "version", "")?;
    let changes = history::history(versions.into_iter(), number, &budget.work)
        .map_err(|unanswered| requested.handler_error(budget, "version", unanswered))?
        .ok_or_else(|| no_such_corporation(&requested, number))?;
    Ok(requested.reply(|out| write_history(out, request.api_version, version, number, &changes)))
}

const MODES: [(SearchMode, &str); 4] = [
    (SearchMode::Partial, "partial"),
    (SearchMode::Exact, "exact"),
    (SearchMode::ExactWithKind, "exact_with_kind"),
    (SearchMode::Loose, "loose"),
];

const NAMINGS: [(Naming, &str); 2] = [(Naming::Normalised, "true"), (Naming::Published, "false")];

const FACETS: [(Attribute, &str); 3] = [
    (Attribute::Kind, "facet_kind"),
    (Attribute::Process, "facet_process"),
    (Attribute::CloseCause, "facet_close_cause"),
];

pub struct SearchParams<'r> {
    pub query: QueryParams<'r, CorporateVocabulary, Attribute>,
    mode: SearchMode,
    pub naming: Naming,
}

impl<'r> SearchParams<'r> {
    pub fn parse(params: &Params<'r>, grouping: Grouping) -> Result<SearchParams<'r>, ApiError> {
        let mode = params.word("mode", &MODES)?.unwrap_or_default();
        let query =
            QueryParams::parse(params, &FACETS, |q| name_expression("q", q, mode, grouping))?;
        let naming = params.word("normalize_name", &NAMINGS)?.unwrap_or_default();
        Ok(SearchParams { query, mode, naming })
    }

    pub fn search(&self) -> CorporateSearch<'_> {
        let QueryParams { expression, facets, offset, limit, .. } = &self.query;
        let (offset, limit) = (*offset, *limit);
        CorporateSearch { q: expression, mode: self.mode, facets: Some(facets), offset, limit }
    }
}

/// The query of a text; in `mode=loose`, a text without operators and identifiers is one name.
fn name_expression(
    parameter: impl Into<Cow<'static, str>>,
    q: &str,
    mode: SearchMode,
    grouping: Grouping,
) -> Result<CorporateQuery, ApiError> {
    match mode {
        SearchMode::Loose => CorporateQuery::parse_name(q, grouping).map_err(|error| {
            ApiError::in_parameter(parameter, Code::InvalidQuery, error.to_string())
        }),
        _ => expression(parameter, q, grouping),
    }
}

/// `GET /v1/houjinbangou`: from a query to corporations. As in the postal search, all parameters are validated before the
/// search.
pub fn search(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let params = SearchParams::parse(&request.params, request.api.grouping)?;
    let requested = requested_with_issuers(request)?;
    budget.require_ready(requested.data.is_search_checked())?;
    let search = params.search();
    let former = FormerNameMatches::of(&search);
    check_answerable(&former, requested.data, &requested)?;
    let cost = requested.sound(requested.data.search_cost(&search, false))?;
    budget.admit(&cost, "q", &params.query.text)?;
    requested.search_reply(budget, "q", |out| {
        let found = requested.data.search_within_budget(&search, None, &budget.work)?;
        let form = form(request.data, requested.data, request.api_version, params.naming);
        let outcome = params.query.outcome(&found);
        // Finding out how a row was found costs a comparison of names.
        let rows = found.rows.iter().filter(|_| requested.names_corrections());
        for row in rows {
            let by = former.found(requested.data, *row)?;
            if by.alias.is_some() {
                let number = requested.data.record(*row)?.number();
                requested.mark(|row| number_of(row) == Some(number));
            }
        }
        Ok(write_corporate_search(out, &form, requested.data, &outcome, &former)?)
    })
}

/// `GET /v1/suggest/corporation`.
pub fn suggestions(
    request: &ApiRequest<'_>,
    budget: &CostBudget<'_>,
) -> Result<Reply, HandlerError> {
    let (text, limit) = (suggest::text(&request.params, budget)?, suggest::limit(&request.params)?);
    let requested = requested_data(request, Catalog::corporate)?;
    let found = requested.sound(suggest_corporations(requested.data, &text, limit))?;
    let by_alias = found.iter().filter(|it| it.match_info.kind == MatchKind::Alias);
    let by_alias: Vec<_> = by_alias.map(|it| Some(it.view.number())).collect();
    requested.mark(|row| by_alias.contains(&number_of(row)));
    let version = requested.version();
    Ok(requested.reply(|out| write_answers(out, request.api_version, version, found.iter())))
}

/// Refuses a search for former names in corporations that have none.
pub fn check_answerable<D: Declaration>(
    former: &FormerNameMatches,
    corporations: &CorporateData,
    requested: &RequestedData<'_, D>,
) -> Result<(), ApiError> {
    let unknown = requested.sound(former.unanswerable(corporations))?;
    unknown.map_or(Ok(()), |unknown| Err(no_former_names("q", unknown)))
}

fn no_former_names(parameter: impl Into<Cow<'static, str>>, unknown: NoFormerNames) -> ApiError {
    ApiError::in_parameter(parameter, Code::NoData, unknown.to_string())
}

pub struct BatchedSearch {
    text: String,
    expression: CorporateQuery,
    mode: SearchMode,
    limit: usize,
    id: Option<String>,
}

impl BatchQuery for BatchedSearch {
    type Data = CorporateData;
    type Row = FoundRow;
    type Corrected = CorporateNumber;
    type Scratch = ();

    const VERSIONS: fn(&Catalog) -> &Versions<CorporateData> = Catalog::corporate;

    fn parse_batch(
        body: &mut Object,
        grouping: Grouping,
    ) -> Result<ParsedBatch<BatchedSearch>, ApiError> {
        let default_limit = limit(body, "default_limit")?.unwrap_or(LIMIT_DEFAULT);
        let sent_mode = mode(body)?;
        let mode = sent_mode.unwrap_or_default();
        let queries = queries(body, |mut query| {
            let (text, path) = required_text(&mut query, "q", "a query")?;
            if text.is_empty() {
                return Err(fault(path, "expected a query; found an empty string"));
            }
            let expression = name_expression(path, &text, mode, grouping)?;
            let limit = limit(&mut query, "limit")?.unwrap_or(default_limit);
            let id = id(&mut query)?;
            Ok(BatchedSearch { text, expression, mode, limit, id })
        })?;
        let mut params = format!("{{\"default_limit\":{default_limit}");
        if let Some((_, word)) = MODES.iter().find(|(mode, _)| sent_mode == Some(*mode)) {
            params.push_str(&format!(",\"mode\":\"{word}\""));
        }
        params.push('}');
        let params = params.into_bytes();
        Ok(ParsedBatch { params, queries })
    }

    fn cost(&self, source: &BatchData<CorporateData>) -> Result<Cost, Arc<OpenError>> {
        source.data.search_cost(&self.in_mode(), false)
    }

    fn refusal(
        &self,
        source: &BatchData<CorporateData>,
        parameter: String,
    ) -> Result<Option<ApiError>, Arc<OpenError>> {
        let unknown = FormerNameMatches::of(&self.in_mode()).unanswerable(&source.data)?;
        Ok(unknown.map(|unknown| no_former_names(parameter, unknown)))
    }

    fn q(&self) -> &str {
        &self.text
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
    ) -> Result<Vec<FoundRow>, QueryError> {
        let BatchedSearch { text, limit, id, .. } = self;
        let (data, search) = (&source.data, self.in_mode());
        let found = data.search_within_budget(&search, None, work)?;
        let former = FormerNameMatches::of(&search);
        // A block is verified when it is first read: find damage before the answer begins.
        let form = form_of_batch(source);
        for row in &found.rows {
            form.is_issuer(&data.record(*row)?)?;
        }
        let outcome = QueryOutcome { q: text, found: &found, offset: 0, limit: *limit };
        json::write_query_outcome(&mut result.tail, &outcome);
        write_id(&mut result.tail, id.as_deref());
        let rows = found.rows.iter().map(|row| former.found(data, *row));
        let rows = rows.collect::<Result<Vec<FoundRow>, _>>()?;
        for found in rows.iter().filter(|found| found.alias.is_some()) {
            result.corrected.push(data.record(found.row)?.number());
        }
        Ok(rows)
    }

    fn write_record(source: &BatchData<CorporateData>, row: FoundRow, out: &mut Vec<u8>) {
        write_found_corporation(out, &form_of_batch(source), &source.data, row)
            .expect("the search has read this record");
    }
}

impl BatchedSearch {
    fn in_mode(&self) -> CorporateSearch<'_> {
        let mode = self.mode;
        CorporateSearch { mode, ..CorporateSearch::new(&self.expression, 0, self.limit) }
    }
}

/// The member `mode` of a batch, which holds for all of its queries.
fn mode(body: &mut Object) -> Result<Option<SearchMode>, ApiError> {
    let Some((text, path)) = text(body, "mode")? else { return Ok(None) };
    let found = MODES.iter().find(|(_, word)| *word == text).map(|(mode, _)| *mode);
    found.map(Some).ok_or_else(|| {
        let words = MODES.map(|(_, word)| word).join(", ");
        fault(path, format!("expected one of {words}; found {text:?}"))
    })
}

/// How corporations are written. The newest register decides who is an issuer.
fn form<'d>(
    loaded: &'d Data,
    data: &'d CorporateData,
    api: ApiVersion,
    naming: Naming,
) -> CorporateForm<'d> {
    let register = loaded.catalog.invoice().latest().map(Arc::as_ref);
    CorporateForm::of(data, register, api, naming)
}

pub fn form_of_batch(source: &BatchData<CorporateData>) -> CorporateForm<'_> {
    form(&source.loaded, &source.data, source.api_version, Naming::Published)
}
