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
pub struct InputSettings<'a> {
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
    pub fn open(path: Option<&Path>, settings: InputSettings<'_>) -> Result<Source, CommandError> {
        let RawInput { name, source, kind, length_bytes } = RawInput::open(path)?;
        let InputSettings { sheet, delimiter, encoding } = settings;
        let text_settings = (delimiter, encoding);
        let content = Content::detect(&name, source)?;
        if sheet.is_some() && !matches!(content, Content::Zip { .. }) {
            return Err(NormalizeError::SheetOfText { name }.into());
        }
        let (source, kind, length_bytes, (delimiter, encoding)) = match content {
            Content::Text(source) => (source, kind, length_bytes, text_settings),
            Content::Unpacked(source) => (source, InputKind::File, None, text_settings),
            Content::Zip { .. } if text_settings != (None, None) => {
                return Err(NormalizeError::WorkbookOption { name }.into());
            }
            Content::Zip { source, compressed } => {
                let csv = (Some(b','), Some(Encoding::Utf8));
                let file = path.filter(|_path| length_bytes.is_some() && !compressed);
                (open_workbook(&name, file, source, sheet)?, InputKind::File, None, csv)
            }
        };
        let input = Input::open(source, name, kind)?;
        Ok(Source { input, length_bytes, delimiter, encoding })
    }
}

/// The bytes of the input before its content is detected.
struct RawInput {
    name: String,
    source: Box<dyn Read + Send>,
    kind: InputKind,
    /// The length of a regular file.
    length_bytes: Option<u64>,
}

impl RawInput {
    /// Opens a file, or standard input for `None`.
    fn open(path: Option<&Path>) -> Result<RawInput, NormalizeError> {
        let stream_kind = match io::stdin().is_terminal() {
            true => InputKind::Terminal,
            false => InputKind::Pipe,
        };
        let Some(path) = path else {
            let name = "standard input".to_owned();
            let source = Box::new(io::stdin());
            return Ok(RawInput { name, source, kind: stream_kind, length_bytes: None });
        };
        let name = path.display().to_string();
        let read_error = |cause| NormalizeError::Read { name: name.clone(), cause };
        let file = File::open(path).map_err(read_error)?;
        let metadata = file.metadata().map_err(read_error)?;
        let length_bytes = metadata.is_file().then_some(metadata.len());
        let kind = if metadata.is_file() { InputKind::File } else { stream_kind };
        Ok(RawInput { name, source: Box::new(file), kind, length_bytes })
    }
}

/// Opens a sheet of a workbook. A zip is read from its end, so this needs the file itself, or all bytes in memory.
fn open_workbook(
    name: &str,
    file: Option<&Path>,
    source: Box<dyn Read + Send>,
    sheet: Option<&str>,
) -> Result<Box<dyn Read + Send>, NormalizeError> {
    let read_error = |cause| NormalizeError::Read { name: name.to_owned(), cause };
    if let Some(path) = file {
        let file = File::open(path).map_err(read_error)?;
        return open_sheet(name, io::BufReader::new(file), sheet);
    }
    let mut bytes = Vec::new();
    source.take(WORKBOOK_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.len() as u64 > WORKBOOK_BYTES_MAX {
        let found = format!("more than {} MiB of it", WORKBOOK_BYTES_MAX >> 20);
        let remedy = "pass the decompressed file by its path".to_owned();
        return Err(NormalizeError::UnsupportedInput { name: name.to_owned(), found, remedy });
    }
    open_sheet(name, Cursor::new(bytes), sheet)
}
