//! What a batch found, and the document that says so.
//!
//! Finding is done whole before the first byte is sent, so that a batch is answered in full or with
//! an error. What is kept until then is small: of each record its row, of each query the members
//! behind its records. The records themselves are written while the client takes them.

use std::ops::Range;
use std::sync::Arc;

use super::request::Batch;
use crate::http::body::{Document, PIECE_BYTES};
use crate::http::json::{self, Outcome};
use crate::http::served::Served;
use crate::http::slots::Slot;
use crate::query::PostalData;
use crate::query::question::{Desk, Question};
use crate::snapshot::OpenError;
use crate::text::codes::ApiVersion;

/// Where the records come from and in which shape.
pub struct Origin {
    /// The data asked.
    pub data: Arc<PostalData>,
    /// What it is served with.
    pub served: Arc<Served>,
    /// The shape of the records.
    pub api: ApiVersion,
}

/// The answers to a batch, as a document.
pub struct Answers {
    origin: Origin,
    /// Everything in front of the first record.
    head: Vec<u8>,
    /// The rows of all queries.
    rows: Vec<u32>,
    /// The members behind the records, of all queries.
    tails: Vec<u8>,
    queries: Vec<Lies>,
    /// The query that is being written, and the row that comes next.
    at: usize,
    row: usize,
    /// Held until the last byte is written.
    _slot: Slot,
}

/// Where what one query found lies in the buffers.
struct Lies {
    rows: Range<usize>,
    tail: Range<usize>,
}

/// Asks every query. `go_on` is called before each and ends the work by saying `false`.
pub fn find(
    origin: Origin,
    slot: Slot,
    batch: &Batch,
    mut go_on: impl FnMut() -> bool,
) -> Result<Option<Answers>, Arc<OpenError>> {
    let head = head(&origin, batch);
    let (rows, tails, queries) = (Vec::new(), Vec::new(), Vec::new());
    let mut answers = Answers { origin, head, rows, tails, queries, at: 0, row: 0, _slot: slot };
    let mut desk = Desk::default();
    for query in &batch.queries {
        if !go_on() {
            return Ok(None);
        }
        let q = query.q.as_deref();
        let question = Question {
            t: Some(&query.t),
            q: q.map(|q| &q.expression),
            limit: query.limit,
            ..Question::default()
        };
        let found = answers.origin.data.ask(&question, &mut desk)?;
        let (row, tail) = (answers.rows.len(), answers.tails.len());
        let outcome = Outcome {
            q: q.map(|q| q.text.as_str()),
            t: Some((&query.t, desk.address())),
            found: &found,
            offset: 0,
            limit: query.limit,
        };
        json::write_outcome(&mut answers.tails, &outcome);
        answers.rows.extend_from_slice(&found.rows);
        let (rows, tail) = (row..answers.rows.len(), tail..answers.tails.len());
        answers.queries.push(Lies { rows, tail });
    }
    Ok(Some(answers))
}

fn head(origin: &Origin, batch: &Batch) -> Vec<u8> {
    let mut out = b"{\"version\":\"".to_vec();
    json::push_version(&mut out, origin.data.version());
    out.extend_from_slice(b"\",\"params\":{\"default_q\":");
    json::push_or_null(&mut out, batch.default_q.as_ref().map(|q| q.text.as_str()));
    out.extend_from_slice(b",\"default_limit\":");
    json::push_number(&mut out, batch.default_limit as u64);
    out.extend_from_slice(b"},\"records\":[");
    out
}

impl Document for Answers {
    fn write_piece(&mut self, out: &mut Vec<u8>) -> bool {
        out.append(&mut self.head);
        let Origin { data, served, api, .. } = &self.origin;
        let cities = served.cities(data);
        while let Some(lies) = self.queries.get(self.at) {
            if out.len() >= PIECE_BYTES {
                return true;
            }
            let first = self.row == lies.rows.start;
            if first {
                out.extend_from_slice(if self.at == 0 { b"{\"data\":[" } else { b",{\"data\":[" });
            }
            if self.row < lies.rows.end {
                let row = &self.rows[self.row..=self.row];
                let record = data.rows(row).expect("the data has answered the search");
                json::write_records(out, *api, record, cities, first);
                self.row += 1;
            }
            if self.row == lies.rows.end {
                out.extend_from_slice(b"],");
                out.extend_from_slice(&self.tails[lies.tail.clone()]);
                self.at += 1;
            }
        }
        out.extend_from_slice(b"]}");
        false
    }
}
