//! The output of a command: standard output, whose reader may stop early; a file, which appears when complete; or a
//! device.
//!
//! While a command writes files, SIGINT and SIGTERM remove unfinished files and end the process. SIGXFSZ, sent for a
//! write beyond the file size limit, is ignored, so that the write fails as on a full disk.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::OnceLock;
use std::thread;

use tokio::runtime::Builder;

use super::error::CommandError;
use crate::signals::{Signals, ignore_file_size_limit};
use crate::snapshot::unfinished::{self, BESIDE_OUTPUT, UnfinishedFile, remove_left_over};

pub enum Output {
    Standard(io::Stdout),
    /// A temporary file beside the target until it is complete.
    File(UnfinishedFile),
    /// An existing path that is not a regular file, such as a pipe.
    Device(File, PathBuf),
}

impl Output {
    /// Opens `path`, or standard output for `None`. An existing file stays until the new one is complete.
    pub fn open(path: Option<&Path>) -> Result<Output, CommandError> {
        let Some(path) = path else { return Ok(Output::Standard(io::stdout())) };
        let write_error = |cause| write_error(&path.display().to_string(), &cause);
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                let message =
                    format!("--output {}: expected a file; found a folder", path.display());
                return Err(CommandError::Usage(message));
            }
            Ok(metadata) if !metadata.is_file() => {
                let device = OpenOptions::new().write(true).open(path).map_err(write_error)?;
                return Ok(Output::Device(device, path.to_owned()));
            }
            _ => {}
        }
        // Keeps a symbolic link and replaces its target.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let file = UnfinishedFile::create(&path, BESIDE_OUTPUT).map_err(write_error)?;
        // Removes temporary files of killed runs; failing to do so does not prevent writing.
        let _ = file.path().parent().map(|folder| remove_left_over(folder, BESIDE_OUTPUT));
        Ok(Output::File(file))
    }

    /// Moves a complete file to its place.
    pub fn finish(self) -> Result<(), CommandError> {
        let name = self.name();
        match self {
            Output::File(file) => file.finish().map_err(|cause| write_error(&name, &cause)),
            Output::Standard(_) | Output::Device(..) => Ok(()),
        }
    }

    pub fn name(&self) -> String {
        match self {
            Output::Standard(_) => "standard output".to_owned(),
            Output::File(file) => file.final_path().display().to_string(),
            Output::Device(_, path) => path.display().to_string(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Standard(stdout) => stdout.write(bytes),
            Output::File(file) => file.file().write(bytes),
            Output::Device(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Standard(stdout) => stdout.flush(),
            Output::File(_) | Output::Device(..) => Ok(()),
        }
    }
}

/// Whether the reader of the output has gone, which is not an error.
pub fn is_closed(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}

pub fn write_error(name: &str, cause: &io::Error) -> CommandError {
    CommandError::Failed(format!("cannot write {name}: {cause}; {}", remedy(cause.kind())))
}

fn remedy(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free disk space, or write elsewhere",
        ErrorKind::FileTooLarge => "raise the limit of file sizes (ulimit -f), or write elsewhere",
        ErrorKind::NotFound => "create its folder first, or write elsewhere",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "allow writing there, or write elsewhere"
        }
        _ => "check the disk, its free space and the limit of file sizes (ulimit -f)",
    }
}

/// Shells report a process killed by a signal with the exit code of this plus the signal number.
const SIGNAL_EXIT_CODE_BASE: i32 = 128;

pub fn clean_up_on_signals() -> Result<(), CommandError> {
    static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| install_handlers().map_err(|error| error.to_string()));
    installed
        .clone()
        .map_err(|error| CommandError::Failed(format!("cannot install a signal handler: {error}")))
}

fn install_handlers() -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let mut signals = {
        let _inside = runtime.enter();
        ignore_file_size_limit()?;
        Signals::to_end()?
    };
    let thread = thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || {
        let signal = runtime.block_on(signals.next());
        unfinished::remove_all();
        exit(SIGNAL_EXIT_CODE_BASE + signal.number());
    })?;
    Ok(())
}
