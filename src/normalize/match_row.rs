//! Adds the corporation of each row to a table: the match of its name, with address and postal code if the table has
//! them.

use std::sync::Arc;

use super::chunk::Tally;
use super::placement::{GivenCode, join};
use super::review_file::{CANDIDATES_MAX, ReviewCandidate, ReviewForm, ReviewRow};
use super::row_writer::{RowFinder, RowJob, TableRow};
use super::table::Table;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::matching::rules::MatchLevel;
use crate::dataset::corporate::matching::{
    self, Candidate, MatchAnswer, MatchQuery, match_corporation,
};
use crate::dataset::invoice::InvoiceData;
use crate::dataset::member::Members;
use crate::json;
use crate::snapshot::{Dataset, OpenError};
use crate::text::codes::ApiVersion;
use crate::text::named_enum::named_enum;
use crate::work::WorkBudget;

named_enum! {
    fn name;
    /// What `--add` adds.
    pub enum MatchAddition {
        /// The name and the address in the register.
        Address = "address",
        /// Whether the corporation is open, and its successor.
        Status = "status",
        /// The number of the invoice issuer, and whether it is registered on the day.
        Invoice = "invoice",
    }
}

impl MatchAddition {
    fn columns(self) -> [&'static str; 2] {
        match self {
            MatchAddition::Address => ["registered_name", "registered_address"],
            MatchAddition::Status => ["status", "successor_corporate_number"],
            MatchAddition::Invoice => ["invoice_number", "invoice_registered"],
        }
    }
}

/// The columns of every match.
const ALWAYS: [&str; 5] =
    ["match_level", "corporate_number", "match_score", "match_reason", "candidates"];

const _: () = assert!(matching::CANDIDATES_MAX <= CANDIDATES_MAX);

/// The rows of matches in the file of rows that need a person.
pub const MATCH_REVIEW: ReviewForm = ReviewForm {
    members: &["name", "address", "postal_code"],
    candidate_members: &["corporate_number", "name", "address", "match_score", "match_reason"],
};

/// The names of the added columns.
pub fn match_columns(additions: &[MatchAddition]) -> Vec<&'static str> {
    let added = additions.iter().flat_map(|addition| addition.columns());
    ALWAYS.into_iter().chain(added).collect()
}

/// Matches the names of a table. Its first column is the name, the others are the address.
#[derive(Clone)]
pub struct MatchJob {
    pub data: Arc<CorporateData>,
    /// The register of invoice issuers, and the day on which an issuer must be registered, as 20260731.
    pub invoice: Option<(Arc<InvoiceData>, u32)>,
    pub additions: Vec<MatchAddition>,
}

impl RowJob for MatchJob {
    fn finder<'a>(&'a self, _table: &'a Table) -> impl RowFinder + 'a {
        MatchFinder {
            job: self,
            name: String::new(),
            address: String::new(),
            postal_code: None,
            buffer: Vec::new(),
            found: None,
        }
    }
}

struct MatchFinder<'a> {
    job: &'a MatchJob,
    name: String,
    address: String,
    postal_code: Option<u32>,
    buffer: Vec<u8>,
    /// The match of the row, and each column of `--add` with its value.
    found: Option<(MatchAnswer<'a>, Vec<(&'static str, String)>)>,
}

impl RowFinder for MatchFinder<'_> {
    fn find(
        &mut self,
        row: &TableRow<'_>,
        tally: &mut Tally,
        review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>> {
        self.read(row);
        let job = self.job;
        let MatchFinder { name, address, postal_code, .. } = &*self;
        let query = MatchQuery { name, address, postal_code: *postal_code, has_telephone: false };
        let answer = match_corporation(&job.data, &query, &WorkBudget::unlimited())
            .map_err(|error| error.in_file(job.data.file()).expect_damage())?;
        if answer.level == MatchLevel::Review {
            if row.table.has_review {
                review.push(review_row(&query, &answer, tally.numbered()));
            }
            tally.to_review += 1;
        }
        tally.levels[answer.level as usize] += 1;
        let added = added(job, answer.found())?;
        self.found = Some((answer, added));
        Ok(())
    }

    fn for_each_field(&self, mut push: impl FnMut(&str)) {
        let Some((answer, added)) = &self.found else { return };
        always(answer).iter().for_each(|value| push(value));
        added.iter().for_each(|(_, value)| push(value));
    }

    /// The names and shapes of members are those in the answers of the API.
    fn push_members(&self, out: &mut Vec<u8>) {
        let Some((answer, added)) = &self.found else { return };
        answer.write_members(out, ApiVersion::NEWEST);
        for (name, value) in added {
            json::put(out, &[",\"", name, "\":"]);
            json::push_or_null(out, Some(&**value).filter(|value| !value.is_empty()));
        }
    }
}

impl MatchFinder<'_> {
    fn read(&mut self, row: &TableRow<'_>) {
        let (table, buffer) = (row.table, &mut self.buffer);
        self.postal_code = table
            .code_column
            .and_then(|column| GivenCode::read(&row.text(column, buffer)))
            .map(|given| given.code.number());
        self.name.clear();
        self.address.clear();
        for (number, column) in table.columns.iter().enumerate() {
            let text = row.text(*column, buffer);
            match number {
                0 => self.name.push_str(&text),
                _ => join(&text, &mut self.address),
            }
        }
    }
}

/// The values of the columns of every match.
fn always(answer: &MatchAnswer<'_>) -> [String; ALWAYS.len()] {
    let number = |candidate: &Candidate<'_>| candidate.view.number().to_string();
    let candidates: Vec<String> = answer.candidates.iter().map(number).collect();
    [
        answer.level.name().to_owned(),
        answer.found().map(number).unwrap_or_default(),
        answer.score().to_string(),
        answer.reason(),
        candidates.join(" "),
    ]
}

impl MatchAddition {
    /// The values of its columns for the corporation of an exact or probable match; empty where there is none.
    fn values(self, job: &MatchJob, found: &Candidate<'_>) -> Result<[String; 2], Arc<OpenError>> {
        let view = &found.view;
        Ok(match self {
            MatchAddition::Address => [view.name().to_string(), view.inland_address()],
            MatchAddition::Status => {
                let status = if view.is_closed() { "closed" } else { "open" };
                let successor = view.successor().map(|it| it.to_string()).unwrap_or_default();
                [status.to_owned(), successor]
            }
            MatchAddition::Invoice => {
                let is_registered = match &job.invoice {
                    Some((register, day)) => register.is_registered(view.number(), *day)?,
                    None => false,
                };
                match is_registered {
                    true => [format!("T{}", view.number()), "yes".to_owned()],
                    false => [String::new(), "no".to_owned()],
                }
            }
        })
    }
}

/// Each column of `--add` with its value, which is empty without an exact or probable match.
fn added(
    job: &MatchJob,
    found: Option<&Candidate<'_>>,
) -> Result<Vec<(&'static str, String)>, Arc<OpenError>> {
    let mut columns = Vec::with_capacity(2 * job.additions.len());
    for addition in &job.additions {
        let values = found.map(|found| addition.values(job, found)).transpose()?;
        columns.extend(addition.columns().into_iter().zip(values.unwrap_or_default()));
    }
    Ok(columns)
}

/// The row of a match that a person decides.
fn review_row(query: &MatchQuery<'_>, answer: &MatchAnswer<'_>, row: u64) -> ReviewRow {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    ReviewRow {
        row,
        values: vec![
            text(query.name),
            text(query.address),
            query.postal_code.map(|code| format!("{code:07}")),
        ],
        reasons: vec![answer.reason()],
        candidates: answer.candidates.iter().map(review_candidate).collect(),
    }
}

fn review_candidate(candidate: &Candidate<'_>) -> ReviewCandidate {
    let (number, name) = (candidate.view.number().to_string(), candidate.view.name().to_string());
    let (address, reasons) = (candidate.view.inland_address(), candidate.reasons_in_words());
    let score = candidate.score().to_string();
    ReviewCandidate {
        line: format!("{number} {name} {address} ({score}: {reasons})"),
        values: [number, name.to_owned(), address, score, reasons].map(Some).into(),
    }
}
