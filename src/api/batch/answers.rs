//! The results of a batch, and the document that is sent.
//!
//! All queries are searched before the first byte is sent, so a batch is answered completely or with an error.
//! Until then only rows and the members after the records are kept; the records are written while the client reads.

use std::ops::Range;

use super::questions::{Origin, Questions, Tail};
use crate::api::places::Held;
use crate::json;
use crate::query::budget::{QueryError, WorkBudget};
use crate::server::body::{Document, PIECE_BYTES};
use crate::snapshot::Dataset;

pub struct Answers<K: Questions> {
    origin: Origin<K::Data>,
    /// Everything before the first record.
    head: Vec<u8>,
    rows: Vec<u32>,
    /// The members after the records, of all queries.
    tails: Vec<u8>,
    queries: Vec<Span>,
    /// The query that is being written, and its next row.
    at: usize,
    row: usize,
    /// Held until the last byte is written.
    _slot: Held,
}

/// Where the results of one query are in the buffers.
struct Span {
    rows: Range<usize>,
    tail: Range<usize>,
}

impl<K: Questions> Answers<K> {
    pub fn begin(origin: Origin<K::Data>, slot: Held, params: &[u8]) -> Answers<K> {
        let head = head::<K>(&origin, params);
        let (rows, tails, queries) = (Vec::new(), Vec::new(), Vec::new());
        Answers { origin, head, rows, tails, queries, at: 0, row: 0, _slot: slot }
    }

    pub fn origin(&self) -> &Origin<K::Data> {
        &self.origin
    }

    /// Runs the next query.
    pub fn ask(
        &mut self,
        query: &K::Query,
        scratch: &mut K::Scratch,
        work: &WorkBudget<'_>,
    ) -> Result<(), QueryError> {
        let (row, tail) = (self.rows.len(), self.tails.len());
        let found = K::ask(&self.origin, query, scratch, Tail(&mut self.tails), work)?;
        self.rows.extend_from_slice(&found);
        let (rows, tail) = (row..self.rows.len(), tail..self.tails.len());
        self.queries.push(Span { rows, tail });
        Ok(())
    }
}

fn head<K: Questions>(origin: &Origin<K::Data>, params: &[u8]) -> Vec<u8> {
    let mut out = b"{\"version\":\"".to_vec();
    json::push_version(&mut out, origin.data.file().version());
    out.extend_from_slice(b"\",\"params\":");
    out.extend_from_slice(params);
    out.extend_from_slice(b",\"records\":[");
    out
}

impl<K: Questions> Document for Answers<K> {
    fn write_piece(&mut self, out: &mut Vec<u8>) -> bool {
        out.append(&mut self.head);
        while let Some(span) = self.queries.get(self.at) {
            if out.len() >= PIECE_BYTES {
                return true;
            }
            let first = self.row == span.rows.start;
            if first {
                out.extend_from_slice(if self.at == 0 { b"{\"data\":[" } else { b",{\"data\":[" });
            }
            if self.row < span.rows.end {
                K::write_record(&self.origin, self.rows[self.row], first, out);
                self.row += 1;
            }
            if self.row == span.rows.end {
                out.extend_from_slice(b"],");
                out.extend_from_slice(&self.tails[span.tail.clone()]);
                self.at += 1;
            }
        }
        out.extend_from_slice(b"]}");
        false
    }
}
