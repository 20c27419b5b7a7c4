//! Adds the corporation of each row to a table: the match of its name, with address and postal code if the table has
//! them. Rows are read and written as those of addresses are ([`row`](super::row)).

use std::ops::Range;
use std::sync::Arc;

use super::chunk::{Chunk, Tally};
use super::pipeline::TableJob;
use super::placement::{GivenCode, join};
use super::row::{count_fields, count_lines, field_value, write_row};
use super::split::{self, Row};
use super::{error::NormalizeError, table::Table};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::matching::rules::MatchLevel;
use crate::dataset::corporate::matching::{Candidate, MatchAnswer, MatchQuery, match_corporation};
use crate::dataset::invoice::InvoiceData;
use crate::query::budget::WorkBudget;
use crate::snapshot::{Dataset, OpenError};
use crate::text::named_enum::named_enum;

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
    fn columns(self) -> &'static [&'static str] {
        match self {
            MatchAddition::Address => &["registered_name", "registered_address"],
            MatchAddition::Status => &["status", "successor_corporate_number"],
            MatchAddition::Invoice => &["invoice_number", "invoice_registered"],
        }
    }
}

/// The names of the added columns.
pub fn match_columns(additions: &[MatchAddition]) -> Vec<&'static str> {
    let always = ["match_level", "corporate_number", "match_score", "match_reason", "candidates"];
    let added = additions.iter().flat_map(|addition| addition.columns());
    always.into_iter().chain(added.copied()).collect()
}

/// Matches the names of a table. Its first column is the name, the others are the address.
#[derive(Clone)]
pub struct MatchJob {
    pub data: Arc<CorporateData>,
    /// The register of invoice issuers, and the day on which an issuer must be registered, as 20260731.
    pub invoice: Option<(Arc<InvoiceData>, u32)>,
    pub additions: Vec<MatchAddition>,
    pub table: Arc<Table>,
    pub threads: usize,
}

impl TableJob for MatchJob {
    fn table(&self) -> &Table {
        &self.table
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn writer(&self) -> impl FnMut(&mut Chunk) -> Result<(), NormalizeError> {
        let mut writer = MatchWriter::new(self);
        move |chunk| writer.write_rows(chunk)
    }
}

/// Writes rows; its buffers are reused.
struct MatchWriter<'a> {
    job: &'a MatchJob,
    fields: Vec<Range<usize>>,
    name: String,
    address: String,
    postal_code: Option<u32>,
    added: String,
}

impl<'a> MatchWriter<'a> {
    fn new(job: &'a MatchJob) -> MatchWriter<'a> {
        MatchWriter {
            job,
            fields: Vec::new(),
            name: String::new(),
            address: String::new(),
            postal_code: None,
            added: String::new(),
        }
    }

    /// Makes the output of a chunk, whose input is whole rows.
    fn write_rows(&mut self, chunk: &mut Chunk) -> Result<(), NormalizeError> {
        let Chunk { input, output, tally, first_line, .. } = chunk;
        let table = &*self.job.table;
        let mut input = &input[..];
        while !input.is_empty() {
            let row = split::first_row(input, table.shape, &mut self.fields);
            input = &input[row.length()..];
            let line = *first_line + tally.lines();
            count_lines(table, &self.fields, row, line, tally)?;
            if row.text.is_empty() {
                tally.blank_lines += 1;
                output.extend_from_slice(row.ending);
                continue;
            }
            self.read(row);
            self.write_row(row, output, tally)?;
        }
        table.encode_rows(output, &mut tally.unmappable);
        Ok(())
    }

    fn read(&mut self, row: Row<'_>) {
        let table = &*self.job.table;
        let mut bytes = Vec::new();
        let mut text = |column| {
            let field = field_value(table, row, &self.fields, column, &mut bytes);
            table.input.decode_lossy(field)
        };
        self.postal_code = table
            .code_column
            .and_then(|column| GivenCode::read(&text(column)))
            .map(|given| given.code.number());
        self.name.clear();
        self.address.clear();
        for (number, column) in table.columns.iter().enumerate() {
            match number {
                0 => self.name.push_str(&text(*column)),
                _ => join(&text(*column), &mut self.address),
            }
        }
    }

    fn write_row(
        &mut self,
        row: Row<'_>,
        out: &mut Vec<u8>,
        tally: &mut Tally,
    ) -> Result<(), Arc<OpenError>> {
        let (job, table) = (self.job, &*self.job.table);
        let MatchWriter { name, address, postal_code, .. } = &*self;
        let query = MatchQuery { name, address, postal_code: *postal_code };
        let answer = match_corporation(&job.data, &query, &WorkBudget::unlimited())
            .map_err(|error| error.in_file(job.data.file()).expect_damage())?;
        tally.rows += 1;
        tally.levels[answer.level as usize] += 1;
        tally.to_review += u64::from(answer.level == MatchLevel::Review);
        count_fields(table, &self.fields, tally);
        self.added.clear();
        for value in values(job, &answer)? {
            table.push_field(&value, &mut self.added);
        }
        write_row(table, row, &self.fields, &self.added, out, &mut tally.unmappable);
        Ok(())
    }
}

/// The values of the added columns.
fn values(job: &MatchJob, answer: &MatchAnswer<'_>) -> Result<Vec<String>, Arc<OpenError>> {
    let found = answer.found();
    let number = |candidate: &Candidate<'_>| candidate.view.number().to_string();
    let candidates: Vec<String> = answer.candidates.iter().map(number).collect();
    let mut values = vec![
        answer.level.name().to_owned(),
        found.map(number).unwrap_or_default(),
        answer.score().to_string(),
        answer.reason(),
        candidates.join(" "),
    ];
    for addition in &job.additions {
        let Some(Candidate { view, .. }) = found else {
            values.extend(addition.columns().iter().map(|_| String::new()));
            continue;
        };
        match addition {
            MatchAddition::Address => {
                values.extend([view.name().text.to_owned(), view.inland_address()]);
            }
            MatchAddition::Status => {
                let status = if view.is_closed() { "closed" } else { "open" };
                let successor = view.successor().map(|it| it.to_string()).unwrap_or_default();
                values.extend([status.to_owned(), successor]);
            }
            MatchAddition::Invoice => {
                let is_registered = match &job.invoice {
                    Some((register, day)) => register.is_registered(view.number(), *day)?,
                    None => false,
                };
                let number =
                    if is_registered { format!("T{}", view.number()) } else { String::new() };
                let registered = if is_registered { "yes" } else { "no" };
                values.extend([number, registered.to_owned()]);
            }
        }
    }
    Ok(values)
}
