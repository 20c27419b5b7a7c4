//! `/4/name`: corporations by name.
//!
//! The index of the product's own search finds the names that contain the text, and each is compared as the call asks:
//! from its beginning or in any part; folded (widths, kana, old kanji), as written, or the English name. A name begins at
//! its first letter or behind a legal form (国税 finds 株式会社国税商事). The answer is in the order of the names'
//! characters, then of the numbers.
//!
//! Corporations that the agency hides from its search are not found. The index has no single letters: names that begin
//! with one are found in the order of names, and in any other search for a letter every row of the place is compared, for
//! which the whole country has too many.

use hyper::header::HeaderValue;

use super::entries::{Entry, entries};
use super::narrowing::Narrowing;
use super::row::{CorporateRow, FORMS, LAYOUT, row};
use crate::api::executor::cost_budget::CostBudget;
use crate::api::pipeline::params::{ApiRequest, Params};
use crate::api::pipeline::reply::{NOTICE, Reply};
use crate::api::resource::latest_data;
use crate::compat::agency::answer::{Form, Header};
use crate::compat::agency::fault::{Fault, FaultKind, Refusal};
use crate::compat::agency::page::Page;
use crate::compat::agency::parameters::{date, flag, form, page, required, word};
use crate::compat::agency::versions;
use crate::dataset::Catalog;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::CorporateView;
use crate::dataset::corporate::search::CorporateSearch;
use crate::dataset::corporate::syntax::{CorporateField, CorporateQuery};
use crate::query::RowSet;
use crate::query::budget::{EvaluationError, QueryError};
use crate::query::cost::{Cost, CostPart};
use crate::snapshot::Dataset as _;
use crate::text::codes::{CorporateNumber, DataVersion};
use crate::text::fold::{Level, folded};
use crate::text::kind_words::{expand, split};

/// Units of work to read a row, whose record is at a random place in half a gigabyte, to compare and to order it.
const UNITS_PER_ROW: u64 = 500;

/// What names are compared with, and how.
#[derive(Debug, PartialEq, Eq)]
struct Sought {
    /// As the call has it.
    text: String,
    /// In the form in which names are compared.
    compared: String,
    target: Target,
    mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Folded,
    AsWritten,
    English,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Beginning,
    Part,
}

impl Sought {
    fn new(text: &str, target: Target, mode: Mode) -> Sought {
        let text = text.trim();
        let compared = match target {
            Target::Folded => expand(&folded(text, Level::Search), Level::Search).into_owned(),
            Target::AsWritten => text.to_owned(),
            Target::English => folded(text, Level::Width).to_lowercase(),
        };
        Sought { text: text.to_owned(), compared, target, mode }
    }

    /// Whether it begins a folded name or what follows its legal form. Those are in order.
    fn begins_body(&self) -> bool {
        (self.target, self.mode) == (Target::Folded, Mode::Beginning)
    }

    fn is_met_by(&self, view: &CorporateView<'_>) -> bool {
        match self.target {
            Target::English => self.is_met_by_name(view.en_name().text),
            Target::Folded | Target::AsWritten => self.is_met_by_name(&view.name().to_string()),
        }
    }

    fn is_met_by_name(&self, name: &str) -> bool {
        let sought = &*self.compared;
        match self.target {
            Target::Folded => {
                let name = folded(name.trim(), Level::Search);
                self.is_part(&name) || split(&name, Level::Search).0.starts_with(sought)
            }
            Target::AsWritten => self.is_part(name) || without_legal_form(name).starts_with(sought),
            Target::English => self.is_part(&folded(name, Level::Width).to_lowercase()),
        }
    }

    /// Whether a name in the compared form has the text where it must be.
    fn is_part(&self, name: &str) -> bool {
        match self.mode {
            Mode::Beginning => name.starts_with(&self.compared),
            Mode::Part => name.contains(&self.compared),
        }
    }

    /// The queries that find all candidates: one of each group finds each. The index of English names keeps capitals, so
    /// a word is sought as typed, small, in capitals and with a capital in front. None for a letter, of which the index
    /// has no list.
    fn queries(&self) -> Vec<Vec<CorporateQuery>> {
        let query = |field, text: String| CorporateQuery::of_keyword(Some(field), text);
        let is_letter = |word: &str| word.chars().nth(1).is_none();
        if self.target != Target::English {
            let name = query(CorporateField::Name, self.text.clone());
            return if is_letter(&self.compared) { Vec::new() } else { vec![vec![name]] };
        }
        let words = self.text.split_whitespace().filter(|word| !is_letter(word));
        let group = |word: &str| {
            let mut cases =
                [word.to_owned(), word.to_lowercase(), word.to_uppercase(), capitalised(word)];
            cases.sort_unstable();
            let mut cases = Vec::from(cases);
            cases.dedup();
            cases.into_iter().map(|word| query(CorporateField::EnName, word)).collect()
        };
        words.map(group).collect()
    }
}

/// A word with a capital in front.
fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    [first.unwrap_or_default(), letters.as_str().to_lowercase()].concat()
}

/// A name as written without the legal form in front of it.
fn without_legal_form(name: &str) -> &str {
    let folded = folded(name, Level::Width);
    let (body, _) = split(&folded, Level::Width);
    let length = folded.chars().count();
    // Full-width letters fold one by one; if some do not, the name stays whole.
    if !folded.ends_with(body) || length != name.chars().count() {
        return name;
    }
    let skipped = length - body.chars().count();
    name.char_indices().nth(skipped).map_or("", |(at, _)| &name[at..])
}

struct NameCall {
    sought: Sought,
    narrowing: Narrowing,
    /// Also by former names.
    with_former: bool,
    with_closed: bool,
    /// The first and the last day of the assignment.
    assigned: [Option<DataVersion>; 2],
    form: Form,
    page: Page,
}

/// The day on which the first numbers were assigned.
const FIRST_ASSIGNMENT: u32 = 20_151_005;

impl NameCall {
    fn read(params: &Params<'_>) -> Result<NameCall, Refusal> {
        let name = required(params, "name")?;
        if name.trim().is_empty() {
            return Err(Fault::missing("name").into());
        }
        let form = form(params, &FORMS)?;
        let modes = [(Mode::Beginning, "1"), (Mode::Part, "2")];
        let targets = [(Target::Folded, "1"), (Target::AsWritten, "2"), (Target::English, "3")];
        let mode = word(params, "mode", &modes)?.unwrap_or(Mode::Beginning);
        let target = word(params, "target", &targets)?.unwrap_or(Target::Folded);
        let assigned = [date(params, "from")?, date(params, "to")?];
        check_assigned(assigned)?;
        Ok(NameCall {
            sought: Sought::new(&name, target, mode),
            narrowing: Narrowing::read(params)?,
            with_former: flag(params, "change", false)?,
            with_closed: flag(params, "close", true)?,
            assigned,
            form,
            page: page(params)?,
        })
    }

    /// Whether an entry passes all but the comparison of its name.
    fn passes(&self, view: &CorporateView<'_>) -> bool {
        let [from, to] = self.assigned.map(|day| day.map(DataVersion::number));
        let day = view.assignment_date();
        !view.hihyoji()
            && (self.with_closed || !view.is_closed())
            && from.is_none_or(|from| day >= from)
            && to.is_none_or(|to| day <= to)
            && self.narrowing.passes(view)
    }
}

fn check_assigned(days: [Option<DataVersion>; 2]) -> Result<(), Fault> {
    let [from, to] = days;
    if from.is_some_and(|from| from.number() < FIRST_ASSIGNMENT) {
        let message = "パラメーターfromには2015-10-05以後の日付を指定してください。";
        return Err(Fault::new(FaultKind::BeforeNumbers, message));
    }
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        let message = "パラメーターtoにはfrom以後の日付を指定してください。";
        return Err(Fault::new(FaultKind::Date, message));
    }
    Ok(())
}

/// An entry that was found.
struct Found<'d> {
    name: String,
    number: CorporateNumber,
    entry: FoundEntry<'d>,
}

enum FoundEntry<'d> {
    Earlier(Box<CorporateView<'d>>),
    /// That of this row of the newest version.
    Present(u32),
}

pub fn name(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, Refusal> {
    let call = NameCall::read(&request.params)?;
    let requested = latest_data(request, Catalog::corporate)?;
    let data = requested.data;
    budget.require_ready(data.is_search_checked())?;
    let failed = |error| requested.handler_error(budget, "name", error);
    let queries = call.sought.queries();
    for query in queries.iter().flatten() {
        let cost = data.search_cost(&CorporateSearch::new(query, 0, 0), false);
        budget.admit(&requested.sound(cost)?, "name", &call.sought.text)?;
    }
    let candidates = call.candidates(data, &queries, budget).map_err(failed)?;
    let mut cost = Cost::none();
    let units = UNITS_PER_ROW.saturating_mul(candidates.len() as u64);
    cost.add(CostPart::Term(0..call.sought.text.len()), units);
    budget.admit(&cost, "name", &call.sought.text)?;
    let mut found = call.present(data, candidates, budget).map_err(failed)?;
    if call.with_former {
        found.extend(call.former(request, data, budget).map_err(failed)?);
    }
    let order = |it: &Found<'_>| (it.number, matches!(it.entry, FoundEntry::Present(_)));
    found.sort_by(|left, right| left.name.cmp(&right.name).then(order(left).cmp(&order(right))));
    let header = Header { updated: requested.version(), count: found.len(), page: call.page };
    let rows = found[call.page.rows(found.len())].iter().map(|it| {
        Ok(match &it.entry {
            FoundEntry::Earlier(view) => row(view, false),
            FoundEntry::Present(index) => row(&data.record(*index)?, true),
        })
    });
    let rows: Vec<CorporateRow<'_>> = requested.sound(rows.collect())?;
    let reply = LAYOUT.reply(request, call.form, &header, &rows);
    let lacks_former = call.with_former && requested.sound(data.former_names())?.is_none();
    Ok(if lacks_former { reply.with_header(NOTICE, NO_FORMER_NAMES) } else { reply })
}

/// The notice of an answer with former names from data without any.
const NO_FORMER_NAMES: HeaderValue = HeaderValue::from_static(
    "the data have no former names: they were built from full files alone, so change=1 has no effect",
);

impl NameCall {
    /// The entries of these rows whose names are met.
    fn present<'d>(
        &self,
        data: &'d CorporateData,
        candidates: Vec<u32>,
        budget: &CostBudget<'_>,
    ) -> Result<Vec<Found<'d>>, QueryError> {
        let mut found = Vec::new();
        for index in candidates {
            budget.work.spend(UNITS_PER_ROW)?;
            let view = data.record(index)?;
            if self.sought.is_met_by(&view) && self.passes(&view) {
                let entry = FoundEntry::Present(index);
                found.push(Found { name: view.name().to_string(), number: view.number(), entry });
            }
        }
        Ok(found)
    }

    /// The rows of the wanted place whose names may be met.
    fn candidates(
        &self,
        data: &CorporateData,
        queries: &[Vec<CorporateQuery>],
        budget: &CostBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let row_count = data.row_count()?;
        let mut rows = RowSet::empty(row_count);
        if queries.is_empty() && self.sought.begins_body() {
            let begin = || -> Result<Vec<u32>, EvaluationError> {
                let order = data.name_order()?;
                Ok(order.rows(order.find(&self.sought.compared)?.beginning)?.collect())
            };
            let begin = begin().map_err(|error| error.in_file(data.file()))?;
            begin.into_iter().for_each(|row| rows.insert(row as usize));
        } else {
            rows.insert_range(0..row_count);
        }
        for group in queries {
            let mut found = RowSet::empty(row_count);
            for query in group {
                found.or(&data.matching_rows_within_budget(query, &budget.work)?);
            }
            rows.and(&found);
        }
        if let Some(places) = self.narrowing.rows(data)? {
            let mut there = RowSet::empty(row_count);
            let places = places.into_iter().map(|rows| rows.start as usize..rows.end as usize);
            places.for_each(|rows| there.insert_range(rows));
            rows.and(&there);
        }
        let mut found = Vec::new();
        rows.for_each(|row| found.push(row as u32));
        Ok(found)
    }

    /// The earlier entries whose names are met. A corporation whose earlier entry no loaded version has is found by its
    /// present one, unless that is met too.
    fn former<'d>(
        &self,
        request: &'d ApiRequest<'_>,
        data: &'d CorporateData,
        budget: &CostBudget<'_>,
    ) -> Result<Vec<Found<'d>>, QueryError> {
        let (Some(names), false) = (data.former_names()?, self.sought.target == Target::English)
        else {
            return Ok(Vec::new());
        };
        let versions = versions(request, Catalog::corporate);
        let mut found = Vec::new();
        let met = names.all().filter(|former| self.sought.is_met_by_name(&former.name));
        let mut indexes: Vec<u32> = met.map(|former| former.row.to_native()).collect();
        indexes.dedup();
        for index in indexes {
            budget.work.spend(UNITS_PER_ROW)?;
            let present = data.record(index)?;
            let number = present.number();
            let entries = entries(&versions, number, budget)?;
            let earlier = entries.into_iter().filter(|entry| !entry.is_latest);
            let met: Vec<_> = earlier.filter(|it| self.sought.is_met_by(&it.view)).collect();
            if met.is_empty() && !self.sought.is_met_by(&present) && self.passes(&present) {
                let entry = FoundEntry::Present(index);
                found.push(Found { name: present.name().to_string(), number, entry });
            }
            let met = met.into_iter().filter(|entry| self.passes(&entry.view));
            found.extend(met.map(|Entry { view, .. }| {
                let entry = FoundEntry::Earlier(Box::new(view));
                Found { name: view.name().to_string(), number, entry }
            }));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_met_from_its_beginning_or_in_any_part() {
        use Mode::{Beginning, Part};
        use Target::{AsWritten, English, Folded};
        #[track_caller]
        fn check(text: &str, target: Target, mode: Mode, name: &str, expected: bool) {
            let sought = Sought::new(text, target, mode);
            assert_eq!(sought.is_met_by_name(name), expected, "{text} {target:?} {mode:?} {name}");
        }
        for (text, is_beginning, is_part) in [
            ("株式会社国税", true, true),
            ("国税", true, true),
            ("国税商事Ａ", true, true),
            ("国税商事a", true, true),
            ("㈱国税", true, true),
            (" 国税 ", true, true),
            ("商事", false, true),
            ("会社", false, true),
            ("国税商店", false, false),
        ] {
            check(text, Folded, Beginning, "株式会社国税商事Ａ", is_beginning);
            check(text, Folded, Part, "株式会社国税商事Ａ", is_part);
        }
        for (text, is_beginning, is_part) in [
            ("株式会社国税", true, true),
            ("国税", true, true),
            ("国税商事Ａ", true, true),
            ("国税商事a", false, false),
            ("国税商事A", false, false),
            ("商事", false, true),
        ] {
            check(text, AsWritten, Beginning, "株式会社国税商事Ａ", is_beginning);
            check(text, AsWritten, Part, "株式会社国税商事Ａ", is_part);
        }
        check("国税商事株式会社", AsWritten, Beginning, "国税商事株式会社", true);
        check("髙島屋", AsWritten, Beginning, "株式会社高島屋", false);
        check("髙島屋", Folded, Beginning, "株式会社高島屋", true);
        for text in ["hitachi", "HITACHI, ltd", "Ｈｉｔａｃｈｉ"] {
            check(text, English, Beginning, "Hitachi, Ltd.", true);
        }
        check("ltd", English, Beginning, "Hitachi, Ltd.", false);
        check("ltd", English, Part, "Hitachi, Ltd.", true);
    }

    #[test]
    fn english_names_are_sought_in_several_cases() {
        assert_eq!(["hitachi", "LTD.", ""].map(capitalised), ["Hitachi", "Ltd.", ""]);
        let counts = |text, target| {
            let queries = Sought::new(text, target, Mode::Part).queries();
            queries.iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(counts("hitachi hItaCHI 12 a", Target::English), [3, 4, 1]);
        assert_eq!(counts("a", Target::English), [0; 0]);
        assert_eq!(counts("国税 商事", Target::Folded), [1]);
        assert_eq!(counts("国", Target::AsWritten), [0; 0]);
    }

    #[test]
    fn parameters_of_the_call_are_checked() {
        let kind = |query: &'static str| match NameCall::read(&Params::new(Some(query))) {
            Ok(_) => None,
            Err(Refusal::Fault(fault)) => Some(fault.kind),
            Err(Refusal::Handler(error)) => panic!("{query}: {error:?}"),
        };
        for (query, expected) in [
            ("name=x&type=12", None),
            ("name=x&type=01&mode=2&target=3&kind=01,02&change=1&close=0&divide=3", None),
            ("name=x&type=02&from=2015-10-05&to=2015-10-05&address=13101", None),
            ("type=12", Some(FaultKind::Missing)),
            ("name=%20&type=12", Some(FaultKind::Missing)),
            ("name=x", Some(FaultKind::Missing)),
            ("name=x&type=21", Some(FaultKind::Value)),
            ("name=x&type=12&mode=3", Some(FaultKind::Value)),
            ("name=x&type=12&target=0", Some(FaultKind::Value)),
            ("name=x&type=12&change=2", Some(FaultKind::Value)),
            ("name=x&type=12&close=x", Some(FaultKind::Value)),
            ("name=x&type=12&kind=05", Some(FaultKind::Value)),
            ("name=x&type=12&divide=0", Some(FaultKind::Value)),
            ("name=x&type=12&address=101", Some(FaultKind::CityWithoutPrefecture)),
            ("name=x&type=12&from=2015-10-04", Some(FaultKind::BeforeNumbers)),
            ("name=x&type=12&from=2020-01-02&to=2020-01-01", Some(FaultKind::Date)),
            ("name=x&type=12&to=2020-13-01", Some(FaultKind::Date)),
        ] {
            assert_eq!(kind(query), expected, "{query}");
        }
    }
}
