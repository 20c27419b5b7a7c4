//! The input: a file or standard input, its beginning looked at, the rest in chunks of whole rows.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use memchr::memchr_iter;

use super::pipeline::Chunk;
use super::split::{Shape, Splitter};
use crate::cli::error::CommandError;

/// Bytes of one read; a chunk has so many and what the last one left.
pub const READ_BYTES: usize = 256 << 10;
/// Bound on one row. A row this long is a quote that nobody closed.
const ROW_BYTES_MAX: usize = 64 << 20;
/// Bytes of the beginning from which encoding and delimiter are told.
const BEGINNING_BYTES_MAX: usize = 1 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// An opened input whose beginning was read.
pub struct Input {
    source: Box<dyn Read + Send>,
    name: String,
    /// The bytes read so far, without the byte order mark.
    beginning: Vec<u8>,
    /// The line that it begins in, from 1.
    line: u64,
    ended: bool,
    /// Whether it began with a byte order mark of UTF-8.
    pub has_bom: bool,
    /// Its size, where it is a file.
    pub length_bytes: Option<u64>,
}

impl Input {
    /// Opens a file, or standard input for `None`.
    pub fn open(path: Option<&Path>) -> Result<Input, CommandError> {
        let Some(path) = path else {
            return Input::begin(Box::new(io::stdin()), "standard input".to_owned(), None);
        };
        let unread = |cause| unreadable(&path.display().to_string(), &cause);
        let file = File::open(path).map_err(unread)?;
        let metadata = file.metadata().map_err(unread)?;
        let length_bytes = metadata.is_file().then_some(metadata.len());
        Input::begin(Box::new(file), path.display().to_string(), length_bytes)
    }

    fn begin(
        source: Box<dyn Read + Send>,
        name: String,
        length_bytes: Option<u64>,
    ) -> Result<Input, CommandError> {
        let beginning = Vec::new();
        let (line, ended, has_bom) = (1, false, false);
        let mut input = Input { source, name, beginning, line, ended, has_bom, length_bytes };
        while !input.ended && !input.is_enough() {
            input.read_more()?;
        }
        if input.beginning.starts_with(b"\xff\xfe") || input.beginning.starts_with(b"\xfe\xff") {
            return Err(CommandError::BadInput(format!(
                "{}: expected UTF-8 or Shift_JIS; found UTF-16; save it as UTF-8",
                input.name
            )));
        }
        if input.beginning.starts_with(BOM) {
            input.beginning.drain(..BOM.len());
            input.has_bom = true;
        }
        Ok(input)
    }

    /// Whether the beginning tells what the input is. Of a file, a megabyte does; of a pipe, its
    /// first line and the first letter beyond ASCII, since whoever writes into it may wait for an
    /// answer; of a terminal, a line.
    fn is_enough(&self) -> bool {
        if self.beginning.len() >= BEGINNING_BYTES_MAX {
            return true;
        }
        let has_letter = || !self.beginning.is_ascii() || io::stdin().is_terminal();
        self.length_bytes.is_none() && self.beginning.contains(&b'\n') && has_letter()
    }

    /// What it begins with.
    pub fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    /// Reads until the beginning holds a whole first row.
    pub fn read_first_row(&mut self, shape: Shape) -> Result<(), CommandError> {
        let mut splitter = Splitter::new(shape);
        while !self.ended && splitter.whole_rows(&self.beginning) == 0 {
            self.read_more()?;
            if self.beginning.len() > ROW_BYTES_MAX {
                return Err(self.row_too_long());
            }
        }
        Ok(())
    }

    /// Takes rows from the beginning.
    pub fn skip(&mut self, length: usize) {
        self.line += memchr_iter(b'\n', &self.beginning[..length]).count() as u64;
        self.beginning.drain(..length);
    }

    fn read_more(&mut self) -> Result<(), CommandError> {
        let read = read_into(&mut *self.source, &mut self.beginning);
        self.ended = read.map_err(|cause| unreadable(&self.name, &cause))? == 0;
        Ok(())
    }

    fn row_too_long(&self) -> CommandError {
        CommandError::BadInput(format!(
            "{}: expected a row of at most {} MiB; found no end of the one that begins in line \
             {}; is a quote left open there?",
            self.name,
            ROW_BYTES_MAX >> 20,
            self.line
        ))
    }

    /// Cuts the rest into chunks of whole rows. `chunk` gives an empty one and `send` takes a full
    /// one; either ends it by failing.
    pub fn read_chunks(
        mut self,
        shape: Shape,
        mut chunk: impl FnMut() -> Option<Chunk>,
        mut send: impl FnMut(Chunk) -> bool,
    ) -> Result<(), CommandError> {
        let mut splitter = Splitter::new(shape);
        loop {
            let whole = if self.ended {
                self.beginning.len()
            } else {
                splitter.whole_rows(&self.beginning)
            };
            if whole > 0 {
                let Some(mut next) = chunk() else { return Ok(()) };
                next.input.clear();
                next.input.extend_from_slice(&self.beginning[..whole]);
                self.skip(whole);
                splitter.take();
                if !send(next) {
                    return Ok(());
                }
            }
            if self.ended {
                return Ok(());
            }
            if self.beginning.len() > ROW_BYTES_MAX {
                return Err(self.row_too_long());
            }
            self.read_more()?;
        }
    }
}

/// Appends one read's bytes; nothing means that there are no more.
fn read_into(source: &mut dyn Read, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let before = buffer.len();
    buffer.resize(before + READ_BYTES, 0);
    let read = loop {
        match source.read(&mut buffer[before..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    buffer.truncate(before + *read.as_ref().unwrap_or(&0));
    read
}

fn unreadable(name: &str, cause: &io::Error) -> CommandError {
    CommandError::BadInput(format!("cannot read {name}: {cause}"))
}

/// The path of a file argument; `None` for standard input.
pub fn path_of(file: Option<&PathBuf>) -> Option<&Path> {
    file.map(PathBuf::as_path).filter(|path| *path != Path::new("-"))
}
