//! `/v1/reverse`: the places near a location, and its batch.

use std::sync::Arc;

use super::batch::{
    BatchData, BatchQuery, BesideRecords, LIMIT_DEFAULT, ParsedBatch, id, limit, queries, write_id,
};
use super::coordinates::{location, location_in, no_coordinates};
use super::postal::changed_by;
use super::requested_data;
use crate::address::points::location::Location;
use crate::address::points::tree::NearPlace;
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::input::Object;
use crate::api::pipeline::params::{ApiRequest, LIMIT_MAX};
use crate::api::pipeline::reply::Reply;
use crate::dataset::Catalog;
use crate::dataset::correction::Correction;
use crate::dataset::member::MemberValue;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::corrected::CorrectedTown;
use crate::dataset::postal::reverse::{AskedLocation, NearTown, NoPlace};
use crate::json::{open_data, push_number, push_or_null, put, write_list};
use crate::query::budget::QueryError;
use crate::query::syntax::Grouping;
use crate::snapshot::{OpenError, Versions};
use crate::text::codes::ApiVersion;
use crate::work::WorkBudget;

/// Places of a single request without a limit: no border is known, so the neighbours matter.
const PLACES_DEFAULT: u64 = 10;

/// Units of work to find a place and to write it: some 3 µs.
const UNITS_PER_PLACE: u64 = 3_000;

/// What every answer says about its places.
pub const NOTE: &str = "the nearest points that represent places, not their boundaries: the location may lie in a \
    neighbouring place";

/// The places near `lat` and `lon`, the nearest first.
pub fn reverse(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let location = location(&request.params)?;
    let limit = request.params.number("limit", Code::InvalidLimit, 1..=LIMIT_MAX)?;
    let limit = usize::try_from(limit.unwrap_or(PLACES_DEFAULT)).expect("at most 100");
    budget.admit_units(limit as u64 * UNITS_PER_PLACE)?;
    let requested = requested_data(request, Catalog::postal)?;
    let (data, api) = (requested.data, request.api_version);
    let near = requested.sound(data.nearest(location, limit))?;
    let near = near.ok_or_else(|| no_coordinates(requested.version()))?;
    let towns: Result<Vec<Option<NearTown<'_>>>, _> =
        near.into_iter().map(|near| data.near_town(near)).collect();
    let towns: Vec<NearTown<'_>> = requested.sound(towns)?.into_iter().flatten().collect();
    if requested.names_corrections() {
        let corrected: Vec<CorrectedTown> = towns.iter().flat_map(corrected_towns).collect();
        requested.mark(|row| {
            let changed = changed_by(request.data, data, row);
            changed.is_ok_and(|changed| changed.towns().any(|town| corrected.contains(&town)))
        });
    }
    Ok(requested.reply(|out| {
        open_data(out, requested.version());
        write_list(out, towns.iter(), |out, town| town.write(out, api));
        out.push(b',');
        Outcome { location, limit, is_empty: towns.is_empty() }.write_members(out, api);
        out.push(b'}');
    }))
}

/// What an answer has beside the places.
struct Outcome {
    location: Location,
    limit: usize,
    is_empty: bool,
}

impl Outcome {
    fn write_members(&self, out: &mut Vec<u8>, api: ApiVersion) {
        out.extend_from_slice(b"\"query\":");
        AskedLocation(self.location).write(out, api);
        out.extend_from_slice(b",\"limit\":");
        push_number(out, self.limit as u64);
        out.extend_from_slice(b",\"reason\":");
        push_or_null(out, self.is_empty.then(|| NoPlace::of(self.location).name()));
        put(out, &[",\"note\":\"", NOTE, "\""]);
    }
}

/// What a correction may have changed of a place.
fn corrected_towns(town: &NearTown<'_>) -> impl Iterator<Item = CorrectedTown> + use<> {
    let corrected = town.record.map(CorrectedTown::of_record);
    corrected.into_iter().flatten()
}

/// A location of a batch, with the defaults of the batch filled in.
pub struct BatchedLocation {
    location: Location,
    limit: usize,
    id: Option<String>,
}

impl BatchQuery for BatchedLocation {
    type Data = PostalData;
    type Row = NearPlace;
    type Corrected = CorrectedTown;
    type Scratch = ();

    const VERSIONS: fn(&Catalog) -> &Versions<PostalData> = Catalog::postal;

    fn parse_batch(
        body: &mut Object,
        _grouping: Grouping,
    ) -> Result<ParsedBatch<BatchedLocation>, ApiError> {
        let default_limit = limit(body, "default_limit")?.unwrap_or(LIMIT_DEFAULT);
        let queries = queries(body, |mut query| {
            let location = location_in(&mut query)?;
            let limit = limit(&mut query, "limit")?.unwrap_or(default_limit);
            Ok(BatchedLocation { location, limit, id: id(&mut query)? })
        })?;
        Ok(ParsedBatch { params: format!("{{\"default_limit\":{default_limit}}}").into(), queries })
    }

    fn refusal(
        &self,
        source: &BatchData<PostalData>,
        _parameter: String,
    ) -> Result<Option<ApiError>, Arc<OpenError>> {
        let has_nearest = source.data.has_nearest()?;
        Ok((!has_nearest).then(|| no_coordinates(source.data.version())))
    }

    fn changed_by(
        source: &BatchData<PostalData>,
        correction: &Correction,
    ) -> Result<Vec<CorrectedTown>, Arc<OpenError>> {
        Ok(changed_by(&source.loaded, &source.data, correction)?.towns().collect())
    }

    fn search(
        &self,
        source: &BatchData<PostalData>,
        _scratch: &mut (),
        result: &mut BesideRecords<CorrectedTown>,
        _work: &WorkBudget<'_>,
    ) -> Result<Vec<NearPlace>, QueryError> {
        let mut found = Vec::new();
        for near in source.data.nearest(self.location, self.limit)?.unwrap_or_default() {
            let Some(town) = source.data.near_town(near)? else { continue };
            if result.names_corrections {
                result.corrected.extend(corrected_towns(&town));
            }
            found.push(near);
        }
        let outcome =
            Outcome { location: self.location, limit: self.limit, is_empty: found.is_empty() };
        outcome.write_members(&mut result.tail, source.api_version);
        write_id(&mut result.tail, self.id.as_deref());
        Ok(found)
    }

    fn write_record(source: &BatchData<PostalData>, near: NearPlace, out: &mut Vec<u8>) {
        let town = source.data.near_town(near).expect("the data has answered the search");
        town.as_ref().expect("the search has found this place").write(out, source.api_version);
    }
}
