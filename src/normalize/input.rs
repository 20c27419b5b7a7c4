//! The input: its beginning is read for detection, the rest in chunks of whole rows.
//!
//! Counts the lines that it reads, before it divides them: the end of the run compares them with the rows.

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memchr_iter;

use super::detect::{self, Undecodable};
use super::encoding::Encoding;
use super::split::{Shape, Splitter};
use super::transcode::Transcoder;
use super::{chunk::Chunk, error::NormalizeError, read};

/// Bytes of one read. A chunk has up to this many, plus the rest of the previous read.
pub const READ_BYTES: usize = 256 << 10;
/// Limit of one row. A longer one is an unclosed quote.
const ROW_BYTES_MAX: usize = 64 << 20;
/// Bytes from which encoding and delimiter are detected.
const BEGINNING_BYTES_MAX: usize = 1 << 20;

pub struct Input {
    source: Box<dyn Read + Send>,
    name: String,
    kind: InputKind,
    /// The bytes that were read and not yet passed on, without the byte order mark.
    buffer: Vec<u8>,
    /// The line at which the buffer begins, from 1.
    line: u64,
    ended: bool,
    /// How many lines were passed on in chunks.
    lines_passed: Arc<AtomicU64>,
    /// Whether it began with a byte order mark.
    pub has_bom: bool,
    /// The encoding of the file.
    pub encoding: Encoding,
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
    /// Reads the beginning of a source; `name` is its name in messages. `encoding` is detected if it is not given.
    pub fn open(
        source: Box<dyn Read + Send>,
        name: String,
        kind: InputKind,
        encoding: Option<Encoding>,
    ) -> Result<Input, NormalizeError> {
        let mut input = Input {
            source,
            name,
            kind,
            buffer: Vec::new(),
            line: 1,
            ended: false,
            lines_passed: Arc::default(),
            has_bom: false,
            encoding: Encoding::Utf8,
        };
        input.read_beginning()?;
        input.detect_encoding(encoding)?;
        if !input.encoding.keeps_ascii()
            && let Some(decoder) = input.encoding.decoder()
        {
            let beginning = Cursor::new(std::mem::take(&mut input.buffer));
            let source = std::mem::replace(&mut input.source, Box::new(io::empty()));
            let whole = Box::new(beginning.chain(source));
            input.source = Box::new(Transcoder::new(input.encoding, decoder, whole));
            input.ended = false;
            input.read_beginning()?;
        }
        Ok(input)
    }

    fn read_beginning(&mut self) -> Result<(), NormalizeError> {
        while !self.ended && !self.can_be_detected() {
            self.read_more()?;
        }
        Ok(())
    }

    /// Sets the encoding, and removes the byte order mark.
    fn detect_encoding(&mut self, requested: Option<Encoding>) -> Result<(), NormalizeError> {
        let refused = |name: &str, Undecodable { found, remedy }| NormalizeError::Undecodable {
            name: name.to_owned(),
            found,
            remedy,
        };
        let mark = detect::byte_order_mark(&self.buffer).map_err(|it| refused(&self.name, it))?;
        self.encoding = match (mark, requested) {
            (Some(mark), Some(requested)) if mark != requested => {
                let (marked, requested) = (mark.name(), requested.name());
                let name = self.name.clone();
                return Err(NormalizeError::OtherMark { name, marked, requested });
            }
            (Some(encoding), _) | (None, Some(encoding)) => encoding,
            (None, None) => detect::detect(&self.buffer).map_err(|it| refused(&self.name, it))?,
        };
        if let Some(mark) = mark {
            self.buffer.drain(..mark.byte_order_mark().len());
            self.has_bom = true;
        }
        Ok(())
    }

    /// The encoding of the bytes that are passed on: that of the file, or UTF-8 if they are converted while they are
    /// read.
    pub fn text_encoding(&self) -> Encoding {
        if self.encoding.keeps_ascii() { self.encoding } else { Encoding::Utf8 }
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

    /// Reads until the beginning contains this many whole rows, or the end.
    pub fn read_rows(&mut self, shape: Shape, count: usize) -> Result<(), NormalizeError> {
        let mut splitter = Splitter::new(shape);
        splitter.whole_rows(&self.buffer);
        while !self.ended && splitter.rows() < count {
            self.read_more()?;
            splitter.whole_rows(&self.buffer);
            if self.buffer.len() - splitter.rows_end() > ROW_BYTES_MAX {
                return Err(self.row_too_long(splitter.rows_end(), shape.newline));
            }
        }
        Ok(())
    }

    /// How many lines are passed on in chunks; complete when the run has ended.
    pub fn lines_passed(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.lines_passed)
    }

    /// Removes bytes from the beginning; returns how many lines they are.
    pub fn skip(&mut self, length: usize, newline: u8) -> u64 {
        let lines = count_lines(&self.buffer[..length], newline);
        self.line += lines;
        self.buffer.drain(..length);
        lines
    }

    fn read_more(&mut self) -> Result<(), NormalizeError> {
        let read = read::append(&mut self.source, READ_BYTES, &mut self.buffer);
        let failed = |cause| NormalizeError::Read { name: self.name.clone(), cause };
        self.ended = read.map_err(failed)? == 0;
        Ok(())
    }

    /// The error for the row that begins at this position of the buffer.
    fn row_too_long(&self, position: usize, newline: u8) -> NormalizeError {
        NormalizeError::RowTooLong {
            name: self.name.clone(),
            limit_mib: ROW_BYTES_MAX >> 20,
            line: self.line + memchr_iter(newline, &self.buffer[..position]).count() as u64,
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
                next.first_line = self.line;
                let lines = self.skip(whole, shape.newline);
                self.lines_passed.fetch_add(lines, Ordering::Relaxed);
                splitter.discard_whole_rows();
                if !send(next) {
                    return Ok(());
                }
            }
            if self.ended {
                return Ok(());
            }
            if self.buffer.len() > ROW_BYTES_MAX {
                return Err(self.row_too_long(0, shape.newline));
            }
            self.read_more()?;
        }
    }
}

/// How many lines these bytes are; the last one may lack its line break.
fn count_lines(bytes: &[u8], newline: u8) -> u64 {
    let unfinished = bytes.last().is_some_and(|&last| last != newline);
    memchr_iter(newline, bytes).count() as u64 + u64::from(unfinished)
}
