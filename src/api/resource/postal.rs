//! `/v1/postalcode`: the records of a code, the changes of a version, the search of addresses, its batch; the
//! municipalities of a prefecture; and the download of all data.
//!
//! The file of the download is mapped, and an answer is a slice of the mapping. As in RFC 9110, one range is answered
//! with that part, several ranges or another unit with the whole file, and `If-Range` allows a part only if its tag is
//! still the file's. The tag is strong and made of the file's checksum, so a download may be resumed at another server
//! with the same file.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use hyper::header::{ACCEPT_RANGES, CONTENT_RANGE, HeaderMap, HeaderValue, IF_RANGE, RANGE};
use hyper::{Method, StatusCode};

use super::batch::{
    BatchData, BatchQuery, BesideRecords, LIMIT_DEFAULT, ParsedBatch, flag, limit, queries,
    required_text, text,
};
use super::coordinates::{near, no_coordinates};
use super::{latest_data, requested_data};
use crate::address::points::location::Location;
use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::input::Object;
use crate::api::pipeline::params::{ApiRequest, Params, expression, path_value};
use crate::api::pipeline::reply::Reply;
use crate::api::pipeline::tag::EntityTag;
use crate::dataset::Catalog;
use crate::dataset::correction::Correction;
use crate::dataset::member::{MemberValue, write_answers};
use crate::dataset::postal::address_search::{AddressSearch, SearchScratch};
use crate::dataset::postal::corrected::{CorrectedRecords, CorrectedTown};
use crate::dataset::postal::corrections::codes_of;
use crate::dataset::postal::members::{Municipality, PostalRecord};
use crate::dataset::postal::syntax::PostalQuery;
use crate::dataset::postal::{AddressOutcome, PostalData, write_address_outcome, write_search};
use crate::json;
use crate::query::budget::QueryError;
use crate::query::cost::Cost;
use crate::query::syntax::{FacetPath, Grouping};
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::text::codes::{PostalCode, PrefectureCode};
use crate::work::WorkBudget;

pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "postal_code";
    let code = path_value(request, "code", NAME, Code::InvalidPostalCode, PostalCode::parse)?;
    let with_points = request.params.flag("point")?;
    let requested = requested_data(request, Catalog::postal)?;
    let (data, version, api) = (requested.data, requested.version(), request.api_version);
    let rows = requested.sound(data.lookup(code))?;
    if rows.len() == 0 {
        let is_of = |row: &Correction| codes_of(row).is_some_and(|[old, _]| old == code.number());
        let found = format!("{code}{}", requested.abolished_by(is_of));
        return Err(requested.no_such(NAME, Code::NoSuchPostalCode, "a code", found));
    }
    requested.mark(|row| codes_of(row).is_some_and(|codes| codes.contains(&code.number())));
    let cities = data.fragments();
    Ok(if with_points {
        let rows = rows.zip(requested.sound(data.lookup_points(code))?);
        let records =
            rows.map(|(row, point)| PostalRecord { point: Some(point), ..cities.record(api, row) });
        requested.reply(|out| write_answers(out, api, version, records))
    } else {
        let records = rows.map(|row| cities.record(api, row));
        requested.reply(|out| write_answers(out, api, version, records))
    })
}

pub fn updates(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let requested = requested_data(request, Catalog::postal)?;
    let rows = requested.sound(requested.data.updates())?;
    let (version, cities) = (requested.version(), requested.data.fragments());
    let api = request.api_version;
    let records = rows.map(|row| cities.record(api, row));
    Ok(requested.reply(|out| write_answers(out, api, version, records)))
}

thread_local! {
    /// One per thread, so that a search allocates little.
    static SCRATCH: RefCell<SearchScratch> = RefCell::default();
}

struct SearchParams<'r> {
    t: Option<Cow<'r, str>>,
    q: Option<(Cow<'r, str>, PostalQuery)>,
    facet: Option<FacetPath>,
    offset: u64,
    limit: usize,
    explain: bool,
    near: Option<Location>,
}

impl<'r> SearchParams<'r> {
    fn parse(params: &Params<'r>) -> Result<SearchParams<'r>, ApiError> {
        let (t, q) = (params.non_empty("t")?, params.non_empty("q")?);
        if t.is_none() && q.is_none() {
            let detail = "expected t (an address), q (a query) or both; found neither";
            return Err(ApiError::new(Code::MissingQuery, detail));
        }
        let q = q
            .map(|q| expression("q", &q, Grouping::Refused).map(|expression| (q, expression)))
            .transpose()?;
        let facet = params.area("facet")?;
        let (offset, limit) = params.page()?;
        let explain = params.flag("explain")?;
        let near = near(params)?;
        if near.is_some() && t.is_none() {
            let detail = "expected near together with t, whose places it orders; found no t";
            return Err(ApiError::in_parameter("near", Code::InvalidParameter, detail));
        }
        Ok(SearchParams { t, q, facet, offset, limit, explain, near })
    }
}

/// `GET /v1/postalcode/`: from an address or a query to postal records.
///
/// All parameters are validated before the search, so that an invalid one is an error even if the client has the
/// answer already. For such a client the search does not run.
pub fn search(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let params = SearchParams::parse(&request.params)?;
    let requested = requested_data(request, Catalog::postal)?;
    let search = AddressSearch {
        t: params.t.as_deref(),
        q: params.q.as_ref().map(|(_, expression)| expression),
        facet: params.facet.as_ref(),
        offset: params.offset,
        limit: params.limit,
        near: params.near,
    };
    if search.near.is_some() && !requested.data.has_points() {
        return Err(no_coordinates(requested.version()).into());
    }
    let q = params.q.as_ref().map(|(text, _)| &**text);
    budget.require_ready(requested.data.is_search_checked())?;
    let cost = requested.sound(requested.data.search_address_cost(&search, params.explain))?;
    let parameter = if q.is_some() { "q" } else { "t" };
    budget.admit(&cost, parameter, q.unwrap_or_default())?;
    SCRATCH.with_borrow_mut(|scratch| {
        requested.search_reply(budget, parameter, |out| {
            let found =
                requested.data.search_address_within_budget(&search, scratch, &budget.work)?;
            let t = search.t.map(|text| (text, scratch.address()));
            let AddressSearch { offset, limit, .. } = search;
            let explain = || {
                requested.data.explain(search.t.unwrap_or_default(), scratch.address(), search.near)
            };
            let explained = params.explain.then(explain).transpose()?;
            let explain = explained.as_ref();
            let outcome = AddressOutcome { q, t, found: &found, offset, limit, explain };
            let (version, cities) = (requested.data.version(), requested.data.fragments());
            let api = request.api_version;
            if requested.names_corrections() {
                let records = requested.data.rows(&found.rows)?;
                let towns: HashSet<CorrectedTown> =
                    records.flat_map(CorrectedTown::of_record).collect();
                requested.mark(|row| {
                    let changed = changed_by(request.data, requested.data, row);
                    changed.is_ok_and(|changed| changed.towns().any(|town| towns.contains(&town)))
                });
            }
            let records = requested.data.rows(&found.rows)?.map(|row| cities.record(api, row));
            write_search(out, api, version, records, &outcome);
            Ok(())
        })
    })
}

/// The records of the newest postal data that a correction changed.
pub fn changed_by<'d>(
    loaded: &'d Data,
    data: &'d PostalData,
    row: &Correction,
) -> Result<CorrectedRecords<'d>, Arc<OpenError>> {
    let published = loaded.catalog.postal().published();
    CorrectedRecords::find(row, published.map_or(data, Arc::as_ref), data)
}

pub fn cities(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "prefecture_code";
    let error = Code::InvalidPrefectureCode;
    let prefecture = path_value(request, "prefecture", NAME, error, PrefectureCode::parse)?;
    let requested = requested_data(request, Catalog::postal)?;
    let version = requested.version();
    let mut cities = requested.sound(requested.data.cities(prefecture))?.peekable();
    if cities.peek().is_none() {
        let detail = format!("expected a prefecture of version {version}; found {prefecture}");
        return Err(ApiError::in_parameter(NAME, Code::NoSuchPrefecture, detail));
    }
    let cities = cities.map(Municipality);
    Ok(requested.reply(|out| write_answers(out, request.api_version, version, cities)))
}

/// An address, with the defaults of the batch filled in.
pub struct BatchedAddress {
    t: String,
    q: Option<Arc<Syntax>>,
    limit: usize,
    explain: bool,
}

impl BatchedAddress {
    fn address_search(&self) -> AddressSearch<'_> {
        let q = self.q.as_ref().map(|q| &q.expression);
        AddressSearch { t: Some(&self.t), q, limit: self.limit, ..AddressSearch::default() }
    }
}

/// A `q` as text and parsed.
struct Syntax {
    text: String,
    expression: PostalQuery,
}

impl BatchQuery for BatchedAddress {
    type Data = PostalData;
    type Row = u32;
    type Corrected = CorrectedTown;
    type Scratch = SearchScratch;

    const VERSIONS: fn(&Catalog) -> &Versions<PostalData> = Catalog::postal;

    fn parse_batch(
        body: &mut Object,
        _grouping: Grouping,
    ) -> Result<ParsedBatch<BatchedAddress>, ApiError> {
        let default_q = syntax(body, "default_q")?;
        let default_limit = limit(body, "default_limit")?.unwrap_or(LIMIT_DEFAULT);
        let explain = flag(body, "explain")?;
        let queries = queries(body, |mut query| {
            // An empty address finds nothing: a list of a thousand may have gaps.
            let (t, _) = required_text(&mut query, "t", "an address")?;
            let q = syntax(&mut query, "q")?.or_else(|| default_q.clone());
            let limit = limit(&mut query, "limit")?.unwrap_or(default_limit);
            Ok(BatchedAddress { t, q, limit, explain })
        })?;
        let mut params = b"{\"default_q\":".to_vec();
        json::push_or_null(&mut params, default_q.as_ref().map(|q| q.text.as_str()));
        params.extend_from_slice(format!(",\"default_limit\":{default_limit}}}").as_bytes());
        Ok(ParsedBatch { params, queries })
    }

    fn cost(&self, source: &BatchData<PostalData>) -> Result<Cost, Arc<OpenError>> {
        source.data.search_address_cost(&self.address_search(), self.explain)
    }

    fn q(&self) -> &str {
        self.q.as_ref().map_or("", |q| &q.text)
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
        scratch: &mut SearchScratch,
        result: &mut BesideRecords<CorrectedTown>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let search = self.address_search();
        let found = source.data.search_address_within_budget(&search, scratch, work)?;
        let explain = || source.data.explain(&self.t, scratch.address(), None);
        let explained = self.explain.then(explain).transpose()?;
        let outcome = AddressOutcome {
            q: self.q.as_ref().map(|q| q.text.as_str()),
            t: Some((&self.t, scratch.address())),
            found: &found,
            offset: 0,
            limit: self.limit,
            explain: explained.as_ref(),
        };
        write_address_outcome(&mut result.tail, source.api_version, &outcome);
        if result.names_corrections {
            let records = source.data.rows(&found.rows)?;
            result.corrected.extend(records.flat_map(CorrectedTown::of_record));
        }
        Ok(found.rows)
    }

    fn write_record(source: &BatchData<PostalData>, row: u32, out: &mut Vec<u8>) {
        let BatchData { data, api_version, .. } = source;
        for record in data.rows(&[row]).expect("the data has answered the search") {
            data.fragments().record(*api_version, record).write(out, *api_version);
        }
    }
}

/// The query in the member of this name; an empty one counts as absent.
fn syntax(object: &mut Object, name: &str) -> Result<Option<Arc<Syntax>>, ApiError> {
    let Some((text, path)) = text(object, name)? else { return Ok(None) };
    let expression = expression(path, &text, Grouping::Refused)?;
    Ok(Some(Arc::new(Syntax { text, expression })))
}

pub fn download(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let requested = latest_data(request, Catalog::postal)?;
    let file = request.data.downloads.open(requested.data.file().path()).map_err(|error| {
        tracing::error!(%error, request = %request.id, "cannot read a download");
        let detail = "the server cannot read the download";
        ApiError::new(Code::DamagedData, detail)
    })?;
    let Some(file) = file else {
        let version = requested.version();
        let detail = format!("version {version} was built without a download");
        return Err(ApiError::new(Code::NoSuchDownload, detail));
    };
    let length = file.bytes.len() as u64;
    let tag = EntityTag::of_file(requested.version(), file.checksum, length);
    let headers = &request.head.headers;
    let range = match request.head.method == Method::GET && allows_part(headers, &tag) {
        true => requested_range(headers, length),
        false => RequestedRange::Whole,
    };
    let mut reply = match &range {
        RequestedRange::Whole => Reply::file(headers, tag, file.bytes),
        RequestedRange::Part(range) => {
            let part = file.bytes.slice(range.start as usize..range.end as usize);
            Reply::file(headers, tag, part).with_status(StatusCode::PARTIAL_CONTENT)
        }
        RequestedRange::Outside => {
            let detail =
                format!("expected a range that starts before byte {length}; found one after it");
            Reply::error(&ApiError::new(Code::RangeNotSatisfiable, detail), headers)
        }
    };
    reply = reply.with_header(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    let range = match range {
        RequestedRange::Whole => return Ok(reply),
        RequestedRange::Part(Range { start, end }) => format!("bytes {start}-{}/{length}", end - 1),
        RequestedRange::Outside => format!("bytes */{length}"),
    };
    let range = HeaderValue::try_from(range).expect("digits and ASCII marks");
    Ok(reply.with_header(CONTENT_RANGE, range))
}

/// The part of a file that a request asks for with `Range`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RequestedRange {
    Whole,
    Part(Range<u64>),
    /// It is outside of the file.
    Outside,
}

/// Whether `If-Range` allows a part: it is absent, or it is the file's own strong tag.
fn allows_part(headers: &HeaderMap, tag: &EntityTag) -> bool {
    headers.get(IF_RANGE).is_none_or(|value| value == tag.value())
}

/// The range that `Range` selects in a file of this length. A header that is invalid under RFC 9110 is ignored.
fn requested_range(headers: &HeaderMap, length: u64) -> RequestedRange {
    let mut values = headers.get_all(RANGE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return RequestedRange::Whole };
    let Some((unit, set)) = value.to_str().ok().and_then(|value| value.split_once('=')) else {
        return RequestedRange::Whole;
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") || set.contains(',') {
        return RequestedRange::Whole;
    }
    let Some((first, last)) = set.trim().split_once('-') else { return RequestedRange::Whole };
    match (position(first), position(last)) {
        (Some(Some(first)), Some(last)) if last.is_none_or(|last| first <= last) => {
            let end = last.map_or(length, |last| last.saturating_add(1).min(length));
            if first < length { RequestedRange::Part(first..end) } else { RequestedRange::Outside }
        }
        (Some(None), Some(Some(suffix))) => match suffix.min(length) {
            0 => RequestedRange::Outside,
            suffix => RequestedRange::Part(length - suffix..length),
        },
        _ => RequestedRange::Whole,
    }
}

/// A position of a range: `Some(None)` if empty, `None` if it is not a number.
fn position(text: &str) -> Option<Option<u64>> {
    if text.is_empty() {
        return Some(None);
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| Some(text.parse().unwrap_or(u64::MAX)))
}
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let values = values.iter().map(|value| {
            (RANGE, HeaderValue::from_bytes(value.as_bytes()).expect("a header value"))
        });
        values.collect()
    }

    #[test]
    fn ranges_are_parsed_as_in_the_rfc() {
        #[track_caller]
        fn check(value: &str, length: u64, expected: RequestedRange) {
            assert_eq!(
                requested_range(&headers(&[value]), length),
                expected,
                "{value:?} of {length}"
            );
        }
        use RequestedRange::{Outside, Part, Whole};
        check("bytes=0-", 10, Part(0..10));
        check("bytes=0-0", 10, Part(0..1));
        check("bytes=3-5", 10, Part(3..6));
        check("bytes=9-", 10, Part(9..10));
        check("bytes=5-99999999999999999999999", 10, Part(5..10));
        check("bytes=-3", 10, Part(7..10));
        check("bytes=-99", 10, Part(0..10));
        check("Bytes= 3-5 ", 10, Part(3..6));
        check("bytes=10-", 10, Outside);
        check("bytes=10-12", 10, Outside);
        check("bytes=99999999999999999999999-", 10, Outside);
        check("bytes=-0", 10, Outside);
        check("bytes=0-", 0, Outside);
        check("bytes=-1", 0, Outside);
        // For several ranges, another unit or an invalid range, the whole file is sent.
        for other in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=5-3",
            "bytes=a-b",
            "bytes=1-b",
            "bytes=+1-2",
            "bytes=0-1,3-4",
            "bytes=0-1,",
            "items=0-1",
            "0-1",
            "bytes=1",
            "bytes 0-1",
            "bytes=1--2",
        ] {
            check(other, 10, Whole);
        }
        assert_eq!(requested_range(&headers(&[]), 10), Whole);
        assert_eq!(requested_range(&headers(&["bytes=0-1", "bytes=0-1"]), 10), Whole);
    }

    proptest! {
        #[test]
        fn a_part_lies_inside_the_file(text in "bytes=[0-9]{0,20}-[0-9]{0,20}", length in 0u64..100) {
            if let RequestedRange::Part(range) = requested_range(&headers(&[&text]), length) {
                prop_assert!(range.start < range.end && range.end <= length);
            }
        }
    }
}
