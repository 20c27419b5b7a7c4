//! The input of the command: a file or standard input, decompressed; for a workbook, one sheet.

use std::fs::File;
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::Path;

use crate::cli::error::CommandError;
use crate::normalize::{Content, Encoding, Input, InputKind, NormalizeError, open_sheet};

/// Size limit of a workbook that is not a regular file and must fit in memory.
const WORKBOOK_BYTES_MAX: u64 = 1 << 30;

/// Input settings given by the user; `None` is detected.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub sheet: Option<&'a str>,
    pub delimiter: Option<u8>,
    pub encoding: Option<Encoding>,
}

/// An opened input, and what is known before its first row.
pub struct Source {
    pub input: Input,
    /// The size of an uncompressed regular file.
    pub length_bytes: Option<u64>,
    pub delimiter: Option<u8>,
    pub encoding: Option<Encoding>,
}

impl Source {
    pub fn open(path: Option<&Path>, asked: Asked<'_>) -> Result<Source, CommandError> {
        let (name, source, kind, length_bytes) = raw(path)?;
        let Asked { sheet, delimiter, encoding } = asked;
        let asked = (delimiter, encoding);
        let content = Content::recognise(&name, source)?;
        if sheet.is_some() && !matches!(content, Content::Zip { .. }) {
            return Err(NormalizeError::SheetOfText { name }.into());
        }
        let (source, kind, length_bytes, (delimiter, encoding)) = match content {
            Content::Text(source) => (source, kind, length_bytes, asked),
            Content::Unpacked(source) => (source, InputKind::File, None, asked),
            Content::Zip { .. } if asked != (None, None) => {
                return Err(NormalizeError::WorkbookOption { name }.into());
            }
            Content::Zip { source, compressed } => {
                let csv = (Some(b','), Some(Encoding::Utf8));
                let file = path.filter(|_path| length_bytes.is_some() && !compressed);
                (workbook(&name, file, source, sheet)?, InputKind::File, None, csv)
            }
        };
        let input = Input::begin(source, name, kind)?;
        Ok(Source { input, length_bytes, delimiter, encoding })
    }
}

type Raw = (String, Box<dyn Read + Send>, InputKind, Option<u64>);

/// Opens a file, or standard input for `None`; also returns the length of a regular file.
fn raw(path: Option<&Path>) -> Result<Raw, NormalizeError> {
    let stream = match io::stdin().is_terminal() {
        true => InputKind::Terminal,
        false => InputKind::Pipe,
    };
    let Some(path) = path else {
        return Ok(("standard input".to_owned(), Box::new(io::stdin()), stream, None));
    };
    let name = path.display().to_string();
    let failed = |cause| NormalizeError::Read { name: name.clone(), cause };
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let length_bytes = metadata.is_file().then_some(metadata.len());
    let kind = if metadata.is_file() { InputKind::File } else { stream };
    Ok((name, Box::new(file), kind, length_bytes))
}

/// A zip is read from its end, so it needs the file itself, or all bytes in memory.
fn workbook(
    name: &str,
    file: Option<&Path>,
    source: Box<dyn Read + Send>,
    sheet: Option<&str>,
) -> Result<Box<dyn Read + Send>, NormalizeError> {
    let failed = |cause| NormalizeError::Read { name: name.to_owned(), cause };
    if let Some(path) = file {
        let file = File::open(path).map_err(failed)?;
        return open_sheet(name, io::BufReader::new(file), sheet);
    }
    let mut bytes = Vec::new();
    source.take(WORKBOOK_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > WORKBOOK_BYTES_MAX {
        let found = format!("more than {} MiB of it", WORKBOOK_BYTES_MAX >> 20);
        let remedy = "pass the decompressed file by its path".to_owned();
        return Err(NormalizeError::OtherKind { name: name.to_owned(), found, remedy });
    }
    open_sheet(name, Cursor::new(bytes), sheet)
}
