//! The input: its beginning is read for detection, the rest in chunks of whole rows.

use std::io::{self, Read};

use memchr::memchr_iter;

use super::split::{Shape, Splitter};
use super::{chunk::Chunk, error::NormalizeError};

/// Bytes of one read. A chunk has up to this many, plus the rest of the previous read.
pub const READ_BYTES: usize = 256 << 10;
/// Limit of one row. A longer one is an unclosed quote.
const ROW_BYTES_MAX: usize = 64 << 20;
/// Bytes from which encoding and delimiter are detected.
const BEGINNING_BYTES_MAX: usize = 1 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

pub struct Input {
    source: Box<dyn Read + Send>,
    name: String,
    kind: InputKind,
    /// The bytes that were read and not yet passed on, without the byte order mark.
    buffer: Vec<u8>,
    /// The line at which the buffer begins, from 1.
    line: u64,
    ended: bool,
    /// Whether it began with a byte order mark of UTF-8.
    pub has_bom: bool,
}

/// The kind of source; decides how much is read before detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// Reads up to `BEGINNING_BYTES_MAX`.
    File,
    /// Reads up to the first line and the first non-ASCII letter: the writer may wait for an answer.
    Pipe,
    /// Reads up to the first line.
    Terminal,
}

impl Input {
    /// Reads the beginning of a source; `name` is its name in messages.
    pub fn open(
        source: Box<dyn Read + Send>,
        name: String,
        kind: InputKind,
    ) -> Result<Input, NormalizeError> {
        let buffer = Vec::new();
        let (line, ended, has_bom) = (1, false, false);
        let mut input = Input { source, name, kind, buffer, line, ended, has_bom };
        while !input.ended && !input.can_be_detected() {
            input.read_more()?;
        }
        if input.buffer.starts_with(b"\xff\xfe") || input.buffer.starts_with(b"\xfe\xff") {
            return Err(NormalizeError::Utf16 { name: input.name });
        }
        if input.buffer.starts_with(BOM) {
            input.buffer.drain(..BOM.len());
            input.has_bom = true;
        }
        Ok(input)
    }

    /// Whether enough was read to detect the encoding and the delimiter.
    fn can_be_detected(&self) -> bool {
        let has_line = self.buffer.contains(&b'\n');
        self.buffer.len() >= BEGINNING_BYTES_MAX
            || match self.kind {
                InputKind::File => false,
                InputKind::Pipe => has_line && !self.buffer.is_ascii(),
                InputKind::Terminal => has_line,
            }
    }

    /// The first bytes that were read and not skipped.
    pub fn beginning(&self) -> &[u8] {
        &self.buffer
    }

    /// Reads until the beginning contains a whole first row.
    pub fn read_first_row(&mut self, shape: Shape) -> Result<(), NormalizeError> {
        let mut splitter = Splitter::new(shape);
        while !self.ended && splitter.whole_rows(&self.buffer) == 0 {
            self.read_more()?;
            if self.buffer.len() > ROW_BYTES_MAX {
                return Err(self.row_too_long());
            }
        }
        Ok(())
    }

    pub fn skip(&mut self, length: usize) {
        self.line += memchr_iter(b'\n', &self.buffer[..length]).count() as u64;
        self.buffer.drain(..length);
    }

    fn read_more(&mut self) -> Result<(), NormalizeError> {
        let before = self.buffer.len();
        self.buffer.resize(before + READ_BYTES, 0);
        let read = loop {
            match self.source.read(&mut self.buffer[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
        let failed = |cause| NormalizeError::Read { name: self.name.clone(), cause };
        self.ended = read.map_err(failed)? == 0;
        Ok(())
    }

    fn row_too_long(&self) -> NormalizeError {
        NormalizeError::RowTooLong {
            name: self.name.clone(),
            limit_mib: ROW_BYTES_MAX >> 20,
            line: self.line,
        }
    }

    /// Splits the rest into chunks of whole rows: `free_chunk` returns a chunk to fill, `send` receives the filled one.
    /// Ends early if one of them fails.
    pub fn read_chunks(
        mut self,
        shape: Shape,
        mut free_chunk: impl FnMut() -> Option<Chunk>,
        mut send: impl FnMut(Chunk) -> bool,
    ) -> Result<(), NormalizeError> {
        let mut splitter = Splitter::new(shape);
        loop {
            let whole =
                if self.ended { self.buffer.len() } else { splitter.whole_rows(&self.buffer) };
            if whole > 0 {
                let Some(mut next) = free_chunk() else { return Ok(()) };
                next.input.clear();
                next.input.extend_from_slice(&self.buffer[..whole]);
                self.skip(whole);
                splitter.discard_whole_rows();
                if !send(next) {
                    return Ok(());
                }
            }
            if self.ended {
                return Ok(());
            }
            if self.buffer.len() > ROW_BYTES_MAX {
                return Err(self.row_too_long());
            }
            self.read_more()?;
        }
    }
}
