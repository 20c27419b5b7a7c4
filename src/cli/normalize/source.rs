//! The input of the command: a file or standard input, decompressed; for a workbook, one sheet.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use crate::cli::error::CommandError;
use crate::normalize::{
    Content, Encoding, Input, InputKind, NormalizeError, SheetLayout, WorkbookSource, open_sheet,
};

/// Size limit of a workbook that is not a regular file and must fit in memory.
const WORKBOOK_BYTES_MAX: u64 = 1 << 30;

/// An opened input, and what is known before its first row.
pub struct Source {
    pub input: Input,
    /// The size of an uncompressed regular file.
    pub length_bytes: Option<u64>,
    pub delimiter: Option<u8>,
    /// The workbook, if the input is a sheet.
    pub workbook: Option<Workbook>,
}

/// The workbook that the input is a sheet of.
pub struct Workbook {
    pub source: WorkbookSource,
    pub sheet: String,
    /// The sheet's part and its form; or why the workbook cannot be copied.
    pub layout: Result<(String, SheetLayout), String>,
}

impl Source {
    /// Opens a file, or standard input for `None`. Delimiter and encoding are detected if they are not given.
    pub fn open(
        path: Option<&Path>,
        sheet: Option<&str>,
        delimiter: Option<u8>,
        encoding: Option<Encoding>,
    ) -> Result<Source, CommandError> {
        let name = path.map_or("standard input".to_owned(), |path| path.display().to_string());
        let mut kind = match io::stdin().is_terminal() {
            true => InputKind::Terminal,
            false => InputKind::Pipe,
        };
        // Of a regular file.
        let mut length_bytes = None;
        let mut source: Box<dyn Read + Send> = Box::new(io::stdin());
        if let Some(path) = path {
            let read_error = |cause| NormalizeError::Read { name: name.clone(), cause };
            let file = File::open(path).map_err(read_error)?;
            let metadata = file.metadata().map_err(read_error)?;
            if metadata.is_file() {
                (kind, length_bytes) = (InputKind::File, Some(metadata.len()));
            }
            source = Box::new(file);
        }
        let content = Content::detect(&name, source)?;
        if sheet.is_some() && !matches!(content, Content::Zip { .. }) {
            return Err(NormalizeError::SheetOfText { name }.into());
        }
        let (source, kind, length_bytes, workbook) = match content {
            Content::Text(source) => (source, kind, length_bytes, None),
            Content::Unpacked(source) => (source, InputKind::File, None, None),
            Content::Zip { .. } if delimiter.is_some() || encoding.is_some() => {
                return Err(NormalizeError::WorkbookOption { name }.into());
            }
            Content::Zip { source, compressed } => {
                let file = path.filter(|_path| length_bytes.is_some() && !compressed);
                let source = workbook_source(&name, file, source)?;
                let opened = open_sheet(&name, &source, sheet)?;
                let workbook = Workbook { source, sheet: opened.name, layout: opened.layout };
                (opened.rows, InputKind::File, None, Some(workbook))
            }
        };
        // The rows of a sheet are a CSV in UTF-8.
        let (delimiter, encoding) = match workbook {
            Some(_) => (Some(b','), Some(Encoding::Utf8)),
            None => (delimiter, encoding),
        };
        let input = Input::open(source, name, kind, encoding)?;
        Ok(Source { input, length_bytes, delimiter, workbook })
    }
}

/// A zip is read from its end, and twice: this needs the file itself, or all bytes in memory.
fn workbook_source(
    name: &str,
    file: Option<&Path>,
    source: Box<dyn Read + Send>,
) -> Result<WorkbookSource, NormalizeError> {
    if let Some(path) = file {
        return Ok(WorkbookSource::File(path.to_owned()));
    }
    let read_error = |cause| NormalizeError::Read { name: name.to_owned(), cause };
    let mut bytes = Vec::new();
    source.take(WORKBOOK_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.len() as u64 > WORKBOOK_BYTES_MAX {
        let found = format!("more than {} MiB of it", WORKBOOK_BYTES_MAX >> 20);
        let remedy = "pass the decompressed file by its path".to_owned();
        return Err(NormalizeError::UnsupportedInput { name: name.to_owned(), found, remedy });
    }
    Ok(WorkbookSource::Memory(bytes.into()))
}
