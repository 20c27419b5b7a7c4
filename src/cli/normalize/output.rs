//! The output: standard output, whose reader may stop early, or a file that appears when it is whole.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::cli::error::CommandError;
use crate::snapshot::unfinished::{BESIDE_OUTPUT, Unfinished, remove_left};

/// Where the rows go.
pub enum Output {
    Standard(io::Stdout),
    /// A file beside its place, until it is whole.
    File(Unfinished),
    /// A path that exists and is no regular file, such as a pipe.
    Device(File, PathBuf),
}

impl Output {
    pub fn create(path: Option<&Path>) -> Result<Output, CommandError> {
        let Some(path) = path else { return Ok(Output::Standard(io::stdout())) };
        let unwritable = |cause| unwritable(&path.display().to_string(), &cause);
        match std::fs::metadata(path) {
            Ok(there) if there.is_dir() => {
                let message =
                    format!("--output {}: expected a file; found a folder", path.display());
                return Err(CommandError::Usage(message));
            }
            Ok(there) if !there.is_file() => {
                let device = OpenOptions::new().write(true).open(path).map_err(unwritable)?;
                return Ok(Output::Device(device, path.to_owned()));
            }
            _ => {}
        }
        // A symbolic link stays: the file that it points to is replaced.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let file = Unfinished::begin(&path, BESIDE_OUTPUT).map_err(unwritable)?;
        // What a killed run left; that it cannot be removed is no reason not to write.
        let _ = file.path().parent().map(|folder| remove_left(folder, BESIDE_OUTPUT));
        Ok(Output::File(file))
    }

    /// Writes; breaks where nobody reads any more.
    pub fn write(&mut self, bytes: &[u8]) -> Result<ControlFlow<()>, CommandError> {
        let written = match self {
            Output::Standard(stdout) => stdout.write_all(bytes).and_then(|()| stdout.flush()),
            Output::File(file) => file.file().write_all(bytes),
            Output::Device(file, _) => file.write_all(bytes),
        };
        match written {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            Err(error) => Err(unwritable(&self.name(), &error)),
        }
    }

    /// Renames the whole file into its place.
    pub fn finish(self) -> Result<(), CommandError> {
        let name = self.name();
        let Output::File(file) = self else { return Ok(()) };
        file.finish().map_err(|cause| unwritable(&name, &cause))
    }

    fn name(&self) -> String {
        match self {
            Output::Standard(_) => "standard output".to_owned(),
            Output::File(file) => file.place().display().to_string(),
            Output::Device(_, path) => path.display().to_string(),
        }
    }
}

fn unwritable(name: &str, cause: &io::Error) -> CommandError {
    CommandError::BadInput(format!("cannot write {name}: {cause}"))
}
