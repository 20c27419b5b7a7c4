//! The results of a batch, and the document that is sent.
//!
//! All queries are searched before the first byte is sent, so a batch is answered completely or with an error.
//! Until then only rows and the members after the records are kept; the records are written while the client reads.

use std::ops::Range;

use super::{BatchData, BatchQuery};
use crate::api::executor::account_semaphore::Permits;
use crate::json;
use crate::query::budget::{QueryError, WorkBudget};
use crate::server::body::{Document, PIECE_BYTES};
use crate::snapshot::Dataset;

pub struct BatchResults<Q: BatchQuery> {
    pub(super) source: BatchData<Q::Data>,
    /// Everything before the first record.
    head: Vec<u8>,
    rows: Vec<u32>,
    /// The members after the records, of all queries.
    tails: Vec<u8>,
    queries: Vec<QueryResult>,
    /// The index in `queries` of the query that is being written, and the index in `rows` of its next row.
    next_query: usize,
    next_row: usize,
    /// Held until the last byte is written.
    _slot: Permits,
}

/// The ranges of one query's result in the buffers.
struct QueryResult {
    rows: Range<usize>,
    tail: Range<usize>,
}

impl<Q: BatchQuery> BatchResults<Q> {
    pub fn new(source: BatchData<Q::Data>, slot: Permits, params: &[u8]) -> BatchResults<Q> {
        let mut head = b"{\"version\":\"".to_vec();
        json::push_version(&mut head, source.data.file().version());
        head.extend_from_slice(b"\",\"params\":");
        head.extend_from_slice(params);
        head.extend_from_slice(b",\"records\":[");
        let (rows, tails, queries) = (Vec::new(), Vec::new(), Vec::new());
        BatchResults { source, head, rows, tails, queries, next_query: 0, next_row: 0, _slot: slot }
    }

    /// Searches the next query and adds its result.
    pub fn search_next(
        &mut self,
        query: &Q,
        scratch: &mut Q::Scratch,
        work: &WorkBudget<'_>,
    ) -> Result<(), QueryError> {
        let (first_row, tail_start) = (self.rows.len(), self.tails.len());
        let found = query.search(&self.source, scratch, &mut self.tails, work)?;
        self.rows.extend_from_slice(&found);
        let rows = first_row..self.rows.len();
        let tail = tail_start..self.tails.len();
        self.queries.push(QueryResult { rows, tail });
        Ok(())
    }
}

impl<Q: BatchQuery> Document for BatchResults<Q> {
    fn write_piece(&mut self, out: &mut Vec<u8>) -> bool {
        out.append(&mut self.head);
        while let Some(query) = self.queries.get(self.next_query) {
            if out.len() >= PIECE_BYTES {
                return true;
            }
            out.extend_from_slice(match (self.next_row == query.rows.start, self.next_query) {
                (true, 0) => b"{\"data\":[",
                (true, _) => b",{\"data\":[",
                (false, _) => b",",
            });
            if self.next_row < query.rows.end {
                Q::write_record(&self.source, self.rows[self.next_row], out);
                self.next_row += 1;
            }
            if self.next_row == query.rows.end {
                out.extend_from_slice(b"],");
                out.extend_from_slice(&self.tails[query.tail.clone()]);
                self.next_query += 1;
            }
        }
        out.extend_from_slice(b"]}");
        false
    }
}
